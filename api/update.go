package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"vestnik/internal/guide"
	"vestnik/internal/protocol"
)

// fault is why an update goes no further. Neither field holds anything that a
// person wrote.
type fault struct {
	code    guide.Code
	details string
}

func invalidJSON(details string) *fault { return &fault{guide.InboundInvalidJSON, details} }

func unsupported(details string) *fault { return &fault{guide.InboundUnsupportedUpdate, details} }

// inbound is an update as the receiver understands it.
type inbound struct {
	protocol.BotUpdate
	action  guide.Action  // of Data
	private guide.Private // not sealed yet
	group   bool          // not a chat with one person
	service bool          // a message that nobody wrote
}

// logFields are what the log says of an update that is known of it.
func (u *inbound) logFields() (fields []any) {
	if u.ID != 0 {
		fields = append(fields, "update_id", u.ID)
	}
	if u.Kind != "" {
		fields = append(fields, "event_type", u.Kind)
	}
	if u.UserID != 0 {
		fields = append(fields, "telegram_user_id", u.UserID, "chat_id", u.ChatID)
	}
	if u.action.Verb != "" {
		fields = append(fields, "action", u.action.Verb, "entity_type", u.action.Entity, "entity_id", u.action.EntityID(), "extra", u.action.Extra)
	}
	return fields
}

// events are the kinds of update that the Bot API knows (10.1): an update has
// at most one of them.
var events = map[string]bool{
	"message": true, "edited_message": true, "channel_post": true, "edited_channel_post": true,
	"business_connection": true, "business_message": true, "edited_business_message": true, "deleted_business_messages": true,
	"message_reaction": true, "message_reaction_count": true, "inline_query": true, "chosen_inline_result": true,
	"callback_query": true, "shipping_query": true, "pre_checkout_query": true, "purchased_paid_media": true,
	"poll": true, "poll_answer": true, "my_chat_member": true, "chat_member": true, "chat_join_request": true,
	"chat_boost": true, "removed_chat_boost": true, "guest_message": true, "managed_bot": true,
}

// The few fields that the guide needs. Everything else in an update, unknown
// fields and values of unions included, is passed over unread.
type (
	wireUser struct {
		ID       int64  `json:"id"`
		Language string `json:"language_code"`
	}
	wireChat struct {
		ID   int64  `json:"id"`
		Type string `json:"type"`
	}
	wireMessage struct {
		From     *wireUser     `json:"from"`
		Chat     *wireChat     `json:"chat"`
		Text     string        `json:"text"`
		Album    string        `json:"media_group_id"`
		Location *wireLocation `json:"location"`
	}
	wireLocation struct {
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
	}
	wireButton struct {
		Data string `json:"callback_data"`
	}
	wireCallback struct {
		ID      string    `json:"id"`
		From    *wireUser `json:"from"`
		Message *struct {
			ID     int64           `json:"message_id"`
			Chat   *wireChat       `json:"chat"`
			Date   int64           `json:"date"` // 0 when the message is inaccessible
			Photo  json.RawMessage `json:"photo"`
			Markup struct {
				Rows [][]wireButton `json:"inline_keyboard"`
			} `json:"reply_markup"`
		} `json:"message"`
		Data string `json:"data"`
	}
)

// services are the messages that Telegram writes into a private chat by itself
// (Bot API 10.1): nobody asks for anything with them.
var services = []string{
	"pinned_message", "message_auto_delete_timer_changed", "write_access_allowed", "proximity_alert_triggered", "boost_added",
	"chat_background_set", "users_shared", "chat_shared", "passport_data", "successful_payment", "refunded_payment", "gift", "unique_gift",
	"giveaway_created", "giveaway_completed", "paid_message_price_changed", "video_chat_scheduled", "video_chat_started", "video_chat_ended",
	"video_chat_participants_invited", "connected_website", "forum_topic_created", "forum_topic_edited", "forum_topic_closed", "forum_topic_reopened",
}

// contents are what a person's message may be, besides a command, a search and
// a location.
var contents = []string{
	"text", "photo", "video", "animation", "audio", "document", "sticker", "story", "video_note", "voice", "contact", "dice", "poll", "checklist", "paid_media",
}

