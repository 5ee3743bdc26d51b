package photo

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"
)

// Defaults of [Options].
const (
	defaultTimeout  = 15 * time.Second
	defaultMaxBytes = 20 << 20
)

const (
	maxRedirects = 5
	maxURL       = 4096
	// maxHosts bounds the hosts that are remembered, maxFailures how often in a
	// row one fails to answer until it is left alone for restTime; then one
	// fetch tries whether it is back.
	maxHosts    = 1024
	maxFailures = 3
	restTime    = time.Minute
)

// Options say how far a [Fetcher] goes.
type Options struct {
	// Timeout bounds a whole fetch, redirects and reading included; 0 is
	// [defaultTimeout].
	Timeout time.Duration
	// MaxBytes is the size of the largest picture; 0 is [defaultMaxBytes].
	MaxBytes int64
	// AllowPrivate opens loopback and private networks, for the sandbox.
	AllowPrivate bool
	// AllowHTTP takes links without TLS, for the sandbox.
	AllowHTTP bool
	// Proxy is what pictures are got through; nil connects directly. It looks the
	// names up itself, so it must not reach private networks.
	Proxy *url.URL
	// TLS replaces the system's certificates; nil keeps them.
	TLS *tls.Config
}

// Fetcher gets pictures by their links. It is safe for concurrent use.
//
// It connects by itself, whatever the environment says: a proxy looks the name up
// a second time, where the guard can't see the address. Through [Options.Proxy]
// it guards what a link shows: addresses, and names that only a private network has.
type Fetcher struct {
	client       *http.Client
	hosts        *lru.Cache[string, *gobreaker.CircuitBreaker[[]byte]]
	timeout      time.Duration
	maxBytes     int64
	allowHTTP    bool
	allowPrivate bool
	proxied      bool
}

// NewFetcher returns a fetcher with connections of its own.
func NewFetcher(options Options) *Fetcher {
	f := &Fetcher{
		timeout: cmp.Or(max(options.Timeout, 0), defaultTimeout), maxBytes: cmp.Or(max(options.MaxBytes, 0), defaultMaxBytes),
		allowHTTP: options.AllowHTTP, allowPrivate: options.AllowPrivate, proxied: options.Proxy != nil,
	}
	f.hosts, _ = lru.New[string, *gobreaker.CircuitBreaker[[]byte]](maxHosts) // fails for a size of 0 only
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: f.guardDial}
	var proxy func(*http.Request) (*url.URL, error)
	if f.proxied {
		dialer.Control, proxy = nil, http.ProxyURL(options.Proxy) // it dials the proxy alone
	}
	f.client = &http.Client{
		Transport: &http.Transport{
			Proxy:                  proxy,
			DialContext:            dialer.DialContext,
			TLSClientConfig:        options.TLS,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    5 * time.Second,
			IdleConnTimeout:        30 * time.Second,
			MaxIdleConnsPerHost:    4,
			MaxResponseHeaderBytes: 64 << 10,
			// Pictures are compressed already; what else comes compressed
			// could unpack to more than was counted.
			DisableCompression: true,
		},
		CheckRedirect: f.checkRedirect,
	}
	return f
}

