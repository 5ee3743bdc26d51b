package wire

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// Client makes the calls of one platform with one secret. It has a pool of connections of its own, so that two clients
// of one platform never wait for each other's.
type Client struct {
	transport *http.Transport
	secret    string
}

// NewClient makes a client whose texts never hold the secret. proxy is http, https or socks5, with a user and a
// password if it wants them; nil leaves it to the environment (HTTPS_PROXY and the like).
func NewClient(secret string, proxy *url.URL) *Client {
	transport := NewTransport()
	if proxy != nil {
		transport.Proxy = http.ProxyURL(proxy)
	}
	return &Client{transport, secret}
}

// With is a client over the same connections whose texts do not hold another secret.
func (c *Client) With(secret string) *Client { return &Client{c.transport, secret} }

// Do is [Do] over the client's connections.
func (c *Client) Do(req *http.Request, limit int64) (Answer, *Failure) {
	answer, err := Do(c.transport, req, limit)
	var failure *Failure
	if errors.As(err, &failure) {
		failure.Reason = c.Redact(failure.Reason)
	}
	return answer, failure
}

// Close drops the idle connections. Calls under way go on.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Redact takes the secret out of a text. The platforms seldom repeat it; a proxy's answer may.
func (c *Client) Redact(text string) string {
	return strings.NewReplacer(c.secret, "***", url.QueryEscape(c.secret), "***").Replace(text)
}

// Outcomes that both platforms' catalogues have, as their classes spell them. A catalogue says what its platform's own
// answers mean; what became of a call that got none is the same everywhere.
const (
	RateLimited    = "rate_limited"    // refused: too much, too soon
	Unavailable    = "unavailable"     // refused by a gateway or a server in trouble: taken as not done
	Unreachable    = "unreachable"     // never sent whole: nothing happened
	OutcomeUnknown = "outcome_unknown" // sent whole, and no answer can be read
	BadRequest     = "bad_request"     // refused for good: this request will never succeed as it is
)

// Outcome is Unreachable, Unavailable or OutcomeUnknown.
func (f *Failure) Outcome() string {
	switch {
	case f.Status != 0 && !Success(f.Status):
		return Unavailable // refused, and the refusal was cut short: nothing was done
	case f.Written || f.Status != 0:
		return OutcomeUnknown
	}
	return Unreachable
}

// Success reports whether an HTTP status is a 2xx.
func Success(status int) bool { return status >= 200 && status <= 299 }

// BaseURL checks an absolute http or https address and returns it without a slash at the end; the default if it is
// empty. Errors begin with what it is the address of, and do not repeat it.
func BaseURL(what, address, otherwise string) (string, error) {
	address = strings.TrimRight(strings.TrimSpace(address), "/")
	if address == "" {
		return strings.TrimRight(otherwise, "/"), nil
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return "", errors.New(what + " is not an http or https URL; it should look like " + otherwise)
	}
	if parsed.RawQuery != "" || parsed.Fragment != "" || parsed.User != nil {
		return "", errors.New(what + " must be a plain URL, without user, query or fragment")
	}
	return address, nil
}

var urlQuery = regexp.MustCompile(`(https?://[^\s?#"']*)[?#][^\s"']*`)

// Safe makes a platform's text fit for logs and tables: on one line, at most 200 characters, and without the queries of
// URLs.
func Safe(text string) string {
	return Shorten(strings.TrimSpace(urlQuery.ReplaceAllString(text, "$1?…")), 200)
}

// Hidden is embedded in what holds a secret, so that nothing that prints or logs it shows any of its fields.
type Hidden struct{}

func (Hidden) String() string { return "(holds a secret)" }

// GoString is String, for %#v.
func (h Hidden) GoString() string { return h.String() }

// LogValue is String, for slog.
func (h Hidden) LogValue() slog.Value { return slog.StringValue(h.String()) }
