package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"

	"vestnik/activities"
	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/devstack"
	"vestnik/internal/relay"
	"vestnik/internal/telemetry"
	"vestnik/starter"
)

// flushTime is how long the last traces may take to leave.
const flushTime = 2 * time.Second

// app is what most commands work with: the configuration, the database, and
// Temporal.
type app struct {
	cfg       config.Config
	telemetry *telemetry.Telemetry
	log       *slog.Logger
	pool      *pgxpool.Pool
	temporal  client.Client
	relay     *relay.Relay
	starter   *starter.Starter

	guideToken activities.TokenHealth // Telegram's last word on the guide's token
}

// open reads the configuration and connects. It does not wait for servers that
// do not answer: it says so.
func open(ctx context.Context, needs ...config.Need) (*app, error) {
	return openAs(ctx, "cli", environ(), os.Stderr, needs...)
}

// openAs is open for a process of a role, with an environment and a log of its
// own.
func openAs(ctx context.Context, role string, environ map[string]string, logs io.Writer, needs ...config.Need) (*app, error) {
	cfg, err := config.Load(environ, append(needs, config.NeedDatabase, config.NeedTemporal)...)
	if err != nil {
		return nil, err
	}
	return connect(ctx, role, cfg, logs)
}

// connect opens what a configuration names.
func connect(ctx context.Context, role string, cfg config.Config, logs io.Writer) (_ *app, err error) {
	telemetry.Redact(cfg.Secrets()...)
	a := &app{cfg: cfg}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	if a.telemetry, err = telemetry.Start(ctx, cfg.Log, role, logs); err != nil {
		return nil, err
	}
	a.log = a.telemetry.Logger
	if a.pool, err = db.Open(ctx, cfg.Database.URL.Reveal()); err != nil {
		return nil, err
	}
	options := cfg.Temporal.ClientOptions()
	if err := a.telemetry.Equip(&options); err != nil {
		return nil, err
	}
	if a.temporal, err = client.DialContext(ctx, options); err != nil {
		return nil, fmt.Errorf("no Temporal at %s (TEMPORAL_ADDRESS): %w", cfg.Temporal.Address, err)
	}
	if a.relay, err = relay.New(cfg, a.pool, a.temporal, a.log); err != nil {
		return nil, err
	}
	a.starter = starter.New(a.relay)
	return a, nil
}

// close lets go of what was opened.
func (a *app) close() {
	if a.temporal != nil {
		a.temporal.Close()
	}
	if a.pool != nil {
		a.pool.Close()
	}
	if a.telemetry != nil {
		ctx, cancel := context.WithTimeout(context.Background(), flushTime)
		defer cancel()
		_ = a.telemetry.Shutdown(ctx) // nobody is left to tell
	}
}

// devEnvironFile holds the settings of a running `vestnik dev`, for the other
// commands of the person who started it.
func devEnvironFile() string { return filepath.Join(devstack.StateDir, "environ") }

// environ is the process's environment. Where it names neither a database nor
// a Temporal, and `vestnik dev` runs in this folder, it is dev's.
func environ() map[string]string {
	own := config.Environ()
	if own["DATABASE_URL"] != "" || own["DATABASE_URL_FILE"] != "" || own["TEMPORAL_ADDRESS"] != "" {
		return own
	}
	if _, running := devstack.Find(""); !running {
		return own // what a killed process has left behind is of no use
	}
	text, err := os.ReadFile(devEnvironFile())
	if err != nil {
		return own
	}
	for line := range strings.Lines(string(text)) {
		name, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if _, set := own[name]; found && !set {
			own[name] = value
		}
	}
	return own
}
