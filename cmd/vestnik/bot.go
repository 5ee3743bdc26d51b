package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"vestnik/api"
	"vestnik/internal/config"
	"vestnik/internal/guide"
	"vestnik/internal/telegram"
	"vestnik/internal/words"
)

func botCommand() *cli.Command {
	return &cli.Command{
		Name:  "bot",
		Usage: "the guide bot: its texts, its standing with Telegram",
		Commands: []*cli.Command{{
			Name:  "texts",
			Usage: "print all that the guide says, as a file for GUIDE_TEXTS to change",
			Action: func(context.Context, *cli.Command) error {
				_, err := fmt.Print(guide.TextsFile)
				return err
			},
		}, {
			Name:  "webhook",
			Usage: "where Telegram delivers the bot's updates",
			Commands: []*cli.Command{
				{
					Name:  "set",
					Usage: "deliver to PUBLIC_URL, with TELEGRAM_WEBHOOK_SECRET; waiting updates are kept",
					Action: withWebhook(func(ctx context.Context, _ *cli.Command, webhook api.Webhook) error {
						if err := webhook.Set(ctx); err != nil {
							return err
						}
						address, _ := webhook.Address() // Set has checked it
						_, err := fmt.Fprintln(os.Stdout, "Telegram delivers to", address)
						return err
					}, config.NeedWebhook),
				},
				{
					Name:  "delete",
					Usage: "deliver nowhere; updates wait, or are polled by `vestnik dev`",
					Action: withWebhook(func(ctx context.Context, _ *cli.Command, webhook api.Webhook) error {
						if err := webhook.Delete(ctx); err != nil {
							return err
						}
						_, err := fmt.Fprintln(os.Stdout, "the webhook is taken away")
						return err
					}),
				},
				{
					Name:  "info",
					Usage: "what Telegram says about the webhook",
					Flags: []cli.Flag{outputFlag()},
					Action: withWebhook(func(ctx context.Context, cmd *cli.Command, webhook api.Webhook) error {
						info, err := webhook.Info(ctx)
						if err != nil {
							return err
						}
						return show(cmd, info, func() error { return printWebhook(info) })
					}),
				},
			},
		}},
	}
}

// withWebhook runs a command on the guide bot's webhook. It needs neither a
// database nor Temporal: a webhook is set before anything else runs.
func withWebhook(run func(context.Context, *cli.Command, api.Webhook) error, needs ...config.Need) cli.ActionFunc {
	return func(ctx context.Context, cmd *cli.Command) error {
		cfg, err := settings(needs...)
		if err != nil {
			return err
		}
		if !cfg.Bot.Token.IsSet() {
			return errors.New("TELEGRAM_BOT_TOKEN is not set: set it to the token that @BotFather gave for the guide bot")
		}
		client, err := guideClient(cfg)
		if err != nil {
			return err
		}
		return run(ctx, cmd, api.Webhook{Client: client, PublicURL: cfg.Bot.PublicURL, Secret: cfg.Bot.WebhookSecret.Reveal()})
	}
}

func printWebhook(info telegram.WebhookInfo) error {
	if info.URL == "" {
		_, err := fmt.Fprintf(os.Stdout, "no webhook is set; %s\n", words.Count(info.Pending, "update waits", "updates wait"))
		return err
	}
	list := newTable(os.Stdout, "URL", "WAITING", "KINDS", "LAST ERROR")
	failed := "-"
	if info.LastErrorDate != 0 {
		at := time.Unix(info.LastErrorDate, 0)
		failed = info.LastErrorMessage + ", " + ago(&at)
	}
	list.row(info.URL, info.Pending, dash(strings.Join(info.Updates, ", ")), failed)
	return list.print()
}
