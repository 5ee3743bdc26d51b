package protocol

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// DeliveryKey names a delivery by what is unique for ever: one post to one
// destination. Numbers of rows are not: a database that was restored from a
// backup hands them out again.
type DeliveryKey struct {
	Destination string `json:"destination"`
	OwnerID     int64  `json:"owner_id"`
	PostID      int64  `json:"post_id"`
}

// WorkflowID is the one ID under which the post goes to the destination.
func (k DeliveryKey) WorkflowID() string {
	return DeliveryWorkflowID(k.Destination, k.OwnerID, k.PostID)
}

// String names the delivery for people: wall-1_2 → telegram:-100.
func (k DeliveryKey) String() string {
	return WallPost(k.OwnerID, k.PostID) + " → " + k.Destination
}

// DeliverPostInput names one matched post and one destination. It is a
// reference: the post and the text made of it stay in the database.
type DeliverPostInput struct {
	DeliveryKey

	// DeliveryID is the row's number when the workflow was started, for people.
	DeliveryID int64  `json:"delivery_id"`
	PostType   string `json:"post_type"`
	// WantedAt is when the delivery was last wanted anew; zero if it never was.
	WantedAt time.Time `json:"wanted_at,omitzero"`
	// Protocol is which messages lane and delivery exchange; see LedgerQueue.
	Protocol int `json:"protocol,omitempty"`
	// Waiting begins the delivery where its row stands: with a person. It is
	// set for a row whose workflow is gone.
	Waiting *Park `json:"waiting,omitempty"`
}

// LedgerQueue is the protocol of deliveries whose send activity gives the turn
// back by itself. Those that were started before it have Protocol 0.
const LedgerQueue = 1

