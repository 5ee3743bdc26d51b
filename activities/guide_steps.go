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
	stop := p.prepare(from, asked, steps)
	if stop == nil && !p.Duplicate {
		stop = p.show(from, &showing, steps)
	}
	if p.Stopped = stop; stop != nil {
		stop.PhotoFailed = showing.PhotoFailed
	}
	return p
}

// prepare takes the steps to the composed screen; there is none for a duplicate.
func (p *Performed) prepare(from Step, asked Performing, steps Steps) (stop *Stop) {
	switch from {
	case ClaimStep:
		if p.Claimed, stop = steps.Claim(); stop != nil || p.Duplicate {
			return stop.at(ClaimStep)
		}
		fallthrough
	case CheckStep:
		if asked.Check {
			if p.Subscription, stop = steps.Check(); stop != nil {
				return stop.at(CheckStep)
			}
		}
		fallthrough
	case ComposeStep:
		composed, stop := steps.Compose(p.Subscription)
		if stop != nil {
			return stop.at(ComposeStep)
		}
		p.Help, p.Card, p.Composed = composed.Help, composed.Card, &composed
	}
	return nil
}

// show sends the screen. Then nobody needs it any more, and it is not kept: it would
// stay in the history.
func (p *Performed) show(from Step, showing *Showing, steps Steps) (stop *Stop) {
	showing.Composed = *p.Composed
	step := TextStep
	if showing.Composed.Screen.Photo != "" && from != TextStep {
		step = PhotoStep
		p.Shown, stop = steps.SendPhoto(*showing)
		if stop != nil && stop.Final && stop.Failure.TextInstead {
			step, showing.PhotoFailed = TextStep, stop.Failure.Code
		}
	}
	if step == TextStep {
		p.Shown, stop = steps.SendText(*showing)
	}
	if stop != nil {
		p.Shown = Shown{}
		return stop.at(step)
	}
	p.Composed = nil
	return nil
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
