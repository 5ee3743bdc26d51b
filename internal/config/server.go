package config

import (
	"net/netip"
	"net/url"
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

func (d *Database) check(sheet *sheet, need func(Need) bool) {
	if !d.URL.IsSet() {
		if need(NeedDatabase) {
			sheet.add("DATABASE_URL", "is not set",
				"set it to postgres://user:password@host:5432/database, or use `vestnik dev`, which starts its own")
		}
		return
	}
	if _, err := pgconn.ParseConfig(d.URL.Reveal()); err != nil {
		sheet.add("DATABASE_URL", "is not a Postgres URL", "write postgres://user:password@host:5432/database, special characters %-encoded")
	}
}

// HTTP is the api's listener and the bearer tokens of its routes.
type HTTP struct {
	Addr     string `env:"HTTP_ADDR" envDefault:"127.0.0.1:8080" about:"where the api listens"`
	OpsToken Secret `env:"OPS_TOKEN" about:"bearer token of the operator's routes; vestnik dev makes its own"`
	CMSToken Secret `env:"CMS_TOKEN" about:"bearer token of the CMS's routes; vestnik dev makes its own"`
}

func (h *HTTP) check(sheet *sheet, need func(Need) bool) {
	sheet.hostPort("HTTP_ADDR", h.Addr)
	if need(NeedOps) {
		sheet.required("OPS_TOKEN", h.OpsToken.IsSet(), "set it to a long random text, such as `openssl rand -hex 32` gives")
	}
	if need(NeedCMS) {
		sheet.required("CMS_TOKEN", h.CMSToken.IsSet(), "set it to a long random text, such as `openssl rand -hex 32` gives")
	}
}

// Platforms are the APIs' addresses; the sandbox takes their place in dev and
// in tests.
type Platforms struct {
	// TelegramURL has no slash at its end.
	TelegramURL string `env:"TELEGRAM_API_URL" envDefault:"https://api.telegram.org" about:"Bot API, for the relay and the guide"`
	// VKURL ends in a slash; the method's name follows.
	VKURL string `env:"VK_API_URL" envDefault:"https://api.vk.com/method/" about:"VK API"`
}

func (p *Platforms) normalise() {
	p.TelegramURL = strings.TrimRight(p.TelegramURL, "/")
	p.VKURL = strings.TrimRight(p.VKURL, "/") + "/"
}

func (p *Platforms) check(sheet *sheet) {
	sheet.httpURL("TELEGRAM_API_URL", p.TelegramURL, "https", "http")
	sheet.httpURL("VK_API_URL", p.VKURL, "https", "http")
}

// Worker is the version a worker polls as. See "Versioning" in README.md.
type Worker struct {
	DeploymentName string `env:"TEMPORAL_DEPLOYMENT_NAME" about:"worker deployment; with the build id below: a versioned worker"`
	BuildID        string `env:"TEMPORAL_WORKER_BUILD_ID" about:"build id of this worker, such as the git commit"`
}

// Versioned tells whether the worker takes part in worker versioning.
func (w Worker) Versioned() bool { return w.DeploymentName != "" && w.BuildID != "" }

func (w *Worker) check(sheet *sheet) {
	const remedy = "set both for a versioned worker, none for an unversioned one"
	switch {
	case w.DeploymentName != "" && w.BuildID == "":
		sheet.add("TEMPORAL_WORKER_BUILD_ID", "is not set, but TEMPORAL_DEPLOYMENT_NAME is", remedy)
	case w.DeploymentName == "" && w.BuildID != "":
		sheet.add("TEMPORAL_DEPLOYMENT_NAME", "is not set, but TEMPORAL_WORKER_BUILD_ID is", remedy)
	case strings.ContainsAny(w.DeploymentName, ".:"):
		// The server joins name and build id with one of the two.
		sheet.add("TEMPORAL_DEPLOYMENT_NAME", "contains a dot or a colon", "use letters, digits and dashes")
	}
}

// Log is what a process says about itself. The other OTEL_… variables are
// read by the OpenTelemetry libraries themselves.
type Log struct {
	Level        string `env:"LOG_LEVEL" envDefault:"info" about:"debug, info, warn or error"`
	Format       string `env:"LOG_FORMAT" envDefault:"json" about:"json or text"`
	OTLPEndpoint string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" about:"where traces go (OTLP over gRPC); empty: nowhere"`
}

func (l *Log) check(sheet *sheet) {
	l.Level, l.Format = strings.ToLower(l.Level), strings.ToLower(l.Format)
	sheet.oneOf("LOG_LEVEL", l.Level, "debug", "info", "warn", "error")
	sheet.oneOf("LOG_FORMAT", l.Format, "json", "text")
	if l.OTLPEndpoint == "" {
		return
	}
	if parsed, err := url.Parse(l.OTLPEndpoint); err != nil || parsed.Host == "" {
		sheet.add("OTEL_EXPORTER_OTLP_ENDPOINT", "is not a URL", "write it in full, such as http://127.0.0.1:4317")
	}
}

// LocalVK tells whether the VK API is a server on this machine: a sandbox.
func (p Platforms) LocalVK() bool { return local(p.VKURL) }

// LocalTelegram tells whether the Bot API is a server on this machine.
func (p Platforms) LocalTelegram() bool { return local(p.TelegramURL) }

func local(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	if parsed.Hostname() == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(parsed.Hostname())
	return err == nil && ip.IsLoopback()
}
