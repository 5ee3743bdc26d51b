package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/internal/telemetry"
	"vestnik/internal/testenv"
	"vestnik/starter"
	"vestnik/worker"
)

const (
	botToken = "7200000001:AAbench-relay-bot-000000000000000000"
	readKey  = "bench-reading-key-00000000000000000000"
	wallID   = int64(-600000001)
	wallName = "bench_wall"
	firstID  = int64(-1001600000001)
)

// harness is the whole relay on one machine, with a database and a namespace of
// its own.
type harness struct {
	environ  map[string]string
	sandbox  *sandbox.Server
	pool     *pgxpool.Pool
	temporal client.Client
	starter  *starter.Starter
	chats    []string // destinations
	undo     []func() error
}

func openHarness(ctx context.Context, chats int) (h *harness, err error) {
	h = &harness{}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	database, address := os.Getenv(testenv.DatabaseVariable), os.Getenv(testenv.TemporalVariable)
	if database == "" || address == "" {
		return h, errors.New("no servers: run `make bench`, or `go run ./internal/testenv/run -- go run ./bench`")
	}
	if h.sandbox, err = sandbox.Start(context.WithoutCancel(ctx), sandbox.Options{Limits: sandbox.NoLimits}); err != nil {
		return h, err
	}
	h.undo = append(h.undo, h.sandbox.Close)
	database, drop, err := testenv.OwnDatabase(ctx, database)
	if err != nil {
		return h, err
	}
	h.undo = append(h.undo, func() error { return drop(context.WithoutCancel(ctx)) })
	space := "bench-" + uuid.NewString()
	routes, err := h.furnish(chats)
	if err != nil {
		return h, err
	}
	h.environ = map[string]string{
		"DATABASE_URL": database, "TEMPORAL_ADDRESS": address, "TEMPORAL_NAMESPACE": space,
		"TELEGRAM_API_URL": h.sandbox.TelegramURL(), "VK_API_URL": h.sandbox.VKURL(), "TG_TOKEN": botToken, "TG_BOT_PER_SEC": "0",
		"VK_TOKEN": readKey, "VK_WALLS": wallName, "VK_RATE_PER_SEC": "0", "VK_DAILY_QUOTA": "1000000", "ROUTES_FILE": routes,
		"OPS_TOKEN": "operators-token-of-a-bench", "CMS_TOKEN": "token-of-a-bench-cms",
	}
	return h, h.connect(ctx)
}

// furnish sets up the sandbox and writes the routes, and returns their file.
func (h *harness) furnish(chats int) (string, error) {
	failures := []error{
		h.sandbox.AddBot(sandbox.Bot{Token: botToken}),
		h.sandbox.AddVKToken(sandbox.VKToken{Value: readKey, Kind: sandbox.ServiceToken, PerSecond: -1, DailyWallGet: -1}),
		h.sandbox.AddWall(sandbox.Wall{OwnerID: wallID, ScreenName: wallName}),
	}
	var entries strings.Builder
	for i := range chats {
		id := firstID - int64(i)
		failures = append(failures, h.sandbox.AddChat(sandbox.Chat{ID: id, Type: sandbox.Supergroup}))
		h.chats = append(h.chats, "telegram:"+strconv.FormatInt(id, 10))
		fmt.Fprintf(&entries, "  - id: %s\n    rate_per_sec: 30\n    per_minute: 0\n", h.chats[i])
	}
	folder, err := os.MkdirTemp("", "vestnik-bench-")
	failures = append(failures, err)
	h.undo = append(h.undo, func() error { return os.RemoveAll(folder) })
	file := filepath.Join(folder, "routes.yaml")
	text := "destinations:\n" + entries.String() + "rules:\n  - name: lost\n    types: [lost]\n    to: [" + h.chats[0] + "]\n"
	failures = append(failures, os.WriteFile(file, []byte(text), 0o600))
	return file, errors.Join(failures...)
}

// connect opens everything and starts a worker.
func (h *harness) connect(ctx context.Context) error {
	cfg, err := config.Load(h.environ)
	if err != nil {
		return err
	}
	if h.pool, err = db.Open(ctx, cfg.Database.URL.Reveal()); err != nil {
		return err
	}
	h.undo = append(h.undo, func() error { h.pool.Close(); return nil })
	if err := db.Migrate(ctx, h.pool); err != nil {
		return err
	}
	quiet := slog.New(slog.DiscardHandler)
	service, err := client.DialContext(ctx, client.Options{HostPort: cfg.Temporal.Address, Logger: log.NewStructuredLogger(quiet)})
	if err != nil {
		return err
	}
	defer service.Close()
	if err := protocol.PrepareNamespace(ctx, service, cfg.Temporal.Namespace); err != nil {
		return err
	}
	voice, err := telemetry.Start(ctx, config.Log{Level: "error", Format: "json"}, "bench", os.Stderr)
	if err != nil {
		return err
	}
	options := cfg.Temporal.ClientOptions()
	if err := voice.Equip(&options); err != nil {
		return err
	}
	options.Logger = log.NewStructuredLogger(quiet)
	if h.temporal, err = client.DialContext(ctx, options); err != nil {
		return err
	}
	h.undo = append(h.undo, func() error { h.temporal.Close(); return nil })
	if h.starter, err = starter.New(cfg, h.pool, h.temporal, quiet); err != nil {
		return err
	}

	workers := worker.New(h.temporal, cfg.Worker)
	if err := worker.RegisterRelay(workers, worker.NewClients(h.starter), nil, voice.Metrics); err != nil {
		return err
	}
	registerBare(workers)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- workers.Run(working) }()
	h.undo = append(h.undo, func() error { stop(); return <-ended })
	return nil
}

func (h *harness) close() error {
	var failures []error
	for i := len(h.undo) - 1; i >= 0; i-- {
		failures = append(failures, h.undo[i]())
	}
	h.undo = nil
	return errors.Join(failures...)
}
