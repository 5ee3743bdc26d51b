package devstack

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// postgresStarts is how often a start is tried: another program may take
	// the port between choosing and binding, and backends of a killed
	// Postgres may hold its shared memory for a moment.
	postgresStarts = 5
	// postgresReady bounds one start. Recovery after a kill -9 of a busy
	// server takes seconds; a slow disk may make it tens of them.
	postgresReady = 2 * time.Minute
	postgresStop  = 30 * time.Second

	postgresUser = "vestnik"

	// cannotConnectNow is SQLSTATE 57P03: the server starts up or recovers.
	cannotConnectNow = "57P03"
)

// PostgresOptions say how to run a Postgres of our own.
type PostgresOptions struct {
	Dir      string // data directory; its parent must exist
	LogFile  string
	Database string // made if it is not there
	Port     int    // the one that is liked best; 0 for any
	// Throwaway trades durability and passwords for speed: for tests.
	Throwaway bool
	Progress  func(step string)
}

// Postgres is a running server that is our child.
type Postgres struct {
	// URL holds a password unless the server is a throwaway.
	URL string
	PID int

	process *process
	port    port
}

// StartPostgres makes the data directory if it is not there, clears away what
// a killed run left, and returns once the server answers and the database
// exists. As root it runs the server as an unprivileged user, because Postgres
// refuses root.
func StartPostgres(ctx context.Context, options PostgresOptions) (*Postgres, error) {
	say := newProgress(options.Progress).say
	cluster, err := openCluster(ctx, options, say)
	if err != nil {
		return nil, err
	}
	if err := cluster.stopSurvivor(ctx, say); err != nil {
		return nil, err
	}
	var failures error
	for range postgresStarts {
		var postgres *Postgres
		postgres, err = cluster.start(ctx, options)
		if err == nil {
			return postgres, nil
		}
		failures = err
		var soon *endedEarly
		if !errors.As(err, &soon) || wait(ctx, 500*time.Millisecond) != nil {
			break
		}
	}
	return nil, failures
}

// Stop shuts the server down ("fast": clients are cut off, data is flushed).
func (p *Postgres) Stop(ctx context.Context) error {
	defer p.port.release()
	return p.process.stop(ctx, syscall.SIGINT, postgresStop)
}

// endedEarly is a start that may well succeed if it is tried again.
type endedEarly struct{ said string }

func (e *endedEarly) Error() string { return "the server ended at once; it said:\n" + e.said }

// cluster is a data directory with the binaries and the user it belongs to.
type cluster struct {
	dir      string
	binaries string // directory with initdb and postgres
	as       *owner
	password string // empty for a throwaway
}

func openCluster(ctx context.Context, options PostgresOptions, say func(string)) (*cluster, error) {
	c := &cluster{dir: options.Dir}
	var err error
	if c.as, err = serverUser(options.Dir); err != nil {
		return nil, err
	}
	if c.dir, err = reachableDir(options.Dir, c.as); err != nil {
		return nil, err
	}
	if c.dir != options.Dir {
		say("Postgres may not enter " + options.Dir + "; its data is in " + c.dir)
	}
	major, err := clusterVersion(c.dir)
	if err != nil {
		return nil, err
	}
	if c.binaries, err = findPostgres(ctx, major, filepath.Dir(options.Dir), say); err != nil {
		return nil, err
	}
	if !options.Throwaway {
		if c.password, err = c.readPassword(); err != nil {
			return nil, err
		}
	}
	if major == "" {
		say("making a Postgres data directory")
		if err := c.initialise(ctx, options.Throwaway); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// clusterVersion is the major version that made dir, empty if dir is not a
// data directory yet.
func clusterVersion(dir string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the data directory %s belongs to another user, perhaps from a run as root: "+
			"run as that user again, or delete %s: %w", dir, filepath.Dir(dir), err)
	}
	return strings.TrimSpace(string(content)), nil
}

