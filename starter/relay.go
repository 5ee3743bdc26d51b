package starter

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

// Starter is the relay's parts. Its methods start what they make, and steer it.
type Starter struct {
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

// New puts the relay together. It calls nobody. Without a database and Temporal it
// has its routes and clients.
func New(cfg config.Config, pool *pgxpool.Pool, temporal client.Client, log *slog.Logger) (*Starter, error) {
	routes, err := ReadRoutes(cfg)
	if err != nil {
		return nil, err
	}
	s := &Starter{
		Config: cfg, Temporal: temporal, Log: log,
		Ledger: db.NewLedger(pool), Posts: db.NewPosts(pool), Walls: db.NewWalls(pool), Cases: db.NewCases(pool), Guide: guidedb.New(pool),
		bots: map[string]*telegram.Client{}, keys: map[string]*vk.Client{}, paces: map[string]*rate.Limiter{},
	}
	s.rules.Store(&rules{routes, cfg.Scan.Walls})
	return s, nil
}

// Routes are those that hold now. Who asks more than one question about one post
// asks the same ones.
func (s *Starter) Routes() *route.Routes { return s.rules.Load().routes }

// WatchedWalls are those of VK_WALLS now.
func (s *Starter) WatchedWalls() config.Walls { return s.rules.Load().walls }

// takeUp goes on with settings that were read again: routes, walls and secrets. A
// fault in them changes nothing. It returns the variables whose change asks for a
// restart.
func (s *Starter) takeUp(again config.Config) (restart []string, err error) {
	next, err := New(again, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	if err := next.tryClients(); err != nil {
		return nil, err
	}
	restart = s.Config.TakeUp(again)
	s.rules.Store(next.rules.Load())
	return restart, nil
}

// tryClients makes every client that the settings call for.
func (s *Starter) tryClients() error {
	_, failure := s.Readers()
	failures := []error{failure}
	_, failure = s.Uploader()
	failures = append(failures, failure)
	for _, target := range s.Routes().Targets() {
		if target.Destination.Platform == route.Telegram {
			_, failure = s.Bot(target.Destination)
		} else {
			_, failure = s.Key(target.Destination)
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
func (s *Starter) Quiet(destination string) time.Duration {
	target, _ := s.Routes().Named(destination)
	return target.Settings.Quiet.Left(time.Now())
}

// Pace is how fast a destination is configured to be sent to.
func (s *Starter) Pace(destination string) protocol.Pace {
	target, configured := s.Routes().Named(destination)
	if !configured {
		return protocol.Pace{PerSecond: 1}
	}
	return protocol.Pace{PerSecond: target.Settings.RatePerSec, PerMinute: target.Settings.PerMinute}
}

// Bot returns the client that sends to a Telegram destination. Destinations
// with one token share one client.
func (s *Starter) Bot(destination route.Destination) (*telegram.Client, error) {
	token, err := s.token(destination, s.Config.Telegram.Token)
	if err != nil {
		return nil, err
	}
	return s.BotOf(token)
}

// BotOf returns the client of a bot by its token.
func (s *Starter) BotOf(token string) (*telegram.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bot, ok := s.bots[token]; ok {
		return bot, nil
	}
	bot, err := telegram.New(telegram.Config{
		Token: token, BaseURL: s.Config.Platforms.TelegramURL, Proxy: s.Config.Platforms.ProxyTelegram(), Timeout: s.Config.Telegram.HTTPTimeout,
		MessagesPerSecond: s.Config.Telegram.BotPerSec,
	})
	if err == nil {
		s.bots[token] = bot
	}
	return bot, err
}

// Key returns the client that posts to a VK destination.
func (s *Starter) Key(destination route.Destination) (*vk.Client, error) {
	token, err := s.token(destination, s.Config.VKOut.Token)
	if err != nil {
		return nil, err
	}
	return s.KeyOf(token)
}

// KeyOf returns the client that posts with a key.
func (s *Starter) KeyOf(token string) (*vk.Client, error) {
	return s.vkClient(token, s.Config.VKOut.HTTPTimeout)
}

// Reader is a client that reads walls.
type Reader struct {
	*vk.Client

	Name string // of its key, which it does not give away
	// Pace bounds the key's calls a second in this process, whoever makes them.
	Pace *rate.Limiter
}

// Readers returns the clients that read walls, one for each key of VK_TOKEN.
func (s *Starter) Readers() ([]Reader, error) {
	var readers []Reader
	for _, token := range s.Config.Scan.Tokens() {
		client, err := s.vkClient(token.Reveal(), vk.DefaultTimeout)
		if err != nil {
			return nil, err
		}
		name := db.KeyName(token.Reveal())
		s.mu.Lock()
		if s.paces[name] == nil {
			s.paces[name] = s.KeyPace()
		}
		readers = append(readers, Reader{client, name, s.paces[name]})
		s.mu.Unlock()
	}
	return readers, nil
}

// headroom keeps the pace a little under the one configured: calls that leave
// evenly spaced do not arrive so.
const headroom = 0.9

// KeyPace is a new pace of a VK key, VK_RATE_PER_SEC calls a second.
func (s *Starter) KeyPace() *rate.Limiter {
	perSecond := s.Config.Scan.RatePerSec
	if perSecond <= 0 {
		return rate.NewLimiter(rate.Inf, 1)
	}
	return rate.NewLimiter(rate.Limit(perSecond*headroom), 1)
}

// KeyNames name the reading keys without giving them away.
func (s *Starter) KeyNames() []string {
	var names []string
	for _, token := range s.Config.Scan.Tokens() {
		names = append(names, db.KeyName(token.Reveal()))
	}
	return names
}

// Reader returns the first client that reads walls, nil if VK_TOKEN is not set.
func (s *Starter) Reader() (*vk.Client, error) {
	readers, err := s.Readers()
	if err != nil || len(readers) == 0 {
		return nil, err
	}
	return readers[0].Client, nil
}

// Uploader returns the client that uploads photos for a destination: with
// VK_OUT_MEDIA_TOKEN, because a community's key may not; nil if that is not set.
func (s *Starter) Uploader() (*vk.Client, error) {
	if !s.Config.VKOut.MediaToken.IsSet() {
		return nil, nil
	}
	return s.vkClient(s.Config.VKOut.MediaToken.Reveal(), s.Config.VKOut.HTTPTimeout)
}

// errNoMediaKey means that VK_OUT_MEDIA_TOKEN is not set.
var errNoMediaKey = errors.New("VK_OUT_MEDIA_TOKEN is not set; set it to a user token with the rights wall and photos")

// TryUploading reports whether photos can be uploaded to a VK wall: nil if so,
// else errNoMediaKey or VK's refusal. It asks for an upload address and leaves
// it unused.
func (s *Starter) TryUploading(ctx context.Context, wall route.Destination) error {
	uploader, err := s.Uploader()
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

func (s *Starter) vkClient(token string, timeout time.Duration) (*vk.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cacheKey := fmt.Sprint(timeout, " ", token)
	if key, ok := s.keys[cacheKey]; ok {
		return key, nil
	}
	key, err := vk.New(vk.Config{Token: token, BaseURL: s.Config.Platforms.VKURL, Proxy: s.Config.Platforms.ProxyVK(), Timeout: timeout})
	if err == nil {
		s.keys[cacheKey] = key
	}
	return key, err
}

// token finds a destination's own token, or the platform's.
func (s *Starter) token(destination route.Destination, platform config.Secret) (string, error) {
	target, configured := s.Routes().Target(destination)
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
func (s *Starter) PhotoOptions() photo.Options {
	local := s.Config.Platforms.SandboxVK
	return photo.Options{AllowPrivate: local, AllowHTTP: local, Proxy: s.Config.Platforms.ProxyVK()}
}
