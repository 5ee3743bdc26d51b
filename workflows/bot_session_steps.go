package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/guide"
)

// perform lets one activity go all the way, and goes on step by step from
// where that stopped.
func (s *session) perform(ctx workflow.Context, w *waiting) (activities.Performed, error) {
	asked, err := s.ask(ctx, w)
	if err != nil {
		return activities.Performed{}, err
	}
	var performed activities.Performed
	err = workflow.ExecuteActivity(
		workflow.WithActivityOptions(ctx, activities.PerformOptions(w.Data)), guideBot.Perform, asked).Get(ctx, &performed)
	rest := &steps{ctx: ctx, session: s, asked: asked}
	if lost := new(temporal.TimeoutError); errors.As(err, &lost) {
		// The worker died, and nobody knows how far it came: each call may
		// have been made once.
		rest.lost = true
		if answered := false; asked.Answer && (lost.LastHeartbeatDetails(&answered) != nil || !answered) {
			s.answer(ctx, w, 1)
		}
		performed, err = activities.Performed{Stopped: &activities.Stop{Step: activities.ClaimStep}}, nil
	}
	if performed.AnswerAgain > 0 {
		s.answering++
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer func() { s.answering-- }()
			if workflow.Sleep(ctx, performed.AnswerAgain) == nil {
				s.answer(ctx, w, 1)
			}
		})
	}
	if err != nil || performed.Stopped == nil {
		return performed, err
	}
	return rest.from(performed)
}

// ask is what the activity is asked for. A press that is being answered is waited
// for a moment: else the activity answers it.
func (s *session) ask(ctx workflow.Context, w *waiting) (activities.Performing, error) {
	asked := activities.Performing{
		Claiming: activities.Claiming{BotID: s.botID, Session: s.name(ctx), Update: w.BotUpdate},
		View:     s.view,
		Check:    !w.Open && !(w.Data == "" && s.view.Help),
		Quiet:    s.asksNothing(w.BotUpdate) && w.Content != "" && w.Content == s.view.MenuFor && workflow.Now(ctx).Sub(s.view.MenuAt) < menuAgain,
	}
	if w.CallbackID != "" && !w.Inaccessible && w.MessageID == s.view.MessageID {
		asked.Replaceable = w.MessageID
	}
	switch {
	case w.answer != nil && !s.apart:
		// One that Telegram holds up does not hold up the screen.
		if _, err := workflow.AwaitWithTimeout(ctx, answerLead, w.answer.IsReady); err != nil {
			return asked, err
		}
	case w.answer == nil && !w.answered && w.CallbackID != "":
		asked.Answer, w.answered = true, true
	}
	return asked, nil
}

// steps goes the rest of the way with an activity for each step.
type steps struct {
	*session
	ctx     workflow.Context
	asked   activities.Performing
	lost    bool            // the worker of Perform died
	stopped activities.Step // of Perform
	err     error           // of the activity that failed last
}

// from begins with the step that was stopped, after the wait that it asks for.
func (s *steps) from(p activities.Performed) (activities.Performed, error) {
	stop := *p.Stopped
	s.stopped = stop.Step
	begin := stop.Step
	switch {
	case stop.Final && stop.Step == activities.CheckStep: // a check that can't be made decides nothing
		p.Subscription, begin = guide.SubscriptionUnknown, activities.ComposeStep
	case stop.Final:
		return p, stop.Failure.Err()
	}
	if err := workflow.Sleep(s.ctx, stop.Wait); err != nil {
		return p, err
	}
	if p = p.Go(begin, s.asked, s); p.Stopped != nil {
		return p, s.err
	}
	return p, nil
}

func (s *steps) Claim() (claimed activities.Claimed, stop *activities.Stop) {
	stop = s.execute(activities.RecordOptions("claim the update"), guideBot.Claim, s.asked.Claiming, &claimed)
	return claimed, stop
}

func (s *steps) Check() (subscription guide.Subscription, _ *activities.Stop) {
	made := s.made(activities.CheckStep)
	if s.execute(activities.CallOptions("check the subscription", made), guideBot.CheckSubscription,
		activities.Checking{Update: s.asked.Claiming.Update, Made: made}, &subscription) != nil {
		return guide.SubscriptionUnknown, nil // logged where it failed
	}
	return subscription, nil
}

func (s *steps) Compose(subscription guide.Subscription) (composed activities.Composed, stop *activities.Stop) {
	stop = s.execute(activities.RecordOptions("compose the screen"), guideBot.Compose,
		activities.Composing{Update: s.asked.Claiming.Update, View: s.asked.View, Subscription: subscription}, &composed)
	return composed, stop
}

func (s *steps) SendPhoto(showing activities.Showing) (shown activities.Shown, stop *activities.Stop) {
	showing.Made = s.made(activities.PhotoStep)
	stop = s.execute(activities.CallOptions("send the photo", showing.Made), guideBot.SendPhoto, showing, &shown)
	return shown, stop
}

func (s *steps) SendText(showing activities.Showing) (shown activities.Shown, stop *activities.Stop) {
	showing.Made = s.made(activities.TextStep)
	stop = s.execute(activities.CallOptions("send the screen", showing.Made), guideBot.SendText, showing, &shown)
	return shown, stop
}

// made is how many attempts at a step were made before its own activity.
func (s *steps) made(step activities.Step) int {
	if s.lost || s.stopped == step {
		return 1
	}
	return 0
}

// execute runs an activity to its end, all its attempts.
func (s *steps) execute(options workflow.ActivityOptions, activity, input, result any) *activities.Stop {
	s.err = workflow.ExecuteActivity(workflow.WithActivityOptions(s.ctx, options), activity, input).Get(s.ctx, result)
	if s.err == nil {
		return nil
	}
	return &activities.Stop{Failure: activities.FailureOf(s.err), Final: true}
}
