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
	// seenMax bounds the updates that a session remembers besides those that
	// wait. Nobody taps that often within the day that Telegram repeats
	// deliveries.
	seenMax = 2000
	// answersAtOnce bounds the answers under way beside the queue. Temporal
	// fails every workflow task of a run with 2,000 pending activities.
	answersAtOnce = 20
	// answerLead is how long an update waits for its own button's answer to
	// have gone out: the answer is the first call of its update.
	answerLead = 500 * time.Millisecond
	// backlogMax bounds what the next run inherits, in bytes as [backlogSize]
	// reckons: 10,000 taps fit, which is all that Temporal stores for a run.
	// The input of a run may have 2 MB.
	backlogMax = 1_200_000
	// tapAgain is how soon after a screen the same tap says nothing new: a
	// finger that came down twice.
	tapAgain = time.Second
	// tapAgainChange guards tapAgain for sessions that began before it.
	tapAgainChange = "drop a tap right after its screen"
	// menuAgain is how soon after a message that asked for nothing another like
	// it brings no screen of its own: ten photos of an album bring one.
	menuAgain = time.Minute
	// overtakenChange guards sessions that began before a favourite remembered
	// its last change.
	overtakenChange = "drop a change of a favourite that was overtaken"
	// oneActivityChange guards runs that began when each button was answered
	// by an activity of its own.
	oneActivityChange = "answer and perform in one activity"
	// fullHistory stops even the answers of new updates: they are carried to
	// the next run, which is there within milliseconds. Temporal ends a
	// workflow at 51,200 events.
	fullHistory = 20_000
)

// BotSession talks with one chat. Updates come by signal; each is handled
// once, one at a time and in the order of their ids. A button whose turn comes
// at once is answered and its screen sent by one activity; while others are
// before it, it is answered at once all the same, beside the queue.
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
	seen    []protocol.SeenUpdate // oldest first
	queue   []*waiting            // for a screen, by update id
	backlog int                   // size of what waits, see backlogSize
	view    protocol.SessionView
	lastAt  time.Time
	handled int64

	mail       workflow.ReceiveChannel // read by run alone: who waits in Receive hides what has come from the others
	handling   *waiting
	shown      protocol.BotUpdate // the last update, if it was a tap and its screen went out
	shownAt    time.Time
	unanswered []*waiting // buttons to answer beside the queue, as they came
	answering  int        // answers that are under way beside the queue
	apart      bool       // the run began when no activity answered and performed
	idle       workflow.Future
	sweeping   workflow.Future // nil unless the session is about to end
}

// waiting is an update that is not done yet.
type waiting struct {
	protocol.BotUpdate
	answer   workflow.Future // under way beside the queue; nil if not
	answered bool            // by an earlier run, or with its screen
	only     string          // why there will be no screen; empty if there will
}

