package workflows

import (
	"cmp"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/telemetry"
)

const (
	// sessionIdle is after how long without an update a session ends. The
	// next update starts a fresh one, on the newest version of this code.
	sessionIdle = 30 * time.Minute
	// seenMax bounds the updates that a session remembers. Nobody taps that
	// often within the day that Telegram repeats deliveries.
	seenMax = 2000
	// tapAgain is how soon after a screen the same tap says nothing new: a
	// finger that came down twice.
	tapAgain = time.Second
	// tapAgainChange guards tapAgain for sessions that began before it.
	tapAgainChange = "drop a tap right after its screen"
	// fullHistory stops even the answers of new updates: they are carried to
	// the next run, which is there within milliseconds. Temporal ends a
	// workflow at 51,200 events.
	fullHistory = 20_000
)

// BotSession talks with one chat. Updates come by signal; each is handled
// once, one at a time and in the order of their ids, except for the answers to
// pressed buttons: these go out at once, beside the queue.
//
// The session ends after half an hour without updates and continues as new
// when its history has grown. What it remembers then is comfort; buttons carry
// all that they need.
func BotSession(ctx workflow.Context, input protocol.SessionInput) error {
	s := newSession(ctx, input)
	if err := s.setup(ctx); err != nil {
		return err
	}
	return s.run(ctx)
}

type session struct {
	botID, chatID int64

	// what the next run inherits
	seen       []protocol.SeenUpdate // oldest first
	unrecorded []protocol.SeenUpdate // seen, but not claimed in the inbox yet
	queue      []*waiting            // by update id
	view       protocol.SessionView
	lastAt     time.Time
	handled    int64

	mail      workflow.ReceiveChannel
	handling  *waiting
	shown     protocol.BotUpdate // the last update, if it was a tap and its screen went out
	shownAt   time.Time
	answering int // answers that are under way
	resting   bool
	idle      workflow.Future
}

// waiting is an update that is not handled yet.
type waiting struct {
	protocol.BotUpdate
	answer workflow.Future // nil if there is nothing to answer, or not yet
}

func newSession(ctx workflow.Context, input protocol.SessionInput) *session {
	s := &session{
		botID: input.BotID, chatID: input.ChatID,
		lastAt: workflow.Now(ctx),
		mail: workflow.GetSignalChannelWithOptions(ctx, protocol.BotUpdateSignal,
			workflow.SignalChannelOptions{Description: "An update of this chat, as the door lets it through."}),
	}
	if carried := input.Carried; carried != nil {
		s.seen, s.unrecorded = carried.Seen, carried.Unrecorded
		s.view, s.lastAt, s.handled = carried.View, carried.LastAt, carried.Handled
		for _, w := range carried.Queue {
			update := &waiting{BotUpdate: w.Update}
			if !w.Answered {
				s.answer(ctx, update)
			}
			s.queue = append(s.queue, update)
		}
	}
	return s
}

func (s *session) setup(ctx workflow.Context) error {
	return workflow.SetQueryHandlerWithOptions(ctx, protocol.SessionQuery, func() (protocol.SessionState, error) {
		state := protocol.SessionState{
			ChatID: s.chatID, Handled: s.handled, Waiting: len(s.queue), View: s.view, LastAt: s.lastAt,
		}
		if s.handling != nil {
			state.Handling = s.handling.ID
		}
		return state, nil
	}, workflow.QueryHandlerOptions{Description: "What the session is doing."})
}

// run decides only when the session ends; listening and working go on beside.
func (s *session) run(ctx workflow.Context) error {
	workflow.Go(ctx, s.listen)
	workflow.Go(ctx, s.work)
	s.armIdle(ctx, sessionIdle)
	for {
		err := workflow.Await(ctx, func() bool { return s.idle.IsReady() || s.atRest(ctx) })
		if err != nil {
			return err
		}
		switch {
		case s.atRest(ctx):
			if s.takeMail(ctx) == 0 || workflow.GetInfo(ctx).GetCurrentHistoryLength() > fullHistory {
				return workflow.NewContinueAsNewError(ctx, protocol.BotSessionWorkflow, s.carry())
			}
		case s.busy() || s.idleFor(ctx) < sessionIdle:
			s.armIdle(ctx, max(sessionIdle-s.idleFor(ctx), time.Minute))
		default:
			s.sweep(ctx)
			// A signal that comes after this look makes the server refuse the
			// end and show it to the session first.
			if s.takeMail(ctx) == 0 && !s.busy() {
				return nil
			}
			s.armIdle(ctx, sessionIdle)
		}
	}
}

// listen takes updates in as they come, several at a time if several are there.
func (s *session) listen(ctx workflow.Context) {
	for {
		var first protocol.BotUpdate
		if !s.mail.Receive(ctx, &first) || ctx.Err() != nil {
			return
		}
		s.takeIn(ctx, append([]protocol.BotUpdate{first}, s.waitingMail()...))
	}
}

