package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/urfave/cli/v3"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"vestnik/activities"
	"vestnik/api"
	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/config"
	"vestnik/internal/content"
	"vestnik/internal/namespace"
	"vestnik/internal/photo"
	"vestnik/internal/sandbox"
	"vestnik/internal/telemetry"
	"vestnik/starter"
	"vestnik/worker"
)

func migrateCommand() *cli.Command {
	return &cli.Command{
		Name:  "migrate",
		Usage: "bring the database's schema up to this build's",
		Action: func(ctx context.Context, _ *cli.Command) error {
			cfg, err := config.Load(environ(), config.NeedDatabase)
			if err != nil {
				return err
			}
			pool, err := db.Open(ctx, cfg.Database.URL.Reveal())
			if err != nil {
				return err
			}
			defer pool.Close()
			if err := db.Migrate(ctx, pool); err != nil {
				return err
			}
			version, _, err := db.SchemaVersion(ctx, pool)
			if err != nil {
				return err
			}
			fmt.Printf("the schema is at version %d\n", version)
			return nil
		},
	}
}

func workerCommand() *cli.Command {
	return &cli.Command{
		Name:  "worker",
		Usage: "run workflows and activities",
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "http-addr", Value: "127.0.0.1:8081", Sources: cli.EnvVars("HTTP_ADDR"),
				Usage: "where /healthz, /readyz and /metrics are served",
			},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			a, err := openAs(ctx, "worker", environ(), os.Stderr)
			if err != nil {
				return err
			}
			defer a.close()
			listener, err := listen(ctx, "HTTP_ADDR", cmd.String("http-addr"))
			if err != nil {
				return err
			}
			return a.runAll(ctx, a.work, func(ctx context.Context) error {
				return api.Serve(ctx, listener, a.healthRoutes(), a.log)
			})
		},
	}
}

func apiCommand() *cli.Command {
	return &cli.Command{
		Name:  "api",
		Usage: "serve Telegram's webhook, the CMS's import, the operator console, health and metrics",
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "temporal-ui", Sources: cli.EnvVars("TEMPORAL_UI_URL"),
				Usage: "address of Temporal's Web UI, for the console's links",
			},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			a, err := openAs(ctx, "api", environ(), os.Stderr)
			if err != nil {
				return err
			}
			defer a.close()
			listener, err := listen(ctx, "HTTP_ADDR", a.cfg.HTTP.Addr)
			if err != nil {
				return err
			}
			if err := a.observeBacklog(); err != nil {
				return err
			}
			return a.runAll(ctx, func(ctx context.Context) error {
				return a.serve(ctx, listener, consolePages{temporalUI: cmd.String("temporal-ui")})
			})
		},
	}
}

func scheduleCommand() *cli.Command {
	return &cli.Command{
		Name:  "schedule",
		Usage: "make the Temporal schedules of the relay, or bring them in step with SCAN_INTERVAL",
		Action: func(ctx context.Context, _ *cli.Command) error {
			a, err := open(ctx, config.NeedScan)
			if err != nil {
				return err
			}
			defer a.close()
			if err := a.starter.Schedule(ctx); err != nil {
				return err
			}
			fmt.Printf("the walls are looked at every %s\n", a.cfg.Scan.Interval)
			return nil
		},
	}
}

func sandboxCommand() *cli.Command {
	return &cli.Command{
		Name:  "sandbox",
		Usage: "run a local Telegram and a local VK to try things on",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Value: "127.0.0.1:8090", Usage: "where to listen"},
			&cli.StringFlag{Name: "state", Usage: "file that keeps chats and walls between runs"},
			&cli.BoolFlag{Name: "samples", Value: true, Usage: "begin with the sample walls and chats"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			server, err := sandbox.Start(ctx, sandbox.Options{
				Addr: cmd.String("addr"), StateFile: cmd.String("state"), Samples: cmd.Bool("samples"),
				Logger: telemetry.NewLogger(os.Stderr, config.Log{Level: "info", Format: "text"}),
			})
			if err != nil {
				return err
			}
			fmt.Printf("sandbox          %s/\nTELEGRAM_API_URL=%s\nVK_API_URL=%s\n", server.URL(), server.TelegramURL(), server.VKURL())
			<-ctx.Done()
			return server.Close()
		},
	}
}

func listen(ctx context.Context, variable, addr string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s (%s): %w; choose another address, or stop what listens there", addr, variable, err)
	}
	return listener, nil
}

