package telegram

import (
	"cmp"
	"net/http"

	"vestnik/internal/sandbox/core"
)

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
	core.Handle(api, "PUT /sandbox/telegram/chats/{chat}/limits", func(r core.Request, limits core.Limits) (any, error) {
		return nil, t.SetLimits(r.Number("chat"), limits)
	})
	core.Handle(api, "PUT /sandbox/telegram/chats/{chat}/members/{user}", func(r core.Request, m Member) (any, error) {
		return nil, t.SetMember(r.Number("chat"), r.Number("user"), m)
	})
	core.Handle(api, "POST /sandbox/telegram/say", func(_ core.Request, in struct {
		Bot, Text string
		From      Person
	}) (any, error) {
		return t.Say(t.Bot(in.Bot).Token, in.From, in.Text)
	})
	core.Handle(api, "POST /sandbox/telegram/press", func(_ core.Request, in struct {
		Bot, Data string
		Chat      int64 // the private chat if 0
		From      Person
		Message   int64 `json:"message_id"`
	}) (any, error) {
		return t.Press(t.Bot(in.Bot).Token, in.From, cmp.Or(in.Chat, in.From.ID), in.Message, in.Data)
	})
	core.Handle(api, "PUT /sandbox/telegram/webhook", func(_ core.Request, in struct {
		Bot string
		Webhook
	}) (any, error) {
		return nil, t.SetWebhook(t.Bot(in.Bot).Token, in.Webhook)
	})
}
