package starter

import (
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"

	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/config"
	"vestnik/internal/notice"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
)

// Starter holds the relay's stores, settings and routes, and starts and steers its
// workflows. It calls Temporal and the database, and no platform.
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
}

// rules are what may change while the relay runs, besides the secrets.
type rules struct {
	routes *route.Routes
	walls  config.Walls
}

// New puts the relay together. It calls nobody. Without a database and Temporal it
// has its routes.
func New(cfg config.Config, pool *pgxpool.Pool, temporal client.Client, log *slog.Logger) (*Starter, error) {
	routes, err := ReadRoutes(cfg)
	if err != nil {
		return nil, err
	}
	s := &Starter{
		Config: cfg, Temporal: temporal, Log: log,
		Ledger: db.NewLedger(pool), Posts: db.NewPosts(pool), Walls: db.NewWalls(pool), Cases: db.NewCases(pool), Guide: guidedb.New(pool),
	}
	s.rules.Store(&rules{routes, cfg.Scan.Walls})
	return s, nil
}

// Routes are those that hold now. Who asks more than one question about one post
// asks the same ones.
func (s *Starter) Routes() *route.Routes { return s.rules.Load().routes }

// WatchedWalls are those of VK_WALLS now.
func (s *Starter) WatchedWalls() config.Walls { return s.rules.Load().walls }

// TakeUp goes on with settings that were read again: routes, walls and secrets. try
// is asked of what they make first. A fault changes nothing. It returns the variables
// whose change asks for a restart.
func (s *Starter) TakeUp(again config.Config, try func(*Starter) error) (restart []string, err error) {
	next, err := New(again, nil, nil, nil)
	if err == nil {
		err = try(next)
	}
	if err != nil {
		return nil, err
	}
	restart = s.Config.TakeUp(again)
	s.rules.Store(next.rules.Load())
	return restart, nil
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

// publicUpload is the size in bytes of the largest file that Telegram's own server
// takes; a server of one's own takes 2,000 MB (Bot API, "Sending files").
const publicUpload = 50_000_000

// defaults are the environment's wishes, which hold for every destination that
// does not say otherwise.
func defaults(cfg config.Config) (route.Defaults, error) {
	defaults := route.StandardDefaults()
	onUnknown := route.OnUnknown(cfg.Relay.OnUnknown)
	tg, wall := &defaults.Telegram, &defaults.VK
	tg.RatePerSec, tg.PerMinute, tg.MaxMedia = cfg.Telegram.RatePerSec, cfg.Telegram.PerMinute, cfg.Telegram.MaxMedia
	tg.MaxFile = int64(cfg.Telegram.MaxFileMB) * 1_000_000
	if cfg.Platforms.PublicTelegram() {
		tg.MaxFile = min(tg.MaxFile, publicUpload)
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

// KeyNames name the reading keys without giving them away.
func (s *Starter) KeyNames() []string {
	var names []string
	for _, token := range s.Config.Scan.Tokens() {
		names = append(names, db.KeyName(token.Reveal()))
	}
	return names
}
