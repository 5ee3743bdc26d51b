// Package relay puts the relay's parts together as the configuration says:
// the stores, the routes, and a client of its platform for each destination.
// The worker runs them, the starter and the commands steer them.
package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	"golang.org/x/time/rate"

	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/config"
	"vestnik/internal/notice"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/telegram"
	"vestnik/internal/vk"
)

// Relay is the relay's parts.
type Relay struct {
	Config   config.Config
	Temporal client.Client
	Log      *slog.Logger
	Ledger   *db.Ledger
	Posts    *db.Posts
	Walls    *db.Walls
	Cases    *db.Cases
	Guide    *guidedb.Store

	rules atomic.Pointer[rules]

	mu   sync.Mutex
	bots map[string]*telegram.Client // by token
	keys map[string]*vk.Client
	// paces are those of the reading keys, by their names.
	paces map[string]*rate.Limiter
}

// rules are what may change while the relay runs, besides the secrets.
type rules struct {
	routes *route.Routes
	walls  config.Walls
}

// New puts the relay together. It calls nobody.
func New(cfg config.Config, pool *pgxpool.Pool, temporal client.Client, log *slog.Logger) (*Relay, error) {
	routes, err := ReadRoutes(cfg)
	if err != nil {
		return nil, err
	}
	r := &Relay{
		Config: cfg, Temporal: temporal, Log: log,
		Ledger: db.NewLedger(pool), Posts: db.NewPosts(pool), Walls: db.NewWalls(pool), Cases: db.NewCases(pool), Guide: guidedb.New(pool),
		bots: map[string]*telegram.Client{}, keys: map[string]*vk.Client{}, paces: map[string]*rate.Limiter{},
	}
	r.rules.Store(&rules{routes, cfg.Scan.Walls})
	return r, nil
}

// Routes are those that hold now. Who asks more than one question about one post
// asks the same ones.
func (r *Relay) Routes() *route.Routes { return r.rules.Load().routes }

// WatchedWalls are those of VK_WALLS now.
func (r *Relay) WatchedWalls() config.Walls { return r.rules.Load().walls }