// readUpdate takes an update apart. On a fault it returns what is known of
// the update all the same, for the log.
func readUpdate(body []byte) (inbound, *fault) {
	var update inbound
	if !json.Valid(body) {
		return update, invalidJSON("the body is not one JSON value")
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return update, unsupported("the body is not an object")
	}
	id, ok := readID(fields["update_id"])
	if !ok {
		return update, unsupported("update_id is not a positive integer")
	}
	update.ID = id

	kind, known := "", 0
	for name := range fields {
		switch {
		case name == "update_id":
		case events[name]:
			kind, known = name, known+1
		case kind == "":
			kind = name
		}
	}
	switch {
	case known > 1:
		return update, unsupported("more than one event in an update")
	case kind == "":
		return update, unsupported("no event in the update")
	case known == 0:
		return update, unsupported("an event that the Bot API does not have") // its name is the sender's own words
	}
	update.Kind = kind
	switch kind {
	case protocol.BotMessage:
		return update, update.readMessage(fields[kind])
	case protocol.BotCallback:
		return update, update.readCallback(fields[kind])
	}
	return update, unsupported("event_type " + kind)
}

// readID accepts a plain positive decimal integer that fits an int64. 5.0,
// 1e1 and "5" are not update ids.
func readID(raw json.RawMessage) (int64, bool) {
	text := string(bytes.TrimSpace(raw))
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	var id int64
	err := json.Unmarshal([]byte(text), &id)
	return id, err == nil && id > 0
}

func (u *inbound) readMessage(raw json.RawMessage) *fault {
	var message *wireMessage
	if json.Unmarshal(raw, &message) != nil || message == nil {
		return unsupported("message has another structure")
	}
	if err := u.readParties(message.From, message.Chat); err != nil {
		return unsupported("message: " + err.Error())
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(raw, &fields) // an object: it was read as one above
	isThere := func(name string) bool { return fields[name] != nil }
	u.service = slices.ContainsFunc(services, isThere)
	wish := guide.ReadText(message.Text)
	switch {
	case message.Location != nil:
		u.action = guide.Action{Verb: guide.Open, Entity: guide.Menu, Code: guide.Near}
		u.private = guide.Private{Lat: message.Location.Latitude, Lon: message.Location.Longitude, Located: true}
	case wish.Action.Verb != "":
		u.action, u.private.Words = wish.Action, wish.Words
	default:
		// A text, a photo, a sticker: what it says stays here, unless the
		// guide has a search and it looks like one.
		u.private.Words = wish.Words
		if at := slices.IndexFunc(contents, isThere); at >= 0 {
			u.Content = contents[at]
		}
		if message.Album != "" && len(message.Album) <= 32 {
			u.Content = "album " + message.Album
		}
		return nil
	}
	u.Data = u.action.String()
	u.Open = !u.action.Route().NeedsSubscription()
	return nil
}

func (u *inbound) readCallback(raw json.RawMessage) *fault {
	var query *wireCallback
	if json.Unmarshal(raw, &query) != nil || query == nil {
		return unsupported("callback_query has another structure")
	}
	if query.ID == "" || len(query.ID) > 256 {
		return unsupported("callback_query: no id")
	}
	chat := (*wireChat)(nil)
	if query.Message != nil {
		if chat = query.Message.Chat; chat == nil {
			return unsupported("callback_query: a message without chat")
		}
		u.MessageID = query.Message.ID
		u.Inaccessible = query.Message.Date == 0
		photo := bytes.TrimSpace(query.Message.Photo)
		u.OnPhoto = len(photo) > 0 && photo[0] == '[' && string(photo) != "[]"
	}
	if err := u.readParties(query.From, chat); err != nil && !(errors.Is(err, errNoChat) && query.Message == nil) {
		return unsupported("callback_query: " + err.Error())
	}
	u.CallbackID = query.ID
	action, err := guide.ParseAction(query.Data)
	if err != nil {
		return &fault{guide.InboundInvalidCallbackData, "not action:entity_type:entity_id[:extra]"}
	}
	if query.Message != nil {
		rows := query.Message.Markup.Rows
		u.OffCard = len(rows) > 0 && !slices.ContainsFunc(slices.Concat(rows...), func(button wireButton) bool {
			shown, err := guide.ParseAction(button.Data)
			return err == nil && action.IsOnCard(shown)
		})
	}
	u.press(action)
	return nil
}

// press makes the update the press of a button with this action.
func (u *inbound) press(action guide.Action) {
	u.action, u.Data = action, action.String()
	u.Open = !action.Route().NeedsSubscription()
	u.AnswerOnly = u.ChatID == 0 || u.group
}

var (
	errNoSender = errors.New("no sender")
	errNoChat   = errors.New("no chat")
)

// languageTag is an IETF language tag, such as ru or pt-BR. Anything else that
// stands in its place is not taken in.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$`)

func (u *inbound) readParties(from *wireUser, chat *wireChat) error {
	if from == nil || from.ID <= 0 {
		return errNoSender
	}
	u.UserID = from.ID
	if languageTag.MatchString(from.Language) {
		u.Language = from.Language
	}
	if chat == nil || chat.ID == 0 {
		return errNoChat
	}
	u.ChatID = chat.ID
	u.group = chat.Type != "" && chat.Type != "private"
	return nil
}
