// Package vk is Vestnik's client of the VK API: reading walls, decoding posts leniently, publishing, and uploading
// photos. Every failure is an [*Error] with a [Class] and a [Policy] from one catalogue.
//
// The calls are made by github.com/SevereCloud/vksdk/v2; an adapter between it and the network mends what the library
// leaves open. The library never looks at the HTTP status, panics on a gzip header over a plain body, loses the error
// code when one field of an error has an odd type, and waits without regard to the context when its limiter is used.
// So the adapter reads and judges each answer itself, the library's limiter is off (pacing is the business of the
// lanes), and results are decoded into types of our own that no odd field can break.
//
// A way through the package: [New], [Client.WallGet], [DecodePost]; then [Client.WallPost] and catalogue.go for what a
// refusal means.
package vk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/SevereCloud/vksdk/v2/api"

	"vestnik/internal/wire"
)

// DefaultBaseURL is the public API. VK lists api.vk.ru as a host too.
const DefaultBaseURL = "https://api.vk.com/method/"

// DefaultTimeout bounds one call.
const DefaultTimeout = 10 * time.Second

// apiVersion is the version of the API the decoders were written for.
const apiVersion = "5.199"

// maxAnswer is the largest answer that is read, in bytes, decompressed. A page of 100 posts with ten photos each is
// about 4 MB.
const maxAnswer = 8 << 20

// Config says how to call VK with one key.
type Config struct {
	// Token is a service, community or user key. Space around it, a trailing newline from a file say, is cut off.
	Token string
	// BaseURL is where the methods are; empty means [DefaultBaseURL]. A missing slash at the end is added.
	BaseURL string
	// Timeout bounds one call from the first byte to the last; 0 means [DefaultTimeout].
	Timeout time.Duration
	// UploadTimeout bounds the upload of one photo; 0 means three times Timeout.
	UploadTimeout time.Duration
	// MaxConns bounds the connections of this client, which has a pool of its own; 0 means no bound.
	MaxConns int
	// Observe, if set, is told of every call when it has ended. It must be quick and safe for concurrent use.
	Observe func(context.Context, Attempt)
}

// LogValue leaves the token out of logs.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(slog.String("base_url", c.BaseURL), slog.Duration("timeout", c.Timeout))
}

// String leaves the token out of everything that prints the configuration.
func (c Config) String() string { return fmt.Sprintf("vk.Config{BaseURL: %s}", c.BaseURL) }

// GoString is String, for %#v.
func (c Config) GoString() string { return c.String() }

// Attempt is one call as an observer sees it: enough to log and to count, nothing of what was sent.
type Attempt struct {
	Method     string
	Started    time.Time
	Duration   time.Duration
	HTTPStatus int    // 0 when no answer came
	Err        *Error // nil when the call succeeded
}

// Class is the class of the failure, "" when the call succeeded.
func (a Attempt) Class() Class {
	if a.Err == nil {
		return ""
	}
	return a.Err.Class
}

// Client calls VK with one key. It is safe for concurrent use. Close it to drop its idle connections.
type Client struct {
	sdk           *api.VK
	adapter       *adapter
	transport     *http.Transport
	timeout       time.Duration
	uploadTimeout time.Duration
	secure        bool // the API is called over https, so uploads must be too
	observe       func(context.Context, Attempt)
}

// New makes a client and calls nobody. Its errors name what is wrong with the configuration and never hold the token.
func New(config Config) (*Client, error) {
	token, err := checkToken(config.Token)
	if err != nil {
		return nil, err
	}
	base, err := checkBaseURL(config.BaseURL)
	if err != nil {
		return nil, err
	}
	client := &Client{timeout: config.Timeout, uploadTimeout: config.UploadTimeout, observe: config.Observe}
	if client.timeout <= 0 {
		client.timeout = DefaultTimeout
	}
	if client.uploadTimeout <= 0 {
		client.uploadTimeout = 3 * client.timeout
	}
	client.secure = strings.HasPrefix(base, "https:")
	client.transport = wire.NewTransport(config.MaxConns)
	client.adapter = &adapter{transport: client.transport, token: token}

	client.sdk = api.NewVK(token)
	client.sdk.MethodURL = base
	client.sdk.Version = apiVersion
	client.sdk.UserAgent = "vestnik"
	// With a limit the library answers "too many requests" by asking again at once, and its limiter sleeps under a
	// lock without regard to the context.
	client.sdk.Limit = 0
	client.sdk.Client = &http.Client{Transport: client.adapter, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return client, nil
}

// Close drops the idle connections of the client's pool. Calls under way go on.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// String keeps the token out of anything that prints the client.
func (c *Client) String() string { return "vk client of " + c.sdk.MethodURL }

// GoString is String, for %#v.
func (c *Client) GoString() string { return c.String() }

// checkToken accepts what can stand in a header. VK has changed what its keys look like several times.
func checkToken(token string) (string, error) {
	token = strings.TrimSpace(token)
	if token == "" {
		return "", errors.New("vk: the access key is empty; set it to a service, community or user key")
	}
	for _, r := range token {
		if r <= ' ' || r > '~' || r == '"' || r == '\'' {
			return "", errors.New("vk: the access key holds a character no key has (a space, a quote, a line break, " +
				"or one outside ASCII); copy it again")
		}
	}
	return token, nil
}

// checkBaseURL accepts an absolute http or https address and returns it with the slash at the end that the library
// needs.
func checkBaseURL(base string) (string, error) {
	base = strings.TrimSpace(base)
	if base == "" {
		return DefaultBaseURL, nil
	}
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return "", errors.New("vk: the API address is not an http or https URL; it should look like " + DefaultBaseURL)
	}
	if parsed.RawQuery != "" || parsed.Fragment != "" || parsed.User != nil {
		return "", errors.New("vk: the API address must be a plain URL, without user, query or fragment")
	}
	return strings.TrimRight(base, "/") + "/", nil
}

// call asks the library to call a method and hands VK's response to decode. A response that decode refuses (it is not
// what the method returns) is an error like any other: for a write nobody knows what happened.
func (c *Client) call(ctx context.Context, purpose Purpose, method string, params api.Params,
	decode func(response json.RawMessage) error) error {
	started := time.Now()
	callCtx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()

	for name, value := range captchaFrom(ctx).params() {
		params[name] = value
	}
	ex := &exchange{method: method, purpose: purpose}
	_, sdkErr := c.sdk.Request(method, params.WithContext(context.WithValue(callCtx, exchangeKey{}, ex)))
	fault := ex.fault
	if fault == nil && !ex.answered {
		fault = bug(purpose, method, "the request could not be built")
		if sdkErr == nil {
			fault.Message = "the library made no request"
		}
	}
	if fault == nil {
		if err := decode(ex.response); err != nil {
			fault = &Error{Class: OutcomeUnknown, Method: method, Purpose: purpose, HTTPStatus: ex.status, Written: true,
				Message: "not what the method returns: " + err.Error(), Policy: transportPolicy(method, OutcomeUnknown)}
		}
	}
	c.tell(ctx, Attempt{Method: method, Started: started, HTTPStatus: ex.status, Err: fault})
	if fault != nil {
		return fault
	}
	return nil
}

func (c *Client) tell(ctx context.Context, attempt Attempt) {
	attempt.Duration = time.Since(attempt.Started)
	if c.observe != nil {
		c.observe(ctx, attempt)
	}
}
