package console

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

	"vestnik/api/access"
	"vestnik/internal/operators"
)

const (
	sessionCookie = "vestnik_ops"
	noticeCookie  = "vestnik_ops_notice"
	// shift is how long a login lasts: a night's shift.
	shift = 12 * time.Hour
	// csrfHeader carries the session's form token in requests by script.
	csrfHeader = "X-CSRF-Token"
)

// sessions are kept by the browser alone: when the session ends, a random number
// and the operator's name, under a MAC whose key comes from the operator's
// token. Another token ends them all, and logging out ends one. The token itself
// never leaves the server again.
type sessions struct {
	operators *operators.List
	now       func() time.Time
}

// session is who asks. A program with the bearer token has no form
// token and needs none: no browser sends that header by itself.
type session struct {
	Operator operators.Operator
	CSRF     string
	program  bool
	id       []byte // the random number, nil of a program
	ends     time.Time
	state    string // of what pages show, when the request came
}

// sessionPlain is when a session ends, and a random number.
const sessionPlain = 8 + 16

func sessionKeyOf(operator operators.Operator) []byte {
	return mac(operator.Key(), "vestnik console sessions 2")
}

func (s sessions) open(operator operators.Operator) (value string, ends time.Time) {
	ends = s.now().Add(shift)
	content := binary.BigEndian.AppendUint64(nil, uint64(ends.Unix()))
	content = append(content, make([]byte, 16)...)
	_, _ = rand.Read(content[8:]) // never fails, by its documentation
	content = append(content, operator.Name...)
	return base64.RawURLEncoding.EncodeToString(append(content, mac(sessionKeyOf(operator), "session"+string(content))...)), ends
}

func (s sessions) read(value string) (session, bool) {
	content, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil || len(content) < sessionPlain+sha256.Size {
		return session{}, false
	}
	plain, seal := content[:len(content)-sha256.Size], content[len(content)-sha256.Size:]
	operator, ok := s.operators.ByName(string(plain[sessionPlain:]))
	if !ok || !hmac.Equal(seal, mac(sessionKeyOf(operator), "session"+string(plain))) {
		return session{}, false
	}
	ends := time.Unix(int64(binary.BigEndian.Uint64(plain)), 0)
	if !s.now().Before(ends) {
		return session{}, false
	}
	return session{
		Operator: operator, CSRF: base64.RawURLEncoding.EncodeToString(mac(sessionKeyOf(operator), "csrf"+string(plain))),
		id: plain[8:], ends: ends,
	}, true
}

func (s session) seal(text string) string {
	content := append([]byte(text), mac(sessionKeyOf(s.Operator), "notice"+text)...)
	return base64.RawURLEncoding.EncodeToString(content)
}

func (s session) unseal(value string) (text string, ok bool) {
	content, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil || len(content) < sha256.Size {
		return "", false
	}
	text = string(content[:len(content)-sha256.Size])
	return text, hmac.Equal(content[len(text):], mac(sessionKeyOf(s.Operator), "notice"+text))
}

func mac(key []byte, text string) []byte {
	hash := hmac.New(sha256.New, key)
	hash.Write([]byte(text))
	return hash.Sum(nil)
}

type sessionKey struct{}

func sessionOf(r *http.Request) session {
	session, _ := r.Context().Value(sessionKey{}).(session)
	return session
}

// authenticate looks at the bearer token if there is one, and else at the
// cookie: a wrong token is refused whatever the cookie. The error is
// [access.ErrTooMany], or says that nobody can know whether the session was ended.
func (c *console) authenticate(r *http.Request) (known *http.Request, ok bool, err error) {
	if len(r.Header.Values("Authorization")) > 0 {
		ok, err := c.tokens.Admits(r)
		if !ok {
			c.Log.WarnContext(r.Context(), "operator token refused", "remote", access.Address(r), "path", r.URL.Path)
			return nil, false, err
		}
		operator, ok, err := c.Operators.ByToken(access.Token(r))
		if err != nil {
			c.Log.ErrorContext(r.Context(), "operators not read again", "error", err)
		}
		return withSession(r, session{Operator: operator, program: true}), ok, nil
	}
	cookies := r.CookiesNamed(sessionCookie)
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
	session.state, _ = c.live.now()
	return withSession(r, session), !ended, nil
}

var errNoSession = errors.New("the database can't be read now: ask again later")

// refusal is the status of what authenticate says, and its error's.
func refusal(err error) int {
	switch {
	case errors.Is(err, access.ErrTooMany):
		return http.StatusTooManyRequests
	case err != nil:
		return http.StatusServiceUnavailable
	}
	return http.StatusUnauthorized
}

func withSession(r *http.Request, session session) *http.Request {
	actor := operators.Actor{Name: session.Operator.Name, Via: "console"}
	if session.program {
		actor.Via = "api"
	}
	return r.WithContext(operators.As(context.WithValue(r.Context(), sessionKey{}, session), actor))
}

// genuine reports whether a request that changes something carries the form
// token of its session.
func (s session) genuine(presented string) bool {
	return s.program || s.CSRF != "" && hmac.Equal([]byte(presented), []byte(s.CSRF))
}

// forPeople lets in who is logged in and shows everybody else the login form.
func (c *console) forPeople(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known, ok, err := c.authenticate(r)
		if ok {
			defer forgetUpload(known)
		}
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
			http.Error(w, languageOf(r).say("refused.form"), http.StatusForbidden)
		case r.Method == http.MethodPost && !sessionOf(known).Operator.Decides() && r.URL.Path != "/console/logout":
			c.showMessage(w, known, http.StatusForbidden, "look_only")
		default:
			next(w, known)
		}
	})
}

// forgetUpload removes the temporary files of a form that was read: the server
// does that for its own request only, and this is a copy of it.
func forgetUpload(r *http.Request) {
	if r.MultipartForm != nil {
		_ = r.MultipartForm.RemoveAll()
	}
}

func (c *console) parseGenuineForm(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path == uploadPath {
		return parseUpload(w, r) == nil && sessionOf(r).genuine(r.PostForm.Get("csrf"))
	}
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
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !sessionOf(known).Operator.Decides():
			writeProblem(w, http.StatusForbidden, english.say("message.look_only.text"))
		default:
			next(w, known)
		}
	})
}

// pathAfterLogin is the page that was asked for; of a form that was posted
// too late, the overview.
func pathAfterLogin(r *http.Request) string {
	if r.Method != http.MethodGet {
		return Path
	}
	return r.URL.RequestURI()
}

// safeNext keeps a login from leading anywhere but into the console.
func safeNext(next string) string {
	address, err := url.Parse(next)
	if err != nil || address.IsAbs() || address.Host != "" || !strings.HasPrefix(next, Path) || strings.ContainsAny(next, "\\\r\n") {
		return Path
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
