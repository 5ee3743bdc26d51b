// Package api is Vestnik's HTTP side: the receiver for Telegram's webhook, the
// CMS's import, the operator's console and JSON, health and metrics.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

const (
	// readyTime bounds one look at whether the servers behind us answer, and
	// readyFor is how long its answer holds, however many ask.
	readyTime = 2 * time.Second
	readyFor  = time.Second
	// drainTime is how long requests under way get when the server stops.
	drainTime = 10 * time.Second
	// writeTime is how long an answer may take, from the end of its request's
	// header; a page asks Temporal for some seconds at most.
	writeTime = time.Minute
)

// Limits bound what one listener's clients can hold.
type Limits struct {
	// Read is how long a request may take to arrive, its body included. A
	// handler that waits for more says so, with http.ResponseController.
	Read time.Duration
	// Connections is how many are open at once; others wait to be accepted.
	Connections int
}

// DefaultLimits are those of [Serve]: an update is a few kilobytes, and
// Telegram opens 40 connections unless asked for 100 at most.
var DefaultLimits = Limits{Read: 30 * time.Second, Connections: 512}

// Check reports whether something a process needs answers.
type Check struct {
	Name string
	Ask  func(context.Context) error
}

// Healthz answers 200 for as long as the process serves at all.
func Healthz() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = fmt.Fprintln(w, "ok")
	})
}

// NotReady is the error of a check that anybody may read.
type NotReady string

func (n NotReady) Error() string { return string(n) }

// Readyz answers 200 when every check passes, else 503, with a JSON object
// that says which one does not. Why is logged: errors of drivers name users,
// databases and hosts. Only a [NotReady] is told.
func Readyz(log *slog.Logger, checks ...Check) http.Handler {
	look := &readiness{log: log, checks: checks}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, report := look.report(r.Context())
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(report)
	})
}

// readiness looks once for all who ask within readyFor.
type readiness struct {
	log    *slog.Logger
	checks []Check

	mu      sync.Mutex
	looked  time.Time
	status  int
	answers map[string]string
}

func (l *readiness) report(ctx context.Context) (status int, answers map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.looked) < readyFor {
		return l.status, l.answers
	}
	// Whoever asks first may go away; the others still want to know.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTime)
	defer cancel()
	errs := make([]error, len(l.checks))
	var asking sync.WaitGroup
	for i, check := range l.checks {
		asking.Go(func() { errs[i] = check.Ask(ctx) })
	}
	asking.Wait()
	l.status, l.answers = http.StatusOK, map[string]string{}
	for i, check := range l.checks {
		answer := "ok"
		if errs[i] != nil {
			l.status, answer = http.StatusServiceUnavailable, "no answer"
			if told := NotReady(""); errors.As(errs[i], &told) {
				answer = told.Error()
			}
			l.log.WarnContext(ctx, "not ready", "check", check.Name, "error", errs[i])
		}
		l.answers[check.Name] = answer
	}
	l.looked = time.Now()
	return l.status, l.answers
}

// Serve answers on listener within [DefaultLimits] until ctx ends, then lets
// requests under way come to their end.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	return ServeWithin(ctx, DefaultLimits, listener, handler, log)
}

// ServeWithin is [Serve] with other limits.
func ServeWithin(ctx context.Context, limits Limits, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: min(10*time.Second, limits.Read),
		ReadTimeout:       limits.Read,
		WriteTimeout:      writeTime,
		IdleTimeout:       90 * time.Second, // Telegram keeps its connections for a minute
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(listener, limits.Connections)) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := server.Shutdown(drain); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop serving %s: %w", listener.Addr(), err)
	}
	return nil
}
