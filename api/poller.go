package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"vestnik/internal/telegram"
)

// Poller fetches updates with getUpdates and takes them in as the webhook
// would: for development with a real bot and no public address.
type Poller struct {
	Client   *telegram.Client
	Receiver *Receiver
	Log      *slog.Logger
}

const (
	pollWait  = 25 * time.Second
	pollPause = 3 * time.Second // after a failed poll or a failed delivery
)

// Run polls until ctx ends, which is not an error. It fails when Telegram says
// that polling can't work: a webhook is set, another process polls, or the
// token is wrong. An update that could not be stored is fetched again.
func (p *Poller) Run(ctx context.Context) error {
	var offset int64
	for ctx.Err() == nil {
		updates, err := p.Client.GetUpdates(ctx, telegram.Poll{Offset: offset, Wait: pollWait, Updates: UpdateKinds})
		var refused *telegram.Error
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // ctx is how polling is stopped
		case errors.As(err, &refused) && refused.Class == telegram.Conflict:
			return fmt.Errorf("api: getUpdates: another process polls with this token, or a webhook is set (take it away with `vestnik bot webhook delete`): %w", err)
		case errors.As(err, &refused) && refused.Class == telegram.Unauthorized:
			return fmt.Errorf("api: getUpdates: check TELEGRAM_BOT_TOKEN: %w", err)
		case err != nil:
			p.Log.WarnContext(ctx, "polling failed", "error", err)
			pause(ctx, max(pollPause, retryAfterOf(refused)))
			continue
		}
		for _, raw := range updates {
			if err := p.Receiver.Take(newTrace(ctx), raw); err != nil {
				pause(ctx, pollPause)
				break // from here on they are fetched again
			}
			offset = max(offset, offsetAfter(raw))
		}
	}
	return nil
}

func retryAfterOf(refused *telegram.Error) time.Duration {
	if refused == nil {
		return 0
	}
	return refused.RetryAfter
}

func offsetAfter(raw json.RawMessage) int64 {
	var update struct {
		ID int64 `json:"update_id"`
	}
	if json.Unmarshal(raw, &update) != nil {
		return 0
	}
	return update.ID + 1
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
