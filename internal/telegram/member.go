package telegram

import (
	"context"
	"errors"

	"github.com/go-telegram/bot"
)

// The statuses of a chat member.
const (
	StatusCreator       = "creator"
	StatusAdministrator = "administrator"
	StatusMember        = "member"
	StatusRestricted    = "restricted"
	StatusLeft          = "left"
	StatusKicked        = "kicked"
)

// ChatMember is what getChatMember says about a user. A status that Telegram adds one day is kept as it comes.
type ChatMember struct {
	Status   string `json:"status"`
	IsMember bool   `json:"is_member"` // given with StatusRestricted only
}

// IsSubscribed reports whether the user is in the chat: as member, administrator, creator, or restricted but inside.
func (m ChatMember) IsSubscribed() bool {
	switch m.Status {
	case StatusCreator, StatusAdministrator, StatusMember:
		return true
	case StatusRestricted:
		return m.IsMember
	}
	return false
}

// Known reports whether the status is one of those above.
func (m ChatMember) Known() bool {
	switch m.Status {
	case StatusCreator, StatusAdministrator, StatusMember, StatusRestricted, StatusLeft, StatusKicked:
		return true
	}
	return false
}

// GetChatMember asks for a user's place in a chat. That Telegram does not know the user there (class NotAMember) is no
// error but StatusLeft: it comes for people who have never been in the channel and for forgotten accounts.
//
// For a channel it works for others than the bot itself only while the bot is an administrator there; otherwise the
// error is Forbidden or ChatNotFound.
func (c *Client) GetChatMember(ctx context.Context, chat Chat, userID int64) (ChatMember, error) {
	var member ChatMember
	err := c.call(ctx, "getChatMember", bot.GetChatMemberParams{ChatID: chat.id(), UserID: userID}, &member)
	if refused, is := errors.AsType[*Error](err); is && refused.Class == NotAMember {
		return ChatMember{Status: StatusLeft}, nil
	}
	return member, err
}

// ChatSummary is what getChat says about a chat.
type ChatSummary struct {
	ID       int64  `json:"id"`
	Type     string `json:"type"` // private, group, supergroup or channel
	Title    string `json:"title"`
	Username string `json:"username"` // without @; "" if not public
}

// GetChat asks for a chat. It is how a start-up check finds a wrong chat id before the first delivery does.
func (c *Client) GetChat(ctx context.Context, chat Chat) (ChatSummary, error) {
	var summary ChatSummary
	err := c.call(ctx, "getChat", bot.GetChatParams{ChatID: chat.id()}, &summary)
	return summary, err
}

// Bot is what getMe says about the bot itself.
type Bot struct {
	ID       int64  `json:"id"`
	Username string `json:"username"` // without @
	Name     string `json:"first_name"`
}

// GetMe asks who the bot is; it is the cheapest way to check a token.
func (c *Client) GetMe(ctx context.Context) (Bot, error) {
	var me Bot
	err := c.call(ctx, "getMe", none{}, &me)
	return me, err
}
