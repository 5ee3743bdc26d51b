package config

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Database is the Postgres that holds everything but the workflow histories.
type Database struct {
	// URL carries a password, hence a Secret.
	URL Secret `env:"DATABASE_URL" about:"Postgres, such as postgres://user:password@host:5432/vestnik; empty: vestnik dev starts one"`
}

// Target is the URL without its password, for people.
func (d Database) Target() string {
	parsed, err := pgconn.ParseConfig(d.URL.Reveal())
	if !d.URL.IsSet() || err != nil {
		return ""
	}
	return parsed.User + "@" + parsed.Host + "/" + parsed.Database
}

func (d Database) password() Secret {
	parsed, err := pgconn.ParseConfig(d.URL.Reveal())
	if !d.URL.IsSet() || err != nil {
		return Secret{}
	}
	return NewSecret(parsed.Password)
}

func (d *Database) check(faults *faultList, need func(Need) bool) {
	if !d.URL.IsSet() {
		if need(NeedDatabase) {
			faults.add("DATABASE_URL", "is not set",
				"set it to postgres://user:password@host:5432/database, or use `vestnik dev`, which starts its own")
		}
		return
	}
	if _, err := pgconn.ParseConfig(d.URL.Reveal()); err != nil {
		faults.add("DATABASE_URL", "is not a Postgres URL", "write postgres://user:password@host:5432/database, special characters %-encoded")
	}
}

// HTTP is the api's listeners and the bearer tokens of its routes.
type HTTP struct {
	Addr     string `env:"HTTP_ADDR" envDefault:"127.0.0.1:8080" about:"where the api listens"`
	OpsAddr  string `env:"OPS_ADDR" about:"a listener of its own for console, health and metrics; empty: HTTP_ADDR serves them too"`
	OpsToken Secret `env:"OPS_TOKEN" reread:"true" about:"bearer token of the operator's routes; vestnik dev makes its own"`
	// OpsTokensFile holds no secret: the tokens' hashes.
	OpsTokensFile string `env:"OPS_TOKENS_FILE" about:"operators by name, role and hash of their token, as vestnik operator add writes them"`
	OpsChat       string `env:"OPS_CHAT" about:"Telegram chat that is told what needs a person: its id, with /topic if any"`
	OpsChatToken  Secret `env:"OPS_CHAT_TOKEN" reread:"true" about:"token of the bot that tells it; falls back to TG_TOKEN"`
	// OpsUsers are who may press buttons in OpsChat, by their Telegram ids.
	OpsUsers OpsUsers `env:"OPS_USERS" about:"who may decide in OPS_CHAT by its buttons: Telegram user ids with names, such as 123456789=Вера,987654321=Иван; empty: it has no buttons"`
	CMSToken Secret   `env:"CMS_TOKEN" reread:"true" about:"bearer token of the CMS's routes; vestnik dev makes its own"`

	// UnpublishPercent is the brake on snapshots.
	UnpublishPercent int `env:"CMS_UNPUBLISH_PERCENT" envDefault:"20" about:"the share of a list, in percent, that a snapshot unpublishes without a confirmation; 100: never asks"`
}

// OpsUsers are operators' names by their Telegram user ids.
type OpsUsers map[int64]string

var (
	opsUser    = regexp.MustCompile(`^\s*([1-9]\d{0,15})=([\p{L}\p{N}][\p{L}\p{N}._-]{0,39})\s*$`)
	errOpsUser = errors.New("not id=name")
)

// UnmarshalText reads a list separated by commas.
func (u *OpsUsers) UnmarshalText(text []byte) error {
	*u = OpsUsers{}
	for entry := range strings.SplitSeq(string(text), ",") {
		user := opsUser.FindStringSubmatch(entry)
		if user == nil {
			return errOpsUser
		}
		id, err := strconv.ParseInt(user[1], 10, 64)
		if err != nil {
			return errOpsUser
		}
		(*u)[id] = user[2]
	}
	return nil
}

// String is the list as the configuration writes it.
func (u OpsUsers) String() string { return pairs(u, "=") }

var opsChat = regexp.MustCompile(`^-?\d+(/\d+)?$`)

func (h *HTTP) check(faults *faultList, need func(Need) bool) {
	faults.hostPort("HTTP_ADDR", h.Addr)
	if h.OpsAddr != "" {
		faults.hostPort("OPS_ADDR", h.OpsAddr)
		if h.OpsAddr == h.Addr && !strings.HasSuffix(h.Addr, ":0") {
			faults.add("OPS_ADDR", "is the address of HTTP_ADDR", "choose another port, or leave it out for one listener")
		}
	}
	if h.UnpublishPercent < 1 || h.UnpublishPercent > 100 {
		faults.add("CMS_UNPUBLISH_PERCENT", "is not a share in percent", "choose 1 to 100")
	}
	faults.strong("OPS_TOKEN", h.OpsToken)
	faults.token("OPS_CHAT_TOKEN", h.OpsChatToken)
	if h.OpsChat != "" && !opsChat.MatchString(h.OpsChat) {
		faults.add("OPS_CHAT", "is no chat", "write the numeric id, such as -1001234567890, or -1001234567890/12 for topic 12")
	}
	if len(h.OpsUsers) > 0 && h.OpsChat == "" {
		faults.add("OPS_USERS", "is set without OPS_CHAT", "set OPS_CHAT to the chat in which they decide")
	}
	faults.strong("CMS_TOKEN", h.CMSToken)
	if need(NeedOps) {
		faults.required("OPS_TOKEN", h.OpsToken.IsSet(), randomToken)
	}
	if need(NeedCMS) {
		faults.required("CMS_TOKEN", h.CMSToken.IsSet(), randomToken)
	}
}