// Fetch gets the picture behind a link. The error is always an [*Error]; its
// kind is [Avoided] where the host has just failed to answer several times.
func (f *Fetcher) Fetch(ctx context.Context, link string) (Picture, error) {
	address, err := f.parse(link)
	if err != nil {
		return Picture{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()

	content, err := f.breaker(address.Host).Execute(func() ([]byte, error) { return f.get(ctx, address) })
	switch {
	case errors.Is(err, gobreaker.ErrOpenState):
		return Picture{}, &Error{Kind: Avoided, Host: address.Hostname(), Reason: "the host does not answer these minutes"}
	case errors.Is(err, gobreaker.ErrTooManyRequests):
		return Picture{}, &Error{Kind: Unreachable, Host: address.Hostname(), Reason: "another fetch is trying whether the host is back"}
	case err != nil:
		return Picture{}, err
	}
	picture, err := Read(content)
	if failure := new(Error); errors.As(err, &failure) {
		failure.Host = address.Hostname()
		return Picture{}, failure
	}
	return picture, nil
}

// Avoids reports whether the host of a link is left alone these minutes.
func (f *Fetcher) Avoids(link string) bool {
	address, err := f.parse(link)
	return err == nil && f.breaker(address.Host).State() == gobreaker.StateOpen
}

// TookTooLong counts against the host of a link that somebody else has waited for
// it in vain.
func (f *Fetcher) TookTooLong(link string) {
	if address, err := f.parse(link); err == nil {
		_, _ = f.breaker(address.Host).Execute(func() ([]byte, error) { return nil, &Error{Kind: Timeout, Host: address.Hostname()} })
	}
}

// breaker is what keeps fetches from a host that does not answer.
func (f *Fetcher) breaker(host string) *gobreaker.CircuitBreaker[[]byte] {
	if known, found := f.hosts.Get(host); found {
		return known
	}
	fresh := gobreaker.NewCircuitBreaker[[]byte](gobreaker.Settings{
		Timeout:     restTime,
		ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= maxFailures },
		IsSuccessful: func(err error) bool {
			var failure *Error
			return !errors.As(err, &failure) || !failure.Temporary() || errors.Is(err, context.Canceled)
		},
	})
	if known, found, _ := f.hosts.PeekOrAdd(host, fresh); found {
		return known
	}
	return fresh
}

func (f *Fetcher) parse(link string) (*url.URL, error) {
	if len(link) > maxURL {
		return nil, &Error{Kind: InvalidURL, Reason: "the link is longer than 4096 bytes"}
	}
	address, err := url.Parse(link)
	if err != nil { // its text quotes the link
		return nil, &Error{Kind: InvalidURL, Reason: "the link is not a URL"}
	}
	return address, f.checkURL(address)
}

// checkURL holds for the link and for every redirect.
func (f *Fetcher) checkURL(address *url.URL) error {
	host := address.Hostname()
	switch {
	case address.Scheme == "http" && !f.allowHTTP:
		return &Error{Kind: InvalidURL, Host: host, Reason: "the link is not https"}
	case address.Scheme != "https" && address.Scheme != "http":
		return &Error{Kind: InvalidURL, Reason: "the link is not https"}
	case host == "":
		return &Error{Kind: InvalidURL, Reason: "the link names no host"}
	case address.User != nil:
		return &Error{Kind: InvalidURL, Host: host, Reason: "the link holds a user name"}
	case f.proxied && !f.allowPrivate && !public(host):
		return &Error{Kind: Forbidden, Host: host, Reason: errClosed.Error()}
	}
	return nil
}

// guardDial sees the very address that is about to be connected to, after the
// name was looked up: neither a redirect nor a name server that changes its
// mind gets past it.
func (f *Fetcher) guardDial(_, target string, _ syscall.RawConn) error {
	address, err := netip.ParseAddrPort(target)
	if err != nil || !reachable(address.Addr(), f.allowPrivate) {
		return errClosed
	}
	return nil
}

var errClosed = errors.New("the address is in a private or special network")

func (f *Fetcher) checkRedirect(next *http.Request, before []*http.Request) error {
	if len(before) > maxRedirects {
		return &Error{Kind: Unreachable, Host: next.URL.Hostname(), Reason: "redirected more than 5 times"}
	}
	// net/http has put the whole signed link here.
	next.Header.Del("Referer")
	return f.checkURL(next.URL)
}

func (f *Fetcher) get(ctx context.Context, address *url.URL) ([]byte, error) {
	host := address.Hostname()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, &Error{Kind: InvalidURL, Host: host, Reason: "the link is not a URL"}
	}
	request.Header.Set("Accept", "image/jpeg, image/png, image/gif, image/webp;q=0.5")
	request.Header.Set("User-Agent", "Vestnik")

	response, err := f.client.Do(request)
	if err != nil {
		return nil, failure(ctx, host, err)
	}
	defer response.Body.Close()

	if err := refusedStatus(host, response.StatusCode); err != nil {
		return nil, err
	}
	if response.ContentLength > f.maxBytes {
		return nil, tooLarge(host, f.maxBytes)
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, f.maxBytes+1))
	switch {
	case err != nil:
		return nil, failure(ctx, host, err)
	case int64(len(content)) > f.maxBytes:
		return nil, tooLarge(host, f.maxBytes)
	}
	return content, nil
}

// refusedStatus is the error that a status other than 200 means for the picture; nil for 200.
func refusedStatus(host string, status int) error {
	switch {
	case status == http.StatusOK:
		return nil
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		return &Error{Kind: Unreachable, Host: host, Status: status, Reason: "the server asks to come later"}
	case status >= 400 && status < 500:
		return &Error{Kind: Gone, Host: host, Status: status, Reason: "the server does not give it out"}
	case status >= 500:
		return &Error{Kind: Unreachable, Host: host, Status: status, Reason: "the server is in trouble"}
	}
	return &Error{Kind: Unreachable, Host: host, Status: status, Reason: "the server answered with something else"}
}

func failure(ctx context.Context, host string, err error) *Error {
	var ours *Error
	var network net.Error
	switch {
	case errors.As(err, &ours): // from checkRedirect
		return ours
	case errors.Is(err, errClosed):
		return &Error{Kind: Forbidden, Host: host, Reason: errClosed.Error()}
	case errors.Is(ctx.Err(), context.Canceled):
		return &Error{Kind: Unreachable, Host: host, Reason: "cancelled", cause: context.Canceled}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Kind: Timeout, Host: host, Reason: "took too long", cause: context.DeadlineExceeded}
	case errors.As(err, &network) && network.Timeout():
		return &Error{Kind: Timeout, Host: host, Reason: "took too long to connect"}
	}
	return &Error{Kind: Unreachable, Host: host, Reason: "no connection, or it broke"}
}
