package activities

import (
	"context"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"vestnik/internal/protocol"
)

// storeTime bounds the database's part of one attempt.
const storeTime = 8 * time.Second

// answerLead is how long an update waits for its own button's answer to have
// gone out: the answer is the first call of its update. An answer that
// Telegram holds up longer does not hold up the screen.
const answerLead = 500 * time.Millisecond

// Perform takes an update from its claim to its screen, and answers its button
// first if that is asked for; each step is tried once. It returns an error only
// for what is not worth another look; a step that failed is in the result,
// with everything that was done before it.
//
// It writes the update's closing line, if this was the end of it: what a
// workflow writes is written again when its task is run again.
func (a *Guide) Perform(ctx context.Context, performing Performing) (p Performed, err error) {
	defer a.recoverInto(ctx, performing.Claiming.Update, &err)
	var answered atomic.Bool
	defer beat(ctx, func() []any { return []any{answered.Load()} })()
	steps, begin := attempts{bot: a, ctx: ctx, asked: performing}, ClaimStep
	if performing.Answer {
		known := false
		if p.Claimed, known = a.claimSoon(ctx, performing.Claiming); known {
			begin = CheckStep
		}
		if !p.Duplicate {
			again := a.answerFirst(ctx, performing.Claiming.Update, &answered)
			defer func() { p.AnswerAgain = again() }()
		}
	}
	if begin == ClaimStep && performing.Quiet {
		p.Help, p.Card = performing.View.Help, performing.View.Card
		if p.Claimed, p.Stopped = steps.Claim(); p.Stopped != nil {
			p.Stopped.Step = ClaimStep
		}
	} else if !p.Duplicate {
		p = p.Go(begin, performing, steps)
	}
	if p.Closed = p.Stopped == nil; p.Closed {
		a.close(ctx, performing.Claiming.Update, p.Claimed)
	}
	return p, a.hide(performing.Claiming.Update, p.Composed)
}

// claimLead is how long a claim may take before the button is answered all the
// same.
const claimLead = 150 * time.Millisecond

// claimSoon claims an update before its button is answered, so that one which
// an earlier session has had is not answered again. A database that does not
// say so in time holds up no answer: known is false then, and the claim is yet
// to be made.
func (a *Guide) claimSoon(ctx context.Context, claiming Claiming) (claimed Claimed, known bool) {
	claimed, err := a.claimWithin(ctx, claimLead, claiming)
	return claimed, err == nil
}

func (a *Guide) claimWithin(ctx context.Context, limit time.Duration, claiming Claiming) (Claimed, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	first, original, err := a.config.Inbox.Claim(ctx, claiming.BotID, claiming.Update.ID, claiming.Session, claiming.Update.TraceID, a.config.Now())
	if err != nil || first {
		return Claimed{}, err
	}
	return Claimed{Duplicate: true, OriginalTraceID: original}, nil
}

// close writes the closing line that every update has.
func (a *Guide) close(ctx context.Context, update protocol.BotUpdate, claimed Claimed, more ...any) {
	fields := append(update.LogFields(), "result", "ok")
	if claimed.Duplicate {
		fields = append(update.LogFields(), "result", "duplicate", "original_traceId", claimed.OriginalTraceID)
	}
	a.config.Log.InfoContext(ctx, "bot update done", append(fields, more...)...)
}

// answerFirst begins to answer a button and returns when that is done, or has
// been under way for answerLead. A heartbeat reports that it is done with, so
// that nobody does it again if the worker dies. again waits for the end and
// returns the pause before another attempt, 0 for none.
func (a *Guide) answerFirst(ctx context.Context, update protocol.BotUpdate, answered *atomic.Bool) (again func() time.Duration) {
	var wait time.Duration
	done, reported := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(reported)
		defer func() { activity.RecordHeartbeat(ctx, answered.Load()) }()
		defer close(done)
		var err error // logged where it happens
		defer a.recoverInto(ctx, update, &err)
		if failed := a.answer(ctx, Answering{BotUpdate: update}); failed != nil {
			wait = failed.Wait
		}
		answered.Store(wait == 0)
	}()
	select {
	case <-done:
	case <-time.After(answerLead):
	}
	return func() time.Duration {
		<-reported
		return wait
	}
}

// Claim takes an update on; see [Claimed].
func (a *Guide) Claim(ctx context.Context, claiming Claiming) (claimed Claimed, err error) {
	defer a.recoverInto(ctx, claiming.Update, &err)
	claimed, failed := a.claim(ctx, claiming)
	return claimed, failed.asError()
}

func (a *Guide) claim(ctx context.Context, claiming Claiming) (Claimed, *Stop) {
	claimed, err := a.claimWithin(ctx, storeTime, claiming)
	return claimed, a.dbFailure(ctx, claiming.Update, err)
}

// Sweep forgets what the inbox need not know any more.
func (a *Guide) Sweep(ctx context.Context) (err error) {
	var about protocol.BotUpdate
	defer a.recoverInto(ctx, about, &err)
	_, err = a.config.Inbox.Sweep(ctx, a.config.Now())
	return a.dbFailure(ctx, about, err).asError()
}

// NoteBlocked marks a person who has blocked the bot as inactive.
func (a *Guide) NoteBlocked(ctx context.Context, update protocol.BotUpdate) (err error) {
	defer a.recoverInto(ctx, update, &err)
	err = a.config.Store.DeactivateUser(ctx, update.UserID, a.config.Now())
	return a.dbFailure(ctx, update, err).asError()
}
