package activities

import (
	"cmp"
	"log/slog"
	"sync/atomic"
	"time"

	"vestnik/db/guidedb"
	"vestnik/db/inbox"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/telegram"
)

// Guide is the bot's side of a session: it calls Telegram, reads the city's
// content and keeps favourites.
//
// All of it runs on protocol.TaskQueue, the queue of the sessions themselves,
// also what calls Telegram: only an activity of the workflow's own queue can
// be started eagerly, with the answer to the workflow task that asked for it,
// and a person waits for these calls. The relay's sends, which wait for
// nobody, keep the telegram queue to themselves.
//
// None is a local activity. A local one would be repeated, without anybody
// knowing, if the worker died before the workflow task was recorded; and while
// it ran, the session could not start the answer to the next button.
//
// Perform is the whole way from an update to its answer and its screen, each
// step tried once. That is nearly always enough, and one trip through Temporal
// where four would cost four times the latency. A step that fails is taken up by the session,
// with an activity of its own: there Temporal counts the attempts, three in
// all, and holds the waits, over crashes too. When a worker dies, at most the
// call in flight is made again.
type Guide struct {
	config GuideConfig
	gate   *gate
}

// TokenHealth is Telegram's last word on the bot's token.
type TokenHealth struct{ rejected atomic.Bool }

// Rejected reports that the token is wrong or was revoked; a process with such a
// token is not ready.
func (h *TokenHealth) Rejected() bool { return h.rejected.Load() }

