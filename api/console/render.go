package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"vestnik/db"
	"vestnik/internal/content"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
)

//go:embed templates static messages.json
var files embed.FS

// templates holds one set for each page and language: the layout, the pieces,
// and the page itself.
type templates map[language]map[string]*template.Template

var parseTemplates = sync.OnceValues(func() (templates, error) {
	pages, err := fs.Glob(files, "templates/page_*.html")
	if err != nil {
		return nil, err
	}
	sets := templates{english: {}, russian: {}}
	for l, set := range sets {
		for _, page := range pages {
			name := strings.TrimSuffix(strings.TrimPrefix(path.Base(page), "page_"), ".html")
			set[name], err = template.New(name).Funcs(functions(l)).ParseFS(files,
				"templates/layout.html", "templates/pieces.html", page)
			if err != nil {
				return nil, fmt.Errorf("console page %s: %w", name, err)
			}
		}
	}
	return sets, nil
})

func functions(l language) template.FuncMap {
	return template.FuncMap{
		"t":           l.say,
		"n":           l.count,
		"name":        l.name,
		"points":      l.points,
		"decided":     l.decided,
		"whyNot":      l.why,
		"reason":      l.reason,
		"knownReason": l.knownReason,
		"langOf":      langOf,
		"refusal":     l.refusal,
		"timeWords":   l.timeWords,
		"asset":       assetPath,
		"ago":         func(now, then time.Time) string { return l.agoOrIn(now.Sub(then)) },
		"machine":     func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
		"utc":         func(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") },
		"date":        l.day,
		"length":      l.roughly,
		"rate":        func(perSecond float64) string { return strconv.FormatFloat(perSecond, 'g', 4, 64) },
		"perDay":      l.tenths,
		"post":        protocol.WallPost,
		"advice":      l.advice,
		"problem":     l.problem,
		"lookAt":      problemLink,
		"waits":       waitsForPerson,
		"weigh":       weigh,
		"join":        strings.Join,
		"percent":     func(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) },
		"types":       func() []petpost.Type { return petpost.Types },
		"statuses":    func() []string { return protocol.Statuses },
		"label":       l.listName,
		"field":       l.field,
		"fieldAt":     func(path string) string { return l.field(content.PathField(path)) },
		"inc":         func(part int) int { return part + 1 },
		"thumb":       thumbOf,
		"took": func(from time.Time, to *time.Time) string {
			if to == nil {
				return ""
			}
			return l.roughly(to.Sub(from))
		},
		"deliveriesOf": func(destination, status string) string {
			return listFilter{Status: status, Destination: destination}.Link()
		},
		// both hands a piece the page beside the item that it is to show.
		"both": func(page pageData, item any) map[string]any { return map[string]any{"Page": page, "Item": item} },
	}
}

// pageData is what the layout and every page know.
type pageData struct {
	Now        time.Time
	Lang       language
	Path       string
	Address    string // the path with its query
	CSRF       string
	Known      bool   // logged in
	Operator   string // who
	Notice     *pageNotice
	TemporalUI string
	Sandbox    string
	Desk       bool
	zone       *time.Location // the city's
	titles     db.Titles
	State      string // of what the page shows, see live
	View       any
}

// pageNotice says on the next page what became of an action.
type pageNotice struct {
	Bad  bool   `json:"bad,omitempty"`
	Text string `json:"text"`
}

// At is the page's clock with a time to be told.
func (p pageData) At(at time.Time) moment { return moment{Now: p.Now, Then: at} }

// Clock is a time as the city's editors read it.
func (p pageData) Clock(at time.Time) string { return at.In(p.zone).Format("02.01.2006 15:04") }

// AtOr is At for a time that may be missing.
func (p pageData) AtOr(at *time.Time) moment {
	if at == nil {
		return moment{}
	}
	return p.At(*at)
}

// moment is a time as the piece "time" shows it; the zero one is a dash.
type moment struct{ Now, Then time.Time }

// IsZero reports whether there is no time to show.
func (m moment) IsZero() bool { return m.Then.IsZero() }

func (c *console) render(w http.ResponseWriter, r *http.Request, status int, page string, view any) {
	session := sessionOf(r)
	data := pageData{
		Now: c.Now(), Lang: languageOf(r), Path: r.URL.Path, Address: r.URL.RequestURI(), CSRF: session.CSRF, Known: session.CSRF != "" || session.program, Operator: session.Operator.Name,
		TemporalUI: c.links.temporalHome(), Sandbox: c.SandboxURL, Desk: c.Guide != nil, View: view,
	}
	if c.Guide != nil {
		data.zone = c.Guide.Zone()
	}
	if data.Known {
		data.Notice = c.takeNotice(w, r)
		data.titles = c.titles(r.Context())
		data.State = session.state
	}
	var body bytes.Buffer
	if err := c.templates[data.Lang][page].ExecuteTemplate(&body, "layout", data); err != nil {
		c.Log.ErrorContext(r.Context(), "console page can't be rendered", "page", page, "error", err)
		http.Error(w, "This page can't be shown; the log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w)
}

// leaveNotice keeps a notice for the page that the browser is sent to.
func (c *console) leaveNotice(w http.ResponseWriter, r *http.Request, notice pageNotice) {
	content, err := json.Marshal(notice)
	if err != nil {
		return
	}
	http.SetCookie(w, c.cookie(r, noticeCookie, sessionOf(r).seal(string(content)), c.Now().Add(time.Minute)))
}

func (c *console) takeNotice(w http.ResponseWriter, r *http.Request) *pageNotice {
	cookie, err := r.Cookie(noticeCookie)
	if err != nil {
		return nil
	}
	c.dropCookie(w, r, noticeCookie)
	text, ok := sessionOf(r).unseal(cookie.Value)
	notice := new(pageNotice)
	if !ok || json.Unmarshal([]byte(text), notice) != nil {
		return nil
	}
	return notice
}

// assets are the style sheet and the script by name; their hash is in
// their address, so that a browser may keep them.
var assets = func() map[string]asset {
	assets := map[string]asset{}
	for name, contentType := range map[string]string{
		"console.css": "text/css; charset=utf-8",
		"console.js":  "text/javascript; charset=utf-8",
		"icon.svg":    "image/svg+xml",
	} {
		content, _ := files.ReadFile("static/" + name) // embedded: a missing one fails its test
		sum := sha256.Sum256(content)
		assets[name] = asset{content: content, contentType: contentType, version: hex.EncodeToString(sum[:6])}
	}
	return assets
}()

type asset struct {
	content              []byte
	contentType, version string
}

func assetPath(name string) string {
	return "/console/static/" + name + "?v=" + assets[name].version
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	asset, ok := assets[r.PathValue("file")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", asset.contentType)
	if r.URL.Query().Get("v") == asset.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(asset.content)
}

// thumb is a photo as a page shows it.
type thumb struct{ Full, Small string }

// thumbOf picks the smallest link that is still worth looking at; nil when the
// photo has none.
func thumbOf(p db.Photo) *thumb {
	const worthLookingAt = 300 // pixels wide, on a dense screen
	var shown *thumb
	for _, size := range p.Sizes { // the best first
		link := outside(size.URL)
		switch {
		case link == "":
		case shown == nil:
			shown = &thumb{Full: link, Small: link}
		case size.Width >= worthLookingAt:
			shown.Small = link
		}
	}
	return shown
}