// Validate reports what an input started by hand lacks.
func (in DeliverPostInput) Validate() error {
	switch {
	case in.OwnerID == 0 || in.PostID <= 0:
		return errors.New("owner_id and post_id are missing: start deliveries with `vestnik deliver`, which writes the row first")
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

// StatusUnrecorded is how a delivery ends whose row is gone, with a database that
// was restored from before it: it decides nothing about a row that comes back.
const StatusUnrecorded = "unrecorded"

// Statuses lists every status in the order in which a delivery meets them.
var Statuses = []string{StatusPending, StatusSending, StatusSent, StatusFailed, StatusParked, StatusUnknown, StatusSuppressed}

// DeliverPostResult is what a delivery came to.
type DeliverPostResult struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	Parts  int    `json:"parts,omitempty"`
	// MessageIDs are those of each part, as far as this run has sent them: a
	// ledger that was restored from a backup learns from them.
	MessageIDs [][]int64 `json:"message_ids,omitempty"`
	// WantedAt is the newest wish that the run knew of.
	WantedAt time.Time `json:"wanted_at,omitzero"`
}

// SendPart asks for the next part of a delivery that has not arrived yet.
type SendPart struct {
	DeliveryKey

	// Lease is the turn under which the part is sent: one part for each.
	Lease int64 `json:"lease"`
	// SendAt is the slot granted by the lane.
	SendAt time.Time `json:"send_at"`
	// CaptchaKey answers VK's captcha, for this one call.
	CaptchaKey string `json:"captcha_key,omitempty"`
	// AcknowledgedAt is when an operator last said to send although earlier
	// attempts have an unknown outcome; those since then count anew.
	AcknowledgedAt time.Time `json:"acknowledged_at,omitzero"`
	// Arrived are the messages of the parts that the run has sent: a ledger that
	// was restored from a backup learns of them.
	Arrived [][]int64 `json:"arrived,omitempty"`
	// GiveBack: the activity gives the turn back when the part has arrived.
	GiveBack bool `json:"give_back,omitempty"`
}

// PartSent is how a delivery stands after a part arrived.
type PartSent struct {
	Part  int  `json:"part"`
	Parts int  `json:"parts"`
	Done  bool `json:"done"`
	// Arrival is what is still to be recorded: the ledger was away.
	Arrival *Arrival `json:"arrival,omitempty"`
	// MessageIDs are those of the part.
	MessageIDs []int64 `json:"message_ids,omitempty"`
	// GaveBack: the lane has its turn back.
	GaveBack bool `json:"gave_back,omitempty"`
	// SentAt is when the message went out, by the sender's clock.
	SentAt time.Time `json:"sent_at,omitzero"`
	// NextWeight is what the next part counts for in the limit per minute.
	NextWeight int `json:"next_weight,omitempty"`
	// Uncertain counts the attempts whose outcome nobody can know: the most
	// copies that readers may see beyond the one wanted.
	Uncertain int `json:"uncertain,omitempty"`
	// Status is set where nothing was sent because nothing is to be any more.
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Arrival is a part that a platform has taken.
type Arrival struct {
	DeliveryKey

	Part int `json:"part"` // counted from 0
	// Attempt and BeganAt name the attempt; 0 if it was found there.
	Attempt    int       `json:"attempt,omitempty"`
	BeganAt    time.Time `json:"began_at,omitzero"`
	MessageIDs []int64   `json:"message_ids"`
	Kind       string    `json:"kind,omitempty"`
	Last       bool      `json:"last,omitempty"`
	NextWeight int       `json:"next_weight,omitempty"`
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

// Captcha is what VK asked a person to solve. A link in it may carry a session
// token: it is for the operator's eyes, not for logs.
type Captcha struct {
	SID         string `json:"sid,omitempty"`
	Picture     string `json:"picture,omitempty"`
	RedirectURI string `json:"redirect_uri,omitempty"`
}

// Refusal is the detail of a Parked, UnknownParked or Rejected error.
type Refusal struct {
	// Reason is a short slug: captcha, kicked, no_rights, wrong_token…
	Reason string `json:"reason"`
}

// Reasons that the relay itself gives for a parked delivery; the others come
// from the platforms' catalogues.
const (
	// ReasonUnavailable: the platform keeps failing on this one, and takes others.
	ReasonUnavailable = "unavailable"
	// ReasonQuietHours: nothing is sent at this hour of the day.
	ReasonQuietHours = "quiet_hours"
	// ReasonOutcomeUnknown: a message may or may not have gone out.
	ReasonOutcomeUnknown = "outcome_unknown"
	// ReasonFault: a fault of our own that does not go away; the log says which.
	ReasonFault = "internal_error"
	// ReasonUnsure: its rule asks a person about posts whose type is not sure.
	ReasonUnsure = "unsure"
	// ReasonApproval: its rule or its destination asks a person about every post.
	ReasonApproval = "awaiting_approval"
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

// Types of the application errors with which a delivery refuses the update.
const (
	ErrDecided = "Decided" // it is taking up another decision
	ErrSending = "Sending" // its message is on its way right now
	ErrQueued  = "Queued"  // it waits for its turn, and for nobody
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

// maxNote bounds an operator's words, in characters.
const maxNote = 4000

// Validate names the fault of a Resume and its remedy.
func (r Resume) Validate() error {
	if n := utf8.RuneCountInString(r.Note); n > maxNote {
		return fmt.Errorf("the note has %d characters: %d are kept at the most", n, maxNote)
	}
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
	DeliveryKey

	Action ResumeAction `json:"action"`
	Note   string       `json:"note,omitempty"`
}

// Requeued is how a delivery stands that was to be sent again.
type Requeued struct {
	Status   string    `json:"status"`
	WantedAt time.Time `json:"wanted_at,omitzero"`
}

// Park records that a delivery waits for a person.
type Park struct {
	DeliveryKey

	Status string `json:"status"`
	Reason string `json:"reason"`
	// WantedAt is the newest wish that the run knows of: a later one counts.
	WantedAt time.Time `json:"wanted_at,omitzero"`
}

// Settles reports whether the decision ends a delivery without sending it.
func (r Resume) Settles() bool { return r.Action == ResumeSkip || r.Action == ResumeMarkSent }

// Statuses of an edit: the column relay.amendments.status.
const (
	EditPending = "pending" // to be made
	EditDone    = "done"    // the messages show what the post says
	EditGone    = "gone"    // the messages are not there any more
	EditRefused = "refused" // the key may not edit
	EditFailed  = "failed"  // the platform refused it for good
)

// EditMessage asks for the next message of a delivery to be brought in step
// with its post and its case. What it is to say is read when it is edited.
type EditMessage struct {
	EditID int64 `json:"edit_id"`
	// EditAt is the slot planned by the lane.
	EditAt time.Time `json:"edit_at"`
}

// MessageEdited is how an edit stands.
type MessageEdited struct {
	// Status is one of those above; pending if there is more to edit.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}
