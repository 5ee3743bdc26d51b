package protocol

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// BotSessionWorkflow is the type of the workflow that talks with one chat.
const BotSessionWorkflow = "BotSession"

// BotUpdateSignal carries a [BotUpdate] to a session (signal-with-start).
const BotUpdateSignal = "bot_update"

// SessionQuery answers with a [SessionState].
const SessionQuery = "session"

// DroppedUpdatesMetric counts the updates that were not taken because too many
// of their chat wait.
const DroppedUpdatesMetric = "vestnik_bot_updates_dropped"

// SessionWorkflowID is the ID of the session of one chat with one bot. While
// it runs, no other session has that chat: it is what keeps a chat's updates
// in order and its effects single, over any number of api and worker
// processes.
func SessionWorkflowID(botID, chatID int64) string {
	return fmt.Sprintf("session/%d/%d", botID, chatID)
}

// Kinds of update, as the specification's log calls them.
const (
	BotMessage  = "message"
	BotCallback = "callback_query"
)

// BotUpdate is what goes on from the receiver into a session: what to do, and
// whom to answer. Nothing that a person has written is in it; a search and a
// location are sealed (internal/guide, Seal).
type BotUpdate struct {
	// ID is Telegram's update_id.
	ID int64 `json:"id"`
	// TraceID was made at the receiver, for this delivery of the update.
	TraceID string `json:"trace_id"`
	// Kind is BotMessage or BotCallback.
	Kind   string `json:"kind"`
	UserID int64  `json:"user_id"`
	// ChatID is 0 for a button on a message that no chat is known of.
	ChatID int64 `json:"chat_id,omitempty"`
	// Data is the action, as callback_data has it; empty for a message that
	// is no command, whatever it is.
	Data string `json:"data,omitempty"`
	// Content is what a message is, such as photo; the messages of one album
	// have its id.
	Content string `json:"content,omitempty"`
	// Open lets everybody in: the action needs no subscription.
	Open bool `json:"open,omitempty"`
	// AnswerOnly: the button gets its answer and nothing else, as it stands in
	// a chat that the guide does not talk in.
	AnswerOnly bool `json:"answer_only,omitempty"`
	// Language is the person's language_code, such as ru; empty if Telegram did
	// not send it.
	Language string `json:"language,omitempty"`
	// CallbackID is to be answered with Toast, which may be empty.
	CallbackID string `json:"callback_id,omitempty"`
	Toast      string `json:"toast,omitempty"`
	// MessageID is the message whose button was pressed, OnPhoto whether it
	// has a photo, Inaccessible whether Telegram says no more about it.
	MessageID    int64 `json:"message_id,omitempty"`
	OnPhoto      bool  `json:"on_photo,omitempty"`
	Inaccessible bool  `json:"inaccessible,omitempty"`
	// OffCard: the message's keyboard is not that of the card which the action
	// opens. It is false where Telegram did not send the keyboard.
	OffCard bool `json:"off_card,omitempty"`
	// Sealed is what the action needs to know and nobody else may.
	Sealed []byte `json:"sealed,omitempty"`
}

// LogFields are the fields that every line about the update carries, besides
// the trace id, which the context brings.
func (u BotUpdate) LogFields() []any {
	fields := []any{
		"update_id", u.ID, "event_type", u.Kind,
		"telegram_user_id", u.UserID, "chat_id", u.ChatID,
	}
	if u.Data != "" {
		parts := append(strings.SplitN(u.Data, ":", 4), "", "", "") // some may be missing
		fields = append(fields, "action", parts[0], "entity_type", parts[1], "entity_id", parts[2], "extra", parts[3])
	}
	return fields
}

// SessionInput starts a session.
type SessionInput struct {
	BotID  int64 `json:"bot_id"`
	ChatID int64 `json:"chat_id"`
	// Carried is the state of the run before, when it continued as new.
	Carried *SessionCarry `json:"carried,omitempty"`
}

