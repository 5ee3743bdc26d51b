package starter

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"go.temporal.io/sdk/temporal"

	"vestnik/db"
	"vestnik/internal/protocol"
)

// stateTime is how long a lane gets to answer how it stands.
const stateTime = 3 * time.Second

// Destinations returns the lanes of all destinations that are configured or
// were ever sent to. A lane that never ran is open; one that no worker answers
// for has the state "unanswered".
func (s *Starter) Destinations(ctx context.Context) ([]protocol.LaneState, error) {
	rows, err := s.relay.Ledger.Destinations(ctx)
	if err != nil {
		return nil, err
	}
	waiting := map[string]int{}
	for _, target := range s.relay.Routes.Targets() {
		waiting[target.Destination.String()] = 0
	}
	for _, row := range rows {
		waiting[row.Name] = row.Waiting
	}
	names := slices.Sorted(maps.Keys(waiting))
	lanes := make([]protocol.LaneState, len(names))
	var asking sync.WaitGroup
	for i, name := range names {
		asking.Go(func() {
			lanes[i] = s.Destination(ctx, name)
			lanes[i].Queued = max(lanes[i].Queued, waiting[name])
		})
	}
	asking.Wait()
	return lanes, nil
}

// LaneUnanswered is the state of a lane that no worker answers for.
const LaneUnanswered = "unanswered"

// Destination returns the state of one lane.
func (s *Starter) Destination(ctx context.Context, destination string) protocol.LaneState {
	ctx, cancel := context.WithTimeout(ctx, stateTime)
	defer cancel()
	pace := s.relay.Pace(destination)
	lane := protocol.LaneState{
		Destination: destination, State: protocol.LaneOpen, RatePerSec: pace.PerSecond, PerMinute: pace.PerMinute,
	}
	value, err := s.relay.Temporal.QueryWorkflow(ctx, protocol.DestinationWorkflowID(destination), "", protocol.StateQuery)
	switch {
	case err == nil:
		err = value.Get(&lane)
	case isNotFound(err):
		return lane
	}
	if err != nil {
		lane.State, lane.Reason = LaneUnanswered, ErrNoWorker.Error()
	}
	return lane
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
	var lane protocol.LaneState
	if err := s.relay.Dispatcher.OpenLane(ctx, destination); err != nil {
		return lane, err
	}
	err := s.updateInto(ctx, protocol.DestinationWorkflowID(destination), update, &lane, arguments...)
	return lane, err
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

func isAlreadyThere(err error) bool { return errors.Is(err, temporal.ErrScheduleAlreadyRunning) }
