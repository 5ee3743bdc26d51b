// Package devstack finds or starts the two servers that Vestnik stands on,
// Postgres and Temporal, so that `vestnik dev` and the tests run on a machine
// that has neither set up.
//
// What it starts listens on 127.0.0.1 only, keeps its files in .vestnik/ of
// the project's folder, survives a kill -9 at any moment, and dies with the
// process that started it.
package devstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// StateDir is the folder, inside Options.Dir, that holds all that a stack
// keeps between runs.
const StateDir = ".vestnik"

// Options say what is there already and where the rest may live.
type Options struct {
	// Dir is the project's folder; empty means the working directory.
	Dir string
	// DatabaseURL and TemporalAddress name servers that are there already.
	// What is set is neither started nor stopped nor changed here.
	DatabaseURL     string
	TemporalAddress string
	// Namespace is made on a Temporal started here; empty means "default".
	Namespace string
	// Progress is told, in a few words, what is going on; long steps report
	// every few seconds. It may be nil and is never called twice at once.
	Progress func(step string)
}

// Stack is a Postgres and a Temporal that answer.
type Stack struct {
	// DatabaseURL holds a password; do not print it.
	DatabaseURL string
	// TemporalAddress is host:port of the frontend.
	TemporalAddress string
	// TemporalUIURL is the Web UI; empty if Temporal was not started here.
	TemporalUIURL string

	lock     *lock
	postgres *Postgres
	temporal *Temporal
	failed   chan error
}

// AlreadyRunning says that another process holds the stack of this folder.
type AlreadyRunning struct {
	Dir string
	PID int
}

func (e *AlreadyRunning) Error() string {
	return fmt.Sprintf("another vestnik (pid %d) is already running in %s: stop it first, or work in another folder", e.PID, e.Dir)
}

// Start brings up what Options does not name. On an error everything that was
// started is stopped again. The caller owes a Close.
func Start(ctx context.Context, options Options) (*Stack, error) {
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the project's folder: %w", err)
	}
	progress := newProgress(options.Progress)
	state := filepath.Join(dir, StateDir)
	// World-readable, because Postgres runs as another user when we are root;
	// what is private inside has a mode of its own.
	if err := os.MkdirAll(filepath.Join(state, "logs"), 0o755); err != nil {
		return nil, fmt.Errorf("make %s, where the servers keep their data: %w", state, err)
	}
	lock, err := takeLock(state, dir)
	if err != nil {
		return nil, err
	}
	stack := &Stack{
		DatabaseURL:     options.DatabaseURL,
		TemporalAddress: options.TemporalAddress,
		lock:            lock,
		failed:          make(chan error, 2),
	}
	if err := stack.start(ctx, dir, state, options, progress); err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return nil, errors.Join(err, stack.Close(closing))
	}
	return stack, nil
}

func (s *Stack) start(ctx context.Context, dir, state string, options Options, progress progress) error {
	if s.DatabaseURL == "" {
		postgres, err := StartPostgres(ctx, PostgresOptions{
			Dir:      filepath.Join(state, "postgres"),
			LogFile:  filepath.Join(state, "logs", "postgres.log"),
			Database: "vestnik",
			Port:     15432,
			Progress: progress.say,
		})
		if err != nil {
			return fmt.Errorf("start Postgres: %w", err)
		}
		s.postgres, s.DatabaseURL = postgres, postgres.URL
		go s.watch("Postgres", postgres.process)
	}
	if s.TemporalAddress == "" {
		binary, err := FindTemporal(ctx, dir, progress.say)
		if err != nil {
			return fmt.Errorf("find the Temporal server: %w", err)
		}
		temporal, err := StartTemporal(ctx, TemporalOptions{
			Binary:     binary,
			Database:   filepath.Join(state, "temporal.db"),
			Home:       state,
			LogFile:    filepath.Join(state, "logs", "temporal.log"),
			Namespaces: []string{cmp.Or(options.Namespace, "default")},
			UI:         true,
			Settings:   Settings,
			Progress:   progress.say,
		})
		if err != nil {
			return fmt.Errorf("start Temporal: %w", err)
		}
		s.temporal, s.TemporalAddress, s.TemporalUIURL = temporal, temporal.Address, temporal.UIURL
		go s.watch("Temporal", temporal.process)
	}
	return s.lock.publish(Endpoints{
		PID:             os.Getpid(),
		DatabaseURL:     s.DatabaseURL,
		TemporalAddress: s.TemporalAddress,
		TemporalUIURL:   s.TemporalUIURL,
		Namespace:       cmp.Or(options.Namespace, "default"),
	})
}

// Failed reports a server that ended although nobody stopped it. Without its
// servers Vestnik cannot go on, so the caller should stop.
func (s *Stack) Failed() <-chan error { return s.failed }

func (s *Stack) watch(name string, process *process) {
	<-process.done
	if !process.stopping.Load() {
		s.failed <- fmt.Errorf("%s ended by itself (%w); its last words are in %s", name, process.exit(), process.logFile)
	}
}

// Close stops what Start started, Temporal first, gracefully: data is flushed
// before it returns. It is safe to call twice.
func (s *Stack) Close(ctx context.Context) error {
	var errs []error
	if s.temporal != nil {
		errs = append(errs, s.temporal.Stop(ctx))
		s.temporal = nil
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop(ctx))
		s.postgres = nil
	}
	if s.lock != nil {
		errs = append(errs, s.lock.release())
		s.lock = nil
	}
	return errors.Join(errs...)
}
