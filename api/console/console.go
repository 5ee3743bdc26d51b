// Package console is the operator's HTTP side: pages for people and the same as
// JSON for programs.
package console

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.temporal.io/sdk/converter"

	"vestnik/api/access"
	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/operators"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/starter"
)

// Where the operator's handler is to be mounted: the console for people and
// its JSON for programs.
const (
	Path    = "/console/"
	OpsPath = "/api/v1/ops/"
)

// Steering steers workflows on an operator's word; starter.Starter is
// the one that does.
type Steering interface {
	Resume(ctx context.Context, deliveryID int64, resume protocol.Resume) (string, error)
	DecideAll(ctx context.Context, subject string, filter db.WaitingFilter, asOf time.Time, resume protocol.Resume, open bool) (db.BulkDecision, error)
	Deliver(ctx context.Context, ownerID, postID int64, destination route.Destination) (id int64, err error)
	Problems(ctx context.Context) ([]protocol.Problem, error)
	Destinations(ctx context.Context) ([]protocol.LaneState, error)
	TakeBack(ctx context.Context, reason string, deliveryIDs ...int64) error
	PauseDestination(ctx context.Context, destination, reason, by string) (protocol.LaneState, error)
	ResumeDestination(ctx context.Context, destination string) (protocol.LaneState, error)
	SetRate(ctx context.Context, destination string, pace protocol.Pace) (protocol.LaneState, error)
	Scan(ctx context.Context, input protocol.ScanWallsInput) (protocol.ScanWallsResult, error)
	Plan(ctx context.Context) (protocol.ReadPlan, error)
	ReadingKeys(ctx context.Context) ([]db.KeyState, error)
	ResumeKey(ctx context.Context, captcha string) (bool, error)
	SetType(ctx context.Context, ref post.ID, kind petpost.Type, note string) (db.TypeSet, error)
	JoinCases(ctx context.Context, into int64, others []int64, note string) (int64, error)
	SplitCase(ctx context.Context, id int64, posts []post.ID, hold bool, note string) (newID int64, released []int64, err error)
}