// takeUp goes on with settings that were read again: routes, walls and secrets. A
// fault in them changes nothing. It returns the variables whose change asks for a
// restart.
func (r *Relay) takeUp(again config.Config) (restart []string, err error) {
	next, err := New(again, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	if err := next.tryClients(); err != nil {
		return nil, err
	}
	restart = r.Config.TakeUp(again)
	r.rules.Store(next.rules.Load())
	return restart, nil
}

// tryClients makes every client that the settings call for.
func (r *Relay) tryClients() error {
	_, failure := r.Readers()
	failures := []error{failure}
	_, failure = r.Uploader()
	failures = append(failures, failure)
	for _, target := range r.Routes().Targets() {
		if target.Destination.Platform == route.Telegram {
			_, failure = r.Bot(target.Destination)
		} else {
			_, failure = r.Key(target.Destination)
		}
		failures = append(failures, failure)
	}
	return errors.Join(failures...)
}

// ReadRoutes reads ROUTES_FILE, or makes the implied route of the single
// destinations that the environment names.
func ReadRoutes(cfg config.Config) (*route.Routes, error) {
	defaults, err := defaults(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Relay.RoutesFile != "" {
		text, err := os.ReadFile(cfg.Relay.RoutesFile)
		if err != nil {
			return nil, fmt.Errorf("ROUTES_FILE: %w", err)
		}
		routes, err := route.Load(text, defaults)
		if err != nil {
			return nil, fmt.Errorf("ROUTES_FILE %s: %w", cfg.Relay.RoutesFile, err)
		}
		return routes, nil
	}
	var chat, wall *route.Target
	if cfg.Telegram.Enabled {
		name := "telegram:" + cfg.Telegram.Chat
		if thread := cfg.Telegram.ThreadID; thread != 0 {
			name += fmt.Sprintf("/%d", thread)
		}
		destination, err := route.ParseDestination(name)
		if err != nil {
			return nil, fmt.Errorf("TG_CHAT: %w", err)
		}
		chat = &route.Target{Destination: destination, Settings: defaults.Telegram}
	}
	if cfg.VKOut.Enabled {
		wall = &route.Target{Destination: route.VKWall(cfg.VKOut.OwnerID), Settings: defaults.VK}
	}
	return route.Implied(chat, wall), nil
}

// defaults are the environment's wishes, which hold for every destination that
// does not say otherwise.
func defaults(cfg config.Config) (route.Defaults, error) {
	defaults := route.StandardDefaults()
	onUnknown := route.OnUnknown(cfg.Relay.OnUnknown)
	tg, wall := &defaults.Telegram, &defaults.VK
	tg.RatePerSec, tg.PerMinute, tg.MaxMedia = cfg.Telegram.RatePerSec, cfg.Telegram.PerMinute, cfg.Telegram.MaxMedia
	tg.MaxFile = int64(cfg.Telegram.MaxFileMB) * 1_000_000
	if cfg.Platforms.TelegramURL == telegram.DefaultBaseURL {
		tg.MaxFile = min(tg.MaxFile, telegram.MaxUpload)
	}
	tg.ParseMode, tg.OnUnknown = notice.ParseMode(cfg.Telegram.ParseMode), onUnknown
	wall.RatePerSec, wall.MaxMedia, wall.AttachMedia = cfg.VKOut.RatePerSec, cfg.VKOut.MaxMedia, cfg.VKOut.AttachMedia
	wall.MaxText, wall.OnUnknown = cfg.VKOut.MaxText, onUnknown
	tg.Quiet.Zone = cfg.Bot.Timezone
	if cfg.Relay.QuietHours != "" {
		var err error
		if tg.Quiet, err = route.ParseQuietHours(cfg.Relay.QuietHours, cfg.Bot.Timezone); err != nil {
			return defaults, fmt.Errorf("QUIET_HOURS: %w", err)
		}
	}
	wall.Quiet = tg.Quiet
	return defaults, nil
}

// Quiet is how long it stays quiet at a destination, 0 if it is not.
func (r *Relay) Quiet(destination string) time.Duration {
	target, _ := r.Routes().Named(destination)
	return target.Settings.Quiet.Left(time.Now())
}

// Pace is how fast a destination is configured to be sent to.
func (r *Relay) Pace(destination string) protocol.Pace {
	target, configured := r.Routes().Named(destination)
	if !configured {
		return protocol.Pace{PerSecond: 1}
	}
	return protocol.Pace{PerSecond: target.Settings.RatePerSec, PerMinute: target.Settings.PerMinute}
}

// Bot returns the client that sends to a Telegram destination. Destinations
// with one token share one client.
func (r *Relay) Bot(destination route.Destination) (*telegram.Client, error) {
	token, err := r.token(destination, r.Config.Telegram.Token)
	if err != nil {
		return nil, err
	}
	return r.BotOf(token)
}

// BotOf returns the client of a bot by its token.
func (r *Relay) BotOf(token string) (*telegram.Client, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if bot, ok := r.bots[token]; ok {
		return bot, nil
	}
	bot, err := telegram.New(telegram.Config{
		Token: token, BaseURL: r.Config.Platforms.TelegramURL, Proxy: r.Config.Platforms.ProxyTelegram(), Timeout: r.Config.Telegram.HTTPTimeout,
		MessagesPerSecond: r.Config.Telegram.BotPerSec,
	})
	if err == nil {
		r.bots[token] = bot
	}
	return bot, err
}

// Key returns the client that posts to a VK destination.
func (r *Relay) Key(destination route.Destination) (*vk.Client, error) {
	token, err := r.token(destination, r.Config.VKOut.Token)
	if err != nil {
		return nil, err
	}
	return r.KeyOf(token)
}

// KeyOf returns the client that posts with a key.
func (r *Relay) KeyOf(token string) (*vk.Client, error) {
	return r.vkClient(token, r.Config.VKOut.HTTPTimeout)
}

// Reader is a client that reads walls.
type Reader struct {
	*vk.Client

	Name string // of its key, which it does not give away
	// Pace bounds the key's calls a second in this process, whoever makes them.
	Pace *rate.Limiter
}

// Readers returns the clients that read walls, one for each key of VK_TOKEN.
func (r *Relay) Readers() ([]Reader, error) {
	var readers []Reader
	for _, token := range r.Config.Scan.Tokens() {
		client, err := r.vkClient(token.Reveal(), vk.DefaultTimeout)
		if err != nil {
			return nil, err
		}
		name := db.KeyName(token.Reveal())
		r.mu.Lock()
		if r.paces[name] == nil {
			r.paces[name] = r.KeyPace()
		}
		readers = append(readers, Reader{client, name, r.paces[name]})
		r.mu.Unlock()
	}
	return readers, nil
}

// headroom keeps the pace a little under the one configured: calls that leave
// evenly spaced do not arrive so.
const headroom = 0.9

// KeyPace is a new pace of a VK key, VK_RATE_PER_SEC calls a second.
func (r *Relay) KeyPace() *rate.Limiter {
	perSecond := r.Config.Scan.RatePerSec
	if perSecond <= 0 {
		return rate.NewLimiter(rate.Inf, 1)
	}
	return rate.NewLimiter(rate.Limit(perSecond*headroom), 1)
}

// KeyNames name the reading keys without giving them away.
func (r *Relay) KeyNames() []string {
	var names []string
	for _, token := range r.Config.Scan.Tokens() {
		names = append(names, db.KeyName(token.Reveal()))
	}
	return names
}

// Reader returns the first client that reads walls, nil if VK_TOKEN is not set.
func (r *Relay) Reader() (*vk.Client, error) {
	readers, err := r.Readers()
	if err != nil || len(readers) == 0 {
		return nil, err
	}
	return readers[0].Client, nil
}

// Uploader returns the client that uploads photos for a destination: with
// VK_OUT_MEDIA_TOKEN, because a community's key may not; nil if that is not set.
func (r *Relay) Uploader() (*vk.Client, error) {
	if !r.Config.VKOut.MediaToken.IsSet() {
		return nil, nil
	}
	return r.vkClient(r.Config.VKOut.MediaToken.Reveal(), r.Config.VKOut.HTTPTimeout)
}

// errNoMediaKey means that VK_OUT_MEDIA_TOKEN is not set.
var errNoMediaKey = errors.New("VK_OUT_MEDIA_TOKEN is not set; set it to a user token with the rights wall and photos")

// TryUploading reports whether photos can be uploaded to a VK wall: nil if so,
// else errNoMediaKey or VK's refusal. It asks for an upload address and leaves
// it unused.
func (r *Relay) TryUploading(ctx context.Context, wall route.Destination) error {
	uploader, err := r.Uploader()
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

func (r *Relay) vkClient(token string, timeout time.Duration) (*vk.Client, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	cacheKey := fmt.Sprint(timeout, " ", token)
	if key, ok := r.keys[cacheKey]; ok {
		return key, nil
	}
	key, err := vk.New(vk.Config{Token: token, BaseURL: r.Config.Platforms.VKURL, Proxy: r.Config.Platforms.ProxyVK(), Timeout: timeout})
	if err == nil {
		r.keys[cacheKey] = key
	}
	return key, err
}

// token finds a destination's own token, or the platform's.
func (r *Relay) token(destination route.Destination, platform config.Secret) (string, error) {
	target, configured := r.Routes().Target(destination)
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
func (r *Relay) PhotoOptions() photo.Options {
	local := r.Config.Platforms.SandboxVK
	return photo.Options{AllowPrivate: local, AllowHTTP: local, Proxy: r.Config.Platforms.ProxyVK()}
}
