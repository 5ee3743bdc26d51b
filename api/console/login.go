package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"vestnik/api/access"
)

// Wrong logins are slow and few.
const (
	loginsInARow    = 5
	loginsPerSecond = 1.0 / 12
	// refusalTime is how long a wrong login waits for its answer.
	refusalTime = time.Second
)

// Logouts remembers sessions that were ended by logging out, for every
// process that serves the console; logouts.Store is one.
type Logouts interface {
	End(ctx context.Context, session []byte, now, ends time.Time) error
	Ended(ctx context.Context, session []byte) (bool, error)
}

// processLogouts are those of a console that shares them with no other process.
type processLogouts struct {
	mu   sync.Mutex
	ends map[string]time.Time
}

func (p *processLogouts) End(_ context.Context, session []byte, now, ends time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for other, end := range p.ends {
		if end.Before(now) {
			delete(p.ends, other)
		}
	}
	p.ends[string(session)] = ends
	return nil
}

func (p *processLogouts) Ended(_ context.Context, session []byte) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ended := p.ends[string(session)]
	return ended, nil
}

type loginView struct {
	Next           string
	Wrong, TooMany bool
}

func (c *console) showLogin(w http.ResponseWriter, r *http.Request) {
	c.render(w, r, http.StatusOK, "login", loginView{Next: safeNext(r.URL.Query().Get("next"))})
}

func (c *console) logIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxOpsBody)
	if err := r.ParseForm(); err != nil {
		w.Header().Set("Connection", "close")
		http.Error(w, "The form can't be read.", http.StatusBadRequest)
		return
	}
	next, address := safeNext(r.PostForm.Get("next")), access.Address(r)
	if !c.logins.Take(address) { // before the token is looked at: many at once are no way round
		c.Log.WarnContext(r.Context(), "operator login refused", "remote", address, "reason", "too many wrong ones")
		w.Header().Set("Retry-After", strconv.Itoa(int(1/loginsPerSecond)))
		c.render(w, r, http.StatusTooManyRequests, "login", loginView{Next: next, TooMany: true})
		return
	}
	operator, known, err := c.Operators.ByToken(strings.TrimSpace(r.PostForm.Get("token")))
	if err != nil {
		c.Log.ErrorContext(r.Context(), "operators not read again", "error", err)
	}
	if !known {
		c.Log.WarnContext(r.Context(), "operator login refused", "remote", address, "reason", "wrong token")
		select {
		case <-time.After(refusalTime):
		case <-r.Context().Done():
		}
		c.render(w, r, http.StatusUnauthorized, "login", loginView{Next: next, Wrong: true})
		return
	}
	c.logins.Reset(address)
	value, ends := c.sessions.open(operator)
	http.SetCookie(w, c.cookie(r, sessionCookie, value, ends))
	c.Log.InfoContext(r.Context(), "operator logged in", "remote", address)
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// logOut ends the session where it is checked, not only in the browser that
// had it.
func (c *console) logOut(w http.ResponseWriter, r *http.Request) {
	session := sessionOf(r)
	if err := c.Logouts.End(r.Context(), session.id, c.sessions.now(), session.ends); err != nil {
		c.Log.ErrorContext(r.Context(), "operator not logged out", "error", err)
		http.Error(w, "The session can't be ended now. Try again.", http.StatusServiceUnavailable)
		return
	}
	c.dropCookie(w, r, sessionCookie)
	c.Log.InfoContext(r.Context(), "operator logged out", "remote", access.Address(r))
	http.Redirect(w, r, "/console/login", http.StatusSeeOther)
}
