package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"

	"vestnik/internal/protocol"
)

type nextKind int

const (
	fail nextKind = iota
	tryAgain
	park
)

// next is what the delivery makes of a send that did not succeed.
type next struct {
	kind   nextKind
	status string
	reason string
}

// classify maps how a send activity ended to what happens to the delivery. The
// platforms' own answers were classified before, in their catalogues, and what
// they mean for the destination is in the ledger already.
func (d *delivery) classify(err error) next {
	unavailable := next{kind: tryAgain}
	if d.input.Protocol < protocol.LedgerQueue {
		unavailable = next{kind: park, status: protocol.StatusParked, reason: protocol.ReasonUnavailable}
	}
	var failure *temporal.ApplicationError
	var panicked *temporal.PanicError
	var refusal protocol.Refusal
	kind := ""
	switch {
	case errors.As(err, &failure):
		kind = failure.Type()
		if failure.HasDetails() {
			_ = failure.Details(&refusal)
		}
	case !errors.As(err, &panicked):
		return unavailable // every attempt timed out, or the workers kept dying
	}
	switch kind {
	case protocol.ErrRateLimited:
		return next{kind: tryAgain}
	case protocol.ErrParked:
		return next{kind: park, status: protocol.StatusParked, reason: refusal.Reason}
	case protocol.ErrUnknownParked:
		return next{kind: park, status: protocol.StatusUnknown, reason: protocol.ReasonOutcomeUnknown}
	case protocol.ErrRejected:
		return next{kind: fail, reason: refusal.Reason}
	case protocol.ErrOutcomeUnknown:
		if d.input.Protocol < protocol.LedgerQueue {
			return next{kind: park, status: protocol.StatusUnknown, reason: protocol.ReasonOutcomeUnknown}
		}
		return unavailable
	case protocol.ErrRetryLater:
		return unavailable
	}
	if d.faults++; d.faults >= maxFaults {
		return next{kind: park, status: protocol.StatusParked, reason: protocol.ReasonFault}
	}
	return unavailable
}
