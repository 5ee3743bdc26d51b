package activities

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"vestnik/internal/protocol"
)

// storeTime bounds the database's part of one attempt.
const storeTime = 8 * time.Second

// Perform takes an update from its claim to its screen, each step tried once.
// It returns an error only for what is not worth another look; a step that
// failed is told in the result, with everything that was done before it.
func (a *Guide) Perform(ctx context.Context, performing Performing) (p Performed, err error) {
	update := performing.Claiming.Update
	defer a.recoverInto(ctx, update, &err)
	defer a.alive(ctx)()
	if update.CallbackID != "" {
		a.order.afterAnswer(ctx, update.CallbackID)
	}
	claimed, failed := a.claim(ctx, performing.Claiming)
	if failed != nil {
		return stopped(p, failed, ClaimStep)
	}
	if p.Claimed = claimed; claimed.Duplicate {
		return p, nil
	}
	if performing.Check {
		if p.Subscription, failed = a.check(ctx, Checking{Update: update}); failed != nil {
			return stopped(p, failed, CheckStep)
		}
	}
	composed, failed := a.compose(ctx, Composing{Update: update, View: performing.View, Subscription: p.Subscription})
	if failed != nil {
		return stopped(p, failed, ComposeStep)
	}
	p.Help, p.Card, p.Composed = composed.Help, composed.Card, &composed
	showing := Showing{Update: update, Composed: composed, Replaceable: performing.Replaceable}
	if composed.Screen.Photo != "" {
		p.Shown, failed = a.sendPhoto(ctx, showing)
		if failed != nil && (failed.wait >= 0 || !failed.TextInstead) {
			return stopped(p, failed, PhotoStep)
		}
		if failed == nil {
			p.Composed = nil // nobody needs it any more, and histories are kept
			return p, nil
		}
		showing.PhotoFailed = failed.Code
	}
	if p.Shown, failed = a.sendText(ctx, showing); failed != nil {
		p, err = stopped(p, failed, TextStep)
		p.Stopped.PhotoFailed = showing.PhotoFailed
		return p, err
	}
	p.Composed = nil
	return p, nil
}

func stopped(p Performed, failed *trouble, step Step) (Performed, error) {
	p.Shown, p.Stopped = Shown{}, failed.stop(step)
	return p, nil
}

// Claim takes an update on; see [Claimed].
func (a *Guide) Claim(ctx context.Context, claiming Claiming) (claimed Claimed, err error) {
	defer a.recoverInto(ctx, claiming.Update, &err)
	claimed, failed := a.claim(ctx, claiming)
	return claimed, failed.asError()
}

func (a *Guide) claim(ctx context.Context, claiming Claiming) (Claimed, *trouble) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if err := a.claimAll(ctx, claiming.BotID, claiming.Session, claiming.AlsoHandled); err != nil {
		return Claimed{}, a.dbFailure(ctx, claiming.Update, err)
	}
	first, original, err := a.inbox.Claim(ctx, claiming.BotID, claiming.Update.ID, claiming.Session, claiming.Update.TraceID, a.now())
	if err != nil {
		return Claimed{}, a.dbFailure(ctx, claiming.Update, err)
	}
	if !first {
		return Claimed{Duplicate: true, OriginalTraceID: original}, nil
	}
	return Claimed{}, nil
}

func (a *Guide) claimAll(ctx context.Context, botID int64, session string, updates []protocol.SeenUpdate) error {
	for _, update := range updates {
		if _, _, err := a.inbox.Claim(ctx, botID, update.ID, session, update.TraceID, a.now()); err != nil {
			return err
		}
	}
	return nil
}

// Sweep records what has no record yet and forgets what is old.
func (a *Guide) Sweep(ctx context.Context, sweeping Sweeping) (err error) {
	var about protocol.BotUpdate
	defer a.recoverInto(ctx, about, &err)
	err = a.claimAll(ctx, sweeping.BotID, sweeping.Session, sweeping.Handled)
	if err == nil {
		_, err = a.inbox.Sweep(ctx, a.now())
	}
	if err != nil {
		return a.dbFailure(ctx, about, err).asError()
	}
	return nil
}

// NoteBlocked marks a person who has blocked the bot as inactive.
func (a *Guide) NoteBlocked(ctx context.Context, update protocol.BotUpdate) (err error) {
	defer a.recoverInto(ctx, update, &err)
	if err := a.store.DeactivateUser(ctx, update.UserID, a.now()); err != nil {
		return a.dbFailure(ctx, update, err).asError()
	}
	return nil
}

// aliveEvery leaves two tries within the heartbeat timeout.
const aliveEvery = 3 * time.Second

// alive tells Temporal, as long as the activity runs, that the worker does
// too. Most are done before the first heartbeat.
func (a *Guide) alive(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	go func() {
		beat := time.NewTicker(aliveEvery)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				activity.RecordHeartbeat(ctx)
			case <-done:
				return
			}
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

// answerLead is how long an update waits for its own button's answer to have
// gone out: the answer is the first call of its update. An answer that
// Telegram holds up longer does not hold up the screen.
const answerLead = 500 * time.Millisecond

// order lets the answer to a button go before its update's other calls. Both
// are activities that begin at the same moment, in one process as a rule.
type order struct {
	mu      sync.Mutex
	answers map[string]chan struct{} // closed when answered
	old     []string                 // keys, oldest first
}

// orderKept bounds the memory of order; what is dropped waits answerLead.
const orderKept = 10_000

func newOrder() *order { return &order{answers: map[string]chan struct{}{}} }

func (o *order) of(query string) chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if known, ok := o.answers[query]; ok {
		return known
	}
	if len(o.old) == orderKept {
		delete(o.answers, o.old[0])
		o.old = o.old[1:]
	}
	fresh := make(chan struct{})
	o.answers[query], o.old = fresh, append(o.old, query)
	return fresh
}

// answered is called after each attempt; only the first counts.
func (o *order) answered(query string) {
	done := o.of(query)
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-done:
	default:
		close(done)
	}
}

func (o *order) afterAnswer(ctx context.Context, query string) {
	late := time.NewTimer(answerLead)
	defer late.Stop()
	select {
	case <-o.of(query):
	case <-late.C:
	case <-ctx.Done():
	}
}