// SessionCarry is what a session hands to its next run.
type SessionCarry struct {
	// Seen are updates that the session has had, and Queue is what of them is
	// still to be handled.
	Seen    []SeenUpdate `json:"seen,omitempty"`
	Queue   Backlog      `json:"queue,omitempty"`
	View    SessionView  `json:"view"`
	LastAt  time.Time    `json:"last_at"`
	Handled int64        `json:"handled"`
}

// SeenUpdate is an update that the chat has had, with the trace under which
// it was handled.
type SeenUpdate struct {
	ID      int64  `json:"id"`
	TraceID string `json:"trace_id,omitempty"`
	// Favourite that the update changes, such as "place:123"; empty for none.
	Favourite string `json:"favourite,omitempty"`
}

// Waiting is an update in a session's queue.
type Waiting struct {
	Update BotUpdate `json:"update"`
	// Answered: its callback query has been taken care of.
	Answered bool `json:"answered,omitempty"`
	// Only is why the answer is all that it gets; empty for a screen.
	Only string `json:"only,omitempty"`
}

// Backlog is a session's queue. A long one is compressed, to a fifth: Temporal
// takes 2 MB for the input of a run, and 10,000 taps are three.
type Backlog []Waiting

// packedFrom is the length from which a backlog is compressed.
const packedFrom = 100

// MarshalJSON writes a list, or a string of compressed bytes.
func (b Backlog) MarshalJSON() ([]byte, error) {
	list, err := json.Marshal([]Waiting(b))
	if err != nil || len(b) < packedFrom {
		return list, err
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err = writer.Write(list)
	if err = errors.Join(err, writer.Close()); err != nil {
		return nil, fmt.Errorf("protocol: pack a backlog: %w", err)
	}
	return json.Marshal(packed.Bytes())
}

// UnmarshalJSON reads either form.
func (b *Backlog) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(text, []byte{'"'}) {
		return json.Unmarshal(text, (*[]Waiting)(b))
	}
	var packed []byte
	if err := json.Unmarshal(text, &packed); err != nil {
		return fmt.Errorf("protocol: unpack a backlog: %w", err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("protocol: unpack a backlog: %w", err)
	}
	return json.NewDecoder(reader).Decode((*[]Waiting)(b))
}

// SessionView is what a session remembers of the screens it has sent. Losing
// it loses comfort, never meaning: buttons carry all they need.
type SessionView struct {
	// Help: the help screen is the last one, so a text is answered with the
	// contact again.
	Help bool `json:"help,omitempty"`
	// MessageID of the newest screen, and whether it is a photo.
	MessageID int64 `json:"message_id,omitempty"`
	Photo     bool  `json:"photo,omitempty"`
	// Card is the entity and id that the newest screen shows, such as
	// "place:123"; empty if it is no card.
	Card string `json:"card,omitempty"`
	// Asked are the last searches and locations that were sent, oldest first,
	// for turning the pages of what they brought.
	Asked []Asked `json:"asked,omitempty"`
	// MenuFor is the content of the last update, if it was a message that asked
	// for nothing, and MenuAt when it was handled.
	MenuFor string    `json:"menu_for,omitempty"`
	MenuAt  time.Time `json:"menu_at,omitzero"`
}

// AskedMax is how many searches and locations a session remembers.
const AskedMax = 5

// Asked is what came sealed with an update.
type Asked struct {
	ID     int64  `json:"id"` // update_id
	Sealed []byte `json:"sealed"`
}

// SessionState is a session as an operator sees it.
type SessionState struct {
	ChatID   int64       `json:"chat_id"`
	Handled  int64       `json:"handled"`
	Waiting  int         `json:"waiting"`
	Handling int64       `json:"handling,omitempty"` // update_id
	View     SessionView `json:"view"`
	LastAt   time.Time   `json:"last_at"`
}