// runAll runs the parts of a process until ctx ends or one of them fails, and
// returns when all have stopped.
func (a *app) runAll(ctx context.Context, parts ...func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, part := range parts {
		group.Go(func() error { return part(ctx) })
	}
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// work polls the task queues.
func (a *app) work(ctx context.Context) error {
	workers := worker.New(a.temporal, a.cfg.Worker)
	if err := worker.RegisterRelay(workers, a.relay, a.content(), a.telemetry.Metrics); err != nil {
		return err
	}
	local := a.cfg.Platforms.LocalTelegram()
	pictures := photo.NewFetcher(photo.Options{MaxBytes: photo.TelegramByURL.MaxBytes, AllowPrivate: local, AllowHTTP: local})
	worker.RegisterContent(workers, activities.NewContent(guidedb.NewImports(a.pool), a.temporal, pictures))
	if a.cfg.Bot.Enabled {
		guide, err := a.guideActivities()
		if err != nil {
			return err
		}
		worker.RegisterGuide(workers, guide)
	}
	if err := namespace.AddSearchAttributes(ctx, a.temporal, a.cfg.Temporal.Namespace); err != nil {
		a.log.WarnContext(ctx, "search attributes not looked after: deliveries start only where they are there", "error", err)
	}
	a.log.InfoContext(ctx, "worker started", "versioned", a.cfg.Worker.Versioned(), "build_id", a.cfg.Worker.BuildID)
	defer a.log.InfoContext(context.WithoutCancel(ctx), "worker stopped")
	return workers.Run(ctx)
}

// serve answers HTTP on the listener.
func (a *app) serve(ctx context.Context, listener net.Listener, pages consolePages) error {
	routes, err := a.apiRoutes(pages)
	if err != nil {
		return err
	}
	// A batch that was accepted when Temporal was away is started now.
	if err := a.content().Sweep(ctx); err != nil {
		a.log.WarnContext(ctx, "accepted imports not started", "error", err)
	}
	a.log.InfoContext(ctx, "api started", "addr", listener.Addr().String())
	defer a.log.InfoContext(context.WithoutCancel(ctx), "api stopped")
	return api.Serve(ctx, listener, routes, a.log)
}

// consolePages are the pages that the operator console links to.
type consolePages struct {
	temporalUI, sandbox        string
	sandboxTelegram, sandboxVK bool
}

// apiRoutes are the health routes and, where their tokens are set, the
// console, the CMS's import and the guide's webhook.
func (a *app) apiRoutes(pages consolePages) (http.Handler, error) {
	mux := a.healthRoutes()
	if a.cfg.HTTP.OpsToken.IsSet() {
		console, err := api.NewConsole(api.ConsoleConfig{
			Token: a.cfg.HTTP.OpsToken, Ledger: a.relay.Ledger, Posts: a.relay.Posts, Cases: a.relay.Cases, Steering: a.starter,
			TemporalUI: pages.temporalUI, Namespace: a.cfg.Temporal.Namespace,
			SandboxURL: pages.sandbox, SandboxTelegram: pages.sandboxTelegram, SandboxVK: pages.sandboxVK, Log: a.log,
		})
		if err != nil {
			return nil, err
		}
		mux.Handle(api.ConsolePath, console)
		mux.Handle(api.OpsPath, console)
		mux.Handle("GET /{$}", http.RedirectHandler(api.ConsolePath, http.StatusSeeOther))
	}
	if a.cfg.HTTP.CMSToken.IsSet() {
		cms, err := api.NewCMS(api.CMSConfig{Token: a.cfg.HTTP.CMSToken, Imports: a.content(), Log: a.log})
		if err != nil {
			return nil, err
		}
		mux.Handle(api.CMSPath, cms)
		mux.Handle(api.OpenAPIPath, cms)
	}
	if a.cfg.Bot.Enabled {
		webhook, err := a.guideWebhook()
		if err != nil {
			return nil, err
		}
		mux.Handle(api.WebhookPath, webhook)
	}
	return mux, nil
}

// content steers the imports of the guide's content.
func (a *app) content() *starter.Content {
	rules := content.Rules{AllowHTTP: a.cfg.Platforms.LocalTelegram()}
	return starter.NewContent(a.temporal, guidedb.NewImports(a.pool), rules)
}

func (a *app) healthRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", api.Healthz())
	mux.Handle("GET /readyz", api.Readyz(
		api.Check{Name: "postgres", Ask: a.pool.Ping},
		api.Check{Name: "temporal", Ask: func(ctx context.Context) error {
			_, err := a.temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
			return err
		}},
		api.Check{Name: "guide token", Ask: func(context.Context) error {
			if a.guideToken.Rejected() {
				return errors.New("refused by Telegram: check TELEGRAM_BOT_TOKEN")
			}
			return nil
		}},
	))
	mux.Handle("GET /metrics", a.telemetry.MetricsHandler())
	return mux
}

// observeBacklog lets the metrics say what waits.
func (a *app) observeBacklog() error {
	return a.telemetry.Metrics.ObserveBacklog(func(ctx context.Context) (telemetry.Backlog, error) {
		summary, err := a.relay.Ledger.Summarise(ctx, time.Now())
		if err != nil {
			return telemetry.Backlog{}, err
		}
		backlog := telemetry.Backlog{Waiting: map[string]int64{}}
		for status, count := range summary.Statuses {
			backlog.Waiting[status] = int64(count)
		}
		if summary.OldestWaiting != nil {
			backlog.Oldest = time.Since(*summary.OldestWaiting)
		}
		return backlog, nil
	})
}
