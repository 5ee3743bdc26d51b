package api

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"vestnik/api/access"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/telemetry"
	"vestnik/starter"
)

// Deliverer hands an update to its chat's session and returns nil only when
// the update is stored where no crash can lose it; starter.Sessions is one.
type Deliverer interface {
	Deliver(ctx context.Context, update protocol.BotUpdate) error
}

// ReceiverConfig is what a Receiver needs.
type ReceiverConfig struct {
	Sessions Deliverer
	// Seal hides searches and locations from Temporal; nil drops them at the
	// receiver.
	Seal *guide.Seal
	// AnswerMalformed lets a button through whose data is malformed, to be
	// answered as one that is unknown. The specification demands both that
	// every button be answered (3.5.2) and that such a one be only logged
	// (4.5.1); the more particular rule is the default.
	AnswerMalformed bool
	// Texts are what the guide says; nil is its own.
	Texts *guide.Texts
	// PerSecond is how many updates a second one chat may send; what is above
	// is dropped. 0 is no limit.
	PerSecond float64
	// Count counts deliveries by what became of them; nil if nobody asks.
	Count func(ctx context.Context, outcome string)
	Log   *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Receiver takes updates in, from the webhook or by polling: it reads what is
// needed, drops what a person wrote, and hands the rest to the chat's session.
// It asks no database.
type Receiver struct {
	ReceiverConfig

	flood  *flood
	helped *helped
}

// NewReceiver returns a receiver.
func NewReceiver(config ReceiverConfig) *Receiver {
	if config.Count == nil {
		config.Count = func(context.Context, string) {}
	}
	config.Texts = cmp.Or(config.Texts, guide.DefaultTexts())
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Receiver{ReceiverConfig: config, flood: newFlood(config.PerSecond, config.Now), helped: newHelped()}
}

// newTrace gives a delivery its own trace id: one from outside is not trusted
// to be unique.
func newTrace(ctx context.Context) context.Context {
	return telemetry.WithTraceID(ctx, telemetry.NewTraceID())
}

// Take takes one delivery of an update in, under the trace id of ctx. A nil
// error means that it need not be delivered again: stored, nothing for the
// guide, or one too many of a chat that floods the bot. An error means that
// Temporal could not store it; nothing remembers the update then. Every update
// that ends here has its one closing line in the log.
func (r *Receiver) Take(ctx context.Context, body []byte) error {
	update, fault := readUpdate(body)
	update.TraceID = telemetry.TraceID(ctx)
	log := r.Log.With(update.logFields()...)
	if fault != nil && fault.code == guide.InboundInvalidCallbackData && r.AnswerMalformed {
		fault = nil
		update.press(guide.Stale())
	}
	switch {
	case fault != nil:
		fields := append([]any{"result", "error"}, fault.code.LogFields("update not handled", fault.details)...)
		log.WarnContext(ctx, "bot update refused", fields...)
		r.Count(ctx, "refused")
		return nil
	case update.group && update.Kind != protocol.BotCallback:
		log.InfoContext(ctx, "bot update ignored", "result", "ignored", "details", "not a private chat")
		r.Count(ctx, "ignored")
		return nil
	case update.service:
		log.InfoContext(ctx, "bot update ignored", "result", "ignored", "details", "a service message")
		r.Count(ctx, "ignored")
		return nil
	}
	if !r.flood.lets(&update) {
		r.Count(ctx, "flood")
		log.WarnContext(ctx, "bot update dropped", "result", "flood")
		return nil
	}
	if update.Kind == protocol.BotCallback && update.action.Route() == guide.ToNothing {
		update.Toast = r.Texts.Toasts.Stale
		log.WarnContext(ctx, "bot button unknown",
			guide.InboundInvalidCallbackData.LogFields("well formed, but leads nowhere", "")...)
	}
	if update.AnswerOnly {
		update.Toast = r.Texts.Toasts.OpenBot
	}
	if err := r.sealPrivate(&update); err != nil {
		return err
	}
	switch err := r.Sessions.Deliver(ctx, update.BotUpdate); {
	case errors.Is(err, starter.ErrUpdateRefused):
		// Telegram would bring it again and again, and hold up other chats.
		log.WarnContext(ctx, "bot update dropped: too many of its chat wait", "result", "dropped")
		r.Count(ctx, "dropped")
		return nil
	case err != nil:
		r.Count(ctx, "not_stored")
		log.ErrorContext(ctx, "bot update not accepted",
			append([]any{"result", "error"}, guide.InternalUnexpected.LogFields("Temporal did not take the update", err.Error())...)...)
		return err
	}
	log.InfoContext(ctx, "bot update accepted")
	r.Count(ctx, "accepted")
	return nil
}

// sealPrivate hides what a person sent, or drops it. What follows the help
// screen is said to the editors, not searched for: nobody keeps that, sealed
// or not. Of a help screen that another process knows of, the session knows;
// there the words end unread.
func (r *Receiver) sealPrivate(update *inbound) (err error) {
	isText := update.action.Verb == ""
	feedback := isText && r.helped.is(update.ChatID)
	if !isText {
		r.helped.note(update.ChatID, update.action.Route() == guide.ToHelp)
	}
	private := update.private
	if r.Seal == nil || feedback || private.Words == "" && !private.Located {
		return nil
	}
	update.Sealed, err = r.Seal.Close(private, update.ID)
	return err
}

// flood is the limit on what one chat may ask of the guide: perSecond updates
// a second, twice as many in a row, and of texts, which search and which could
// try promo codes one after another, a fifth.
type flood struct {
	all, texts *access.Buckets[int64]
}

const textsShare = 5

func newFlood(perSecond float64, now func() time.Time) *flood {
	if perSecond <= 0 {
		return nil
	}
	return &flood{
		all:   access.NewBuckets[int64](perSecond, max(2*perSecond, 1), now),
		texts: access.NewBuckets[int64](perSecond/textsShare, max(perSecond, 1), now),
	}
}

// lets reports whether the update is within its chat's limit. A nil flood
// lets everything through.
func (f *flood) lets(update *inbound) bool {
	if f == nil {
		return true
	}
	isText := update.action.Verb == ""
	return (!isText || f.texts.Take(update.ChatID)) && f.all.Take(update.ChatID)
}

// helpedMax bounds the chats that a receiver remembers the help screen of.
const helpedMax = 10_000

// helped are the chats that have last opened the help screen by this receiver.
type helped struct {
	mu    sync.Mutex
	chats map[int64]bool
	order []int64 // oldest first; may hold chats that have gone on since
}

func newHelped() *helped { return &helped{chats: map[int64]bool{}} }

func (h *helped) is(chat int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.chats[chat]
}

func (h *helped) note(chat int64, onHelp bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !onHelp:
		delete(h.chats, chat)
	case !h.chats[chat]:
		h.chats[chat] = true
		h.order = append(h.order, chat)
	}
	for len(h.order) > helpedMax {
		delete(h.chats, h.order[0])
		h.order = h.order[1:]
	}
}
