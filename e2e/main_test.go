package e2e

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"

	"vestnik/api/console"
	"vestnik/db"
	"vestnik/internal/alerts"
	"vestnik/internal/config"
	"vestnik/internal/route"
	"vestnik/internal/telegram"
	"vestnik/internal/telemetry"
	"vestnik/starter"
	"vestnik/worker"
)

// roleVariable makes the test binary a process of a role, which a test can kill.
const roleVariable = "VESTNIK_E2E_ROLE"

// The roles: a worker, and one that listens to the operators' chat.
const (
	workerRole   = "worker"
	listenerRole = "listener"
)

// TestMain runs the tests, or, where a test has started this binary again, a
// process that ends with the test's.
func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // our parent is gone
	}()
	if err := workInProcess(ctx, config.Environ(), os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, os.Getenv(roleVariable)+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// workInProcess is what `vestnik worker` does, or, of that, listening to operators.
func workInProcess(ctx context.Context, environ map[string]string, logs io.Writer) error {
	parts, err := assemble(ctx, environ, logs, nil)
	if err != nil {
		return err
	}
	defer parts.close()
	if os.Getenv(roleVariable) == listenerRole {
		return parts.listen(ctx)
	}
	return parts.work(ctx)
}

// parts are the relay's parts in one process.
type parts struct {
	cfg       config.Config
	telemetry *telemetry.Telemetry
	pool      *pgxpool.Pool
	temporal  client.Client
	starter   *starter.Starter
	clients   *worker.Clients
}

// assemble puts the parts together from an environment as `vestnik` does;
// dial may stand in for the connection to Temporal.
func assemble(ctx context.Context, environ map[string]string, logs io.Writer, dial func(client.Options) client.Client) (p *parts, err error) {
	p = &parts{}
	if p.cfg, err = config.Load(environ, config.NeedDatabase); err != nil {
		return nil, err
	}
	p.cfg.Platforms.SandboxTelegram, p.cfg.Platforms.SandboxVK = true, true
	telemetry.Redact(p.cfg.Secrets()...)
	if p.telemetry, err = telemetry.Start(ctx, p.cfg.Log, "test", logs); err != nil {
		return nil, err
	}
	if p.pool, err = db.Open(ctx, p.cfg.Database.URL.Reveal()); err != nil {
		return nil, err
	}
	options := p.cfg.Temporal.ClientOptions()
	if err := p.telemetry.Equip(&options); err != nil {
		return nil, err
	}
	if at := environ[dieVariable]; at != "" {
		options.Interceptors = append(options.Interceptors, &reaper{at: strings.Split(at, ",")})
	}
	if dial != nil {
		p.temporal = dial(options)
	} else if p.temporal, err = client.DialContext(ctx, options); err != nil {
		return nil, err
	}
	p.starter, err = starter.New(p.cfg, p.pool, p.temporal, p.telemetry.Logger)
	p.clients = worker.NewClients(p.starter)
	return p, err
}

// work polls until ctx ends.
func (p *parts) work(ctx context.Context) error {
	workers := worker.New(p.temporal, p.cfg.Worker)
	if err := worker.RegisterRelay(workers, p.clients, nil, p.telemetry.Metrics); err != nil {
		return err
	}
	return workers.Run(ctx)
}

// listen tells the operators' chat, and has them decide there, until ctx ends.
func (p *parts) listen(ctx context.Context) error {
	chat, err := route.ParseDestination("telegram:" + p.cfg.HTTP.OpsChat)
	if err != nil {
		return err
	}
	alerts.Watch(ctx, alerts.Chat{
		Bot:    func() (*telegram.Client, error) { return p.clients.BotOf(p.cfg.HTTP.OpsChatToken.Reveal()) },
		Target: telegram.Target{Chat: telegram.Chat(chat.Chat)}, Zone: p.cfg.Bot.Timezone,
		Users: p.cfg.HTTP.OpsUsers, Reason: console.ReasonInRussian, Failure: console.FailureInRussian, Ledger: p.starter.Ledger, Desk: p.starter, Log: p.starter.Log,
	}, p.starter.Problems)
	return nil
}

func (p *parts) close() {
	p.temporal.Close()
	p.pool.Close()
}
