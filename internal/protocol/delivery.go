package protocol

import (
	"errors"
	"fmt"
	"time"
)

// DeliverPostInput names one matched post and one destination. It is a
// reference: the post and the text made of it stay in the database.
type DeliverPostInput struct {
	DeliveryID  int64  `json:"delivery_id"`
	Destination string `json:"destination"`
	OwnerID     int64  `json:"owner_id"`
	PostID      int64  `json:"post_id"`
	PostType    string `json:"post_type"`
}

// Validate reports what an input started by hand lacks.
func (in DeliverPostInput) Validate() error {
	switch {
	case in.DeliveryID <= 0:
		return errors.New("delivery_id is missing: start deliveries with `vestnik deliver`, which writes the row first")
	case Platform(in.Destination) != Telegram && Platform(in.Destination) != VK:
		return fmt.Errorf("destination %q: want telegram:<chat> or vk:<owner>", in.Destination)
	}
	return nil
}

// Statuses of a delivery: the column relay.deliveries.status, the search
// attribute DeliveryState and `vestnik deliveries --status`.
const (
	StatusPending    = "pending"    // waits for its turn
	StatusSending    = "sending"    // an attempt is under way
	StatusSent       = "sent"       // every part arrived
	StatusFailed     = "failed"     // the platform refused it for good
	StatusParked     = "parked"     // waits for a person
	StatusUnknown    = "unknown"    // nobody can know whether it arrived; waits for a person
	StatusSuppressed = "suppressed" // not to be sent: an operator skipped it, or its case is told
)

// Statuses lists every status in the order in which a delivery meets them.
var Statuses = []string{StatusPending, StatusSending, StatusSent, StatusFailed, StatusParked, StatusUnknown, StatusSuppressed}

// DeliverPostResult is what a delivery came to.
type DeliverPostResult struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	Parts  int    `json:"parts,omitempty"`
}

// SendPart asks for the next part of a delivery that has not arrived yet.
type SendPart struct {
	DeliveryID int64 `json:"delivery_id"`
	// SendAt is the slot granted by the lane.
	SendAt time.Time `json:"send_at"`
	// CaptchaKey is an operator's answer to VK's captcha, used once.
	CaptchaKey string `json:"captcha_key,omitempty"`
	// Forgiven is when an operator last said to send even though earlier
	// attempts have an unknown outcome; those since then count anew.
	Forgiven time.Time `json:"forgiven,omitzero"`
}

// PartSent tells how a delivery stands after a part arrived.
type PartSent struct {
	Part  int  `json:"part"`
	Parts int  `json:"parts"`
	Done  bool `json:"done"`
	// SentAt is when the message went out, by the sender's clock.
	SentAt time.Time `json:"sent_at,omitzero"`
	// NextWeight is what the next part counts for in the limit per minute.
	NextWeight int `json:"next_weight,omitempty"`
	// Uncertain counts the attempts whose outcome nobody can know: the most
	// copies that readers may see beyond the one wanted.
	Uncertain int `json:"uncertain,omitempty"`
	// Status is set where nothing was sent because nothing is to be any more:
	// suppressed.
	Status string `json:"status,omitempty"`
}

// Types of the application errors that the send activities end with. The
// Temporal retry policy repeats RetryLater and OutcomeUnknown; the workflow
// decides on the others.
const (
	// RetryLater: the platform is unavailable and the message did not go out.
	ErrRetryLater = "RetryLater"
	// OutcomeUnknown: the request was written and no answer came.
	ErrOutcomeUnknown = "OutcomeUnknown"
	// RateLimited: the platform asks to wait; NextRetryDelay says how long.
	ErrRateLimited = "RateLimited"
	// Parked: a person is needed; Refusal says what for.
	ErrParked = "Parked"
	// UnknownParked: the outcome is unknown and the policy is to ask a person.
	ErrUnknownParked = "UnknownParked"
	// Rejected: the platform refuses this message for good.
	ErrRejected = "Rejected"
)

// Refusal is the detail of a Parked, UnknownParked or Rejected error.
type Refusal struct {
	// Reason is a short slug: captcha, kicked, no_rights, wrong_token…
	Reason string `json:"reason"`
	// PauseLane stops the whole destination: others would meet the same.
	PauseLane bool `json:"pause_lane,omitempty"`
}

// Reasons that the relay itself gives for a parked delivery; the others come
// from the platforms' catalogues.
const (
	// ReasonUnavailable: the platform did not answer within all attempts.
	ReasonUnavailable = "unavailable"
	// ReasonOutcomeUnknown: a message may or may not have gone out.
	ReasonOutcomeUnknown = "outcome_unknown"
	// ReasonCaptcha: VK wants a captcha solved.
	ReasonCaptcha = "captcha"
)

// Names of the delivery's update and signal.
const (
	// ResumeDeliveryUpdate takes a Resume and answers when the delivery has
	// taken it up.
	ResumeDeliveryUpdate = "resume"
	// ResumeDeliverySignal takes a Resume; for batches, where Temporal offers
	// signals only.
	ResumeDeliverySignal = "resume"
)

// ResumeAction is what an operator decides about a waiting delivery.
type ResumeAction string

// The actions of Resume.
const (
	ResumeRetry    ResumeAction = "retry"     // send again
	ResumeCaptcha  ResumeAction = "captcha"   // send again with captcha_key
	ResumeMarkSent ResumeAction = "mark_sent" // it did arrive: record it as sent
	ResumeSkip     ResumeAction = "skip"      // do not send it
)

// Resume ends a delivery's wait.
type Resume struct {
	Action     ResumeAction `json:"action"`
	CaptchaKey string       `json:"captcha_key,omitempty"`
	Note       string       `json:"note,omitempty"`
}

// Validate names the fault of a Resume and its remedy.
func (r Resume) Validate() error {
	switch r.Action {
	case ResumeRetry, ResumeMarkSent, ResumeSkip:
		return nil
	case ResumeCaptcha:
		if r.CaptchaKey == "" {
			return errors.New("action captcha needs captcha_key: the text on the picture or the success_token")
		}
		return nil
	default:
		return fmt.Errorf("action %q: want retry, captcha, mark_sent or skip", r.Action)
	}
}

// Settle records an operator's decision that ends a delivery.
type Settle struct {
	DeliveryID int64        `json:"delivery_id"`
	Action     ResumeAction `json:"action"`
	Note       string       `json:"note,omitempty"`
}

// Park records that a delivery waits for a person.
type Park struct {
	DeliveryID int64  `json:"delivery_id"`
	Status     string `json:"status"`
	Reason     string `json:"reason"`
}
