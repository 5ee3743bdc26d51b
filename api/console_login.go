package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Wrong tokens are slow and few. Forms are typed by people, headers are sent
// by programs whose token has just been changed.
const (
	loginsInARow    = 5
	loginsPerSecond = 1.0 / 12
	tokensInARow    = 60
	tokensPerSecond = 1.0
	// refusalTime is how long a wrong login waits for its answer.
	refusalTime = time.Second
)

// ConsoleLogouts remembers sessions that were ended by logging out, for every
// process that serves the console; logouts.Store is one.
type ConsoleLogouts interface {
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

// clientAddress is who asks: the peer, or, behind a proxy of our own network,
// whom the proxy names last. Whoever reaches us directly is taken by their own
// address, whatever their headers say. Of IPv6 it is the network, which one
// subscriber has to themselves.
func clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return "unknown"
	}
	if address = address.Unmap(); address.IsLoopback() || address.IsPrivate() {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if named, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1])); err == nil {
			address = named.Unmap()
		}
	}
	if address.Is4() {
		return address.String()
	}
	network, err := address.WithZone("").Prefix(64)
	if err != nil {
		return "unknown"
	}
	return network.String()
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
	next, address := safeNext(r.PostForm.Get("next")), clientAddress(r)
	if !c.logins.take(address) { // before the token is looked at: many at once are no way round
		c.Log.WarnContext(r.Context(), "operator login refused", "remote", address, "reason", "too many wrong ones")
		w.Header().Set("Retry-After", strconv.Itoa(int(1/loginsPerSecond)))
		c.render(w, r, http.StatusTooManyRequests, "login", loginView{Next: next, TooMany: true})
		return
	}
	if !c.Token.Matches(strings.TrimSpace(r.PostForm.Get("token"))) {
		c.Log.WarnContext(r.Context(), "operator login refused", "remote", address, "reason", "wrong token")
		select {
		case <-time.After(refusalTime):
		case <-r.Context().Done():
		}
		c.render(w, r, http.StatusUnauthorized, "login", loginView{Next: next, Wrong: true})
		return
	}
	c.logins.reset(address)
	value, ends := c.sessions.open()
	http.SetCookie(w, c.cookie(r, consoleCookie, value, ends))
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
	c.dropCookie(w, r, consoleCookie)
	c.Log.InfoContext(r.Context(), "operator logged out", "remote", clientAddress(r))
	http.Redirect(w, r, "/console/login", http.StatusSeeOther)
}

// bearer reports whether a request carries the token in its header, and
// errTooMany to an address that has sent too many wrong ones.
func bearer(r *http.Request, matches func(string) bool, wrong *buckets[string]) (bool, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 {
		return false, nil
	}
	address := clientAddress(r)
	if wrong.spent(address) {
		return false, errTooMany
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if len(values) != 1 || !strings.EqualFold(scheme, "Bearer") || !matches(strings.TrimSpace(token)) {
		wrong.take(address)
		return false, nil
	}
	return true, nil
}

var errTooMany = errors.New("too many wrong tokens from this address: ask again later")
