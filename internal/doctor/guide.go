package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vestnik/api"
	"vestnik/internal/telegram"
	"vestnik/internal/words"
)

// guide asks Telegram what the guide bot depends on: its token, its rights in
// the channel whose subscribers it serves, and where its updates go.
func (d *doctor) guide(ctx context.Context) {
	const what = "guide bot"
	bot := d.cfg.Bot
	if !bot.Enabled {
		d.note(what, "BOT_ENABLED is not set: no guide")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	client, err := telegram.New(telegram.Config{
		Token: bot.Token.Reveal(), BaseURL: d.cfg.Platforms.TelegramURL, Proxy: d.cfg.Platforms.ProxyTelegram(), Timeout: bot.HTTPTimeout,
	})
	if err != nil {
		d.fault(what, err)
		return
	}
	defer client.Close()
	me, err := client.GetMe(ctx)
	if err != nil {
		d.fault(what, fmt.Errorf("TELEGRAM_BOT_TOKEN: %w", err))
		return
	}
	switch {
	case bot.Username == "":
		d.note(what, fmt.Sprintf("@%s, and no share buttons: set TELEGRAM_BOT_USERNAME=%s", me.Username, me.Username))
	case bot.Username != "" && !strings.EqualFold(bot.Username, me.Username):
		d.fault(what, fmt.Errorf("the token is @%s's and TELEGRAM_BOT_USERNAME says another: shared links would open a stranger", me.Username))
	default:
		d.ok(what, "@"+me.Username)
	}
	d.guideChannel(ctx, client, me)
	d.guideWebhook(ctx, client)
}

// guideChannel: only an administrator of a channel may ask who is in it.
func (d *doctor) guideChannel(ctx context.Context, client *telegram.Client, me telegram.Bot) {
	const what = "guide channel"
	channel := telegram.Chat(d.cfg.Bot.Channel)
	chat, err := client.GetChat(ctx, channel)
	if err != nil {
		d.fault(what, fmt.Errorf("@%s does not see TELEGRAM_CHANNEL; add the bot to it as an administrator, or correct the name: %w", me.Username, err))
		return
	}
	member, err := client.GetChatMember(ctx, channel, me.ID)
	switch {
	case err != nil:
		d.fault(what, fmt.Errorf("@%s can't see who is in it: make it an administrator of the channel: %w", me.Username, err))
	case member.Status != telegram.StatusAdministrator && member.Status != telegram.StatusCreator:
		d.fault(what, fmt.Errorf("@%s is no administrator of it: until it is, everybody is let in", me.Username))
	default:
		d.ok(what, fmt.Sprintf("@%s administers the %s", me.Username, chat.Type))
	}
}

func (d *doctor) guideWebhook(ctx context.Context, client *telegram.Client) {
	const what = "guide webhook"
	registered, err := api.Webhook{Client: client}.Info(ctx)
	if err != nil {
		d.fault(what, err)
		return
	}
	address, err := api.Webhook{PublicURL: d.cfg.Bot.PublicURL}.Address()
	switch {
	case d.cfg.Platforms.SandboxTelegram && registered.URL != "":
		d.ok(what, "the sandbox delivers to "+registered.URL)
	case err != nil && registered.URL == "":
		d.note(what, "PUBLIC_URL is not set: updates come by polling, which only `vestnik dev` does")
	case err != nil:
		d.note(what, fmt.Sprintf("PUBLIC_URL is not set, and Telegram delivers to %s: `vestnik bot webhook delete` lets `vestnik dev` poll", registered.URL))
	case registered.URL == "":
		d.fault(what, errors.New("none is set, so no update comes: run `vestnik bot webhook set`"))
	case registered.URL != address:
		d.fault(what, fmt.Errorf("Telegram delivers to %s and not to %s: run `vestnik bot webhook set`", registered.URL, address))
	case len(registered.Updates) > 0 && !containsAll(registered.Updates, api.UpdateKinds):
		d.fault(what, fmt.Errorf("Telegram delivers %s only: run `vestnik bot webhook set`", strings.Join(registered.Updates, ", ")))
	case registered.LastErrorDate != 0:
		at := time.Unix(registered.LastErrorDate, 0)
		d.note(what, fmt.Sprintf("%s; the last delivery that failed, %s ago: %s", words.Count(registered.Pending, "update waits", "updates wait"), time.Since(at).Round(time.Second), registered.LastErrorMessage))
	default:
		d.ok(what, fmt.Sprintf("%s, %s", registered.URL, words.Count(registered.Pending, "update waits", "updates wait")))
	}
}

func containsAll(all, wanted []string) bool {
	for _, one := range wanted {
		if !slices.Contains(all, one) {
			return false
		}
	}
	return true
}
