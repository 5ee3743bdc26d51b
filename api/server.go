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
)

const (
	// readyTime bounds one look at whether the servers behind us answer.
	readyTime = 2 * time.Second
	// drainTime is how long requests under way get when the server stops.
	drainTime = 10 * time.Second
)

// Check tells whether something a process needs answers.
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

// Readyz answers 200 when every check passes, else 503, with a JSON object
// that says which one does not.
func Readyz(checks ...Check) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), readyTime)
		defer cancel()
		answers := make([]string, len(checks))
		var asking sync.WaitGroup
		for i, check := range checks {
			asking.Go(func() {
				answers[i] = "ok"
				if err := check.Ask(ctx); err != nil {
					answers[i] = err.Error()
				}
			})
		}
		asking.Wait()
		status, report := http.StatusOK, map[string]string{}
		for i, check := range checks {
			report[check.Name] = answers[i]
			if answers[i] != "ok" {
				status = http.StatusServiceUnavailable
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(report)
	})
}

// Serve answers on listener until ctx ends, then lets requests under way come
// to their end.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       90 * time.Second, // Telegram keeps its connections for a minute
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
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
