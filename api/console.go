package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
)

// Where the operator's handler is to be mounted: the console for people and
// its JSON for programs.
const (
	ConsolePath = "/console/"
	OpsPath     = "/api/v1/ops/"
)

// ConsoleSteering steers workflows on an operator's word; starter.Starter is
// the one that does.
type ConsoleSteering interface {
	Resume(ctx context.Context, deliveryID int64, resume protocol.Resume) (string, error)
	Destinations(ctx context.Context) ([]protocol.LaneState, error)
	PauseDestination(ctx context.Context, destination, reason, by string) (protocol.LaneState, error)
	ResumeDestination(ctx context.Context, destination string) (protocol.LaneState, error)
	SetRate(ctx context.Context, destination string, pace protocol.Pace) (protocol.LaneState, error)
	Scan(ctx context.Context, input protocol.ScanWallsInput) (protocol.ScanWallsResult, error)
	Plan(ctx context.Context) (protocol.ReadPlan, error)
	ResumeKey(ctx context.Context) (bool, error)
	JoinCases(ctx context.Context, into int64, others []int64, note string) (int64, error)
	SplitCase(ctx context.Context, id int64, posts []petpost.PostRef, hold bool, note string) (newID int64, released []int64, err error)
}

// ConsoleConfig says what the operator sees and steers.
type ConsoleConfig struct {
	// Token opens every route: as a bearer token, or typed once into the
	// login form.
	Token    config.Secret
	Ledger   *db.Ledger
	Posts    *db.Posts
	Cases    *db.Cases
	Steering ConsoleSteering
	// Logouts remembers who logged out; nil is a memory of this process alone.
	Logouts ConsoleLogouts
	// TemporalUI is the address of Temporal's Web UI and Namespace ours in it;
	// empty leaves the links out.
	TemporalUI, Namespace string
	// SandboxURL is the sandbox's page, empty if there is none. The platforms
	// that it stands for have no addresses in the real world to link to.
	SandboxURL                 string
	SandboxTelegram, SandboxVK bool
	Log                        *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// ErrConsoleToken is returned for an empty token: it would let nobody in.
var ErrConsoleToken = errors.New("api: OPS_TOKEN is not set, and the operator's routes are open to nobody without it")

// NewConsole is the handler of [ConsolePath] and [OpsPath]. Everything behind
// them asks for the token, but for the login form and the console's own style
// sheet and script.
func NewConsole(settings ConsoleConfig) (http.Handler, error) {
	if !settings.Token.IsSet() {
		return nil, ErrConsoleToken
	}
	if settings.Now == nil {
		settings.Now = time.Now
	}
	if settings.Logouts == nil {
		settings.Logouts = &processLogouts{ends: map[string]time.Time{}}
	}
	templates, err := parseConsoleTemplates()
	if err != nil {
		return nil, err
	}
	c := &console{
		ConsoleConfig: settings,
		sessions:      newConsoleSessions(settings.Token, settings.Now),
		logins:        newBuckets[string](loginsPerSecond, loginsInARow, settings.Now),
		tokens:        newBuckets[string](tokensPerSecond, tokensInARow, settings.Now),
		templates:     templates,
		links:         newConsoleLinks(settings),
		csp:           contentPolicy(settings.SandboxURL),
	}
	return c.secure(c.routes()), nil
}

type console struct {
	ConsoleConfig

	sessions  consoleSessions
	logins    *buckets[string] // wrong ones, by address
	tokens    *buckets[string] // wrong ones in a header
	templates consoleTemplates
	links     consoleLinks
	csp       string
}

func (c *console) routes() http.Handler {
	mux := http.NewServeMux()

	mux.HandleFunc("GET /console/static/{file}", serveConsoleAsset)
	mux.HandleFunc("GET /console/login", c.showLogin)
	mux.HandleFunc("POST /console/login", c.logIn)

	page := func(pattern string, handler http.HandlerFunc) { mux.Handle(pattern, c.forPeople(handler)) }
	page("GET /console/{$}", c.showOverview)
	page("GET /console/deliveries", c.showDeliveries)
	page("GET /console/deliveries/{id}", c.showDelivery)
	page("GET /console/cases", c.showCases)
	page("GET /console/cases/find", c.findCase)
	page("GET /console/cases/{id}", c.showCase)
	page("GET /console/cases/{id}/split", c.askToSplit)
	page("GET /console/cases/{id}/join", c.askToJoin)
	page("GET /console/posts/{post}", c.showPost)
	page("GET /console/destinations", c.showDestinations)
	page("GET /console/walls", c.showWalls)
	page("GET /console/", c.showNotFound)
	page("POST /console/deliveries/{id}/resume", c.resumeOne)
	page("POST /console/deliveries/resume", c.resumeSelected)
	page("POST /console/cases/{id}/split", c.splitCase)
	page("POST /console/cases/{id}/join", c.joinCases)
	page("POST /console/destinations/{action}", c.steerDestination)
	page("POST /console/scan", c.scan)
	page("POST /console/walls/resume-key", c.resumeKey)
	page("POST /console/logout", c.logOut)

	route := func(pattern string, handler http.HandlerFunc) { mux.Handle(pattern, c.forPrograms(handler)) }
	route("GET /api/v1/ops/summary", c.opsSummary)
	route("GET /api/v1/ops/deliveries", c.opsDeliveries)
	route("GET /api/v1/ops/deliveries/{id}", c.opsDelivery)
	route("POST /api/v1/ops/deliveries/{id}/resume", c.opsResume)
	route("POST /api/v1/ops/deliveries/resume", c.opsResumeBatch)
	route("GET /api/v1/ops/cases", c.opsCases)
	route("GET /api/v1/ops/cases/{id}", c.opsCase)
	route("POST /api/v1/ops/cases/{id}/split", c.opsSplit)
	route("POST /api/v1/ops/cases/{id}/join", c.opsJoin)
	route("GET /api/v1/ops/destinations", c.opsDestinations)
	route("POST /api/v1/ops/destinations/{action}", c.opsSteerDestination)
	route("GET /api/v1/ops/walls", c.opsPlan)
	route("POST /api/v1/ops/scan", c.opsScan)
	route("/api/v1/ops/", c.opsNotFound)
	return mux
}

// secure lays the browser's own defences around every answer, and refuses
// what a page of somebody else's made the browser send.
func (c *console) secure(next http.Handler) http.Handler {
	foreign := http.NewCrossOriginProtection()
	foreign.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Log.WarnContext(r.Context(), "operator request from a foreign page refused", "path", r.URL.Path)
		http.Error(w, "This request came from another site and was refused.", http.StatusForbidden)
	}))
	next = foreign.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", c.csp)
		header.Set("X-Frame-Options", "DENY")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		header.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// contentPolicy lets in pictures from anywhere with TLS (photos from VK's
// many servers, and its captchas) and nothing else that is not our own.
func contentPolicy(sandbox string) string {
	pictures := "'self' https:"
	if address, err := url.Parse(sandbox); err == nil && address.Host != "" {
		pictures += " " + address.Scheme + "://" + address.Host
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src " + pictures,
		"form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
	}, "; ")
}
