package protocol

import "time"

// Names of the lane's signals, updates and query.
const (
	// NudgeSignal tells a lane to look at the ledger (signal-with-start). It
	// carries nothing, and may be lost or come twice.
	NudgeSignal = "nudge"
	// TurnDoneSignal carries a TurnDone to a lane.
	TurnDoneSignal = "turn_done"
	// TurnGrantedSignal carries a TurnGranted to a DeliverPost (signal-with-start).
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

// DestinationInput starts a lane. What it carried is a comfort: a lane that
// begins without reads all that matters in the ledger.
type DestinationInput struct {
	Destination string     `json:"destination"`
	Carried     *LaneCarry `json:"carried,omitempty"`
}

// LaneCarry is what a lane hands to its next run.
type LaneCarry struct {
	Lease    *Lease     `json:"lease,omitempty"`
	Leases   int64      `json:"leases"`
	Slot     time.Time  `json:"slot"`
	LastSent time.Time  `json:"last_sent"`
	Recent   []SentMark `json:"recent,omitempty"`
	Granted  int64      `json:"granted"`
	// Pace is what the ledger said last. Builds before it carried none, and their
	// lanes forgot their minute.
	Pace Pace `json:"pace"`
}

// LaneView is what the ledger says about a destination.
type LaneView struct {
	// Pace is the configured one, or the one set by hand.
	Pace   Pace   `json:"pace"`
	Paused *Pause `json:"paused,omitempty"`
	// CoolFor is how long the destination is to be left alone, and why.
	CoolFor    time.Duration `json:"cool_for,omitempty"`
	CoolReason string        `json:"cool_reason,omitempty"`
	// InFlightFor is until when some call to the destination may be under way.
	InFlightFor time.Duration `json:"in_flight_for,omitempty"`
	// Sent are the messages of the last minute, for a lane that begins.
	Sent []SentAgo `json:"sent,omitempty"`
	// Jobs are the next in order; All reports that there are no others.
	Jobs []Job `json:"jobs,omitempty"`
	All  bool  `json:"all,omitempty"`
	// TakenUp is the delivery that had paused the destination and is pending
	// again; it is set when the pause ends.
	TakenUp int64 `json:"taken_up,omitempty"`
}

// Job is what a lane grants a turn for: the next part of a delivery, or the
// next edit of what was delivered.
type Job struct {
	OwnerID    int64  `json:"owner_id"`
	PostID     int64  `json:"post_id"`
	DeliveryID int64  `json:"delivery_id"`
	PostType   string `json:"post_type,omitempty"`
	// Weight is how many messages it counts for.
	Weight int `json:"weight,omitempty"`
	// Summary is what a person wants to read in a list.
	Summary string `json:"summary,omitempty"`
	// WantedAt is when the delivery was last wanted anew; zero if it never was.
	WantedAt time.Time `json:"wanted_at,omitzero"`
	// EditID is the row in relay.amendments; 0 for a delivery.
	EditID int64 `json:"edit_id,omitempty"`
}

// Key names the delivery of the job at a destination.
func (j Job) Key(destination string) DeliveryKey {
	return DeliveryKey{Destination: destination, OwnerID: j.OwnerID, PostID: j.PostID}
}

// Lease is the turn that a lane has granted and not yet got back.
type Lease struct {
	Number int64     `json:"number"`
	Job    Job       `json:"job"`
	SendAt time.Time `json:"send_at"`
	Until  time.Time `json:"until"`
}

// SentAgo is a count of messages sent some time ago.
type SentAgo struct {
	Ago    time.Duration `json:"ago"`
	Weight int           `json:"weight"`
}

// SentMark is a count of messages sent at a time, for the limit per minute.
type SentMark struct {
	At     time.Time `json:"at"`
	Weight int       `json:"weight"`
}

// Grant is a lease on its way to its delivery.
type Grant struct {
	Destination string      `json:"destination"`
	Job         Job         `json:"job"`
	Turn        TurnGranted `json:"turn"`
}

// TurnGranted tells a delivery to send its next part.
type TurnGranted struct {
	// Lease grows with every turn that a destination grants, its later lanes
	// included: a delivery takes each number once, and gives one that it has
	// used back again. 0 grants nothing: the delivery looks at the ledger.
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
	// Lease is the number of the turn given back; 0 if none was taken, by a
	// delivery that is not to be sent any more.
	Lease int64 `json:"lease"`
	// Again keeps the delivery at the head of the lane: another part is to go,
	// of this weight.
	Again  bool `json:"again,omitempty"`
	Weight int  `json:"weight,omitempty"`
	// SentAt is when the message went out, by the sender's clock; zero if it is
	// not known, or if none did.
	SentAt time.Time `json:"sent_at,omitzero"`
	// Unsent reports that nothing went out: the turn does not count in the limit
	// per minute.
	Unsent bool `json:"unsent,omitempty"`
	// Look: something else than the delivery has changed; the ledger says what.
	Look bool `json:"look,omitempty"`
}

// Pause is why nothing goes to a destination.
type Pause struct {
	Reason string `json:"reason"`
	// By is the operator who paused the lane; empty if the platform's answer
	// to Delivery did.
	By       string    `json:"by,omitempty"`
	Delivery int64     `json:"delivery,omitempty"`
	At       time.Time `json:"at"`
}

// Slug is the reason in a word, for a search attribute.
func (p Pause) Slug() string {
	if p.Delivery == 0 {
		return "operator"
	}
	return p.Reason
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
	// OldestQueued is since when the first in the queue has been owed.
	OldestQueued *time.Time `json:"oldest_queued,omitempty"`
	// PausedBy is who paused it and PausedAt when; PausedDelivery is set if the
	// platform's answer to that delivery did. FailingSince is since when the
	// platform has been unavailable.
	PausedBy       string     `json:"paused_by,omitempty"`
	PausedAt       *time.Time `json:"paused_at,omitempty"`
	PausedDelivery int64      `json:"paused_delivery,omitempty"`
	FailingSince   *time.Time `json:"failing_since,omitempty"`
	// Sending and Next are what the lane itself knows.
	Sending string   `json:"sending,omitempty"`
	Next    []string `json:"next,omitempty"`
	// TakenUp is the delivery that had paused the lane and is tried again first,
	// in the answer to a resume.
	TakenUp int64 `json:"taken_up,omitempty"`
}