// Config says what the operator sees and steers.
type Config struct {
	// Operators are let in: with their token as a bearer token, or typed once
	// into the login form.
	Operators *operators.List
	Ledger    *db.Ledger
	Posts     *db.Posts
	Cases     *db.Cases
	Steering  Steering
	// Routes say which posts go where, and MaxAge from which age on none goes by
	// itself; nil leaves out why a post was not sent.
	Routes func() *route.Routes
	MaxAge time.Duration
	// Guide is what the editors' desk works on; nil is a console without one.
	Guide *starter.Content
	// Logouts remembers who logged out; nil is a memory of this process alone.
	Logouts Logouts
	// TemporalUI is the address of Temporal's Web UI and Namespace ours in it;
	// empty leaves the links out.
	TemporalUI, Namespace string
	// SandboxURL is the sandbox's page, empty if there is none. The platforms
	// that it stands for have no addresses in the real world to link to.
	SandboxURL                 string
	SandboxTelegram, SandboxVK bool
	// Codec opens Temporal's payloads for its Web UI; nil where they are clear.
	Codec converter.PayloadCodec
	Log   *slog.Logger
	// Settings are what the process runs with; key marks the secrets, see
	// [config.Config.Marked]. Nil is for tests that ask for none.
	Settings func(key string) []config.Setting
	// Stop is closed when the process is to end: pages that listen are let go.
	Stop <-chan struct{}
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// ErrOperators is returned where there is nobody to let in.
var ErrOperators = errors.New("console: neither OPS_TOKEN nor OPS_TOKENS_FILE is set, and the operator's routes are open to nobody without")

// New is the handler of [Path] and [OpsPath]. Everything behind
// them asks for a token, but for the login form and the console's own style
// sheet and script.
func New(settings Config) (http.Handler, error) {
	if settings.Operators == nil {
		return nil, ErrOperators
	}
	if settings.Now == nil {
		settings.Now = time.Now
	}
	if settings.Logouts == nil {
		settings.Logouts = &processLogouts{ends: map[string]time.Time{}}
	}
	templates, err := parseTemplates()
	if err != nil {
		return nil, err
	}
	c := &console{
		Config:    settings,
		sessions:  sessions{operators: settings.Operators, now: settings.Now},
		logins:    access.NewBuckets[string](loginsPerSecond, loginsInARow, settings.Now),
		tokens:    access.NewBearer(func(token string) bool { _, ok, _ := settings.Operators.ByToken(token); return ok }, settings.Now),
		templates: templates,
		links:     newLinks(settings),
		csp:       contentPolicy(settings.SandboxURL),
	}
	c.live = newLive(c.lookAround())
	routes := c.routes()
	if settings.Codec != nil {
		codec, err := c.codec()
		if err != nil {
			return nil, err
		}
		routes.Handle(codecPath, codec)
	}
	return c.secure(routes), nil
}

type console struct {
	Config

	sessions  sessions
	logins    *access.Buckets[string] // wrong ones, by address
	tokens    *access.Bearer
	templates templates
	links     links
	csp       string
	live      *live
}

func (c *console) routes() *http.ServeMux {
	mux := http.NewServeMux()

	mux.HandleFunc("GET /console/static/{file}", serveAsset)
	mux.HandleFunc("GET /console/login", c.showLogin)
	mux.HandleFunc("POST /console/login", c.logIn)
	mux.HandleFunc("POST /console/language", c.chooseLanguage)

	page := func(pattern string, handler http.HandlerFunc) { mux.Handle(pattern, c.forPeople(handler)) }
	view := func(path, name string, handler func(*http.Request) (any, error)) {
		page("GET "+path, c.view(name, handler))
	}
	view("/console/{$}", "overview", c.overview)
	page("GET /console/events", c.giveEvents)
	view("/console/deliveries", "deliveries", c.deliveries)
	page("GET /console/deliveries.csv", c.giveDeliveries)
	view("/console/deliveries/all", "all", c.askAboutAll)
	view("/console/deliveries/{id}", "delivery", c.openDelivery)
	view("/console/cases", "cases", c.cases)
	view("/console/cases/find", "", c.findCase)
	view("/console/cases/{id}", "case", func(r *http.Request) (any, error) { return c.openCase(r) })
	view("/console/cases/{id}/split", "split", c.askToSplit)
	view("/console/cases/{id}/join", "join", c.askToJoin)
	view("/console/posts", "posts", c.posts)
	view("/console/posts/{post}", "post", c.post)
	page("POST /console/posts/{post}/type", c.setType)
	page("POST /console/posts/{post}/send", c.sendPost)
	view("/console/destinations", "destinations", func(r *http.Request) (any, error) { return c.lanes(r.Context()) })
	view("/console/walls", "walls", func(r *http.Request) (any, error) { return c.walls(r.Context()) })
	view("/console/statistics", "statistics", c.statistics)
	view("/console/audit", "audit", c.audit)
	view("/console/setup", "setup", c.setupSteps)
	page("GET /console/", c.showNotFound)
	page("POST /console/deliveries/{id}/resume", c.numbered(c.resumeOne))
	page("POST /console/deliveries/resume", c.resumeSelected)
	page("POST /console/deliveries/all", c.resumeMatching)
	page("POST /console/deliveries/{id}/take-back", c.numbered(c.takeBack))
	page("POST /console/cases/{id}/split", c.numbered(c.splitCase))
	page("POST /console/cases/{id}/join", c.numbered(c.joinCases))
	page("POST /console/destinations/{action}", c.steerDestination)
	page("POST /console/scan", c.scan)
	page("POST /console/walls/resume-key", c.resumeKey)
	page("POST /console/logout", c.logOut)
	if c.Guide != nil {
		view(deskPath, "desk", c.desk)
		page("GET "+deskPath+"/template.xlsx", c.giveTemplate)
		view(deskPath+"/imports/{id}", "import", c.imported)
		view(deskPath+"/files/{id}", "columns", c.columns)
		view(deskPath+"/photos", "photos", func(r *http.Request) (any, error) { return c.Guide.PhotoReport(r.Context()) })
		view(deskPath+"/objects", "objects", c.listObjects)
		view(deskPath+"/object", "object", c.object)
		page("POST "+uploadPath, c.upload)
		page("POST "+deskPath+"/imports/{id}/{action}", c.steerImport)
		page("POST "+deskPath+"/files/{id}", c.chooseColumns)
		page("POST "+deskPath+"/object", c.saveObject)
	}

	route := func(pattern string, handler func(*http.Request) (any, error)) {
		mux.Handle(pattern, c.forPrograms(c.answering(handler)))
	}
	route("GET /api/v1/ops/summary", c.opsSummary)
	route("GET /api/v1/ops/problems", c.opsProblems)
	route("GET /api/v1/ops/statistics", c.opsStatistics)
	route("GET /api/v1/ops/audit", func(r *http.Request) (any, error) { return c.decisions(r) })
	route("GET "+config.SettingsPath, c.opsSettings)
	route("GET /api/v1/ops/deliveries", c.opsDeliveries)
	route("GET /api/v1/ops/deliveries/{id}", c.opsDelivery)
	route("POST /api/v1/ops/deliveries/{id}/resume", c.opsResume)
	route("POST /api/v1/ops/deliveries/resume", c.opsResumeBatch)
	route("POST /api/v1/ops/deliveries/{id}/take-back", c.opsTakeBack)
	route("POST /api/v1/ops/posts/{post}/type", c.opsSetType)
	route("GET /api/v1/ops/cases", c.opsCases)
	route("GET /api/v1/ops/cases/{id}", c.opsCase)
	route("POST /api/v1/ops/cases/{id}/split", c.opsSplit)
	route("POST /api/v1/ops/cases/{id}/join", c.opsJoin)
	route("GET /api/v1/ops/destinations", c.opsDestinations)
	route("POST /api/v1/ops/destinations/{action}", c.opsSteerDestination)
	route("GET /api/v1/ops/walls", c.opsPlan)
	route("POST /api/v1/ops/scan", c.opsScan)
	mux.Handle("/api/v1/ops/", c.forPrograms(c.opsNotFound))
	return mux
}

// secure lays the browser's own defences around every answer, and refuses
// what a page of somebody else's made the browser send.
func (c *console) secure(next http.Handler) http.Handler {
	foreign := http.NewCrossOriginProtection()
	foreign.AddInsecureBypassPattern(codecPath)
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