func (s *session) takeMail(ctx workflow.Context) int {
	batch := s.waitingMail()
	s.takeIn(ctx, batch)
	return len(batch)
}

func (s *session) waitingMail() (batch []protocol.BotUpdate) {
	for {
		var update protocol.BotUpdate
		if !s.mail.ReceiveAsync(&update) {
			return batch
		}
		batch = append(batch, update)
	}
}

// takeIn answers buttons, drops what the session has had, and queues the rest.
// Telegram delivers messages and buttons of one chat by different ways, and an
// api process may overtake another, so a batch is put in order first.
func (s *session) takeIn(ctx workflow.Context, batch []protocol.BotUpdate) {
	slices.SortStableFunc(batch, func(a, b protocol.BotUpdate) int { return cmp.Compare(a.ID, b.ID) })
	for _, update := range batch {
		s.lastAt = workflow.Now(ctx)
		if first, known := find(s.seen, update.ID); known {
			s.close(ctx, update, "duplicate", "original_trace_id", first)
			continue
		}
		s.remember(protocol.SeenUpdate{ID: update.ID, TraceID: update.TraceID})
		w := &waiting{BotUpdate: update}
		if workflow.GetInfo(ctx).GetCurrentHistoryLength() <= fullHistory {
			s.answer(ctx, w)
		}
		if answered := w.answer != nil; answered && s.repeatsLast(ctx, update) {
			s.unrecorded = append(s.unrecorded, protocol.SeenUpdate{ID: update.ID, TraceID: update.TraceID})
			s.close(ctx, update, "ok", "details", "the same button again, before its screen could be read")
			continue
		}
		at, _ := slices.BinarySearchFunc(s.queue, w, func(a, b *waiting) int { return cmp.Compare(a.ID, b.ID) })
		s.queue = slices.Insert(s.queue, at, w)
	}
}

// repeatsLast tells whether the update is the same tap as the one before it,
// whose screen has not gone out yet or only just has: it says nothing new. The
// app does that too, when it reconnects before a query was answered.
func (s *session) repeatsLast(ctx workflow.Context, update protocol.BotUpdate) bool {
	switch {
	case len(s.queue) > 0:
		return sameTap(s.queue[len(s.queue)-1].BotUpdate, update)
	case s.handling != nil:
		return sameTap(s.handling.BotUpdate, update)
	}
	return sameTap(s.shown, update) && workflow.Now(ctx).Sub(s.shownAt) < tapAgain &&
		workflow.GetVersion(ctx, tapAgainChange, workflow.DefaultVersion, 1) == 1
}

func sameTap(first, again protocol.BotUpdate) bool {
	return first.CallbackID != "" && first.ID < again.ID &&
		first.UserID == again.UserID && first.MessageID == again.MessageID && first.Data == again.Data
}

// answer starts the answer to a pressed button, at once and beside the queue.
func (s *session) answer(ctx workflow.Context, w *waiting) {
	if w.CallbackID == "" {
		return
	}
	s.answering++
	ctx = telemetry.WithWorkflowTraceID(ctx, w.TraceID)
	w.answer = workflow.ExecuteActivity(
		workflow.WithActivityOptions(ctx, activities.AnswerOptions()), guideBot.Answer, w.BotUpdate)
	workflow.Go(ctx, func(ctx workflow.Context) {
		_ = w.answer.Get(ctx, nil) // logged where it failed; the screen comes all the same
		s.answering--
	})
}

// work handles one update after the other.
func (s *session) work(ctx workflow.Context) {
	for {
		err := workflow.Await(ctx, func() bool {
			// Once the history is full enough, the next run goes on.
			return len(s.queue) > 0 && !s.resting && !workflow.GetInfo(ctx).GetContinueAsNewSuggested()
		})
		if err != nil {
			return
		}
		s.handling, s.queue = s.queue[0], s.queue[1:]
		s.handle(telemetry.WithWorkflowTraceID(ctx, s.handling.TraceID), s.handling)
		s.handling = nil
		s.handled++
	}
}

