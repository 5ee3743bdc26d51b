package activities

import (
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
// it ran, the session could not start the answer to the next button. Each call
// of Telegram is an activity of its own, so that Temporal counts its attempts
// over crashes too: three in all, and at most the one in flight is repeated.
type Guide struct {
	answers *telegram.Client
	screens *telegram.Client
	store   *guidedb.Store
	inbox   *inbox.Store
	config  GuideConfig
	gate    *gate
	log     *slog.Logger
	now     func() time.Time
	token   *TokenHealth
}

// TokenHealth is Telegram's last word on the bot's token.
type TokenHealth struct{ rejected atomic.Bool }

// Rejected tells that the token is wrong or was revoked; a process with such a
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
	// ContactURL is where help points to; empty if there is none.
	ContactURL string
	// Zone is the city's time zone.
	Zone *time.Location
	// EditInPlace changes the newest screen instead of sending another.
	EditInPlace bool
	// Extras are the screens beyond the specification; they need Seal.
	Extras bool
	Seal   *guide.Seal
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
	if config.Concurrency <= 0 {
		config.Concurrency = 64
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Zone == nil {
		config.Zone = time.UTC
	}
	if config.Token == nil {
		config.Token = &TokenHealth{}
	}
	return &Guide{
		answers: config.Answers, screens: config.Screens, store: config.Store, inbox: config.Inbox,
		config: config, gate: newGate(config.Concurrency), log: config.Log, now: config.Now, token: config.Token,
	}
}

// Subscription is whether a person may use the guide.
type Subscription string

// Values of Subscription. The zero value means that nobody asked.
const (
	SubscriptionUnknown Subscription = "unknown"
	Subscribed          Subscription = "subscribed"
	NotSubscribed       Subscription = "not_subscribed"
)

// Recalling asks what earlier sessions of a chat have handled.
type Recalling struct {
	BotID  int64 `json:"bot_id"`
	ChatID int64 `json:"chat_id"`
}

// Composing asks to do what an update wants and to make the screen for it.
type Composing struct {
	BotID  int64                `json:"bot_id"`
	Update protocol.BotUpdate   `json:"update"`
	View   protocol.SessionView `json:"view"`
	// Subscription is what Telegram said; empty if the screen is for all.
	Subscription Subscription `json:"subscription,omitempty"`
	// AlsoHandled are updates that need no screen of their own.
	AlsoHandled []protocol.SeenUpdate `json:"also_handled,omitempty"`
}

// Composed is a screen and what the session should remember of it.
type Composed struct {
	Screen guide.Screen `json:"screen"`
	// Help: a text is to be answered with the contact.
	Help bool `json:"help,omitempty"`
	// Card that the screen shows, such as "place:123".
	Card string `json:"card,omitempty"`
	// OnlyKeyboard: only the buttons of the pressed message change.
	OnlyKeyboard bool `json:"only_keyboard,omitempty"`
}

// Showing asks to send a screen.
type Showing struct {
	Update protocol.BotUpdate `json:"update"`
	Screen guide.Screen       `json:"screen"`
	// PhotoFailed is why a photo is not sent again, but its text.
	PhotoFailed guide.Code `json:"photo_failed,omitempty"`
	// Replaceable is the message that may be changed in place of sending a
	// new one, if the bot does that; 0 for none.
	Replaceable int64 `json:"replaceable,omitempty"`
	// OnlyKeyboard changes the buttons of the pressed message.
	OnlyKeyboard bool `json:"only_keyboard,omitempty"`
}

// Shown is what was sent; MessageID is 0 if a keyboard was changed.
type Shown struct {
	MessageID int64 `json:"message_id,omitempty"`
	Photo     bool  `json:"photo,omitempty"`
}

// Sweeping asks to record what a session has handled besides, and to drop
// what is too old.
type Sweeping struct {
	BotID   int64                 `json:"bot_id"`
	ChatID  int64                 `json:"chat_id"`
	Handled []protocol.SeenUpdate `json:"handled,omitempty"`
}
