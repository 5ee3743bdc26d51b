package protocol

import "time"

// Names of the lane's signals, updates and query.
const (
	// QueueTurnsSignal carries a QueueTurns to a lane (signal-with-start).
	QueueTurnsSignal = "queue_turns"
	// TurnDoneSignal carries a TurnDone to a lane.
	TurnDoneSignal = "turn_done"
	// TurnGrantedSignal carries a TurnGranted to a DeliverPost.
	TurnGrantedSignal = "turn_granted"

	// PauseUpdate takes a Pause; the lane grants no turn until ResumeUpdate.
	PauseUpdate = "pause"
	// ResumeUpdate ends a pause and a cooldown of a lane.
	ResumeUpdate = "resume"
	// SetRateUpdate takes a Pace that holds until the configured one changes.
	SetRateUpdate = "set_rate"
	// StateQuery answers with a LaneState.
	StateQuery = "state"
)

// Pace is how fast a destination may be sent to.
type Pace struct {
	// PerSecond is messages a second; 0 sends without waiting.
	PerSecond float64 `json:"per_second"`
	// PerMinute is messages in any minute, an album counting one for each
	// item; 0 sets no such limit. Telegram allows 20 into a group.
	PerMinute int `json:"per_minute,omitempty"`
}

// DestinationInput starts a lane. The state is that of the run before it, when
// the lane continued as new.
type DestinationInput struct {
	Destination string     `json:"destination"`
	Carried     *LaneCarry `json:"carried,omitempty"`
}

// LaneCarry is what a lane hands to its next run.
type LaneCarry struct {
	Configured Pace       `json:"configured"`
	Override   *Pace      `json:"override,omitempty"`
	Queue      []Turn     `json:"queue,omitempty"`
	Lease      *Lease     `json:"lease,omitempty"`
	Leases     int64      `json:"leases"`
	Slot       time.Time  `json:"slot"`
	LastSent   time.Time  `json:"last_sent"`
	Recent     []SentMark `json:"recent,omitempty"`
	Cooling    time.Time  `json:"cooling"`
	CoolReason string     `json:"cool_reason,omitempty"`
	Paused     *Pause     `json:"paused,omitempty"`
	Granted    int64      `json:"granted"`
}

// Turn is a place in a lane's queue.
type Turn struct {
	// WorkflowID of the delivery; a lane holds one turn for each.
	WorkflowID string `json:"workflow_id"`
	// Weight is how many messages the delivery's next part counts for.
	Weight int `json:"weight"`
}

// QueueTurns asks a lane for turns, in order. Deliveries that already have
// one keep it.
type QueueTurns struct {
	Turns []Turn `json:"turns"`
	// Pace is what the destination is configured with by whoever asks.
	Pace Pace `json:"pace"`
}

// Lease is the turn that a lane has granted and not yet got back.
type Lease struct {
	Number int64     `json:"number"`
	Turn   Turn      `json:"turn"`
	Until  time.Time `json:"until"`
}

// SentMark is a count of messages sent at a time, for the limit per minute.
type SentMark struct {
	At     time.Time `json:"at"`
	Weight int       `json:"weight"`
}

// TurnGranted tells a delivery to send its next part.
type TurnGranted struct {
	// Lease grows with every turn that a destination grants, its later lanes
	// included: a delivery takes each number once.
	Lease int64 `json:"lease"`
	// SendAt is the slot the lane has planned, at most GrantLead ahead: the
	// sender waits for it, so that the spacing does not depend on how long
	// the grant takes to arrive.
	SendAt time.Time `json:"send_at"`
}

// GrantLead is the most that a turn is granted ahead of its slot. It hides the
// time that a grant takes to arrive, and at one message a second or more it
// saves the lane a timer for each; a pause takes effect that much later.
const GrantLead = time.Second

// TurnDone gives a turn back.
type TurnDone struct {
	WorkflowID string `json:"workflow_id"`
	// Lease is the number of the turn given back; 0 withdraws a delivery that
	// still waits in the queue.
	Lease int64 `json:"lease"`
	// Again keeps the delivery at the head of the queue: another part is to
	// go, or the platform asked to wait.
	Again bool `json:"again,omitempty"`
	// Weight of the next part when Again is set; 0 keeps the turn's.
	Weight int `json:"weight,omitempty"`
	// SentAt is when the message went out, by the sender's clock; zero if it is
	// not known, or if none did.
	SentAt time.Time `json:"sent_at,omitzero"`
	// Unsent tells that nothing went out: the turn does not count in the limit
	// per minute.
	Unsent bool `json:"unsent,omitempty"`
	// CoolFor keeps the whole destination silent for that long.
	CoolFor time.Duration `json:"cool_for,omitempty"`
	// Reason says why the destination cools or is paused.
	Reason string `json:"reason,omitempty"`
	// Pause stops the lane until an operator resumes it.
	Pause bool `json:"pause,omitempty"`
}

// Pause is why nothing goes to a destination.
type Pause struct {
	Reason string `json:"reason"`
	// By is the operator who paused the lane, or the ID of the delivery that
	// met what stops it; resuming that delivery ends the pause.
	By string    `json:"by,omitempty"`
	At time.Time `json:"at"`
}

// Values of LaneState.State and of a lane's DeliveryState search attribute.
const (
	LaneOpen    = "open"
	LaneCooling = "cooling"
	LanePaused  = "paused"
)

// LaneState is a lane as an operator sees it.
type LaneState struct {
	Destination  string     `json:"destination"`
	State        string     `json:"state"`
	Reason       string     `json:"reason"`
	CoolingUntil *time.Time `json:"cooling_until"`
	Queued       int        `json:"queued"`
	RatePerSec   float64    `json:"rate_per_sec"`
	PerMinute    int        `json:"per_minute"`
	Sending      string     `json:"sending,omitempty"`
	Next         []string   `json:"next,omitempty"`
}
