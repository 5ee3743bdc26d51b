package telegram

import (
	"cmp"
	"slices"

	"vestnik/internal/sandbox/core"
	"vestnik/internal/sandbox/entities"
)

func (q *request) getMe() any {
	return map[string]any{"id": q.bot.ID(), "is_bot": true, "first_name": q.bot.Name, "username": q.bot.Username}
}

func (q *request) getChat() any {
	q.platform.mu.Lock()
	defer q.platform.mu.Unlock()
	c := q.find()
	if c == nil {
		return nil
	}
	if refused := c.reach(q.bot); c.Username == "" || c.membership(q.bot).Status == Kicked {
		q.refuse(refused)
	}
	w := wireChat(c.Chat)
	if c.About != "" {
		w["description"] = c.About
	}
	return w
}

func (q *request) getChatMember() any {
	q.platform.mu.Lock()
	defer q.platform.mu.Unlock()
	c := q.find()
	if c == nil {
		return nil
	}
	user, own := q.integer("user_id"), c.membership(q.bot)
	m, listed := c.Members[user]
	if user == q.bot.ID() {
		m, listed = own, true
	}
	switch {
	case own.Status == Kicked:
		q.refuse(forbidden("bot was kicked from the %s chat", c.Type))
	case c.Type != PrivateChat && !own.inside() && c.Username == "":
		q.refuse(forbidden("bot is not a member of the %s chat", c.Type))
	case c.Type == Channel && !slices.Contains([]MemberStatus{Creator, Administrator}, own.Status) && user != q.bot.ID():
		// The server tells a bot about others in a channel only if it administers it.
		q.bad("member list is inaccessible")
	case m.Status == NotFound, !listed && c.Type == PrivateChat && user != c.ID:
		q.bad("member not found")
	case !listed && c.Type == PrivateChat:
		m = Member{Status: Ordinary, Name: c.Title}
	case !listed: // USER_NOT_PARTICIPANT becomes left
		m = Member{Status: Left}
	}
	return wireMember(user, m, user == q.bot.ID())
}

func wireMember(user int64, m Member, isBot bool) map[string]any {
	w := map[string]any{
		"status": m.Status,
		"user":   map[string]any{"id": user, "is_bot": isBot, "first_name": cmp.Or(m.Name, "Гость")},
	}
	switch m.Status {
	case Administrator:
		w["can_post_messages"], w["can_manage_topics"] = !m.Mute, m.ManageTopics
	case Restricted:
		w["is_member"], w["until_date"] = m.IsMember, 0
		w["can_send_messages"], w["can_send_photos"] = !m.Mute, !m.Mute && !m.MutePhotos
	case Kicked, Blocked:
		w["status"], w["until_date"] = Kicked, 0
	}
	return w
}

// maxToast bounds the text of answerCallbackQuery, in characters.
const maxToast = 200

func (q *request) answerCallbackQuery() any {
	t := q.platform
	toast := q.form.Text("text")
	if entities.Characters(toast) > maxToast {
		q.bad("MESSAGE_TOO_LONG")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	pressed, now := t.queries[q.form.Text("callback_query_id")], t.core.Now()
	if pressed == nil || pressed.bot != q.bot || pressed.Answered || now.Sub(pressed.PressedAt) > AnswerWithin {
		q.bad("query is too old and response timeout expired or query ID is invalid")
	}
	if q.refused != nil {
		return nil
	}
	pressed.Answered, pressed.AnsweredAt, pressed.Toast, pressed.Alert = true, now, toast, q.boolean("show_alert")
	t.core.Announce(core.Telegram)
	return true
}