// initialise runs initdb beside the final place and moves the result there,
// so that a data directory is either whole or not there.
func (c *cluster) initialise(ctx context.Context, throwaway bool) error {
	unfinished := c.dir + ".new"
	for _, old := range []string{unfinished, c.dir} {
		if err := os.RemoveAll(old); err != nil {
			return fmt.Errorf("clear %s: %w", old, err)
		}
	}
	if err := makeOwned(unfinished, c.as); err != nil {
		return err
	}
	arguments := []string{"--pgdata=" + unfinished, "--username=" + postgresUser, "--encoding=UTF8", "--no-instructions"}
	if throwaway {
		arguments = append(arguments, "--auth=trust", "--no-sync")
	} else {
		arguments = append(arguments, "--auth=scram-sha-256", "--pwfile="+c.passwordFile())
	}
	// lower() and ILIKE know Cyrillic letters only under a UTF-8 locale; not
	// every system has the first of these.
	var output []byte
	var err error
	for _, locale := range []string{"C.UTF-8", "en_US.UTF-8", "C"} {
		initdb := exec.CommandContext(ctx, filepath.Join(c.binaries, "initdb"), append(arguments, "--locale="+locale)...)
		initdb.Dir = unfinished
		initdb.Env = c.environment()
		initdb.SysProcAttr = childAttributes(syscall.SIGKILL, c.as)
		if output, err = initdb.CombinedOutput(); err == nil {
			if err := os.Rename(unfinished, c.dir); err != nil {
				return fmt.Errorf("put the data directory in its place: %w", err)
			}
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return fmt.Errorf("initdb: %w; it said:\n%s", err, lastLines(output))
}

// start runs the server once and waits until it answers.
func (c *cluster) start(ctx context.Context, options PostgresOptions) (*Postgres, error) {
	port, err := choosePort("Postgres", options.Port)
	if err != nil {
		return nil, err
	}
	settings := []string{
		"port=" + port.String(),
		"listen_addresses=" + loopback,
		// No socket file: its path has a limit of 107 bytes, and TCP will do.
		"unix_socket_directories=",
		"max_connections=400",
		"timezone=UTC", "log_timezone=UTC",
		"log_min_messages=warning",
		// Statements hold users' data; they stay out of the log.
		"log_min_error_statement=panic",
		// Without statistics, as in a young database, nearly every query looks
		// dear enough to be compiled, which costs more than it does.
		"jit=off",
	}
	if options.Throwaway {
		settings = append(settings, "fsync=off", "synchronous_commit=off", "full_page_writes=off",
			"autovacuum=off", // it would vacuum beside tests that look at plans, and databases of tests live for seconds
			"wal_level=minimal", "max_wal_senders=0", "shared_buffers=256MB")
	}
	arguments := []string{"-D", c.dir}
	for _, setting := range settings {
		arguments = append(arguments, "-c", setting)
	}
	command := exec.Command(filepath.Join(c.binaries, "postgres"), arguments...)
	command.Dir = c.dir
	command.Env = c.environment()
	// SIGINT is Postgres's fast and clean shutdown, also when we are killed.
	process, err := startProcess("Postgres", command, options.LogFile, syscall.SIGINT, c.as)
	if err != nil {
		port.release()
		return nil, err
	}
	postgres := &Postgres{URL: c.url(port, options.Database), PID: process.pid, process: process, port: port}
	if err := postgres.ready(ctx, c.url(port, "postgres"), options.Database, c.dir); err != nil {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgresStop)
		defer cancel()
		_ = postgres.Stop(stopping)
		return nil, err
	}
	return postgres, nil
}

// ready waits for the first answer, makes sure that it is ours, and makes the
// database.
func (p *Postgres) ready(ctx context.Context, maintenance, database, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, postgresReady)
	defer cancel()
	for {
		connection, err := pgx.Connect(ctx, maintenance)
		if err == nil {
			defer connection.Close(context.WithoutCancel(ctx))
			var served string
			if err := connection.QueryRow(ctx, "SHOW data_directory").Scan(&served); err != nil || resolved(served) != resolved(dir) {
				return &endedEarly{said: "(another server answers on port " + p.port.String() + ")"}
			}
			return createDatabase(ctx, connection, database)
		}
		if p.process.ended() {
			return &endedEarly{said: p.process.said()}
		}
		if refusal, is := errors.AsType[*pgconn.PgError](err); is && refusal.Code != cannotConnectNow {
			return fmt.Errorf("the server refuses us: %w (if the password file beside its data directory is gone, "+
				"delete the data directory too, to begin anew)", err)
		}
		if wait(ctx, 30*time.Millisecond) != nil {
			return fmt.Errorf("the server does not answer: %w; it said:\n%s", ctx.Err(), p.process.said())
		}
	}
}

func createDatabase(ctx context.Context, connection *pgx.Conn, name string) error {
	var there bool
	if err := connection.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&there); err != nil {
		return fmt.Errorf("look for database %s: %w", name, err)
	}
	if there {
		return nil
	}
	if _, err := connection.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return fmt.Errorf("make database %s: %w", name, err)
	}
	return nil
}

func (c *cluster) url(port port, database string) string {
	address := url.URL{
		Scheme:   "postgres",
		Host:     port.address(),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
		User:     url.User(postgresUser),
	}
	if c.password != "" {
		address.User = url.UserPassword(postgresUser, c.password)
	}
	return address.String()
}

// passwordFile lies beside the data directory, because initdb wants that
// empty.
func (c *cluster) passwordFile() string { return c.dir + ".password" }

// readPassword reads the superuser's password, making it if there is none:
// anyone on the machine can reach the port, so a password guards it.
func (c *cluster) readPassword() (string, error) {
	content, err := os.ReadFile(c.passwordFile())
	if err == nil {
		return strings.TrimSpace(string(content)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the password of %s: %w", c.dir, err)
	}
	random := make([]byte, 24)
	_, _ = rand.Read(random) // never fails, by its documentation
	password := hex.EncodeToString(random)
	if err := os.WriteFile(c.passwordFile(), []byte(password+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the password of %s: %w", c.dir, err)
	}
	return password, give(c.passwordFile(), c.as)
}

// environment leaves out the user's PG… variables and locale.
func (c *cluster) environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "LC_ALL=C", "TZ=UTC"}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
