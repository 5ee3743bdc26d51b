package telegram

import (
	"cmp"
	"encoding/json"
	"net/http"

	"vestnik/internal/sandbox/core"
)

// The requests of the control API that name a bot do so by token, id or username. Chat is the private chat if 0.
type (
	sayRequest struct {
		Bot  string `json:"bot"`
		Chat int64  `json:"chat"`
		From Person `json:"from"`
		Text string `json:"text"`
	}
	locateRequest struct {
		Bot  string `json:"bot"`
		From Person `json:"from"`
		Location
	}
	pressRequest struct {
		Bot     string `json:"bot"`
		Chat    int64  `json:"chat"`
		From    Person `json:"from"`
		Message int64  `json:"message_id"`
		Data    string `json:"data"`
	}
	pushRequest struct {
		Bot     string          `json:"bot"`
		Kind    string          `json:"kind"`
		Content json.RawMessage `json:"content"`
	}
	webhookRequest struct {
		Bot string `json:"bot"`
		Webhook
	}
	deliveryRequest struct {
		Bot string `json:"bot"`
		DeliveryMode
	}
	releaseRequest struct {
		Bot      string `json:"bot"`
		Reverse  bool   `json:"reverse"`
		Together bool   `json:"together"`
	}
	uploadsRequest struct {
		Bytes int64 `json:"bytes"`
	}
	redeliverRequest struct {
		Bot      string `json:"bot"`
		Update   int64  `json:"update_id"`
		Copies   int    `json:"copies"`
		Together bool   `json:"together"`
	}
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
	core.Handle(api, "PUT /sandbox/telegram/uploads", func(_ core.Request, most uploadsRequest) (any, error) {
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
	core.Handle(api, "POST /sandbox/telegram/say", func(_ core.Request, in sayRequest) (any, error) {
		return t.SayIn(t.BotToken(in.Bot), cmp.Or(in.Chat, in.From.ID), in.From, in.Text)
	})
	core.Handle(api, "POST /sandbox/telegram/locate", func(_ core.Request, in locateRequest) (any, error) {
		return t.Locate(t.BotToken(in.Bot), in.From, in.Location)
	})
	core.Handle(api, "POST /sandbox/telegram/press", func(_ core.Request, in pressRequest) (any, error) {
		return t.Press(t.BotToken(in.Bot), in.From, cmp.Or(in.Chat, in.From.ID), in.Message, in.Data)
	})
	core.Handle(api, "POST /sandbox/telegram/updates", func(_ core.Request, in pushRequest) (any, error) {
		return t.Push(t.BotToken(in.Bot), in.Kind, in.Content)
	})
	core.Handle(api, "PUT /sandbox/telegram/webhook", func(_ core.Request, in webhookRequest) (any, error) {
		return nil, t.SetWebhook(t.BotToken(in.Bot), in.Webhook)
	})
	core.Handle(api, "PUT /sandbox/telegram/delivery", func(_ core.Request, in deliveryRequest) (any, error) {
		return nil, t.SetDelivery(t.BotToken(in.Bot), in.DeliveryMode)
	})
	core.Handle(api, "POST /sandbox/telegram/release", func(r core.Request, in releaseRequest) (any, error) {
		return t.Release(r.Context(), t.BotToken(in.Bot), in.Reverse, in.Together)
	})
	core.Handle(api, "POST /sandbox/telegram/redeliver", func(r core.Request, in redeliverRequest) (any, error) {
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