func newSession(ctx workflow.Context, input protocol.SessionInput) *session {
	s := &session{
		botID: input.BotID, chatID: input.ChatID,
		lastAt: workflow.Now(ctx),
		mail: workflow.GetSignalChannelWithOptions(ctx, protocol.BotUpdateSignal,
			workflow.SignalChannelOptions{Description: "An update of this chat, as the receiver lets it through."}),
		apart: workflow.GetVersion(ctx, oneActivityChange, workflow.DefaultVersion, 1) == workflow.DefaultVersion,
	}
	if carried := input.Carried; carried != nil {
		s.seen, s.view, s.lastAt, s.handled = carried.Seen, carried.View, carried.LastAt, carried.Handled
		for _, w := range carried.Queue {
			s.add(ctx, &waiting{BotUpdate: w.Update, answered: w.Answered, only: w.Only})
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

// run takes updates in and decides when the session ends; answers and screens
// go on beside it.
func (s *session) run(ctx workflow.Context) error {
	workflow.Go(ctx, s.work)
	workflow.Go(ctx, s.answerBeside)
	s.armIdle(ctx, sessionIdle)
	for {
		err := workflow.Await(ctx, func() bool {
			return s.mail.Len() > 0 || s.due().IsReady() || s.atRest(ctx)
		})
		if err != nil {
			return err
		}
		over := false
		switch {
		case !s.due().IsReady():
		case s.sweeping != nil:
			s.sweeping, over = nil, true // one that failed is made up for by the next session
		case s.busy() || s.idleFor(ctx) < sessionIdle:
			s.armIdle(ctx, max(sessionIdle-s.idleFor(ctx), time.Minute))
		default:
			s.sweeping = s.sweep(ctx)
		}
		s.takeMail(ctx)
		// A signal that comes after this look makes the server refuse the end,
		// or the new run, and show it to the session first.
		switch {
		case s.atRest(ctx):
			return workflow.NewContinueAsNewError(ctx, protocol.BotSessionWorkflow, s.carry())
		case over && !s.busy():
			return nil
		case over:
			s.armIdle(ctx, sessionIdle)
		}
	}
}

// due is what run waits for besides updates.
func (s *session) due() workflow.Future {
	if s.sweeping != nil {
		return s.sweeping
	}
	return s.idle
}

// takeMail takes in what has come, in the order of the updates' ids. Telegram
// delivers messages and buttons of one chat by different ways, and an api
// process may overtake another.
func (s *session) takeMail(ctx workflow.Context) {
	var batch []protocol.BotUpdate
	for {
		var update protocol.BotUpdate
		if !s.mail.ReceiveAsync(&update) {
			break
		}
		batch = append(batch, update)
	}
	slices.SortStableFunc(batch, func(a, b protocol.BotUpdate) int { return cmp.Compare(a.ID, b.ID) })
	for _, update := range batch {
		s.lastAt = workflow.Now(ctx)
		s.takeIn(ctx, update)
	}
}

// takeIn drops what the session has had, and adds the rest to what waits.
func (s *session) takeIn(ctx workflow.Context, update protocol.BotUpdate) {
	if first, known := s.known(update.ID); known {
		s.close(ctx, update, "duplicate", "original_traceId", first)
		return
	}
	s.remember(protocol.SeenUpdate{ID: update.ID, TraceID: update.TraceID, Favourite: favouriteOf(update)})
	if s.backlog+backlogSize(update) > backlogMax {
		workflow.GetMetricsHandler(ctx).Counter(protocol.DroppedUpdatesMetric).Inc(1)
		s.close(ctx, update, "error", guide.InternalUnexpected.LogFields("update dropped: too many of this chat wait", "")...)
		return
	}
	w := &waiting{BotUpdate: update}
	switch {
	case update.ChatID == 0 || update.AnswerOnly:
		w.only = "a button in no chat that the guide talks in"
	case s.overtaken(ctx, update):
		w.only = "a later change of the same favourite came first"
	case s.repeatsLast(ctx, update):
		w.only = "the same button again, before its screen could be read"
	}
	s.add(ctx, w)
}

// add puts an update among those that wait.
func (s *session) add(ctx workflow.Context, w *waiting) {
	s.backlog += backlogSize(w.BotUpdate)
	if w.only == "" {
		at, _ := slices.BinarySearchFunc(s.queue, w, byID)
		s.queue = slices.Insert(s.queue, at, w)
	}
	switch {
	case w.CallbackID == "" || w.answered:
	case s.apart && workflow.GetInfo(ctx).GetCurrentHistoryLength() <= fullHistory:
		s.answer(ctx, w, 0)
	default:
		s.unanswered = append(s.unanswered, w)
	}
}

// known reports whether the session has had the update, and under which trace.
func (s *session) known(updateID int64) (traceID string, known bool) {
	wanted := &waiting{BotUpdate: protocol.BotUpdate{ID: updateID}}
	if at, found := slices.BinarySearchFunc(s.queue, wanted, byID); found {
		return s.queue[at].TraceID, true
	}
	at := slices.IndexFunc(s.seen, func(seen protocol.SeenUpdate) bool { return seen.ID == updateID })
	if at < 0 {
		return "", false
	}
	return s.seen[at].TraceID, true
}

func byID(a, b *waiting) int { return cmp.Compare(a.ID, b.ID) }

// backlogSize is about what an update takes in the next run's input.
func backlogSize(update protocol.BotUpdate) int { return 80 + 2*len(update.Sealed) }

// repeatsLast reports whether the update is the same tap as the one before it,
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
		(!s.apart || workflow.GetVersion(ctx, tapAgainChange, workflow.DefaultVersion, 1) == 1)
}

// overtaken reports whether the update would change a favourite that a later
// update has changed already: deliveries overtake each other by some
// milliseconds, and the person's last word holds.
func (s *session) overtaken(ctx workflow.Context, update protocol.BotUpdate) bool {
	favourite := favouriteOf(update)
	return favourite != "" && slices.ContainsFunc(s.seen, func(seen protocol.SeenUpdate) bool {
		_, waits := slices.BinarySearchFunc(s.queue, &waiting{BotUpdate: protocol.BotUpdate{ID: seen.ID}}, byID)
		return seen.Favourite == favourite && seen.ID > update.ID && !waits
	}) && workflow.GetVersion(ctx, overtakenChange, workflow.DefaultVersion, 1) == 1
}

// favouriteOf is the entity and id of the favourite that an update changes,
// such as "place:123"; "" if it changes none.
func favouriteOf(update protocol.BotUpdate) string {
	action, err := guide.ParseAction(update.Data)
	if err != nil || action.Route() != guide.ToAddFavourite && action.Route() != guide.ToRemoveFavourite {
		return ""
	}
	return action.Entity + ":" + action.EntityID()
}

func sameTap(first, again protocol.BotUpdate) bool {
	return first.CallbackID != "" && first.ID < again.ID &&
		first.UserID == again.UserID && first.MessageID == again.MessageID && first.Data == again.Data
}

// answer starts an answer beside the queue, of which made attempts were made
// before.
func (s *session) answer(ctx workflow.Context, w *waiting, made int) {
	s.answering++
	ctx = telemetry.WithWorkflowTraceID(ctx, w.TraceID)
	w.answer = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, activities.AnswerOptions(made)), guideBot.Answer,
		activities.Answering{BotUpdate: w.BotUpdate, Made: made, Claim: w.only != "", Only: w.only, BotID: s.botID, Session: s.name(ctx)})
	workflow.Go(ctx, func(ctx workflow.Context) {
		var closed bool
		_ = w.answer.Get(ctx, &closed) // logged where it failed; the screen comes all the same
		s.answering--
		if w.only != "" {
			s.backlog -= backlogSize(w.BotUpdate)
			if !closed {
				s.close(ctx, w.BotUpdate, "ok", "details", w.only)
			}
		}
	})
}

