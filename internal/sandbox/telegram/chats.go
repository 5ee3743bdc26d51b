package telegram

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"vestnik/internal/sandbox/core"
)

// find resolves chat_id: a number, or @username of a public chat. Nil if the request is refused. t.mu is held.
func (q *request) find() *chat {
	id, err := strconv.ParseInt(q.params.Chat, 10, 64)
	c := q.platform.chats[id]
	if name, isName := strings.CutPrefix(q.params.Chat, "@"); err != nil && isName {
		for _, named := range q.platform.chats {
			if named.Username != "" && strings.EqualFold(named.Username, name) {
				c = named
			}
		}
	}
	if c == nil {
		q.bad("chat not found")
	}
	if q.refused != nil {
		return nil
	}
	return c
}

// membership is the bot's own place in a chat.
func (c *chat) membership(b *bot) Member {
	if m, listed := c.Members[b.ID()]; listed {
		return m
	}
	if c.Type == Channel {
		return Member{Status: Administrator}
	}
	return Member{Status: Ordinary}
}

// reach checks that the bot can see the chat at all. t.mu is held.
func (c *chat) reach(b *bot) *refusal {
	own := c.membership(b)
	switch {
	case c.MigratedTo != 0:
		return migrated(c.MigratedTo)
	case c.Deactivated:
		return forbidden("user is deactivated")
	case c.Type == PrivateChat && c.Members[c.ID].Status == Blocked:
		return forbidden("bot was blocked by the user")
	case c.Type == PrivateChat && own.Status == Left:
		return forbidden("bot can't initiate conversation with a user")
	case c.Type == PrivateChat:
		return nil
	case own.Status == Kicked:
		return forbidden("bot was kicked from the %s chat", c.Type)
	case !own.inside():
		return forbidden("bot is not a member of the %s chat", c.Type)
	}
	return nil
}

// admit applies the flood limits to n messages into a chat. t.mu is held.
func (t *Platform) admit(c *chat, n int) *refusal {
	now, limits := t.core.Now(), t.core.Options.Limits
	if c.Limits != nil {
		limits = *c.Limits
	}
	if c.pace == nil {
		c.pace = rate.NewLimiter(cmp.Or(rate.Limit(limits.PerSecond), rate.Inf), max(limits.Burst, 1))
	}
	wait, counted := time.Duration(0), limits.PerMinute > 0 && (c.Type == Group || c.Type == Supergroup)
	if counted {
		wait = c.minute.Wait(now, time.Minute, n, limits.PerMinute)
	}
	turn := c.pace.ReserveN(now, 1)
	if wait = max(wait, turn.DelayFrom(now)); wait > 0 {
		turn.CancelAt(now)
		return tooMany(wait)
	}
	if counted {
		c.minute.Count(now, n)
	}
	return nil
}

func (q *request) getMe() any {
	return map[string]any{"id": q.bot.ID(), "is_bot": true, "first_name": q.bot.Name, "username": q.bot.Username}
}

func (q *request) getChat() any {
	q.platform.mu.Lock()
	defer q.platform.mu.Unlock()
	c := q.find()
	if c == nil || q.refuse(c.reach(q.bot)) {
		return nil
	}
	return wireChat(c.Chat)
}

func (q *request) getChatMember() any {
	q.platform.mu.Lock()
	defer q.platform.mu.Unlock()
	c := q.find()
	if c == nil {
		return nil
	}
	user, own := q.params.User, c.membership(q.bot)
	m, listed := c.Members[user]
	if user == q.bot.ID() {
		m, listed = own, true
	}
	switch {
	case own.Status == Kicked:
		q.refuse(forbidden("bot was kicked from the %s chat", c.Type))
	case c.Type != PrivateChat && !own.inside() && c.Username == "":
		q.refuse(forbidden("bot is not a member of the %s chat", c.Type))
	case c.Type == Channel && own.Status != Administrator && user != q.bot.ID():
		// The server tells a bot about others in a channel only if it administers it.
		q.bad("member list is inaccessible")
	case m.Status == NotFound:
		q.bad("member not found")
	case !listed: // USER_NOT_PARTICIPANT becomes left
		m = Member{Status: Left}
	}
	w := map[string]any{"status": m.Status, "user": map[string]any{"id": user, "is_bot": user == q.bot.ID(), "first_name": cmp.Or(m.Name, "Гость")}}
	switch m.Status {
	case Restricted:
		w["is_member"], w["until_date"] = m.IsMember, 0
	case Kicked, Blocked:
		w["status"], w["until_date"] = Kicked, 0
	}
	return w
}

// maxToast bounds the text of answerCallbackQuery, in characters.
const maxToast = 200

func (q *request) answerCallbackQuery() any {
	t := q.platform
	if utf8.RuneCountInString(q.params.Text) > maxToast {
		q.bad("MESSAGE_TOO_LONG")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	pressed, now := t.queries[q.params.Query], t.core.Now()
	if pressed == nil || pressed.bot != q.bot || pressed.Answered || now.Sub(pressed.PressedAt) > AnswerWithin {
		q.bad("query is too old and response timeout expired or query ID is invalid")
	}
	if q.refused != nil {
		return nil
	}
	pressed.Answered, pressed.AnsweredAt, pressed.Toast = true, now, q.params.Text
	t.core.Announce(core.Telegram)
	return true
}
