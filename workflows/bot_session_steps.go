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
	asked := activities.Performing{
		Claiming: activities.Claiming{BotID: s.botID, Session: s.name(ctx), Update: w.BotUpdate},
		View:     s.view,
		Check:    !w.Open && !(w.Data == "" && s.view.Help),
	}
	if w.CallbackID != "" && !w.Inaccessible && w.MessageID == s.view.MessageID {
		asked.Replaceable = w.MessageID
	}
	switch {
	case w.answer != nil && !s.apart:
		// One that Telegram holds up does not hold up the screen.
		if _, err := workflow.AwaitWithTimeout(ctx, answerLead, w.answer.IsReady); err != nil {
			return activities.Performed{}, err
		}
	case w.answer == nil && !w.answered && w.CallbackID != "":
		asked.Answer, w.answered = true, true
	}
	var performed activities.Performed
	err := workflow.ExecuteActivity(
		workflow.WithActivityOptions(ctx, activities.PerformOptions()), guideBot.Perform, asked).Get(ctx, &performed)
	var lost *temporal.TimeoutError
	rest := steps{session: s, asked: asked}
	switch {
	case errors.As(err, &lost):
		// The worker died, and nobody knows how far it came: each call may
		// have been made once.
		rest.lost = true
		if answered := false; asked.Answer && (lost.LastHeartbeatDetails(&answered) != nil || !answered) {
			s.answer(ctx, w, 1)
		}
		performed.Stopped = &activities.Stop{Step: activities.ClaimStep}
	case err != nil:
		return performed, err
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
	if performed.Stopped == nil {
		return performed, nil
	}
	return rest.from(ctx, performed)
}

// steps goes the rest of the way with an activity for each step.
type steps struct {
	*session
	asked activities.Performing
	lost  bool
}

// from begins with the step that was stopped, after the wait that it asks for.
func (s *steps) from(ctx workflow.Context, p activities.Performed) (activities.Performed, error) {
	stop := p.Stopped
	p.Stopped = nil
	if stop.Final && stop.Step != activities.CheckStep && !(stop.Step == activities.PhotoStep && stop.Failure.TextInstead) {
		return p, stop.Failure.Err()
	}
	if err := workflow.Sleep(ctx, stop.Wait); err != nil {
		return p, err
	}
	var err error
	composed := p.Composed
	switch stop.Step {
	case activities.ClaimStep:
		if p.Claimed, err = s.claim(ctx); err != nil || p.Duplicate {
			return p, err
		}
		fallthrough
	case activities.CheckStep:
		p.Subscription = s.check(ctx, stop)
		fallthrough
	case activities.ComposeStep:
		if composed, err = s.compose(ctx, p.Subscription); err != nil {
			return p, err
		}
	}
	p.Help, p.Card, p.Composed = composed.Help, composed.Card, nil
	p.Shown, err = s.show(ctx, *composed, stop)
	return p, err
}

// made is how many attempts at a step were made before its own activity.
func (s *steps) made(stop *activities.Stop, step activities.Step) int {
	if s.lost || stop.Step == step {
		return 1
	}
	return 0
}

func (s *steps) claim(ctx workflow.Context) (claimed activities.Claimed, err error) {
	err = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, activities.RecordOptions("claim the update")),
		guideBot.Claim, s.asked.Claiming).Get(ctx, &claimed)
	return claimed, err
}

// check asks Telegram. A check that can't be made is no verdict.
func (s *steps) check(ctx workflow.Context, stop *activities.Stop) guide.Subscription {
	if !s.asked.Check {
		return ""
	}
	if stop.Final {
		return guide.SubscriptionUnknown
	}
	made := s.made(stop, activities.CheckStep)
	var subscription guide.Subscription
	err := workflow.ExecuteActivity(
		workflow.WithActivityOptions(ctx, activities.CallOptions("check the subscription", made)),
		guideBot.CheckSubscription, activities.Checking{Update: s.asked.Claiming.Update, Made: made}).Get(ctx, &subscription)
	if err != nil {
		return guide.SubscriptionUnknown // logged where it failed
	}
	return subscription
}

func (s *steps) compose(ctx workflow.Context, subscription guide.Subscription) (*activities.Composed, error) {
	var composed activities.Composed
	err := workflow.ExecuteActivity(
		workflow.WithActivityOptions(ctx, activities.RecordOptions("compose the screen")), guideBot.Compose,
		activities.Composing{Update: s.asked.Claiming.Update, View: s.asked.View, Subscription: subscription}).Get(ctx, &composed)
	return &composed, err
}

// show sends the screen. A photo that can't be sent becomes text: at once if
// Telegram can't use it, after the last attempt if Telegram was in trouble.
func (s *steps) show(ctx workflow.Context, composed activities.Composed, stop *activities.Stop) (shown activities.Shown, err error) {
	showing := activities.Showing{
		Update: s.asked.Claiming.Update, Composed: composed, Replaceable: s.asked.Replaceable, PhotoFailed: stop.PhotoFailed,
	}
	if composed.Screen.Photo != "" && stop.Step != activities.TextStep {
		failure := stop.Failure // what ends the photo, if the last word on it is spoken
		if !stop.Final || stop.Step != activities.PhotoStep {
			showing.Made = s.made(stop, activities.PhotoStep)
			err = workflow.ExecuteActivity(
				workflow.WithActivityOptions(ctx, activities.CallOptions("send the photo", showing.Made)), guideBot.SendPhoto, showing).Get(ctx, &shown)
			if err == nil {
				return shown, nil
			}
			failure = activities.FailureOf(err)
		}
		if !failure.TextInstead {
			return shown, err
		}
		showing.PhotoFailed = failure.Code
	}
	showing.Made = s.made(stop, activities.TextStep)
	err = workflow.ExecuteActivity(
		workflow.WithActivityOptions(ctx, activities.CallOptions("send the screen", showing.Made)), guideBot.SendText, showing).Get(ctx, &shown)
	return shown, err
}
