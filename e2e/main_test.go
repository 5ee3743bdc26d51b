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

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/relay"
	"vestnik/internal/telemetry"
	"vestnik/worker"
)

// roleVariable makes the test binary a worker process, which a test can kill.
const roleVariable = "VESTNIK_E2E_ROLE"

// TestMain runs the tests, or, where a test has started this binary again, a
// worker that ends with the test's process.
func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "worker" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // our parent is gone
	}()
	if err := workInProcess(ctx, config.Environ(), os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// workInProcess is what `vestnik worker` does.
func workInProcess(ctx context.Context, environ map[string]string, logs io.Writer) error {
	parts, err := assemble(ctx, environ, logs, nil)
	if err != nil {
		return err
	}
	defer parts.close()
	return parts.work(ctx)
}

// parts are the relay's parts in one process.
type parts struct {
	cfg       config.Config
	telemetry *telemetry.Telemetry
	pool      *pgxpool.Pool
	temporal  client.Client
	relay     *relay.Relay
}

// assemble puts the parts together from an environment as `vestnik` does;
// dial may stand in for the connection to Temporal.
func assemble(ctx context.Context, environ map[string]string, logs io.Writer, dial func(client.Options) client.Client) (p *parts, err error) {
	p = &parts{}
	if p.cfg, err = config.Load(environ, config.NeedDatabase); err != nil {
		return nil, err
	}
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
	p.relay, err = relay.New(p.cfg, p.pool, p.temporal, p.telemetry.Logger)
	return p, err
}

// work polls until ctx ends.
func (p *parts) work(ctx context.Context) error {
	workers := worker.New(p.temporal, p.cfg.Worker)
	if err := worker.RegisterRelay(workers, p.relay, nil, p.telemetry.Metrics); err != nil {
		return err
	}
	return workers.Run(ctx)
}

func (p *parts) close() {
	p.temporal.Close()
	p.pool.Close()
}