// handle takes one update from its claim to its screen. It never fails: what
// goes wrong ends this update and no other.
func (s *session) handle(ctx workflow.Context, w *waiting) {
	if w.ChatID == 0 { // a button on a message of no chat that we know: the answer is all
		if w.answer != nil {
			_ = w.answer.Get(ctx, nil) // logged where it failed
		}
		s.close(ctx, w.BotUpdate, "ok")
		return
	}
	s.shown = protocol.BotUpdate{}
	performed, err := s.perform(ctx, w)
	switch {
	case err != nil:
		s.noteBlocked(ctx, w, err)
		s.closeFailed(ctx, w.BotUpdate, err)
		return
	case performed.Duplicate:
		s.close(ctx, w.BotUpdate, "duplicate", "original_trace_id", performed.OriginalTraceID)
		return
	}
	s.view.Help, s.view.Card = performed.Help, performed.Card
	if performed.Shown.MessageID != 0 {
		s.view.MessageID, s.view.Photo = performed.Shown.MessageID, performed.Shown.Photo
	}
	s.shown, s.shownAt = w.BotUpdate, workflow.Now(ctx)
	s.close(ctx, w.BotUpdate, "ok")
}

// noteBlocked marks a person who has blocked the bot. They may come back any
// time, so it is no more than a mark.
func (s *session) noteBlocked(ctx workflow.Context, w *waiting, failed error) {
	if !activities.FailureOf(failed).Blocked {
		return
	}
	_ = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, activities.RecordOptions("mark as blocked")),
		guideBot.NoteBlocked, w.BotUpdate).Get(ctx, nil)
}

// sweep writes down what is not in the inbox yet and helps to keep it small.
func (s *session) sweep(ctx workflow.Context) {
	s.resting = true
	defer func() { s.resting = false }()
	unrecorded := len(s.unrecorded)
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, activities.RecordOptions("sweep the inbox")), guideBot.Sweep,
		activities.Sweeping{BotID: s.botID, Session: s.name(ctx), Handled: s.unrecorded}).Get(ctx, nil)
	if err == nil {
		s.recorded(unrecorded)
	}
}

// recorded drops the first n of unrecorded: others may have come since.
func (s *session) recorded(n int) { s.unrecorded = s.unrecorded[n:] }

// close writes the one closing line that every update has.
func (s *session) close(ctx workflow.Context, update protocol.BotUpdate, result string, more ...any) {
	ctx = telemetry.WithWorkflowTraceID(ctx, update.TraceID)
	workflow.GetLogger(ctx).Info("bot update done", append(append(update.LogFields(), "result", result), more...)...)
}

func (s *session) closeFailed(ctx workflow.Context, update protocol.BotUpdate, err error) {
	if temporal.IsCanceledError(err) {
		s.close(ctx, update, "error", guide.InternalUnexpected.LogFields("the session was cancelled", "")...)
		return
	}
	failure := activities.FailureOf(err)
	fields := append(append(update.LogFields(), "result", "error"), failure.Code.LogFields(failure.Message, failure.Details)...)
	ctx = telemetry.WithWorkflowTraceID(ctx, update.TraceID)
	workflow.GetLogger(ctx).Error("bot update failed", fields...)
}

func find(updates []protocol.SeenUpdate, updateID int64) (traceID string, known bool) {
	at := slices.IndexFunc(updates, func(update protocol.SeenUpdate) bool { return update.ID == updateID })
	if at < 0 {
		return "", false
	}
	return updates[at].TraceID, true
}

func (s *session) remember(update protocol.SeenUpdate) {
	s.seen = append(s.seen, update)
	if len(s.seen) > seenMax {
		s.seen = slices.Delete(s.seen, 0, len(s.seen)-seenMax)
	}
}

func (s *session) busy() bool { return s.handling != nil || len(s.queue) > 0 || s.answering > 0 }

// atRest tells that the history is long and nothing is under way, so that the
// next run may take over; what waits in the queue goes along.
func (s *session) atRest(ctx workflow.Context) bool {
	return s.handling == nil && s.answering == 0 && !s.resting && workflow.GetInfo(ctx).GetContinueAsNewSuggested()
}

func (s *session) carry() protocol.SessionInput {
	carried := &protocol.SessionCarry{
		Seen: s.seen, Unrecorded: s.unrecorded,
		View: s.view, LastAt: s.lastAt, Handled: s.handled,
	}
	for _, w := range s.queue {
		carried.Queue = append(carried.Queue, protocol.Waiting{Update: w.BotUpdate, Answered: w.answer != nil})
	}
	return protocol.SessionInput{BotID: s.botID, ChatID: s.chatID, Carried: carried}
}

// name is the same through all runs of the session, and no other's.
func (s *session) name(ctx workflow.Context) string { return workflow.GetInfo(ctx).FirstRunID }

func (s *session) idleFor(ctx workflow.Context) time.Duration { return workflow.Now(ctx).Sub(s.lastAt) }

// armIdle sets the session's only long timer. An update does not touch it: a
// timer for each would leave two more events in the history.
func (s *session) armIdle(ctx workflow.Context, d time.Duration) {
	s.idle = workflow.NewTimerWithOptions(ctx, d, workflow.TimerOptions{Summary: "end when idle"})
}

// guideBot names the activities; the worker has the real one.
var guideBot *activities.Guide
