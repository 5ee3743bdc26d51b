package activities

import (
	"context"

	"vestnik/internal/guide"
)

// Steps lead from an update to its screen. Perform has them all in one
// activity, one attempt each; a session that goes on where Perform stopped has
// an activity for each.
type Steps interface {
	Claim() (Claimed, *Stop)
	Check() (guide.Subscription, *Stop)
	Compose(guide.Subscription) (Composed, *Stop)
	SendPhoto(Showing) (Shown, *Stop)
	SendText(Showing) (Shown, *Stop)
}

// Go takes the steps from the one named to the screen, or to the first that
// stops. A photo that can't be sent becomes text: at once if Telegram can't use
// it, after the last attempt if Telegram was in trouble.
func (p Performed) Go(from Step, asked Performing, steps Steps) Performed {
	showing := Showing{Update: asked.Claiming.Update, Replaceable: asked.Replaceable}
	if p.Stopped != nil {
		showing.PhotoFailed = p.Stopped.PhotoFailed
	}
	p.Stopped = nil
	stopped := func(step Step, stop *Stop) Performed {
		stop.Step, stop.PhotoFailed = step, showing.PhotoFailed
		p.Stopped = stop
		return p
	}
	var stop *Stop
	switch from {
	case ClaimStep:
		if p.Claimed, stop = steps.Claim(); stop != nil {
			return stopped(ClaimStep, stop)
		}
		if p.Duplicate {
			return p
		}
		fallthrough
	case CheckStep:
		if asked.Check {
			if p.Subscription, stop = steps.Check(); stop != nil {
				return stopped(CheckStep, stop)
			}
		}
		fallthrough
	case ComposeStep:
		var composed Composed
		if composed, stop = steps.Compose(p.Subscription); stop != nil {
			return stopped(ComposeStep, stop)
		}
		p.Help, p.Card, p.Composed = composed.Help, composed.Card, &composed
	}
	showing.Composed = *p.Composed
	if showing.Composed.Screen.Photo != "" && from != TextStep {
		if p.Shown, stop = steps.SendPhoto(showing); stop == nil {
			p.Composed = nil // nobody needs it any more, and histories are kept
			return p
		}
		p.Shown = Shown{}
		if !stop.Final || !stop.Failure.TextInstead {
			return stopped(PhotoStep, stop)
		}
		showing.PhotoFailed = stop.Failure.Code
	}
	if p.Shown, stop = steps.SendText(showing); stop != nil {
		p.Shown = Shown{}
		return stopped(TextStep, stop)
	}
	p.Composed = nil
	return p
}

// attempts are the steps of Perform.
type attempts struct {
	bot   *Guide
	ctx   context.Context //nolint:containedctx // lives as long as one activity
	asked Performing
}

func (a attempts) Claim() (Claimed, *Stop) { return a.bot.claim(a.ctx, a.asked.Claiming) }

func (a attempts) Check() (guide.Subscription, *Stop) {
	return a.bot.check(a.ctx, Checking{Update: a.asked.Claiming.Update})
}

func (a attempts) Compose(subscription guide.Subscription) (Composed, *Stop) {
	return a.bot.compose(a.ctx, Composing{Update: a.asked.Claiming.Update, View: a.asked.View, Subscription: subscription})
}

func (a attempts) SendPhoto(showing Showing) (Shown, *Stop) {
	return a.bot.sendPhoto(a.ctx, showing)
}

func (a attempts) SendText(showing Showing) (Shown, *Stop) {
	return a.bot.sendText(a.ctx, showing)
}
