package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/urfave/cli/v3"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"vestnik/activities"
	"vestnik/api"
	"vestnik/api/console"
	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/db/logouts"
	"vestnik/internal/alerts"
	"vestnik/internal/config"
	"vestnik/internal/content"
	"vestnik/internal/operators"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/sandbox"
	"vestnik/internal/telegram"
	"vestnik/internal/telemetry"
	"vestnik/starter"
	"vestnik/worker"
)

func migrateCommand() *cli.Command {
	return &cli.Command{
		Name:  "migrate",
		Usage: "bring the database's schema up to this build's",
		Action: func(ctx context.Context, _ *cli.Command) error {
			cfg, err := settings(config.NeedDatabase)
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

// workerAddr is where a worker serves its health unless it is told another address.
const workerAddr = "127.0.0.1:8081"

// healthAddr is where a worker serves its health. A variable that is empty counts
// as not set: an empty address would be every interface's.
func healthAddr(flag string) string {
	return cmp.Or(flag, os.Getenv("OPS_ADDR"), os.Getenv("HTTP_ADDR"), workerAddr)
}

func workerCommand() *cli.Command {
	return &cli.Command{
		Name:  "worker",
		Usage: "run workflows and activities",
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "http-addr", DefaultText: "OPS_ADDR, else HTTP_ADDR, else " + workerAddr,
				Usage: "where /healthz, /readyz and /metrics are served",
			},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			a, err := openAs(ctx, "worker")
			if err != nil {
				return err
			}
			defer a.close()
			listener, err := listen(ctx, "--http-addr, OPS_ADDR or HTTP_ADDR", healthAddr(cmd.String("http-addr")))
			if err != nil {
				return err
			}
			return a.runAll(ctx, a.work, a.tellOperators, a.followFiles, func(ctx context.Context) error {
				routes := http.NewServeMux()
				if err := a.healthRoutes(routes); err != nil {
					return err
				}
				return api.Serve(ctx, listener, routes, a.log)
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
			a, err := openAs(ctx, "api")
			if err != nil {
				return err
			}
			defer a.close()
			listener, err := listen(ctx, "HTTP_ADDR", a.cfg.HTTP.Addr)
			if err != nil {
				return err
			}
			return a.runAll(ctx, a.tellOperators, a.followFiles, func(ctx context.Context) error {
				return a.serve(ctx, listener, consolePages{temporalUI: cmd.String("temporal-ui")})
			})
		},
	}
}

func scheduleCommand() *cli.Command {
	return &cli.Command{
		Name:  "schedule",
		Usage: "make the Temporal schedules of the relay, or bring them in step with SCAN_INTERVAL",
		Action: withApp(func(ctx context.Context, _ *cli.Command, a *app) error {
			if err := a.starter.Schedule(ctx); err != nil {
				return err
			}
			fmt.Printf("the walls are looked at every %s\n", a.cfg.Scan.Interval)
			return nil
		}, config.NeedScan),
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
	if err := worker.RegisterRelay(workers, a.clients, a.content(), a.telemetry.Metrics); err != nil {
		return err
	}
	local := a.cfg.Platforms.SandboxTelegram
	pictures := photo.NewFetcher(photo.Options{MaxBytes: photo.TelegramByURL.MaxBytes, AllowPrivate: local, AllowHTTP: local})
	worker.RegisterContent(workers, activities.NewContent(guidedb.NewImports(a.pool), a.temporal, pictures))
	if a.cfg.Bot.Enabled {
		guide, err := a.guideActivities()
		if err != nil {
			return err
		}
		worker.RegisterGuide(workers, guide)
	}
	if err := protocol.AddSearchAttributes(ctx, a.temporal, a.cfg.Temporal.Namespace); err != nil {
		a.log.WarnContext(ctx, "search attributes not looked after: deliveries start only where they are there", "error", err)
	}
	a.log.InfoContext(ctx, "worker started", "versioned", a.cfg.Worker.Versioned(), "build_id", a.cfg.Worker.BuildID)
	defer a.log.InfoContext(context.WithoutCancel(ctx), "worker stopped")
	return workers.Run(ctx)
}

// followFiles takes up what changes in the files of settings.
func (a *app) followFiles(ctx context.Context) error {
	a.clients.Follow(ctx, a.role, a.environ)
	return nil
}

// tellOperators keeps OPS_CHAT in step with what needs a person, if it is set. It
// runs in every role: that no worker is there, the api has to tell.
func (a *app) tellOperators(ctx context.Context) error {
	if a.cfg.HTTP.OpsChat == "" {
		return nil
	}
	chat, err := route.ParseDestination(protocol.Telegram + ":" + a.cfg.HTTP.OpsChat)
	if err != nil {
		return err
	}
	if !a.cfg.HTTP.OpsChatToken.IsSet() {
		return errors.New("OPS_CHAT is set, and neither OPS_CHAT_TOKEN nor TG_TOKEN is: set one to the token that @BotFather gave")
	}
	bot := func() (*telegram.Client, error) { return a.clients.BotOf(a.cfg.HTTP.OpsChatToken.Reveal()) }
	if _, err := bot(); err != nil {
		return err
	}
	alerts.Watch(ctx, alerts.Chat{
		Bot: bot, Target: telegram.Target{Chat: telegram.Chat(chat.Chat), Thread: int64(chat.SendThread())}, Zone: a.cfg.Bot.Timezone,
		Users: a.cfg.HTTP.OpsUsers, Reason: console.ReasonInRussian, Failure: console.FailureInRussian, Ledger: a.starter.Ledger, Desk: a.starter, Log: a.log,
	}, a.starter.Problems)
	return nil
}

// serve answers HTTP on the listener, and on OPS_ADDR if it is set.
func (a *app) serve(ctx context.Context, listener net.Listener, pages consolePages) error {
	public := http.NewServeMux()
	ops := public
	parts := []func(context.Context) error{func(ctx context.Context) error {
		return api.Serve(ctx, listener, a.telemetry.Metrics.Requests(public), a.log)
	}}
	if addr := a.cfg.HTTP.OpsAddr; addr != "" {
		ops = http.NewServeMux()
		public.Handle("GET /healthz", api.Healthz())
		opsListener, err := listen(ctx, "OPS_ADDR", addr)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		parts = append(parts, func(ctx context.Context) error {
			return api.Serve(ctx, opsListener, a.telemetry.Metrics.Requests(ops), a.log)
		})
	}
	if err := errors.Join(a.opsRoutes(ctx, ops, pages), a.publicRoutes(public)); err != nil {
		return errors.Join(err, listener.Close())
	}
	// A batch that was accepted when Temporal was away is started now.
	if err := a.content().Sweep(ctx); err != nil {
		a.log.WarnContext(ctx, "accepted imports not started", "error", err)
	}
	a.log.InfoContext(ctx, "api started", "addr", listener.Addr().String())
	defer a.log.InfoContext(context.WithoutCancel(ctx), "api stopped")
	return a.runAll(ctx, parts...)
}

// consolePages are the addresses that the operator console links to; "" for none.
type consolePages struct{ temporalUI, sandbox string }

// opsRoutes are for operators and their machines: health, metrics and, if its
// token is set, the console.
func (a *app) opsRoutes(ctx context.Context, mux *http.ServeMux, pages consolePages) error {
	if err := a.healthRoutes(mux); err != nil {
		return err
	}
	if !a.cfg.HTTP.OpsToken.IsSet() && a.cfg.HTTP.OpsTokensFile == "" {
		return nil
	}
	known, err := operators.Open(a.cfg.HTTP.OpsToken, a.cfg.HTTP.OpsTokensFile)
	if err != nil {
		return err
	}
	settings := console.Config{
		Operators: known, Ledger: a.starter.Ledger, Posts: a.starter.Posts, Cases: a.starter.Cases, Steering: a.starter, Logouts: logouts.New(a.pool), Guide: a.content(),
		Routes: a.starter.Routes, MaxAge: a.cfg.Scan.MaxAge,
		TemporalUI: pages.temporalUI, Namespace: a.cfg.Temporal.Namespace,
		SandboxURL: pages.sandbox, SandboxTelegram: a.cfg.Platforms.SandboxTelegram, SandboxVK: a.cfg.Platforms.SandboxVK, Log: a.log, Stop: ctx.Done(),
		Settings: a.cfg.Marked,
	}
	if codec := a.cfg.Temporal.Codec(); codec != nil {
		settings.Codec = codec
	}
	pagesOf, err := console.New(settings)
	if err != nil {
		return err
	}
	mux.Handle(console.Path, pagesOf)
	mux.Handle(console.OpsPath, pagesOf)
	mux.Handle("GET /{$}", http.RedirectHandler(console.Path, http.StatusSeeOther))
	return nil
}

// publicRoutes are for the outside: the CMS's import and the guide's webhook,
// where their secrets are set.
func (a *app) publicRoutes(mux *http.ServeMux) error {
	if a.cfg.HTTP.CMSToken.IsSet() {
		cms, err := api.NewCMS(api.CMSConfig{Token: a.cfg.HTTP.CMSToken, Imports: a.content(), Log: a.log})
		if err != nil {
			return err
		}
		mux.Handle(api.CMSPath, cms)
		mux.Handle(api.OpenAPIPath, cms)
	}
	if len(a.cfg.Scan.Callback) > 0 {
		mux.Handle(api.CallbackPath, api.NewCallback(api.CallbackConfig{
			Confirmations: a.cfg.Scan.Callback, Secret: a.cfg.Scan.CallSecret, News: a.starter.WallHasNews, Log: a.log,
		}))
	}
	if a.cfg.Bot.Enabled {
		webhook, err := a.guideWebhook()
		if err != nil {
			return err
		}
		mux.Handle(api.WebhookPath, webhook)
	}
	return nil
}

// content steers the imports of the guide's content.
func (a *app) content() *starter.Content {
	return starter.NewContent(a.temporal, guidedb.NewImports(a.pool), contentRules(a.cfg), a.cfg.Bot.Texts)
}

func contentRules(cfg config.Config) content.Rules {
	return content.Rules{AllowHTTP: cfg.Platforms.SandboxTelegram, Zone: cfg.Bot.Timezone, UnpublishPercent: cfg.HTTP.UnpublishPercent}
}

// healthRoutes are of every role that runs on: whether it is there, whether it
// can work, and what it measures.
func (a *app) healthRoutes(mux *http.ServeMux) error {
	mux.Handle("GET /healthz", api.Healthz())
	mux.Handle("GET /readyz", api.Readyz(a.log,
		api.Check{Name: "postgres", Ask: func(ctx context.Context) error { return db.Ready(ctx, a.pool) }},
		api.Check{Name: "temporal", Ask: func(ctx context.Context) error {
			_, err := a.temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
			return err
		}},
		api.Check{Name: "guide token", Ask: func(context.Context) error {
			if a.guideToken.Rejected() {
				return api.NotReady("refused by Telegram: check TELEGRAM_BOT_TOKEN")
			}
			return nil
		}},
	))
	mux.Handle("GET /metrics", a.telemetry.MetricsHandler())
	return a.telemetry.Metrics.Observe(func(ctx context.Context) (telemetry.Standing, error) {
		standing, err := a.starter.Standing(ctx)
		if err != nil {
			return nil, err
		}
		pool := a.pool.Stat()
		standing[telemetry.Connections] = map[string]float64{
			"busy": float64(pool.AcquiredConns()), "idle": float64(pool.IdleConns()), "most": float64(pool.MaxConns()),
		}
		standing[telemetry.PoolWaits] = map[string]float64{"": float64(pool.EmptyAcquireCount())}
		return standing, nil
	})
}
