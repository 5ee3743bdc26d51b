package api

import (
	"context"
	"log/slog"
	"time"

	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/telemetry"
)

// Deliverer hands an update to its chat's session and returns nil only when
// the update is stored where no crash can lose it; starter.Sessions is one.
type Deliverer interface {
	Deliver(ctx context.Context, update protocol.BotUpdate) error
}

// DoorConfig says what is behind the door.
type DoorConfig struct {
	Sessions Deliverer
	// Seal hides searches and locations from Temporal; nil drops them at the
	// door, as a guide without extras does.
	Seal *guide.Seal
	// AnswerMalformed lets a button through whose data is malformed, to be
	// answered as one that is unknown. The specification demands both that
	// every button be answered (3.5.2) and that such a one be only logged
	// (4.5.1); the more particular rule is the default.
	AnswerMalformed bool
	// PerSecond is how many updates a second one chat may send; what is above
	// is dropped. 0 is no limit. Flooded, if set, counts what was dropped.
	PerSecond float64
	Flooded   func()
	Log       *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Door takes updates in, from the webhook or by polling: it reads what is
// needed, drops what a person wrote, and hands the rest to the chat's session.
// It asks no database.
type Door struct {
	sessions Deliverer
	seal     *guide.Seal
	lenient  bool // with malformed buttons
	log      *slog.Logger
	flood    *flood
	flooded  func()
	recent   *recent
	helped   *helped
}

// NewDoor opens a door.
func NewDoor(config DoorConfig) *Door {
	now := config.Now
	if now == nil {
		now = time.Now
	}
	flooded := config.Flooded
	if flooded == nil {
		flooded = func() {}
	}
	return &Door{sessions: config.Sessions, seal: config.Seal, lenient: config.AnswerMalformed, log: config.Log,
		flood: newFlood(config.PerSecond, now), flooded: flooded,
		recent: newRecent(now), helped: newHelped()}
}

// newTrace gives a delivery its own trace id: one from outside is not trusted
// to be unique.
func newTrace(ctx context.Context) context.Context {
	return telemetry.WithTraceID(ctx, telemetry.NewTraceID())
}

// Take takes one delivery of an update in, under the trace id of ctx. A nil error means that it need not
// be delivered again: stored, seen before, or nothing for the guide. An error
// means that Temporal could not store it; nothing remembers the update then.
// Every update that ends here has its one closing line in the log.
func (d *Door) Take(ctx context.Context, body []byte) error {
	update, fault := readUpdate(body)
	update.TraceID = telemetry.TraceID(ctx)
	log := d.log
	if update.ID != 0 {
		log = log.With("update_id", update.ID)
	}
	if update.Kind != "" {
		log = log.With("event_type", update.Kind)
	}
	if update.UserID != 0 {
		log = log.With("telegram_user_id", update.UserID, "chat_id", update.ChatID)
	}
	if update.action.Verb != "" {
		log = log.With("action", update.action.Verb, "entity_type", update.action.Entity,
			"entity_id", update.action.EntityID(), "extra", update.action.Extra)
	}
	if fault != nil && fault.code == guide.InboundInvalidCallbackData && d.lenient {
		fault = nil
		update.press(guide.Stale())
	}
	switch {
	case fault != nil:
		fields := append([]any{"result", "error"}, fault.code.LogFields("update not handled", fault.details)...)
		log.WarnContext(ctx, "bot update refused", fields...)
		return nil
	case update.group:
		log.InfoContext(ctx, "bot update ignored", "result", "ignored", "details", "not a private chat")
		return nil
	}
	if first, known := d.recent.find(update.ID); known {
		log.InfoContext(ctx, "bot update repeated", "result", "duplicate", "original_trace_id", first)
		return nil
	}
	if !d.flood.lets(&update) {
		d.flooded()
		log.WarnContext(ctx, "bot update dropped", "result", "flood")
		return nil
	}
	if update.Kind == protocol.BotCallback && update.action.Route() == guide.ToNothing {
		log.WarnContext(ctx, "bot button unknown",
			guide.InboundInvalidCallbackData.LogFields("well formed, but leads nowhere", "")...)
	}
	if err := d.sealPrivate(&update); err != nil {
		return err
	}
	if err := d.sessions.Deliver(ctx, update.BotUpdate); err != nil {
		log.ErrorContext(ctx, "bot update not accepted",
			append([]any{"result", "error"}, guide.InternalUnexpected.LogFields("Temporal did not take the update", err.Error())...)...)
		return err
	}
	d.recent.add(update.ID, update.TraceID)
	log.InfoContext(ctx, "bot update accepted")
	return nil
}

// sealPrivate hides what a person sent, or drops it. What follows the help
// screen is said to the editors, not searched for: nobody keeps that, sealed
// or not. Of a help screen that another process knows of, the session knows;
// there the words end unread.
func (d *Door) sealPrivate(update *inbound) (err error) {
	isText := update.action.Verb == ""
	feedback := isText && d.helped.is(update.ChatID)
	if !isText {
		d.helped.note(update.ChatID, update.action.Route() == guide.ToHelp)
	}
	private := update.private
	if d.seal == nil || feedback || private.Words == "" && !private.Located {
		return nil
	}
	update.Sealed, err = d.seal.Close(private, update.ID)
	return err
}
