package starter

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"vestnik/internal/protocol"
)

// Sessions hands updates of one bot to the sessions of its chats.
type Sessions struct {
	client client.Client
	botID  int64
}

// NewSessions serves the bot with this id (the number before the colon in its
// token).
func NewSessions(c client.Client, botID int64) Sessions {
	return Sessions{client: c, botID: botID}
}

// ErrUpdateRefused is returned for an update that Temporal will never store:
// 10,000 of its chat wait for a session that does not get on, or the update is
// larger than an event may be.
var ErrUpdateRefused = errors.New("starter: Temporal refuses the update for good")

// Deliver gives the update to its chat's session, starting one if none runs.
// When it returns nil, Temporal has stored the update and it will be handled,
// whatever happens to this process. On [ErrUpdateRefused] it will not be; on
// another error nobody knows, and delivering it again is safe.
func (s Sessions) Deliver(ctx context.Context, update protocol.BotUpdate) error {
	chatID := cmp.Or(update.ChatID, update.UserID) // the private chat with a person has the person's id
	id := protocol.SessionWorkflowID(s.botID, chatID)
	_, err := s.client.SignalWithStartWorkflow(ctx, id, protocol.BotUpdateSignal, update,
		client.StartWorkflowOptions{
			TaskQueue:     protocol.TaskQueue,
			StaticSummary: fmt.Sprintf("guide: chat %d", chatID),
		},
		protocol.BotSessionWorkflow, protocol.SessionInput{BotID: s.botID, ChatID: chatID})
	if refused := new(serviceerror.InvalidArgument); errors.As(err, &refused) {
		return fmt.Errorf("%w: %s: %w", ErrUpdateRefused, id, err)
	}
	if err != nil {
		return fmt.Errorf("starter: deliver to %s: %w", id, err)
	}
	return nil
}
