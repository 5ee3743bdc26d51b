package telegram

import (
	"strconv"
	"strings"
	"time"

	"vestnik/internal/sandbox/core"
)

// Bot is a Telegram bot known to the sandbox. Its id is the number before the colon of its token.
type Bot struct {
	Token    string `json:"token"`
	Username string `json:"username,omitempty"`
	Name     string `json:"name,omitempty"`
}

// ID is the bot's user id; 0 if the token has none.
func (b Bot) ID() int64 {
	number, _, _ := strings.Cut(b.Token, ":")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// ChatType is the type of a chat by its Bot API name.
type ChatType string

// The chat types.
const (
	PrivateChat ChatType = "private"
	Group       ChatType = "group"
	Supergroup  ChatType = "supergroup"
	Channel     ChatType = "channel"
)

// Chat is a Telegram chat.
type Chat struct {
	ID       int64    `json:"id"`
	Type     ChatType `json:"type"`
	Title    string   `json:"title,omitempty"` // a person's name in a private chat
	Username string   `json:"username,omitempty"`
	About    string   `json:"about,omitempty"`
	// Forum chats have topics. Topic 1, General, always exists and can't be named in message_thread_id.
	Forum  bool    `json:"forum,omitempty"`
	Topics []Topic `json:"topics,omitempty"`
	// Members by user id, bots among them. A bot without an entry is an ordinary member of a group, an administrator of
	// a channel, and known to the person of a private chat.
	Members map[int64]Member `json:"members,omitempty"`
	// Limits, if they differ from the sandbox's.
	Limits *core.Limits `json:"limits,omitempty"`
	// MigratedTo says that the group was upgraded to this supergroup.
	MigratedTo int64 `json:"migrated_to,omitempty"`
	// Deactivated people answer 403.
	Deactivated bool `json:"deactivated,omitempty"`
}

// Topic is a thread of a forum.
type Topic struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Closed bool   `json:"closed,omitempty"`
}

// MemberStatus is a member's status by its Bot API name.
type MemberStatus string

// The statuses. Blocked and NotFound are the sandbox's own: a person who has blocked the bot, and a user of whom the
// server knows nothing.
const (
	Creator       MemberStatus = "creator"
	Administrator MemberStatus = "administrator"
	Ordinary      MemberStatus = "member"
	Restricted    MemberStatus = "restricted"
	Left          MemberStatus = "left"
	Kicked        MemberStatus = "kicked"
	Blocked       MemberStatus = "blocked"
	NotFound      MemberStatus = "not_found"
)

// Member is somebody's place in a chat.
type Member struct {
	Status MemberStatus `json:"status"`
	// IsMember is for restricted members: whether they are in the chat.
	IsMember bool `json:"is_member,omitempty"`
	// Name of a person, for what getChatMember answers.
	Name string `json:"name,omitempty"`
}

func (m Member) inside() bool {
	switch m.Status {
	case Creator, Administrator, Ordinary:
		return true
	case Restricted:
		return m.IsMember
	}
	return false
}

// Message is a message of a chat, as its readers see it.
type Message struct {
	ID       int64     `json:"message_id"`
	Chat     int64     `json:"chat"`
	Topic    int64     `json:"topic,omitempty"`
	From     int64     `json:"from"`      // user id of a bot or person
	FromName string    `json:"from_name"` // as shown
	Out      bool      `json:"out"`       // sent by a bot
	Date     time.Time `json:"date"`
	Edited   time.Time `json:"edited,omitzero"`
	Text     string    `json:"text,omitempty"`    // after entity parsing
	Caption  string    `json:"caption,omitempty"` // of a photo
	// Formatted is the text or caption in HTML, safe for a page; empty for what a person wrote.
	Formatted string `json:"formatted,omitempty"`
	Photo     *Photo `json:"photo,omitempty"`
	// Animation says that the photo moves: a GIF. Its frames are not imitated.
	Animation bool       `json:"animation,omitempty"`
	Document  *Document  `json:"document,omitempty"`
	Location  *Location  `json:"location,omitempty"`
	Album     string     `json:"album,omitempty"` // media_group_id
	ReplyTo   int64      `json:"reply_to,omitempty"`
	Silent    bool       `json:"silent,omitempty"`
	Keyboard  [][]Button `json:"keyboard,omitempty"`
	// Preview is the address whose preview is shown under the text; empty if there is none or it is turned off.
	Preview string `json:"preview,omitempty"`
}

// Photo is the picture of a message.
type Photo struct {
	URL      string `json:"url"` // where a browser finds it
	FileID   string `json:"file_id"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Bytes    int    `json:"bytes"`
	Uploaded bool   `json:"uploaded,omitempty"` // bytes came with the call
}

// Document is the file of a message.
type Document struct {
	Name     string `json:"name"`
	URL      string `json:"url,omitempty"` // where Telegram got it; "" for an upload
	Bytes    int64  `json:"bytes"`
	Uploaded bool   `json:"uploaded,omitempty"` // it came with the call
}

// Location is where a person says they are, in degrees.
type Location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}
