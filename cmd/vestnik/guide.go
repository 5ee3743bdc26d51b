package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"vestnik/activities"
	"vestnik/api"
	"vestnik/db/guidedb"
	"vestnik/db/inbox"
	"vestnik/internal/config"
	"vestnik/internal/content"
	"vestnik/internal/guide"
	"vestnik/internal/telegram"
	"vestnik/starter"
)

// guideClient makes one more client of the guide's bot. Answers to buttons and
// screens have one each, so that neither waits for the other's connections.
func guideClient(cfg config.Config) (*telegram.Client, error) {
	return telegram.New(telegram.Config{
		Token: cfg.Bot.Token.Reveal(), Renewed: cfg.Bot.Token.Reveal, BaseURL: cfg.Platforms.TelegramURL, Proxy: cfg.Platforms.ProxyTelegram(), Timeout: cfg.Bot.HTTPTimeout,
	})
}

// guideActivities are the bot's activities; they belong on protocol.TaskQueue.
func (a *app) guideActivities() (*activities.Guide, error) {
	answers, err := guideClient(a.cfg)
	if err != nil {
		return nil, err
	}
	screens, err := guideClient(a.cfg)
	if err != nil {
		return nil, err
	}
	seal, err := guide.NewSeal(a.cfg.Bot.Token.Reveal)
	if err != nil {
		return nil, err
	}
	return activities.NewGuide(activities.GuideConfig{
		Answers: answers, Screens: screens, Store: guidedb.New(a.pool), Inbox: inbox.New(a.pool),
		Channel: a.cfg.Bot.Channel, ChannelURL: a.cfg.Bot.ChannelURL, ContactURL: a.cfg.Bot.ContactURL, Zone: a.cfg.Bot.Timezone,
		EditInPlace: a.cfg.Bot.EditInPlace, City: a.cfg.Bot.City, Texts: a.cfg.Bot.Texts, Seal: seal, Username: a.cfg.Bot.Username,
		Token: &a.guideToken, Log: a.log,
	}), nil
}

func (a *app) guideReceiver() (*api.Receiver, error) {
	client, err := guideClient(a.cfg)
	if err != nil {
		return nil, err
	}
	seal, err := guide.NewSeal(a.cfg.Bot.Token.Reveal)
	if err != nil {
		return nil, err
	}
	return api.NewReceiver(api.ReceiverConfig{
		Sessions: starter.NewSessions(a.temporal, client.BotID()), Seal: seal, Texts: a.cfg.Bot.Texts,
		AnswerMalformed: a.cfg.Bot.AnswerMalformed, PerSecond: a.cfg.Bot.ChatPerSec, Log: a.log, Count: a.telemetry.Metrics.Update,
	}), nil
}

// guideWebhook belongs at api.WebhookPath, for every method.
func (a *app) guideWebhook() (http.Handler, error) {
	receiver, err := a.guideReceiver()
	if err != nil {
		return nil, err
	}
	return api.NewWebhook(api.WebhookConfig{
		Secret: a.cfg.Bot.WebhookSecret.Reveal(), Receiver: receiver, FailureStatus: a.cfg.Bot.FailureStatus, Log: a.log,
	})
}

// guidePoller takes the place of the webhook where Telegram can't reach us.
func (a *app) guidePoller() (*api.Poller, error) {
	receiver, err := a.guideReceiver()
	if err != nil {
		return nil, err
	}
	client, err := guideClient(a.cfg)
	if err != nil {
		return nil, err
	}
	return &api.Poller{Client: client, Receiver: receiver, Log: a.log}, nil
}

// fillGuide imports the sample city. Its events lie in the weeks to come, so
// there is a new batch each day; the same batch again changes nothing. Without
// photoBase it has no photos.
func (a *app) fillGuide(ctx context.Context, photoBase string) error {
	today := time.Now().In(a.cfg.Bot.Timezone)
	batch, err := json.Marshal(content.SampleCity(today, photoBase))
	if err != nil {
		return err
	}
	_, err = a.content().Import(ctx, guidedb.Upload{
		Key: "sample-city " + today.Format(time.DateOnly), Batch: content.NewReader(bytes.NewReader(batch), content.Rules{AllowHTTP: true}), Author: "vestnik dev", Origin: "sample city",
	})
	return err
}

// guideIsEmpty reports whether the guide has no place to show.
func (a *app) guideIsEmpty(ctx context.Context) (bool, error) {
	places, err := guidedb.New(a.pool).Places(ctx, guide.PlaceFilter{}, guidedb.Paging{Number: 1, Size: 1})
	return places.Total == 0, err
}