// Platforms are the APIs' addresses; the sandbox takes their place in dev and
// in tests.
type Platforms struct {
	// TelegramURL has no slash at its end.
	TelegramURL string `env:"TELEGRAM_API_URL" envDefault:"https://api.telegram.org" about:"Bot API, for the relay and the guide"`
	// VKURL ends in a slash; the method's name follows.
	VKURL string `env:"VK_API_URL" envDefault:"https://api.vk.com/method/" about:"VK API"`
	// ViaTelegram and ViaVK may hold a user and a password.
	ViaTelegram Secret `env:"PROXY_TELEGRAM" about:"proxy for calls of the Bot API: http://, https:// or socks5://, with user:password@ if it wants them"`
	ViaVK       Secret `env:"PROXY_VK" about:"the same for calls of the VK API and for the photos of posts"`

	// SandboxTelegram and SandboxVK report that `vestnik dev` stands its sandbox
	// in for the platform: pictures may then be on this machine, without TLS.
	// Those who stand it in set them, and no variable does: an API's address says nothing about its pictures,
	// and a Bot API server of one's own is on loopback too.
	SandboxTelegram, SandboxVK bool
}

func (p *Platforms) normalise() {
	p.TelegramURL = strings.TrimRight(p.TelegramURL, "/")
	p.VKURL = strings.TrimRight(p.VKURL, "/") + "/"
}

// PublicTelegram reports whether the Bot API is asked of Telegram's own server.
func (p *Platforms) PublicTelegram() bool { return p.TelegramURL == "https://api.telegram.org" }

// ProxyTelegram and ProxyVK are the proxies' addresses, nil where none is set.
func (p *Platforms) ProxyTelegram() *url.URL { return proxy(p.ViaTelegram) }

// ProxyVK is like ProxyTelegram.
func (p *Platforms) ProxyVK() *url.URL { return proxy(p.ViaVK) }

func proxy(secret Secret) *url.URL {
	if parsed, err := url.Parse(secret.Reveal()); err == nil && parsed.Host != "" {
		return parsed
	}
	return nil
}

func (p *Platforms) check(faults *faultList) {
	for variable, secret := range map[string]Secret{"PROXY_TELEGRAM": p.ViaTelegram, "PROXY_VK": p.ViaVK} {
		via := proxy(secret)
		if secret.IsSet() && (via == nil || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, via.Scheme)) {
			faults.add(variable, "is not the address of a proxy", "write it like socks5://user:password@host:1080 or http://host:3128")
		}
	}
	for variable, address := range map[string]string{"TELEGRAM_API_URL": p.TelegramURL, "VK_API_URL": p.VKURL} {
		faults.httpURL(variable, address)
		if parsed, err := url.Parse(address); err == nil && parsed.Scheme == "http" && !near(parsed.Hostname()) {
			faults.add(variable, "is http, and tokens would cross the network in the clear", "write https, or put a proxy with TLS in front of the server")
		}
	}
}

// Worker is the version a worker polls as. See "Rolling out" in docs/production.md.
type Worker struct {
	DeploymentName string `env:"TEMPORAL_DEPLOYMENT_NAME" about:"worker deployment; with the build id below: a versioned worker"`
	BuildID        string `env:"TEMPORAL_WORKER_BUILD_ID" about:"build id of this worker, such as the git commit"`
	// Connections are those of the process's pool of Postgres, to which the
	// activities at once are measured; 0: as many as the SDK takes.
	Connections int
}

// Versioned reports whether the worker takes part in worker versioning.
func (w Worker) Versioned() bool { return w.DeploymentName != "" && w.BuildID != "" }

func (w *Worker) check(faults *faultList) {
	const remedy = "set both for a versioned worker, none for an unversioned one"
	switch {
	case w.DeploymentName != "" && w.BuildID == "":
		faults.add("TEMPORAL_WORKER_BUILD_ID", "is not set, but TEMPORAL_DEPLOYMENT_NAME is", remedy)
	case w.DeploymentName == "" && w.BuildID != "":
		faults.add("TEMPORAL_DEPLOYMENT_NAME", "is not set, but TEMPORAL_WORKER_BUILD_ID is", remedy)
	case strings.ContainsAny(w.DeploymentName, ".:"):
		// The server joins name and build id with one of the two.
		faults.add("TEMPORAL_DEPLOYMENT_NAME", "contains a dot or a colon", "use letters, digits and dashes")
	}
}

// Log is what a process says about itself. The other OTEL_… variables are
// read by the OpenTelemetry libraries themselves.
type Log struct {
	Level        string `env:"LOG_LEVEL" envDefault:"info" about:"debug, info, warn or error"`
	Format       string `env:"LOG_FORMAT" envDefault:"json" about:"json or text"`
	OTLPEndpoint string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" about:"where traces go (OTLP over gRPC); empty: nowhere"`
}

func (l *Log) check(faults *faultList) {
	l.Level, l.Format = strings.ToLower(l.Level), strings.ToLower(l.Format)
	faults.oneOf("LOG_LEVEL", l.Level, "debug", "info", "warn", "error")
	faults.oneOf("LOG_FORMAT", l.Format, "json", "text")
	if l.OTLPEndpoint == "" {
		return
	}
	if parsed, err := url.Parse(l.OTLPEndpoint); err != nil || parsed.Host == "" {
		faults.add("OTEL_EXPORTER_OTLP_ENDPOINT", "is not a URL", "write it in full, such as http://127.0.0.1:4317")
	}
}

// near reports whether a host is this machine or a container beside it: those
// go by names without a dot.
func near(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback()
	}
	return !strings.Contains(host, ".")
}
