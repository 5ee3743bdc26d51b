// Package telegram is Vestnik's client of the Telegram Bot API: typed methods whose every failure is an [*Error] with
// a [Class] from one catalogue.
//
// What a call says is spelt by the parameter types of github.com/go-telegram/bot; how it travels is not the library's
// business. Its own client never looks at the HTTP status, prints whole answers and, now and then, the token in its
// errors, sends multipart even when there is no file, and decodes results into types that a single unknown value
// breaks. So the parameters go out as JSON, or as a form when there are files, in one exchange of package wire; the
// catalogue classifies the answer, and the result is decoded into the few fields that Vestnik needs.
//
// A way through the package: [New], [Client.SendMessage], then catalogue.go for what a refusal means.
package telegram

import (
	"cmp"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"vestnik/internal/wire"
)

// DefaultBaseURL is the public Bot API server.
const DefaultBaseURL = "https://api.telegram.org"

// MaxByURL is the size in bytes of the largest file that Telegram fetches by itself, pictures excepted (Bot API,
// "Sending files").
const MaxByURL = 20_000_000

// defaultTimeout bounds one call. Telegram holds its own flood answer back for about 3 s and fetches photos by URL
// inside the call, so anything shorter turns both into unknown outcomes.
const defaultTimeout = 10 * time.Second

// maxAnswer is the largest answer that is read, in bytes, decompressed. The largest we ask for is a page of 100
// updates; a sent message is a few kilobytes.
const maxAnswer = 1 << 20

// Config says how to reach one bot.
type Config struct {
	wire.Hidden

	// Token is the bot's token as BotFather gave it. Space around it, a trailing newline from a file say, is cut off.
	Token string
	// Renewed is the token as it is now, for a bot whose token may change while the client is in use; nil leaves Token.
	// What is no token of the same bot is passed over.
	Renewed func() string
	// BaseURL is the Bot API server without "/bot<token>"; empty means [DefaultBaseURL].
	BaseURL string
	// Timeout bounds one call from the first byte to the last; 0 means [defaultTimeout]. GetUpdates adds its own
	// waiting time to it.
	Timeout time.Duration
	// Proxy is what the calls go through; nil leaves it to the environment.
	Proxy *url.URL
	// MessagesPerSecond is how many messages the client sends in a second, whichever chats they go to: Telegram allows
	// a bot about 30. An album counts one for each of its items. 0 means no limit.
	MessagesPerSecond float64
}

// Client calls the Bot API for one bot. It is safe for concurrent use. Close it to drop its idle connections.
type Client struct {
	wire.Hidden

	access  atomic.Pointer[access]
	renewed func() string
	base    string
	botID   int64
	timeout time.Duration
	pace    *rate.Limiter // nil for none
}

// access is what calls are made with for as long as a token holds.
type access struct {
	wire    *wire.Client
	token   string
	address string // of the methods, with a slash at the end
}

// New makes a client and calls nobody. Its errors name what is wrong with the configuration and never hold the token.
func New(config Config) (*Client, error) {
	token, err := checkToken(config.Token)
	if err != nil {
		return nil, err
	}
	base, err := wire.BaseURL("telegram: the Bot API address", config.BaseURL, DefaultBaseURL)
	if err != nil {
		return nil, err
	}
	client := &Client{renewed: config.Renewed, base: base, botID: botID(token), timeout: cmp.Or(max(config.Timeout, 0), defaultTimeout)}
	client.access.Store(client.with(token, wire.NewClient(token, config.Proxy)))
	if config.MessagesPerSecond > 0 {
		client.pace = rate.NewLimiter(rate.Limit(config.MessagesPerSecond), 1)
	}
	return client, nil
}

func (c *Client) with(token string, through *wire.Client) *access {
	return &access{wire: through, token: token, address: c.base + "/bot" + token + "/"}
}

// now is what the next call is made with.
func (c *Client) now() *access {
	is := c.access.Load()
	if c.renewed == nil {
		return is
	}
	token, err := checkToken(c.renewed())
	if err != nil || token == is.token || botID(token) != c.botID {
		return is
	}
	is = c.with(token, is.wire.With(token))
	c.access.Store(is)
	return is
}

// botID is the part of a token before the colon; 0 if it is no number.
func botID(token string) int64 {
	number, _, _ := strings.Cut(token, ":")
	id, _ := strconv.ParseInt(number, 10, 64)
	return id
}

// BotID is the bot's own user id, which is the part of the token before the colon; 0 if the token has none.
func (c *Client) BotID() int64 { return c.botID }

// Close drops the idle connections of the client's pool. Calls under way go on.
func (c *Client) Close() { c.access.Load().wire.Close() }

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
