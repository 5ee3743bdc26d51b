package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

const (
	// HeartbeatTimeout finds a dead worker. Beats go out every HeartbeatEvery,
	// which leaves room for three missed ones; the worker must not throttle
	// them further (MaxHeartbeatThrottleInterval).
	HeartbeatTimeout = 12 * time.Second
	// HeartbeatEvery is how often activities that call a platform beat.
	HeartbeatEvery = 3 * time.Second
)

// beat reports to Temporal that the worker lives, with what details say each time,
// until the returned function is called.
func beat(ctx context.Context, details func() []any) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(HeartbeatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				activity.RecordHeartbeat(ctx, details()...)
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// nothing to say but that the worker lives.
func nothing() []any { return nil }
