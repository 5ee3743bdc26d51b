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
	"vestnik/internal/words"
)

// stateTime is how long a lane gets to say who sends and who is next.
const stateTime = 3 * time.Second

// Destinations returns how all destinations stand that are configured or were
// ever sent to, from the ledger: it needs no worker.
func (s *Starter) Destinations(ctx context.Context) ([]protocol.LaneState, error) {
	lanes, err := s.Ledger.Lanes(ctx, "", s.Pace)
	if err != nil {
		return nil, err
	}
	for _, target := range s.Routes().Targets() {
		name := target.Destination.String()
		if !slices.ContainsFunc(lanes, func(lane protocol.LaneState) bool { return lane.Destination == name }) {
			lanes = append(lanes, s.unused(name))
		}
	}
	for i := range lanes {
		s.showQuiet(&lanes[i])
	}
	slices.SortFunc(lanes, func(a, b protocol.LaneState) int { return cmp.Compare(a.Destination, b.Destination) })
	return lanes, nil
}

// showQuiet shows the quiet hours of a lane that would send otherwise.
func (s *Starter) showQuiet(lane *protocol.LaneState) {
	if quiet := s.Quiet(lane.Destination); quiet > 0 && lane.State == protocol.LaneOpen {
		until := time.Now().Add(quiet)
		lane.State, lane.Reason, lane.CoolingUntil = protocol.LaneCooling, protocol.ReasonQuietHours, &until
	}
}

func (s *Starter) unused(destination string) protocol.LaneState {
	pace := s.Pace(destination)
	return protocol.LaneState{Destination: destination, State: protocol.LaneOpen, RatePerSec: pace.PerSecond, PerMinute: pace.PerMinute}
}

// unknownDestination means that nothing is configured under a name, and nothing
// was ever sent there.
func (s *Starter) unknownDestination(ctx context.Context, name string) error {
	lanes, err := s.Destinations(ctx)
	if err != nil {
		return err
	}
	var known []string
	for _, lane := range lanes {
		known = append(known, lane.Destination)
	}
	return words.NewUnknown("destination", name, known, "`vestnik destination list` shows them all")
}

// Destination returns how one destination stands; who sends and who is next
// only while a worker answers. *words.Unknown if there is none.
func (s *Starter) Destination(ctx context.Context, destination string) (protocol.LaneState, error) {
	lanes, err := s.Ledger.Lanes(ctx, destination, s.Pace)
	if err != nil {
		return protocol.LaneState{}, err
	}
	if len(lanes) == 0 {
		parsed, err := route.ParseDestination(destination)
		if err != nil {
			return protocol.LaneState{}, err
		}
		if _, configured := s.Routes().Target(parsed); !configured {
			return protocol.LaneState{}, s.unknownDestination(ctx, destination)
		}
		return s.unused(destination), nil
	}
	s.showQuiet(&lanes[0])
	ctx, cancel := context.WithTimeout(ctx, stateTime)
	defer cancel()
	var known protocol.LaneState
	value, err := s.Temporal.QueryWorkflow(ctx, protocol.DestinationWorkflowID(destination), "", protocol.StateQuery)
	if err == nil && value.Get(&known) == nil {
		lanes[0].Sending, lanes[0].Next = known.Sending, known.Next
	}
	return lanes[0], nil
}

// PauseDestination stops a lane until it is resumed. Nothing is lost: what is
// owed waits.
func (s *Starter) PauseDestination(ctx context.Context, destination, reason, by string) (protocol.LaneState, error) {
	return s.steer(ctx, "pause", destination, reason, protocol.PauseUpdate, protocol.Pause{Reason: reason, By: by})
}

// ResumeDestination ends a lane's pause and cooldown, and has the delivery that
// caused the pause tried again first.
func (s *Starter) ResumeDestination(ctx context.Context, destination string) (protocol.LaneState, error) {
	return s.steer(ctx, "resume", destination, "", protocol.ResumeUpdate)
}

// SetRate makes a lane faster or slower until its configured rate changes.
func (s *Starter) SetRate(ctx context.Context, destination string, pace protocol.Pace) (protocol.LaneState, error) {
	action := fmt.Sprintf("rate %g a second, %d a minute", pace.PerSecond, pace.PerMinute)
	return s.steer(ctx, action, destination, "", protocol.SetRateUpdate, pace)
}

// steer makes an update of a lane, which is a person's decision, and returns how
// the lane stands then.
func (s *Starter) steer(ctx context.Context, action, destination, note, update string, arguments ...any) (_ protocol.LaneState, err error) {
	decision, err := s.decides(ctx, action, destinationSubject(destination), note)
	if err != nil {
		return protocol.LaneState{}, err
	}
	defer decision.close(&err)
	if _, err := s.Destination(ctx, destination); err != nil {
		return protocol.LaneState{}, err
	}
	if err := s.Nudge(ctx, destination); err != nil {
		return protocol.LaneState{}, err
	}
	var answer protocol.LaneState
	if err := s.update(ctx, protocol.DestinationWorkflowID(destination), update, &answer, arguments...); err != nil {
		return protocol.LaneState{}, err
	}
	state, err := s.Destination(ctx, destination)
	state.TakenUp = answer.TakenUp
	return state, err
}

// Plan returns what the next scan will do about each wall.
func (s *Starter) Plan(ctx context.Context) (protocol.ReadPlan, error) {
	scan := s.Config.Scan
	keys := s.KeyNames()
	state, err := s.Walls.ReadState(ctx, keys, time.Now())
	if err != nil {
		return protocol.ReadPlan{}, err
	}
	return state.Plan(scan.DailyQuota*len(keys), protocol.ScanWallsInput{}), nil
}

// PlanOf returns what the next scan will do about some walls, or, if none is named,
// about all. One that is not watched is *words.Unknown.
func (s *Starter) PlanOf(ctx context.Context, walls []string) (protocol.ReadPlan, error) {
	if err := s.watched(ctx, walls); err != nil {
		return protocol.ReadPlan{}, err
	}
	plan, err := s.Plan(ctx)
	if len(walls) > 0 {
		plan.Walls = slices.DeleteFunc(plan.Walls, func(wall protocol.WallPlan) bool { return !slices.Contains(walls, wall.Name) })
	}
	return plan, err
}

// ReadingKeys returns how the reading keys stand, what VK asks of them included:
// for the operator's eyes alone.
func (s *Starter) ReadingKeys(ctx context.Context) ([]db.KeyState, error) {
	return s.Walls.Keys(ctx, s.KeyNames(), time.Now().Add(-24*time.Hour))
}

// ResumeKey ends the pauses that VK has put the reading keys under, or, with an
// answer to its captcha, that of the key which asks for one; false if there is
// none. If VK still wants it, the next call finds out.
func (s *Starter) ResumeKey(ctx context.Context, captcha string) (resumed bool, err error) {
	decision, err := s.decides(ctx, "resume", keySubject, "")
	if err != nil {
		return false, err
	}
	defer decision.close(&err)
	if captcha != "" {
		return s.Walls.AnswerCaptcha(ctx, captcha, s.KeyNames()...)
	}
	return s.Walls.ResumeKeys(ctx, s.KeyNames()...)
}
