package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// alarm is a timer that is armed again only when it has fired or must fire
// earlier: each one armed for nothing would wake the workflow later on.
type alarm struct {
	future workflow.Future
	at     time.Time
	cancel workflow.CancelFunc
}

func (a *alarm) setUnlessSet(ctx workflow.Context, at time.Time, summary string) {
	if a.future == nil {
		a.set(ctx, at, summary)
	}
}

func (a *alarm) setEarlier(ctx workflow.Context, at time.Time, summary string) {
	if a.future != nil && !at.Before(a.at) {
		return
	}
	if a.future != nil {
		a.cancel()
	}
	a.set(ctx, at, summary)
}

func (a *alarm) set(ctx workflow.Context, at time.Time, summary string) {
	ctx, a.cancel = workflow.WithCancel(ctx)
	a.at = at
	a.future = workflow.NewTimerWithOptions(ctx, at.Sub(workflow.Now(ctx)), workflow.TimerOptions{Summary: summary})
}

func (a *alarm) addTo(selector workflow.Selector) {
	if a.future != nil {
		selector.AddFuture(a.future, func(workflow.Future) { a.future = nil })
	}
}
