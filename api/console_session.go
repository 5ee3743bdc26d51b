package api

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vestnik/internal/config"
)

const (
	consoleCookie = "vestnik_ops"
	noticeCookie  = "vestnik_ops_notice"
	// consoleShift is how long a login lasts: a night's shift.
	consoleShift = 12 * time.Hour
	// csrfHeader carries the session's form token in requests by script.
	csrfHeader = "X-CSRF-Token"
)

// consoleSessions are kept by the browser alone: when the session ends and a
// random number, under a MAC whose key comes from the token. Another token
// ends them all, and logging out ends one. The token itself never leaves the
// server again.
type consoleSessions struct {
	key []byte
	now func() time.Time
}

func newConsoleSessions(token config.Secret, now func() time.Time) consoleSessions {
	return consoleSessions{key: mac([]byte(token.Reveal()), "vestnik console sessions 1"), now: now}
}

// consoleSession is who asks. A program with the bearer token has no form
// token and needs none: no browser sends that header by itself.
type consoleSession struct {
	CSRF    string
	program bool
	id      []byte // the random number, nil of a program
	ends    time.Time
}

const (
	sessionPlain = 8 + 16 // when it ends, and a random number
	sessionBytes = sessionPlain + sha256.Size
)

func (s consoleSessions) open() (value string, ends time.Time) {
	ends = s.now().Add(consoleShift)
	content := binary.BigEndian.AppendUint64(nil, uint64(ends.Unix()))
	content = append(content, make([]byte, 16)...)
	_, _ = rand.Read(content[8:]) // never fails, by its documentation
	return base64.RawURLEncoding.EncodeToString(append(content, mac(s.key, "session"+string(content))...)), ends
}

func (s consoleSessions) read(value string) (consoleSession, bool) {
	content, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil || len(content) != sessionBytes {
		return consoleSession{}, false
	}
	plain, seal := content[:sessionPlain], content[sessionPlain:]
	if !hmac.Equal(seal, mac(s.key, "session"+string(plain))) {
		return consoleSession{}, false
	}
	ends := time.Unix(int64(binary.BigEndian.Uint64(plain)), 0)
	if !s.now().Before(ends) {
		return consoleSession{}, false
	}
	return consoleSession{
		CSRF: base64.RawURLEncoding.EncodeToString(mac(s.key, "csrf"+string(plain))), id: plain[8:], ends: ends,
	}, true
}

func (s consoleSessions) seal(text string) string {
	content := append([]byte(text), mac(s.key, "notice"+text)...)
	return base64.RawURLEncoding.EncodeToString(content)
}

func (s consoleSessions) unseal(value string) (text string, ok bool) {
	content, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil || len(content) < sha256.Size {
		return "", false
	}
	text = string(content[:len(content)-sha256.Size])
	return text, hmac.Equal(content[len(text):], mac(s.key, "notice"+text))
}

func mac(key []byte, text string) []byte {
	hash := hmac.New(sha256.New, key)
	hash.Write([]byte(text))
	return hash.Sum(nil)
}

type consoleSessionKey struct{}

func sessionOf(r *http.Request) consoleSession {
	session, _ := r.Context().Value(consoleSessionKey{}).(consoleSession)
	return session
}

// authenticate looks at the bearer token if there is one, and else at the
// cookie: a wrong token is refused whatever the cookie. The error is
// [errTooMany], or says that nobody can know whether the session was ended.
func (c *console) authenticate(r *http.Request) (known *http.Request, ok bool, err error) {
	if len(r.Header.Values("Authorization")) > 0 {
		ok, err := bearer(r, c.Token.Matches, c.tokens)
		if !ok {
			c.Log.WarnContext(r.Context(), "operator token refused", "remote", clientAddress(r), "path", r.URL.Path)
			return nil, false, err
		}
		return withSession(r, consoleSession{program: true}), true, nil
	}
	cookies := r.CookiesNamed(consoleCookie)
	if len(cookies) == 0 {
		return nil, false, nil
	}
	session, ok := c.sessions.read(cookies[0].Value)
	if !ok {
		return nil, false, nil
	}
	ended, err := c.Logouts.Ended(r.Context(), session.id)
	if err != nil {
		c.Log.ErrorContext(r.Context(), "operator session not looked up", "error", err)
		return nil, false, errNoSession
	}
	return withSession(r, session), !ended, nil
}