// answerBeside answers the buttons that have to wait for their turn. It looks
// after work has: a button whose turn has come is answered with its screen.
func (s *session) answerBeside(ctx workflow.Context) {
	for {
		if err := workflow.Await(ctx, func() bool { return s.mayAnswer(ctx) }); err != nil {
			return
		}
		next := s.unanswered[0]
		s.unanswered = s.unanswered[1:]
		s.answer(ctx, next, 0)
	}
}

// mayAnswer reports whether there is a button to answer and room for it. Where
// the next run is all that is waited for, that will do it.
func (s *session) mayAnswer(ctx workflow.Context) bool {
	for len(s.unanswered) > 0 && s.unanswered[0].answered {
		s.unanswered = s.unanswered[1:]
	}
	info := workflow.GetInfo(ctx)
	return len(s.unanswered) > 0 && s.answering < answersAtOnce && !s.apart &&
		(s.handling != nil || !info.GetContinueAsNewSuggested()) && info.GetCurrentHistoryLength() <= fullHistory
}

// work handles one update after the other.
func (s *session) work(ctx workflow.Context) {
	for {
		err := workflow.Await(ctx, func() bool {
			// Once the history is full enough, the next run goes on.
			return len(s.queue) > 0 && s.sweeping == nil && !workflow.GetInfo(ctx).GetContinueAsNewSuggested()
		})
		if err != nil {
			return
		}
		s.handling, s.queue = s.queue[0], s.queue[1:]
		s.handle(telemetry.WithWorkflowTraceID(ctx, s.handling.TraceID), s.handling)
		s.backlog -= backlogSize(s.handling.BotUpdate)
		workflow.SetCurrentDetails(ctx, "last action: "+cmp.Or(s.handling.Data, "a message"))
		s.handling = nil
		s.handled++
	}
}

