// Package testenv gives a test a real Postgres database and a real Temporal
// namespace of its own, so that every test runs in parallel with every other,
// also with those of other packages, on the fixed names that production uses.
//
// `make test` starts one Postgres for the whole run (see package run) and names
// it in [DatabaseVariable]; [TemporalVariable] may name a Temporal. A server that
// a test process is not told of it starts on first use; that ends with the
// process, however it ends. A Temporal for each package costs half a second of
// processor time; one for the whole run costs more, because every namespace
// that a test has left makes it slower.
package testenv

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"vestnik/internal/protocol"
)

// The variables that hold the addresses of the servers that the tests of one
// run share.
const (
	DatabaseVariable = "VESTNIK_TEST_DATABASE_URL"
	TemporalVariable = "VESTNIK_TEST_TEMPORAL_ADDRESS"
)

// setupLimit bounds one step of setting up; building Temporal for a bare
// `go test` in a fresh clone is the longest.
const setupLimit = 10 * time.Minute

// Database makes a fresh, migrated database for t and returns its URL. It is
// dropped when t ends. Each call makes another one.
func Database(t testing.TB) string {
	t.Helper()
	return database(t, (*postgres).template)
}

// EmptyDatabase is [Database] without the migrations, for tests of those.
func EmptyDatabase(t testing.TB) string {
	t.Helper()
	return database(t, func(*postgres, context.Context) (string, error) { return "template0", nil })
}

func database(t testing.TB, template func(*postgres, context.Context) (string, error)) string {
	t.Helper()
	ctx := setupContext(t)
	server, err := postgresServer(ctx)
	if err != nil {
		t.Fatalf("testenv: Postgres: %v", err)
	}
	name, err := template(server, ctx)
	if err != nil {
		t.Fatalf("testenv: template database: %v", err)
	}
	url, drop, err := server.create(ctx, name)
	if err != nil {
		t.Fatalf("testenv: database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := drop(ctx); err != nil {
			t.Errorf("testenv: drop database: %v", err)
		}
	})
	return url
}

// namespaces holds the one namespace of each running test, by its testing.TB,
// as a func() (string, error) that makes it on the first call.
var namespaces sync.Map

// Namespace is the Temporal namespace of t, made on the first call, with
// Vestnik's search attributes. Workers of other tests do not see it, so the
// task queue names may be those of production.
func Namespace(t testing.TB) string {
	t.Helper()
	ctx := setupContext(t)
	first := sync.OnceValues(func() (string, error) {
		service, err := temporalService(ctx)
		if err != nil {
			return "", err
		}
		name := "test-" + uuid.NewString()
		return name, protocol.PrepareNamespace(ctx, service, name)
	})
	once, loaded := namespaces.LoadOrStore(t, first)
	if !loaded {
		t.Cleanup(func() { namespaces.Delete(t) })
	}
	name, err := once.(func() (string, error))()
	if err != nil {
		t.Fatalf("testenv: Temporal namespace: %v", err)
	}
	return name
}

// Temporal is a client on the namespace of t, closed when t ends.
func Temporal(t testing.TB) client.Client {
	t.Helper()
	return TemporalWith(t, client.Options{})
}

// TemporalWith is [Temporal] with options of the test's own: interceptors,
// context propagators, a metrics handler. Address and namespace are filled in.
func TemporalWith(t testing.TB, options client.Options) client.Client {
	t.Helper()
	options.Namespace = Namespace(t)
	if options.Logger == nil {
		options.Logger = log.NewStructuredLogger(Logger(t))
	}
	service, err := temporalService(setupContext(t))
	if err != nil {
		t.Fatalf("testenv: Temporal: %v", err)
	}
	own, err := client.NewClientFromExisting(service, options)
	if err != nil {
		t.Fatalf("testenv: Temporal client: %v", err)
	}
	t.Cleanup(own.Close)
	return own
}

// TemporalAddress is host:port of the server behind [Temporal], for processes
// that a test starts; they need [Namespace] too.
func TemporalAddress(t testing.TB) string {
	t.Helper()
	address, err := temporalAddress(setupContext(t))
	if err != nil {
		t.Fatalf("testenv: Temporal: %v", err)
	}
	return address
}

// Logger writes to the log of t, which go test shows if t fails, and to
// nowhere once t has ended: workers may log a last line after that.
func Logger(t testing.TB) *slog.Logger {
	t.Helper()
	if _, fuzz := t.(*testing.F); fuzz {
		// A fuzz test must not log while its target runs.
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	output := &testOutput{t: t}
	t.Cleanup(output.close)
	level := slog.LevelWarn
	if testing.Verbose() {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(output, &slog.HandlerOptions{Level: level}))
}

type testOutput struct {
	mu     sync.Mutex
	t      testing.TB
	closed bool
}

var _ io.Writer = (*testOutput)(nil)

func (o *testOutput) Write(line []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.t.Log(string(line[:len(line)-1]))
	}
	return len(line), nil
}

func (o *testOutput) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

func setupContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setupLimit)
	t.Cleanup(cancel)
	return ctx
}

// postgresServer is the run's shared server, or one of this process's own.
var postgresServer = once(func(ctx context.Context) (*postgres, error) {
	url := os.Getenv(DatabaseVariable)
	if url == "" {
		servers, err := ownServers()
		if err != nil {
			return nil, err
		}
		if url, err = servers.Postgres(ctx); err != nil {
			return nil, err
		}
	}
	return openPostgres(ctx, url)
})

var temporalAddress = once(func(ctx context.Context) (string, error) {
	if address := os.Getenv(TemporalVariable); address != "" {
		return address, nil
	}
	servers, err := ownServers()
	if err != nil {
		return "", err
	}
	return servers.Temporal(ctx)
})

// temporalService is one connection for all tests of the process.
var temporalService = once(func(ctx context.Context) (client.Client, error) {
	address, err := temporalAddress(ctx)
	if err != nil {
		return nil, err
	}
	service, err := client.DialContext(ctx, client.Options{
		HostPort: address,
		Logger:   log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", address, err)
	}
	return service, nil
})

var ownServers = sync.OnceValues(func() (*Servers, error) {
	return NewServers("", func(step string) { fmt.Fprintln(os.Stderr, "testenv:", step) })
})

// once remembers the first outcome for all tests of the process.
func once[T any](open func(context.Context) (T, error)) func(context.Context) (T, error) {
	var (
		mu    sync.Mutex
		done  bool
		value T
		err   error
	)
	return func(ctx context.Context) (T, error) {
		mu.Lock()
		defer mu.Unlock()
		if !done {
			value, err = open(ctx)
			done = true
		}
		return value, err
	}
}