// GuideConfig is what a Guide needs.
type GuideConfig struct {
	// Answers and Screens are two clients of the one bot, so that an answer
	// to a button never waits for a connection that a screen uses.
	Answers, Screens *telegram.Client
	Store            *guidedb.Store
	Inbox            *inbox.Store

	// Channel is what people must be subscribed to: @name or a numeric id.
	Channel string
	// ChannelURL is where they subscribe; empty is the address of a channel
	// given as @name, and none of one given by its id.
	ChannelURL string
	// ContactURL is where help points to; empty if there is none.
	ContactURL string
	// Zone is the city's time zone.
	Zone *time.Location
	// EditInPlace changes the newest screen instead of sending another.
	EditInPlace bool
	// Seal opens searches and locations.
	Seal *guide.Seal
	// Texts are what the guide says; nil is its own.
	Texts *guide.Texts
	// City stands before addresses on the map; empty if they name it.
	City string
	// Username of the bot, without @, for share links; empty for none.
	Username string
	// Token is told how Telegram takes the bot's token; nil if nobody asks.
	Token *TokenHealth
	// Concurrency bounds the calls under way, answers not counted; 0 is 64.
	Concurrency int

	Log *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// NewGuide returns the activities of the bot's sessions.
func NewGuide(config GuideConfig) *Guide {
	config.Concurrency = cmp.Or(max(config.Concurrency, 0), 64)
	if config.Now == nil {
		config.Now = time.Now
	}
	config.ChannelURL = cmp.Or(config.ChannelURL, guide.ChannelURL(config.Channel))
	config.Zone = cmp.Or(config.Zone, time.UTC)
	config.Texts = cmp.Or(config.Texts, guide.DefaultTexts())
	config.Token = cmp.Or(config.Token, &TokenHealth{})
	return &Guide{config: config, gate: newGate(config.Concurrency)}
}

// Claiming asks to take an update on, once over all sessions.
type Claiming struct {
	BotID int64 `json:"bot_id"`
	// Session names the session through all its runs.
	Session string             `json:"session"`
	Update  protocol.BotUpdate `json:"update"`
}

// Answering asks to answer a pressed button.
type Answering struct {
	protocol.BotUpdate // beside the rest: for earlier builds it was all
	// Made is how many attempts were made before this activity's.
	Made int `json:"made,omitempty"`
	// Claim: the answer is all that the update gets, so it is claimed here.
	// Only says why.
	Claim bool   `json:"claim,omitempty"`
	Only  string `json:"only,omitempty"`
	// BotID and Session are the claim's. An update that another session has
	// claimed is not answered.
	BotID   int64  `json:"bot_id,omitempty"`
	Session string `json:"session,omitempty"`
}

// Claimed is whose an update is.
type Claimed struct {
	// Duplicate: an earlier session has taken it on, under OriginalTraceID.
	Duplicate       bool   `json:"duplicate,omitempty"`
	OriginalTraceID string `json:"original_trace_id,omitempty"`
}

// Checking asks for a person's subscription.
type Checking struct {
	Update protocol.BotUpdate `json:"update"`
	// Made is how many attempts were made before this activity's.
	Made int `json:"made,omitempty"`
}

// Composing asks to do what an update wants and to make the screen for it.
type Composing struct {
	Update protocol.BotUpdate   `json:"update"`
	View   protocol.SessionView `json:"view"`
	// Subscription is what Telegram said; empty if the screen is for all.
	Subscription guide.Subscription `json:"subscription,omitempty"`
}

// Composed is a screen and what the session should remember of it.
type Composed struct {
	Screen guide.Screen `json:"screen"`
	// Sealed is the screen, in its place, of an update that was sealed: places
	// with their distances say where a person is.
	Sealed []byte `json:"sealed,omitempty"`
	// Help: a text is to be answered with the contact.
	Help bool `json:"help,omitempty"`
	// Card that the screen shows, such as "place:123".
	Card string `json:"card,omitempty"`
	// OnlyKeyboard: only the buttons of the pressed message change.
	OnlyKeyboard bool `json:"only_keyboard,omitempty"`
}

// Showing asks to send a screen.
type Showing struct {
	Update   protocol.BotUpdate `json:"update"`
	Composed Composed           `json:"composed"`
	// PhotoFailed is why a photo is not sent again, but its text.
	PhotoFailed guide.Code `json:"photo_failed,omitempty"`
	// Replaceable is the message that may be changed in place of sending a
	// new one, if the bot does that; 0 for none.
	Replaceable int64 `json:"replaceable,omitempty"`
	// Made is how many attempts were made before this activity's.
	Made int `json:"made,omitempty"`
}

// Shown is what was sent; MessageID is 0 if a keyboard was changed.
type Shown struct {
	MessageID int64 `json:"message_id,omitempty"`
	Photo     bool  `json:"photo,omitempty"`
}

// Performing asks for the whole way from an update to its screen.
type Performing struct {
	Claiming Claiming             `json:"claiming"`
	View     protocol.SessionView `json:"view"`
	// Answer: the button is to be answered, before all else.
	Answer bool `json:"answer,omitempty"`
	// Check: the screen is for subscribers only.
	Check bool `json:"check,omitempty"`
	// Quiet: the update is one of several messages that ask for nothing, and
	// the one before has brought the screen for all.
	Quiet       bool  `json:"quiet,omitempty"`
	Replaceable int64 `json:"replaceable,omitempty"`
}

// Step is a part of the way that can fail by itself.
type Step string

// Steps, in their order.
const (
	ClaimStep   Step = "claim"
	CheckStep   Step = "check"
	ComposeStep Step = "compose"
	PhotoStep   Step = "photo"
	TextStep    Step = "text"
)

// Performed is how far Perform came.
type Performed struct {
	Claimed
	Shown Shown  `json:"shown,omitzero"`
	Help  bool   `json:"help,omitempty"`
	Card  string `json:"card,omitempty"`
	// Stopped is the step that failed, for the reason given; the session goes
	// on from there with what was found out before it.
	Stopped      *Stop              `json:"stopped,omitempty"`
	Subscription guide.Subscription `json:"subscription,omitempty"`
	Composed     *Composed          `json:"composed,omitempty"`
	// AnswerAgain is the pause before the button is to be answered once more;
	// 0 if that is done with.
	AnswerAgain time.Duration `json:"answer_again,omitempty"`
	// Closed: the update's closing line is written.
	Closed bool `json:"closed,omitempty"`
}

// Stop is a step that failed once.
type Stop struct {
	Step    Step    `json:"step"`
	Failure Failure `json:"failure"`
	// Wait is the pause before the next attempt; Final: there is none.
	Wait  time.Duration `json:"wait,omitempty"`
	Final bool          `json:"final,omitempty"`
	// PhotoFailed is why the text was tried in a photo's place.
	PhotoFailed guide.Code `json:"photo_failed,omitempty"`

	refused *telegram.Error // nil if no call was made
}

// at notes which step it was that failed, if one did.
func (s *Stop) at(step Step) *Stop {
	if s != nil {
		s.Step = step
	}
	return s
}
