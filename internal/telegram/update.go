package telegram

import (
	"context"
	"encoding/json"
	"time"

	"github.com/go-telegram/bot"
)

// CallbackAnswer ends the waiting sign on a pressed button.
type CallbackAnswer struct {
	QueryID string
	Text    string // a toast of up to 200 characters; "" for none
}

// AnswerCallbackQuery answers a pressed button. Class QueryTooOld means that it came too late, which happens and is no
// incident.
func (c *Client) AnswerCallbackQuery(ctx context.Context, answer CallbackAnswer) error {
	var done bool
	return c.call(ctx, "answerCallbackQuery", bot.AnswerCallbackQueryParams{CallbackQueryID: answer.QueryID, Text: answer.Text}, &done)
}

// Webhook is where Telegram shall deliver updates.
type Webhook struct {
	URL         string   // https, on port 443, 80, 88 or 8443
	SecretToken string   // 1-256 of A-Za-z0-9_-; comes back as the header X-Telegram-Bot-Api-Secret-Token
	Updates     []string // the kinds of update; nil leaves the bot's earlier choice as it is
	// MaxConnections is how many updates Telegram may deliver at once, 1-100; 0 means Telegram's default of 40.
	MaxConnections int
}

// SetWebhook registers the webhook. Called in a loop it is answered 429.
func (c *Client) SetWebhook(ctx context.Context, webhook Webhook) error {
	var done bool
	return c.call(ctx, "setWebhook", bot.SetWebhookParams{
		URL: webhook.URL, SecretToken: webhook.SecretToken, AllowedUpdates: webhook.Updates,
		MaxConnections: webhook.MaxConnections,
	}, &done)
}

// DeleteWebhook takes the webhook away, so that GetUpdates may be used. Updates that were not delivered stay.
func (c *Client) DeleteWebhook(ctx context.Context) error {
	var done bool
	return c.call(ctx, "deleteWebhook", none{}, &done)
}

// WebhookInfo is what Telegram says about the webhook.
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
	err := c.call(ctx, "getWebhookInfo", none{}, &info)
	return info, err
}

// Poll asks for updates.
type Poll struct {
	Offset  int64         // the first update_id wanted; everything before it is confirmed and forgotten
	Wait    time.Duration // how long Telegram shall wait for a first update; whole seconds, 50 s at most
	Updates []string      // the kinds of update; nil leaves the earlier choice as it is
}

// GetUpdates polls for updates and returns each as it came: one odd update must not cost the others. Class Conflict
// means that a webhook is set or that somebody else polls.
//
// The library spells the parameters of this one call in a type that is not for others.
func (c *Client) GetUpdates(ctx context.Context, poll Poll) (updates []json.RawMessage, err error) {
	wait := min(poll.Wait.Truncate(time.Second), 50*time.Second)
	err = c.callWithin(ctx, wait+c.timeout, "getUpdates", struct {
		Offset  int64    `json:"offset,omitempty"`
		Timeout int      `json:"timeout"`
		Updates []string `json:"allowed_updates,omitempty"`
	}{poll.Offset, int(wait / time.Second), poll.Updates}, &updates, nil)
	return updates, err
}

// none is the parameters of a method that has none.
type none struct{}
