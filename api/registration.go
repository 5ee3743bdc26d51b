package api

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"vestnik/internal/telegram"
)

// UpdateKinds are what the guide asks Telegram for, by webhook and by polling.
// A subscription is checked when a person does something, so there is no need
// for chat_member.
var UpdateKinds = []string{"message", "callback_query"}

// webhookConnections is how many updates Telegram may deliver at once; the
// sessions put a chat's updates in order, so there may be many.
const webhookConnections = 100

// Webhook registers where Telegram delivers the guide bot's updates. It is an
// operation of the environment: no process does it when it starts.
type Webhook struct {
	Client *telegram.Client
	// PublicURL is the address of the api as Telegram reaches it, without a
	// path of its own unless a proxy takes it away.
	PublicURL string
	Secret    string
}

// Address is the full URL of the webhook.
func (w Webhook) Address() (string, error) {
	public, err := url.Parse(w.PublicURL)
	if err != nil || public.Host == "" {
		return "", errors.New("api: PUBLIC_URL is not set to the https address under which Telegram reaches the api")
	}
	return public.JoinPath(WebhookPath).String(), nil
}

// Set registers with Telegram where to deliver and with which secret. Updates that have
// been waiting are kept.
func (w Webhook) Set(ctx context.Context) error {
	address, err := w.Address()
	if err != nil {
		return err
	}
	if w.Secret == "" {
		return errors.New("api: TELEGRAM_WEBHOOK_SECRET is not set: anybody could speak for Telegram")
	}
	err = w.Client.SetWebhook(ctx, telegram.Webhook{
		URL: address, SecretToken: w.Secret, Updates: UpdateKinds, MaxConnections: webhookConnections,
	})
	if err != nil {
		return fmt.Errorf("api: set webhook: %w", err)
	}
	return nil
}

// Delete takes the webhook away; updates wait for whoever comes next.
func (w Webhook) Delete(ctx context.Context) error {
	if err := w.Client.DeleteWebhook(ctx); err != nil {
		return fmt.Errorf("api: delete webhook: %w", err)
	}
	return nil
}

// Info is what Telegram says about the webhook.
func (w Webhook) Info(ctx context.Context) (telegram.WebhookInfo, error) {
	info, err := w.Client.GetWebhookInfo(ctx)
	if err != nil {
		return info, fmt.Errorf("api: webhook info: %w", err)
	}
	return info, nil
}
