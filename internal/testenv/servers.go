package testenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"vestnik/internal/devstack"
)

// Servers are a throwaway Postgres and a Temporal in memory, each started
// when it is first asked for. They and their files go away with [Servers.Close]
// or, if that never comes, with the process.
type Servers struct {
	say      func(step string)
	dir      string
	janitor  *janitor
	mu       sync.Mutex
	postgres *devstack.Postgres
	temporal *devstack.Temporal
}

// settings make a Temporal that gets a namespace per test take that in its
// stride; measured on 1.29.1 with 300 namespaces: 3 ms to make one, 2 MB of
// memory each, a schedule in a new one fires after 0.5 s instead of 2 s, and
// reading them all again takes 2 % of a processor.
var settings = append([]devstack.Setting{
	{Key: "system.namespaceCacheRefreshInterval", Value: `"500ms"`},
}, ClusterSettings...)

// ClusterSettings are those of a cluster that tests run on. What a namespace
// has got is known late there, as in production: after two seconds.
var ClusterSettings = append([]devstack.Setting{
	{Key: "worker.perNamespaceWorkerStartRate", Value: "200"},
	// What a version of a deployment still needs is looked for at once, not
	// after three minutes.
	{Key: "matching.wv.VersionDrainageStatusVisibilityGracePeriod", Value: `"2s"`},
	{Key: "matching.wv.VersionDrainageStatusRefreshInterval", Value: `"2s"`},
	{Key: "frontend.rps.namespaceReplicationInducingAPIs", Value: "1000"},
	{Key: "frontend.namespaceRPS.namespaceReplicationInducingAPIs", Value: "1000"},
}, devstack.Settings...)

// NewServers prepares a scratch folder in parent, or where the system has such
// if that is empty. say is told about long steps.
func NewServers(parent string, say func(step string)) (*Servers, error) {
	dir, err := os.MkdirTemp(parent, "vestnik-test-")
	if err != nil {
		return nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	// Postgres runs as another user when we are root.
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open the scratch folder: %w", err)
	}
	janitor, err := hireJanitor(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Servers{say: say, dir: dir, janitor: janitor}, nil
}

// Postgres starts the server, once, and returns the URL of its maintenance
// database.
func (s *Servers) Postgres(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.postgres == nil {
		postgres, err := devstack.StartPostgres(ctx, devstack.PostgresOptions{
			Dir:       filepath.Join(s.dir, "postgres"),
			LogFile:   filepath.Join(s.dir, "postgres.log"),
			Database:  "postgres",
			Throwaway: true,
			Progress:  quietly,
		})
		if err != nil {
			return "", err
		}
		s.postgres = postgres
		s.janitor.watch(postgres.PID)
	}
	return s.postgres.URL, nil
}

// Temporal starts the server, once, and returns its address.
func (s *Servers) Temporal(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.temporal == nil {
		root, err := moduleRoot()
		if err != nil {
			return "", err
		}
		binary, err := devstack.FindTemporal(ctx, root, s.say)
		if err != nil {
			return "", err
		}
		temporal, err := devstack.StartTemporal(ctx, devstack.TemporalOptions{
			Binary:   binary,
			Home:     s.dir,
			LogFile:  filepath.Join(s.dir, "temporal.log"),
			AnyPort:  true,
			Settings: settings,
			Progress: quietly,
		})
		if err != nil {
			return "", err
		}
		s.temporal = temporal
		s.janitor.watch(temporal.PID)
	}
	return s.temporal.Address, nil
}

// Close stops what runs and removes its files.
func (s *Servers) Close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	if s.temporal != nil {
		errs = append(errs, s.temporal.Stop(ctx))
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop(ctx))
	}
	return errors.Join(append(errs, s.janitor.dismiss())...)
}

func quietly(string) {}

// moduleRoot is the folder with go.mod above the package under test.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the module's folder: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod in this folder or above it")
		}
		dir = filepath.Dir(dir)
	}
}

// janitor is a shell that outlives us. A test process has no hook for its
// end, and may be killed; but its end, however it comes, closes the pipe that
// the janitor reads. Then the servers are stopped and their files removed.
type janitor struct {
	command *exec.Cmd
	orders  io.WriteCloser
}

// Each line read is the pid of a server, or "none" once they were stopped
// without the janitor; after the last line the servers get SIGTERM, and
// SIGKILL when they take longer than ten seconds. For Postgres SIGTERM waits
// until the clients are gone, and they are gone with us.
const janitorScript = `
pids=""
while read -r pid; do
	if [ "$pid" = none ]; then pids=""; else pids="$pids $pid"; fi
done
alive() { for pid in $pids; do kill -0 "$pid" 2>/dev/null && return 0; done; return 1; }
for pid in $pids; do kill -TERM "$pid" 2>/dev/null; done
tries=0
while alive && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
rm -rf "$1"
`

func hireJanitor(dir string) (*janitor, error) {
	command := exec.Command("/bin/sh", "-c", janitorScript, "vestnik-test-janitor", dir)
	// A group of its own: Ctrl-C is for us, not for the janitor.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Dir = "/"
	orders, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("hire a janitor: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("hire a janitor: %w", err)
	}
	return &janitor{command: command, orders: orders}, nil
}

func (j *janitor) watch(pid int) { _, _ = io.WriteString(j.orders, strconv.Itoa(pid)+"\n") }

// dismiss leaves the janitor nothing but the files, once the servers are gone.
func (j *janitor) dismiss() error {
	_, _ = io.WriteString(j.orders, "none\n")
	_ = j.orders.Close()
	return j.command.Wait()
}

// Run runs a command with the addresses of the servers in its environment, and
// returns its exit code. An empty address leaves each test process to start
// that server itself. An error is one that the command has not printed.
func Run(ctx context.Context, arguments []string, database, temporal string) (code int, err error) {
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Env = append(os.Environ(), DatabaseVariable+"="+database, TemporalVariable+"="+temporal)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	// The command hears of the end from us as well as from the terminal.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	err = command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode(), nil // the command has said what was wrong
	default:
		return 1, fmt.Errorf("%s: %w", arguments[0], err)
	}
}
