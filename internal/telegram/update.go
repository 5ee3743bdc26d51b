package telegram

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-telegram/bot"
)

// CallbackAnswer ends the waiting sign on a pressed button.
type CallbackAnswer struct {
	QueryID string
	Text    string // a toast of up to 200 characters; "" for none
	Alert   bool   // show the text as an alert to be closed
}

// AnswerCallbackQuery answers a pressed button. Class QueryTooOld means that it came too late, which happens and is no
// incident.
func (c *Client) AnswerCallbackQuery(ctx context.Context, answer CallbackAnswer) error {
	var done bool
	return c.call(ctx, "answerCallbackQuery", &done, func(ctx context.Context) error {
		_, err := c.bot.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{
			CallbackQueryID: answer.QueryID, Text: answer.Text, ShowAlert: answer.Alert,
		})
		return err
	})
}

// Webhook is where Telegram shall deliver updates.
type Webhook struct {
	URL         string   // https, on port 443, 80, 88 or 8443
	SecretToken string   // 1-256 of A-Za-z0-9_-; comes back as the header X-Telegram-Bot-Api-Secret-Token
	Updates     []string // the kinds of update; nil leaves the bot's earlier choice as it is
	// MaxConnections is how many updates Telegram may deliver at once, 1-100; 0 means Telegram's default of 40.
	MaxConnections int
	// DropPending throws away what has been waiting.
	DropPending bool
}

// SetWebhook registers the webhook. Called in a loop it is answered 429.
func (c *Client) SetWebhook(ctx context.Context, webhook Webhook) error {
	var done bool
	return c.call(ctx, "setWebhook", &done, func(ctx context.Context) error {
		_, err := c.bot.SetWebhook(ctx, &bot.SetWebhookParams{
			URL: webhook.URL, SecretToken: webhook.SecretToken, AllowedUpdates: webhook.Updates,
			MaxConnections: webhook.MaxConnections, DropPendingUpdates: webhook.DropPending,
		})
		return err
	})
}

// DeleteWebhook takes the webhook away, so that GetUpdates may be used.
func (c *Client) DeleteWebhook(ctx context.Context, dropPending bool) error {
	var done bool
	return c.call(ctx, "deleteWebhook", &done, func(ctx context.Context) error {
		_, err := c.bot.DeleteWebhook(ctx, &bot.DeleteWebhookParams{DropPendingUpdates: dropPending})
		return err
	})
}

// WebhookInfo is what Telegram tells about the webhook.
type WebhookInfo struct {
	URL              string   `json:"url"` // "" when none is set
	Pending          int      `json:"pending_update_count"`
	IPAddress        string   `json:"ip_address,omitempty"`
	LastErrorDate    int64    `json:"last_error_date,omitempty"` // Unix seconds
	LastErrorMessage string   `json:"last_error_message,omitempty"`
	MaxConnections   int      `json:"max_connections,omitempty"`
	Updates          []string `json:"allowed_updates,omitempty"`
}

// GetWebhookInfo asks how the webhook is doing.
func (c *Client) GetWebhookInfo(ctx context.Context) (WebhookInfo, error) {
	var info WebhookInfo
	err := c.call(ctx, "getWebhookInfo", &info, func(ctx context.Context) error {
		_, err := c.bot.GetWebhookInfo(ctx)
		return err
	})
	return info, err
}

// Poll asks for updates.
type Poll struct {
	Offset  int64         // the first update_id wanted; everything before it is confirmed and forgotten
	Wait    time.Duration // how long Telegram shall wait for a first update; whole seconds, 50 s at most
	Limit   int           // 1-100; 0 means 100
	Updates []string      // the kinds of update; nil leaves the earlier choice as it is
}

// GetUpdates polls for updates and returns each as it came: one odd update must not cost the others. Class Conflict
// means that a webhook is set or that somebody else polls.
//
// The library can poll only into its own update types, which refuse whole updates for one unknown value, so this one
// call goes past it, straight to the adapter.
func (c *Client) GetUpdates(ctx context.Context, poll Poll) ([]json.RawMessage, error) {
	const method = "getUpdates"
	wait := min(poll.Wait.Truncate(time.Second), 50*time.Second)
	payload, err := encodeJSON(struct {
		Offset  int64    `json:"offset,omitempty"`
		Limit   int      `json:"limit,omitempty"`
		Timeout int      `json:"timeout"`
		Updates []string `json:"allowed_updates,omitempty"`
	}{poll.Offset, poll.Limit, int(wait / time.Second), poll.Updates})
	if err != nil {
		return nil, internal(method, err)
	}
	var updates []json.RawMessage
	ex := &exchange{method: method}
	err = c.exchange(ctx, wait+c.timeout, ex, &updates, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.adapter.address(method), http.NoBody)
		if err != nil {
			return errJudged // its text holds the address; the token and base were checked, so this cannot be
		}
		c.adapter.roundTrip(ex, asJSON(req, payload))
		return nil
	})
	return updates, err
}
