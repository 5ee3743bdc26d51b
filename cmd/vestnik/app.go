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
	"github.com/urfave/cli/v3"
	"go.temporal.io/sdk/client"

	"vestnik/activities"
	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/devstack"
	"vestnik/internal/post"
	"vestnik/internal/telemetry"
	"vestnik/starter"
	"vestnik/worker"
)

// flushTime is how long the last traces may take to leave.
const flushTime = 2 * time.Second

// statusRole is that of `vestnik status`, which has to say that Temporal is away.
const statusRole = "status"

// app is what most commands work with: the configuration, the database, and
// Temporal.
type app struct {
	role      string
	cfg       config.Config
	telemetry *telemetry.Telemetry
	log       *slog.Logger
	pool      *pgxpool.Pool
	temporal  client.Client
	starter   *starter.Starter
	clients   *worker.Clients

	environ    map[string]string      // what cfg was read from
	guideToken activities.TokenHealth // Telegram's last word on the guide's token
}

// withApp opens what a command works with, and closes it after.
func withApp(run func(context.Context, *cli.Command, *app) error, needs ...config.Need) cli.ActionFunc {
	return func(ctx context.Context, cmd *cli.Command) error {
		a, err := open(ctx, needs...)
		if err != nil {
			return err
		}
		defer a.close()
		return run(ctx, cmd, a)
	}
}

// open reads the configuration and connects. It does not wait for servers that
// do not answer: it says so.
func open(ctx context.Context, needs ...config.Need) (*app, error) {
	return openAs(ctx, "cli", needs...)
}

// openAs is open for a process of a role.
func openAs(ctx context.Context, role string, needs ...config.Need) (*app, error) {
	environ := environment()
	cfg, err := settingsOf(environ, append(needs, config.NeedDatabase, config.NeedTemporal)...)
	if err != nil {
		return nil, err
	}
	a, err := connect(ctx, role, cfg, os.Stderr)
	if err == nil {
		a.environ = environ
	}
	return a, err
}

// connect opens what a configuration names.
func connect(ctx context.Context, role string, cfg config.Config, logs io.Writer) (_ *app, err error) {
	telemetry.Redact(cfg.Secrets()...)
	a := &app{role: role, cfg: cfg}
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
	a.cfg.Worker.Connections = int(a.pool.Config().MaxConns)
	if role != "cli" {
		if err := db.CheckSchema(ctx, a.pool); err != nil {
			return nil, err
		}
	}
	options := cfg.Temporal.ClientOptions()
	if err := a.telemetry.Equip(&options); err != nil {
		return nil, err
	}
	dial := client.DialContext
	if role == statusRole {
		dial = func(_ context.Context, options client.Options) (client.Client, error) {
			return client.NewLazyClient(options)
		}
	}
	if a.temporal, err = dial(ctx, options); err != nil {
		return nil, fmt.Errorf("no Temporal at %s (TEMPORAL_ADDRESS): %w", cfg.Temporal.Address, err)
	}
	a.starter, err = starter.New(cfg, a.pool, a.temporal, a.log)
	a.clients = worker.NewClients(a.starter)
	return a, err
}

func (a *app) titles(ctx context.Context) db.Titles { return titlesOf(ctx, a.starter.Ledger) }

// titlesOf are for the eye: a list without is better than none.
func titlesOf(ctx context.Context, ledger *db.Ledger) db.Titles {
	titles, err := ledger.Titles(ctx)
	if err != nil {
		return nil // what the list is about meets the same trouble, and says so
	}
	return titles
}

// named is a post by its name (wall-1_2) with the title of its wall beside it.
func named(titles db.Titles, name string) string {
	id, err := post.ParseID(name)
	if err != nil {
		return name
	}
	return titles.Post(id.OwnerID, id.PostID)
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

// settings are what the process's environment says. Where `vestnik dev` runs in
// this folder, and the environment names no other database or Temporal than
// dev's, the rest is dev's, sandbox included. Their secrets stay out of what is
// logged.
func settings(needs ...config.Need) (config.Config, error) {
	cfg, err := settingsOf(environment(), needs...)
	telemetry.Redact(cfg.Secrets()...)
	return cfg, err
}

// environment is the process's, with what `vestnik dev` adds to it.
func environment() map[string]string {
	environ := config.Environ()
	for name, value := range publishedByDev(environ) {
		if environ[name] == "" && environ[name+"_FILE"] == "" {
			environ[name] = value
		}
	}
	return environ
}

func settingsOf(environ map[string]string, needs ...config.Need) (config.Config, error) {
	published := publishedByDev(config.Environ())
	cfg, err := config.Load(environ, needs...)
	// dev publishes an address of a platform only where its sandbox stands in.
	cfg.Platforms.SandboxTelegram = published["TELEGRAM_API_URL"] != "" && published["TELEGRAM_API_URL"] == environ["TELEGRAM_API_URL"]
	cfg.Platforms.SandboxVK = published["VK_API_URL"] != "" && published["VK_API_URL"] == environ["VK_API_URL"]
	return cfg, err
}

// publishedByDev is what a running `vestnik dev` has added to its environment.
func publishedByDev(own map[string]string) map[string]string {
	values := map[string]string{}
	servers, running := devstack.Find("")
	if !running {
		return values // what a killed process has left behind is of no use
	}
	cfg, _ := config.Load(own) // whoever needs it without faults loads it, too
	differs := func(named, devs string) bool { return named != "" && named != devs }
	if differs(cfg.Database.URL.Reveal(), servers.DatabaseURL) || differs(cfg.Temporal.Address, servers.TemporalAddress) {
		return values
	}
	text, err := os.ReadFile(devEnvironFile())
	if err != nil {
		return values
	}
	// The file leaves out what dev itself was given.
	values["DATABASE_URL"], values["TEMPORAL_ADDRESS"] = servers.DatabaseURL, servers.TemporalAddress
	for line := range strings.Lines(string(text)) {
		if name, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), "="); found {
			values[name] = value
		}
	}
	return values
}
