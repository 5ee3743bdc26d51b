package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"vestnik/activities"
	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/photo"
	"vestnik/internal/route"
	"vestnik/internal/telegram"
	"vestnik/internal/telemetry"
	"vestnik/internal/vk"
	"vestnik/starter"
)

// Clients adds to the relay the platforms' clients, one for each bot token and VK key, made when first asked for.
type Clients struct {
	*starter.Starter

	mu   sync.Mutex
	bots map[string]*telegram.Client // by token
	keys map[string]*vk.Client
	// paces are those of the reading keys, by their names.
	paces map[string]*rate.Limiter
}

// NewClients calls nobody.
func NewClients(s *starter.Starter) *Clients {
	return &Clients{Starter: s, bots: map[string]*telegram.Client{}, keys: map[string]*vk.Client{}, paces: map[string]*rate.Limiter{}}
}

// tryAll makes every client that the settings call for.
func (c *Clients) tryAll() error {
	_, failure := c.Readers()
	failures := []error{failure}
	_, failure = c.Uploader()
	failures = append(failures, failure)
	for _, target := range c.Routes().Targets() {
		if target.Destination.Platform == route.Telegram {
			_, failure = c.Bot(target.Destination)
		} else {
			_, failure = c.Key(target.Destination)
		}
		failures = append(failures, failure)
	}
	return errors.Join(failures...)
}

// Bot returns the client that sends to a Telegram destination. Destinations
// with one token share one client.
func (c *Clients) Bot(destination route.Destination) (*telegram.Client, error) {
	token, err := c.token(destination, c.Config.Telegram.Token)
	if err != nil {
		return nil, err
	}
	return c.BotOf(token)
}

// BotOf returns the client of a bot by its token.
func (c *Clients) BotOf(token string) (*telegram.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bot, ok := c.bots[token]; ok {
		return bot, nil
	}
	telemetry.Redact(config.NewSecret(token)) // a destination's own is in no configuration
	bot, err := telegram.New(telegram.Config{
		Token: token, BaseURL: c.Config.Platforms.TelegramURL, Proxy: c.Config.Platforms.ProxyTelegram(), Timeout: c.Config.Telegram.HTTPTimeout,
		MessagesPerSecond: c.Config.Telegram.BotPerSec,
	})
	if err == nil {
		c.bots[token] = bot
	}
	return bot, err
}

// Key returns the client that posts to a VK destination.
func (c *Clients) Key(destination route.Destination) (*vk.Client, error) {
	token, err := c.token(destination, c.Config.VKOut.Token)
	if err != nil {
		return nil, err
	}
	return c.KeyOf(token)
}

// KeyOf returns the client that posts with a key.
func (c *Clients) KeyOf(token string) (*vk.Client, error) {
	return c.vkClient(token, c.Config.VKOut.HTTPTimeout)
}

// Readers returns the clients that read walls, one for each key of VK_TOKEN.
func (c *Clients) Readers() ([]activities.ReadingKey, error) {
	var readers []activities.ReadingKey
	for _, token := range c.Config.Scan.Tokens() {
		client, err := c.vkClient(token.Reveal(), vk.DefaultTimeout)
		if err != nil {
			return nil, err
		}
		name := db.KeyName(token.Reveal())
		c.mu.Lock()
		if c.paces[name] == nil {
			c.paces[name] = c.KeyPace()
		}
		readers = append(readers, activities.ReadingKey{Name: name, Client: client, Pace: c.paces[name]})
		c.mu.Unlock()
	}
	return readers, nil
}

// headroom keeps the pace a little under the one configured: calls that leave
// evenly spaced do not arrive so.
const headroom = 0.9

// KeyPace is a new pace of a VK key, VK_RATE_PER_SEC calls a second.
func (c *Clients) KeyPace() *rate.Limiter {
	perSecond := c.Config.Scan.RatePerSec
	if perSecond <= 0 {
		return rate.NewLimiter(rate.Inf, 1)
	}
	return rate.NewLimiter(rate.Limit(perSecond*headroom), 1)
}

// Reader returns the first client that reads walls, nil if VK_TOKEN is not set.
func (c *Clients) Reader() (*vk.Client, error) {
	readers, err := c.Readers()
	if err != nil || len(readers) == 0 {
		return nil, err
	}
	return readers[0].Client, nil
}

// Uploader returns the client that uploads photos for a destination: with
// VK_OUT_MEDIA_TOKEN, because a community's key may not; nil if that is not set.
func (c *Clients) Uploader() (*vk.Client, error) {
	if !c.Config.VKOut.MediaToken.IsSet() {
		return nil, nil
	}
	return c.vkClient(c.Config.VKOut.MediaToken.Reveal(), c.Config.VKOut.HTTPTimeout)
}

// errNoMediaKey means that VK_OUT_MEDIA_TOKEN is not set.
var errNoMediaKey = errors.New("VK_OUT_MEDIA_TOKEN is not set; set it to a user token with the rights wall and photos")

// TryUploading reports whether photos can be uploaded to a VK wall: nil if so,
// else errNoMediaKey or VK's refusal. It asks for an upload address and leaves
// it unused.
func (c *Clients) TryUploading(ctx context.Context, wall route.Destination) error {
	uploader, err := c.Uploader()
	if err != nil {
		return err
	}
	if uploader == nil {
		return errNoMediaKey
	}
	_, err = uploader.GetWallUploadServer(ctx, max(-wall.Owner, 0))
	var failure *vk.Error
	if errors.As(err, &failure) && failure.Class == vk.KeyUnfit {
		return fmt.Errorf("VK_OUT_MEDIA_TOKEN may not upload (a community's key never may); set it to a user token with the rights wall and photos: %w", err)
	}
	return err
}

func (c *Clients) vkClient(token string, timeout time.Duration) (*vk.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cacheKey := fmt.Sprint(timeout, " ", token)
	if key, ok := c.keys[cacheKey]; ok {
		return key, nil
	}
	telemetry.Redact(config.NewSecret(token))
	key, err := vk.New(vk.Config{Token: token, BaseURL: c.Config.Platforms.VKURL, Proxy: c.Config.Platforms.ProxyVK(), Timeout: timeout})
	if err == nil {
		c.keys[cacheKey] = key
	}
	return key, err
}

// token finds a destination's own token, or the platform's.
func (c *Clients) token(destination route.Destination, platform config.Secret) (string, error) {
	target, configured := c.Routes().Target(destination)
	if !configured {
		return "", fmt.Errorf("destination %s is not configured", destination)
	}
	if name := target.Settings.TokenEnv; name != "" {
		token := os.Getenv(name)
		if token == "" {
			return "", fmt.Errorf("destination %s: %s is not set", destination, name)
		}
		return token, nil
	}
	if !platform.IsSet() {
		return "", fmt.Errorf("destination %s: no token is set for its platform", destination)
	}
	return platform.Reveal(), nil
}

// PhotoOptions says how far the relay trusts links to photos. Only where the
// sandbox stands in for VK may they lead to this machine and without TLS.
func (c *Clients) PhotoOptions() photo.Options {
	local := c.Config.Platforms.SandboxVK
	return photo.Options{AllowPrivate: local, AllowHTTP: local, Proxy: c.Config.Platforms.ProxyVK()}
}