// handle takes one update from its claim to its screen. It never fails: what
// goes wrong ends this update and no other.
func (s *session) handle(ctx workflow.Context, w *waiting) {
	s.shown = protocol.BotUpdate{}
	performed, err := s.perform(ctx, w)
	switch {
	case err != nil:
		s.noteBlocked(ctx, w, err)
		s.closeFailed(ctx, w.BotUpdate, err)
		return
	case performed.Duplicate:
		if !performed.Closed {
			s.close(ctx, w.BotUpdate, "duplicate", "original_traceId", performed.OriginalTraceID)
		}
		return
	}
	if len(w.Sealed) > 0 {
		s.view.Asked = append(s.view.Asked, protocol.Asked{ID: w.ID, Sealed: w.Sealed})
		s.view.Asked = s.view.Asked[max(len(s.view.Asked)-protocol.AskedMax, 0):]
	}
	s.view.MenuFor, s.view.MenuAt = "", time.Time{}
	if s.asksNothing(w.BotUpdate) {
		s.view.MenuFor, s.view.MenuAt = w.Content, workflow.Now(ctx)
	}
	s.view.Help, s.view.Card = performed.Help, performed.Card
	if performed.Shown.MessageID != 0 {
		s.view.MessageID, s.view.Photo = performed.Shown.MessageID, performed.Shown.Photo
	}
	s.shown, s.shownAt = w.BotUpdate, workflow.Now(ctx)
	if !performed.Closed {
		s.close(ctx, w.BotUpdate, "ok")
	}
}

// asksNothing reports whether the update is a message that is neither a command
// nor a search, such as a photo: it brings the menu, or help where that is on
// the screen.
func (s *session) asksNothing(update protocol.BotUpdate) bool {
	return update.Kind == protocol.BotMessage && update.Data == "" && (len(update.Sealed) == 0 || s.view.Help)
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

// sweep helps to keep the inbox small.
func (s *session) sweep(ctx workflow.Context) workflow.Future {
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, activities.RecordOptions("sweep the inbox")), guideBot.Sweep)
}

// close writes the closing line of an update that no activity has closed. It is
// written again when its workflow task is run again, so what goes well is closed
// by Perform and Answer.
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

func (s *session) remember(update protocol.SeenUpdate) {
	s.seen = append(s.seen, update)
	if len(s.seen) > seenMax {
		s.seen = slices.Delete(s.seen, 0, len(s.seen)-seenMax)
	}
}

func (s *session) busy() bool {
	return s.handling != nil || len(s.queue) > 0 || len(s.unanswered) > 0 || s.answering > 0
}

// atRest reports whether the history is long and nothing is under way, so that
// the next run may take over; what waits goes along.
func (s *session) atRest(ctx workflow.Context) bool {
	return s.handling == nil && s.answering == 0 && s.sweeping == nil && workflow.GetInfo(ctx).GetContinueAsNewSuggested()
}

func (s *session) carry() protocol.SessionInput {
	carried := &protocol.SessionCarry{Seen: s.seen, View: s.view, LastAt: s.lastAt, Handled: s.handled}
	for _, w := range s.queue {
		carried.Queue = append(carried.Queue, protocol.Waiting{Update: w.BotUpdate, Answered: w.answered || w.answer != nil})
	}
	for _, w := range s.unanswered {
		if w.only != "" {
			carried.Queue = append(carried.Queue, protocol.Waiting{Update: w.BotUpdate, Only: w.only})
		}
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
