// Package page shows a sandbox to people: walls, chats and calls as they change, a form for writing posts and planning
// faults, and a phone on which one talks to the guide bot.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"vestnik/internal/sandbox/core"
	"vestnik/internal/sandbox/telegram"
	"vestnik/internal/sandbox/vk"
	"vestnik/internal/words"
)

//go:embed files
var pageFiles embed.FS

var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"moment": moment, "clock": func(at time.Time) string { return at.Local().Format("15:04") },
	"exact":  func(at time.Time) string { return at.Local().Format("15:04:05.000") },
	"vkText": vkText, "avatar": avatar, "telegramText": telegramText,
	"columns": columns, "host": linkHost, "dict": dict,
}).ParseFS(pageFiles, "files/*.html"))

// pagePolicy keeps everything on the page local but pictures: posts may have pictures of other servers.
const pagePolicy = "default-src 'self'; img-src http: https: data:; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'self'"

// Site serves the pages.
type Site struct {
	core          *core.Core
	telegram      *telegram.Platform
	vk            *vk.Platform
	publishSample func() error
}

// New makes the pages of a sandbox. publishSample puts the next sample post on its wall.
func New(c *core.Core, t *telegram.Platform, v *vk.Platform, publishSample func() error) *Site {
	return &Site{c, t, v, publishSample}
}

// Routes adds the pages to mux.
func (s *Site) Routes(mux *http.ServeMux) {
	static, err := fs.Sub(pageFiles, "files/static")
	if err != nil { // the folder is compiled in
		panic(err)
	}
	mux.Handle("GET /sandbox/static/", http.StripPrefix("/sandbox/static/", http.FileServerFS(static)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { s.render(w, "feed.html", s.feedView(r)) })
	mux.HandleFunc("GET /guide", func(w http.ResponseWriter, r *http.Request) { s.render(w, "guide.html", s.guideView(r)) })
	mux.HandleFunc("GET /sandbox/page/{panel}", s.servePanel)
	mux.HandleFunc("GET /sandbox/events", s.serveEvents)
	for name, act := range map[string]func(*http.Request) error{
		"write": s.pageWrite, "sample": func(*http.Request) error { return s.publishSample() }, "fault": s.pageFault, "clear": s.pageClear,
		"delete": s.pageDelete, "say": s.asPerson(s.pageSay), "locate": s.asPerson(s.pageLocate), "press": s.asPerson(s.pagePress), "member": s.asPerson(s.pageMember),
	} {
		mux.HandleFunc("POST /sandbox/page/"+name, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, 64<<20)
			if err := act(r); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			back := "/"
			if strings.HasSuffix(r.Referer(), "/guide") {
				back = "/guide"
			}
			http.Redirect(w, r, back, http.StatusSeeOther)
		})
	}
}

func (s *Site) render(w http.ResponseWriter, name string, view any) {
	var out bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&out, name, view); err != nil {
		s.core.Log.Error("sandbox page", "template", name, "error", err)
		http.Error(w, "the page could not be drawn, see the log", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("Cache-Control", "no-store")
	_, _ = out.WriteTo(w)
}

// servePanel gives one panel of a page anew, after something has changed.
func (s *Site) servePanel(w http.ResponseWriter, r *http.Request) {
	panel := r.PathValue("panel")
	switch panel {
	case "walls", "chat", "destination", "calls", "faults":
		s.render(w, "panel-"+panel, s.feedView(r))
	case "dialog", "person":
		s.render(w, "panel-"+panel, s.guideView(r))
	default:
		http.NotFound(w, r)
	}
}

// serveEvents tells the page which topics have changed, as server-sent events.
func (s *Site) serveEvents(w http.ResponseWriter, r *http.Request) {
	news := s.core.Listen()
	defer news.Close()
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = fmt.Fprint(w, "retry: 1000\n\n")
	beat := time.NewTicker(20 * time.Second)
	defer beat.Stop()
	for {
		if control.Flush() != nil {
			return
		}
		select {
		case <-news.Bell:
			for _, t := range news.Take() {
				_, _ = fmt.Fprintf(w, "data: %s\n\n", t)
			}
		case <-beat.C:
			_, _ = fmt.Fprint(w, ": still here\n\n")
		case <-r.Context().Done():
			return
		case <-s.core.Life.Done():
			return
		}
	}
}

// avatar is the address of an owner's picture.
func avatar(owner int64) string {
	return fmt.Sprintf("/sandbox/photos/avatar%d.jpg?size=100x100", owner)
}

var monthNames = [...]string{"янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"}

// moment says when something was as a wall does: "12 минут назад", "сегодня в 9:40", "3 ноя в 18:05".
func moment(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	ago := now.Sub(at)
	switch {
	case ago < 0:
		return "выйдет " + day(at, now) + " в " + at.Format("15:04")
	case ago < time.Minute:
		return "только что"
	case ago < time.Hour:
		n := int(ago.Minutes())
		return words.Russian(n, "минуту", "минуты", "минут") + " назад"
	}
	return day(at, now) + " в " + at.Format("15:04")
}

func day(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	switch at.Format(time.DateOnly) {
	case now.Format(time.DateOnly):
		return "сегодня"
	case now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "вчера"
	case now.AddDate(0, 0, 1).Format(time.DateOnly):
		return "завтра"
	}
	return fmt.Sprintf("%d %s", at.Day(), monthNames[at.Month()-1])
}

// columns chooses the layout of n photos: one, two by two, one large beside two, or rows of three.
func columns(n int) int {
	switch n {
	case 1, 3:
		return n
	case 2, 4:
		return 2
	}
	return 5
}

// dict gives a template several values at once: dict "Name" value ….
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: a name without a value")
	}
	values := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no name", pairs[i])
		}
		values[name] = pairs[i+1]
	}
	return values, nil
}
