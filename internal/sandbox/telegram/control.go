package telegram

import (
	"cmp"
	"encoding/json"
	"net/http"

	"vestnik/internal/sandbox/core"
)

// named is the bot that a request of the control API means, by token, id or username.
type named struct{ Bot string }

// Control adds Telegram's part of the control API.
func (t *Platform) Control(api *http.ServeMux) {
	core.Handle(api, "POST /sandbox/telegram/bots", func(_ core.Request, b Bot) (any, error) { return nil, t.AddBot(b) })
	core.Handle(api, "GET /sandbox/telegram/chats", func(core.Request, core.None) (any, error) { return t.Chats(), nil })
	core.Handle(api, "POST /sandbox/telegram/chats", func(_ core.Request, c Chat) (any, error) { return nil, t.AddChat(c) })
	core.Handle(api, "GET /sandbox/telegram/chats/{chat}/messages", func(r core.Request, _ core.None) (any, error) {
		return t.Messages(r.Number("chat")), nil
	})
	core.Handle(api, "DELETE /sandbox/telegram/chats/{chat}/messages", func(r core.Request, _ core.None) (any, error) {
		return nil, t.ClearChat(r.Number("chat"))
	})
	core.Handle(api, "PUT /sandbox/telegram/uploads", func(_ core.Request, most struct{ Bytes int64 }) (any, error) {
		t.SetMaxUpload(most.Bytes)
		return nil, nil
	})
	core.Handle(api, "PUT /sandbox/telegram/chats/{chat}/limits", func(r core.Request, limits Limits) (any, error) {
		return nil, t.SetLimits(r.Number("chat"), limits)
	})
	core.Handle(api, "PUT /sandbox/telegram/chats/{chat}/members/{user}", func(r core.Request, m Member) (any, error) {
		return nil, t.SetMember(r.Number("chat"), r.Number("user"), m)
	})
	core.Handle(api, "GET /sandbox/telegram/chats/{chat}/queries", func(r core.Request, _ core.None) (any, error) {
		return t.Queries(r.Number("chat")), nil
	})
	core.Handle(api, "POST /sandbox/telegram/say", func(_ core.Request, in struct {
		named
		Chat int64 // the private chat if 0
		From Person
		Text string
	}) (any, error) {
		return t.SayIn(t.BotToken(in.Bot), cmp.Or(in.Chat, in.From.ID), in.From, in.Text)
	})
	core.Handle(api, "POST /sandbox/telegram/locate", func(_ core.Request, in struct {
		named
		From Person
		Location
	}) (any, error) {
		return t.Locate(t.BotToken(in.Bot), in.From, in.Location)
	})
	core.Handle(api, "POST /sandbox/telegram/press", func(_ core.Request, in struct {
		named
		Chat    int64 // the private chat if 0
		From    Person
		Message int64 `json:"message_id"`
		Data    string
	}) (any, error) {
		return t.Press(t.BotToken(in.Bot), in.From, cmp.Or(in.Chat, in.From.ID), in.Message, in.Data)
	})
	core.Handle(api, "POST /sandbox/telegram/updates", func(_ core.Request, in struct {
		named
		Kind    string
		Content json.RawMessage
	}) (any, error) {
		return t.Push(t.BotToken(in.Bot), in.Kind, in.Content)
	})
	core.Handle(api, "PUT /sandbox/telegram/webhook", func(_ core.Request, in struct {
		named
		Webhook
	}) (any, error) {
		return nil, t.SetWebhook(t.BotToken(in.Bot), in.Webhook)
	})
	core.Handle(api, "PUT /sandbox/telegram/delivery", func(_ core.Request, in struct {
		named
		DeliveryMode
	}) (any, error) {
		return nil, t.SetDelivery(t.BotToken(in.Bot), in.DeliveryMode)
	})
	core.Handle(api, "POST /sandbox/telegram/release", func(r core.Request, in struct {
		named
		Reverse, Together bool
	}) (any, error) {
		return t.Release(r.Context(), t.BotToken(in.Bot), in.Reverse, in.Together)
	})
	core.Handle(api, "POST /sandbox/telegram/redeliver", func(r core.Request, in struct {
		named
		Update   int64 `json:"update_id"`
		Copies   int
		Together bool
	}) (any, error) {
		return t.Redeliver(r.Context(), t.BotToken(in.Bot), in.Update, max(in.Copies, 1), in.Together)
	})
	core.Handle(api, "GET /sandbox/telegram/deliveries", func(r core.Request, _ core.None) (any, error) {
		return t.Deliveries(t.BotToken(r.URL.Query().Get("bot"))), nil
	})
}

// Bots sums up the bots for people and scripts.
func (t *Platform) Bots() []map[string]any {
	t.mu.Lock()
	defer t.mu.Unlock()
	bots := []map[string]any{}
	for _, b := range t.bots {
		bots = append(bots, map[string]any{"id": b.ID(), "username": b.Username, "webhook": b.updates.hook.URL, "pending_updates": len(b.updates.pending)})
	}
	return bots
}
