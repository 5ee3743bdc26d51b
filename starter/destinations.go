package starter

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
)

// stateTime is how long a lane gets to say who sends and who is next.
const stateTime = 3 * time.Second

// Destinations returns how all destinations stand that are configured or were
// ever sent to, from the ledger: it needs no worker.
func (s *Starter) Destinations(ctx context.Context) ([]protocol.LaneState, error) {
	lanes, err := s.relay.Ledger.Lanes(ctx, "", s.relay.Pace)
	if err != nil {
		return nil, err
	}
	for _, target := range s.relay.Routes.Targets() {
		name := target.Destination.String()
		if !slices.ContainsFunc(lanes, func(lane protocol.LaneState) bool { return lane.Destination == name }) {
			lanes = append(lanes, s.unused(name))
		}
	}
	slices.SortFunc(lanes, func(a, b protocol.LaneState) int { return cmp.Compare(a.Destination, b.Destination) })
	return lanes, nil
}

func (s *Starter) unused(destination string) protocol.LaneState {
	pace := s.relay.Pace(destination)
	return protocol.LaneState{Destination: destination, State: protocol.LaneOpen, RatePerSec: pace.PerSecond, PerMinute: pace.PerMinute}
}

// UnknownDestinationError means that nothing is configured under a name, and
// nothing was ever sent there.
type UnknownDestinationError struct{ Name string }

// Error names the remedy.
func (e *UnknownDestinationError) Error() string {
	return fmt.Sprintf("destination %s is not known: `vestnik destination list` shows those that are", e.Name)
}

// Destination returns how one destination stands; who sends and who is next
// only while a worker answers. *UnknownDestinationError if there is none.
func (s *Starter) Destination(ctx context.Context, destination string) (protocol.LaneState, error) {
	lanes, err := s.relay.Ledger.Lanes(ctx, destination, s.relay.Pace)
	if err != nil {
		return protocol.LaneState{}, err
	}
	if len(lanes) == 0 {
		parsed, err := route.ParseDestination(destination)
		if err != nil {
			return protocol.LaneState{}, err
		}
		if _, configured := s.relay.Routes.Target(parsed); !configured {
			return protocol.LaneState{}, &UnknownDestinationError{Name: destination}
		}
		return s.unused(destination), nil
	}
	ctx, cancel := context.WithTimeout(ctx, stateTime)
	defer cancel()
	var known protocol.LaneState
	value, err := s.relay.Temporal.QueryWorkflow(ctx, protocol.DestinationWorkflowID(destination), "", protocol.StateQuery)
	if err == nil && value.Get(&known) == nil {
		lanes[0].Sending, lanes[0].Next = known.Sending, known.Next
	}
	return lanes[0], nil
}

// PauseDestination stops a lane until it is resumed. Nothing is lost: what is
// owed waits.
func (s *Starter) PauseDestination(ctx context.Context, destination, reason, by string) (protocol.LaneState, error) {
	return s.steer(ctx, destination, protocol.PauseUpdate, protocol.Pause{Reason: reason, By: by})
}

// ResumeDestination ends a lane's pause and cooldown.
func (s *Starter) ResumeDestination(ctx context.Context, destination string) (protocol.LaneState, error) {
	return s.steer(ctx, destination, protocol.ResumeUpdate)
}

// SetRate makes a lane faster or slower until its configured rate changes.
func (s *Starter) SetRate(ctx context.Context, destination string, pace protocol.Pace) (protocol.LaneState, error) {
	return s.steer(ctx, destination, protocol.SetRateUpdate, pace)
}

func (s *Starter) steer(ctx context.Context, destination, update string, arguments ...any) (protocol.LaneState, error) {
	if _, err := s.Destination(ctx, destination); err != nil {
		return protocol.LaneState{}, err
	}
	if err := s.Nudge(ctx, destination); err != nil {
		return protocol.LaneState{}, err
	}
	if err := s.updateInto(ctx, protocol.DestinationWorkflowID(destination), update, nil, arguments...); err != nil {
		return protocol.LaneState{}, err
	}
	return s.Destination(ctx, destination)
}

// Plan returns what the next scan will do about each wall.
func (s *Starter) Plan(ctx context.Context) (protocol.ReadPlan, error) {
	scan := s.relay.Config.Scan
	state, err := s.relay.Walls.ReadState(ctx, db.KeyName(scan.Token.Reveal()), time.Now())
	if err != nil {
		return protocol.ReadPlan{}, err
	}
	return state.Plan(scan.DailyQuota, protocol.ScanWallsInput{}), nil
}

// ResumeKey ends the pause that VK has put the reading key under; false if
// there is none. If VK still wants it, the next call finds out.
func (s *Starter) ResumeKey(ctx context.Context) (bool, error) {
	return s.relay.Walls.ResumeKey(ctx, db.KeyName(s.relay.Config.Scan.Token.Reveal()))
}