var errNoSession = errors.New("the database can't be read now: ask again later")

// refusal is the status of what authenticate says, and its error's.
func refusal(err error) int {
	switch {
	case errors.Is(err, errTooMany):
		return http.StatusTooManyRequests
	case err != nil:
		return http.StatusServiceUnavailable
	}
	return http.StatusUnauthorized
}

func withSession(r *http.Request, session consoleSession) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), consoleSessionKey{}, session))
}

// genuine tells whether a request that changes something carries the form
// token of its session.
func (s consoleSession) genuine(presented string) bool {
	return s.program || s.CSRF != "" && hmac.Equal([]byte(presented), []byte(s.CSRF))
}

// forPeople lets in who is logged in and shows everybody else the login form.
func (c *console) forPeople(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known, ok, err := c.authenticate(r)
		switch {
		case err != nil:
			w.Header().Set("Retry-After", "5")
			http.Error(w, err.Error(), refusal(err))
		case !ok && r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site":
			// A strict cookie stays behind when a link in a chat is followed.
			// Asked for once more by our own page, it comes along.
			c.render(w, r, http.StatusOK, "again", nil)
		case !ok:
			http.Redirect(w, r, "/console/login?next="+url.QueryEscape(pathAfterLogin(r)), http.StatusSeeOther)
		case r.Method == http.MethodPost && !c.parseGenuineForm(w, known):
			http.Error(w, "The form is too old or was not made by this console. Go back, reload the page and try again.", http.StatusForbidden)
		default:
			next(w, known)
		}
	})
}

func (c *console) parseGenuineForm(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, maxOpsBody)
	return r.ParseForm() == nil && sessionOf(r).genuine(r.PostForm.Get("csrf"))
}

// forPrograms lets in the bearer token, and the console's own script.
func (c *console) forPrograms(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known, ok, err := c.authenticate(r)
		if !ok { // what it brought along is not waited for
			w.Header().Set("Connection", "close")
		}
		switch {
		case err != nil:
			w.Header().Set("Retry-After", "5")
			writeProblem(w, refusal(err), err.Error())
		case !ok:
			w.Header().Set("WWW-Authenticate", `Bearer realm="vestnik"`)
			writeProblem(w, http.StatusUnauthorized, "missing or wrong token: send Authorization: Bearer with OPS_TOKEN")
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !sessionOf(known).genuine(r.Header.Get(csrfHeader)):
			writeProblem(w, http.StatusForbidden, csrfHeader+" is missing or wrong; a bearer token needs none")
		default:
			next(w, known)
		}
	})
}

// pathAfterLogin is the page that was asked for; of a form that was posted
// too late, the overview.
func pathAfterLogin(r *http.Request) string {
	if r.Method != http.MethodGet {
		return ConsolePath
	}
	return r.URL.RequestURI()
}

// safeNext keeps a login from leading anywhere but into the console.
func safeNext(next string) string {
	address, err := url.Parse(next)
	if err != nil || address.IsAbs() || address.Host != "" || !strings.HasPrefix(next, ConsolePath) || strings.ContainsAny(next, "\\\r\n") {
		return ConsolePath
	}
	return next
}

// cookie is one that no script reads and no other site makes the browser send.
// It is marked as secure wherever the browser came by TLS; on a plain
// localhost such a cookie would be dropped.
func (c *console) cookie(r *http.Request, name, value string, ends time.Time) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: "/", Expires: ends,
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"),
	}
}

func (c *console) dropCookie(w http.ResponseWriter, r *http.Request, name string) {
	cookie := c.cookie(r, name, "", time.Unix(1, 0))
	cookie.MaxAge = -1
	http.SetCookie(w, cookie)
}
