// Package telegram is Vestnik's client of the Telegram Bot API: typed methods whose every failure is an [*Error] with
// a [Class] from one catalogue.
//
// The calls are made by github.com/go-telegram/bot; an adapter between it and the network mends what the library
// leaves open. The library never looks at the HTTP status, prints whole answers and, now and then, the token in its
// errors, sends multipart even when there is no file, and decodes results into types that a single unknown value
// breaks. So the adapter reads the answer itself: the library builds the request, the catalogue judges the answer,
// and the result is decoded into the few fields that Vestnik needs.
//
// A way through the package: [New], [Client.SendMessage], then catalogue.go for what a refusal means.
package telegram

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

	"github.com/go-telegram/bot"

	"vestnik/internal/wire"
)

// DefaultBaseURL is the public Bot API server.
const DefaultBaseURL = "https://api.telegram.org"

// DefaultTimeout bounds one call. Telegram holds its own flood answer back for about 3 s and fetches photos by URL
// inside the call, so anything shorter turns both into unknown outcomes.
const DefaultTimeout = 10 * time.Second

// maxAnswer is the largest answer that is read, in bytes, decompressed. The largest we ask for is a page of 100
// updates; a sent message is a few kilobytes.
const maxAnswer = 1 << 20

// Config says how to reach one bot.
type Config struct {
	// Token is the bot's token as BotFather gave it. Space around it, a trailing newline from a file say, is cut off.
	Token string
	// BaseURL is the Bot API server without "/bot<token>"; empty means [DefaultBaseURL].
	BaseURL string
	// Timeout bounds one call from the first byte to the last; 0 means [DefaultTimeout]. GetUpdates adds its own
	// waiting time to it.
	Timeout time.Duration
	// MaxConns bounds the connections of this client; 0 means no bound. Every client has a pool of its own, so two
	// clients of one bot never wait for each other's connections.
	MaxConns int
	// Observe, if set, is told of every call when it has ended. It must be quick and safe for concurrent use.
	Observe func(context.Context, Attempt)
}

// LogValue leaves the token out of logs.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(slog.String("base_url", c.BaseURL), slog.Duration("timeout", c.Timeout))
}

// String leaves the token out of everything that prints the configuration.
func (c Config) String() string { return fmt.Sprintf("telegram.Config{BaseURL: %s}", c.BaseURL) }

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

// Client calls the Bot API for one bot. It is safe for concurrent use. Close it to drop its idle connections.
type Client struct {
	bot       *bot.Bot
	adapter   *adapter
	transport *http.Transport
	timeout   time.Duration
	observe   func(context.Context, Attempt)
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
	timeout := config.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	transport := wire.NewTransport(config.MaxConns)
	adapter := &adapter{transport: transport, base: base, token: token}
	library, err := bot.New(token,
		bot.WithSkipGetMe(), // a constructor that calls the network could not be retried by anybody
		bot.WithServerURL(base),
		bot.WithHTTPClient(timeout, adapter),
		bot.WithErrorsHandler(func(error) {}), // its default prints errors that hold addresses
		bot.WithDebugHandler(func(string, ...any) {}),
	)
	if err != nil {
		return nil, errors.New("telegram: the client library refused the token")
	}
	return &Client{bot: library, adapter: adapter, transport: transport, timeout: timeout, observe: config.Observe}, nil
}

// BotID is the bot's own user id, which is the part of the token before the colon; 0 if the token has none.
func (c *Client) BotID() int64 { return c.bot.ID() }

// Close drops the idle connections of the client's pool. Calls under way go on.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// String keeps the token out of anything that prints the client.
func (c *Client) String() string { return fmt.Sprintf("telegram bot %d", c.BotID()) }

// GoString is String, for %#v.
func (c *Client) GoString() string { return c.String() }

// checkToken accepts what can stand in the path of a URL. It asks for no more: what a valid token looks like is
// Telegram's business, and a local Bot API server may have shorter ones.
func checkToken(token string) (string, error) {
	token = strings.TrimSpace(token)
	if token == "" {
		return "", errors.New("telegram: the bot token is empty; set it to the token BotFather gave you")
	}
	for _, r := range token {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if !letter && r != ':' && r != '_' && r != '-' {
			return "", errors.New("telegram: the bot token holds a character no token has (only letters, digits, " +
				"':', '_' and '-' occur); copy it from BotFather again, without quotes or line breaks")
		}
	}
	return token, nil
}

// checkBaseURL accepts an absolute http or https address and returns it without a trailing slash.
func checkBaseURL(base string) (string, error) {
	base = strings.TrimSpace(base)
	if base == "" {
		return DefaultBaseURL, nil
	}
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return "", errors.New("telegram: the Bot API address is not an http or https URL; " +
			"it should look like " + DefaultBaseURL)
	}
	if parsed.RawQuery != "" || parsed.Fragment != "" || parsed.User != nil {
		return "", errors.New("telegram: the Bot API address must be a plain URL, without user, query or fragment")
	}
	return strings.TrimRight(base, "/"), nil
}

// call runs one library call and decodes Telegram's result into result. What the library itself says about the
// outcome is not used: its errors may hold the answer's text, and its result types refuse values that Telegram adds.
func (c *Client) call(ctx context.Context, method string, result any, send func(context.Context) error) error {
	return c.exchange(ctx, c.timeout, &exchange{method: method}, result, send)
}

func (c *Client) exchange(ctx context.Context, timeout time.Duration, ex *exchange, result any,
	send func(context.Context) error) error {
	started := time.Now()
	callCtx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	sendErr := send(context.WithValue(callCtx, exchangeKey{}, ex))
	fault := ex.fault
	switch {
	case fault != nil:
	case !ex.answered:
		// The library gave up before anything was sent. Its error may quote what it was given, so it stays here.
		fault = &Error{Class: Internal, Method: ex.method, Description: "the request could not be built"}
		if sendErr == nil {
			fault.Description = "the library made no request"
		}
	case json.Unmarshal(ex.result, result) != nil:
		fault = &Error{Class: OutcomeUnknown, Method: ex.method, HTTPStatus: ex.status, Written: true,
			Description: "the result is not what the method returns"}
	}
	if c.observe != nil {
		c.observe(ctx, Attempt{Method: ex.method, Started: started, Duration: time.Since(started),
			HTTPStatus: ex.status, Err: fault})
	}
	if fault != nil {
		return fault
	}
	return nil
}
