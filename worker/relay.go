package worker

import (
	"context"
	"time"

	"vestnik/activities"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/telemetry"
	"vestnik/internal/vk"
	"vestnik/starter"
)

// RegisterRelay registers the relay's activities. What calls a platform runs
// on that platform's queue.
func RegisterRelay(workers *Workers, c *Clients, imports *starter.Content, metrics *telemetry.Metrics) error {
	cfg := c.Config
	if _, err := c.Readers(); err != nil {
		return err
	}
	if _, err := c.Uploader(); err != nil {
		return err
	}
	keys := &activities.ReadingKeys{Store: c.Walls, Quota: cfg.Scan.DailyQuota, Keys: func() []activities.ReadingKey {
		readers, _ := c.Readers() // every token that is taken up has made them
		return readers
	}}
	walls := &activities.Walls{
		Store: c.Walls, Posts: c.Posts, Ledger: c.Ledger, Starter: c.Starter, Routes: c.Routes,
		Keys: keys, Names: c.WatchedWalls,
		Every: cfg.Scan.Interval, MaxAge: cfg.Scan.MaxAge, FirstRead: time.Duration(cfg.Scan.FirstRead) * time.Hour,
		CaseWindow: cfg.Relay.CaseWindow, Pictures: photo.NewFetcher(activities.HashOptions(c.PhotoOptions())), Log: c.Log, Metrics: metrics,
	}
	outbound := &activities.Outbound{
		Ledger: c.Ledger, Posts: c.Posts, Starter: c.Starter, Routes: c.Routes, MaxAge: cfg.Scan.MaxAge, Log: c.Log, Metrics: metrics,
	}
	uploader := func() *vk.Client {
		client, _ := c.Uploader() // every token that is taken up has made one
		return client
	}
	pictures := photo.NewFetcher(c.PhotoOptions())
	telegram := &activities.Telegram{Outbound: outbound, Bots: c.Bot, Timeout: cfg.Telegram.HTTPTimeout + time.Second, Pictures: pictures}
	toVK := &activities.VK{
		Outbound: outbound, Keys: c.Key, FromGroup: cfg.VKOut.FromGroup, Timeout: cfg.VKOut.HTTPTimeout + time.Second,
		Album: &activities.WallAlbum{Ledger: c.Ledger, Pictures: pictures, Uploader: uploader, Pace: c.KeyPace(), Log: c.Log},
	}
	if len(cfg.Scan.Tokens()) > 0 {
		telegram.Fresh, toVK.Walls, toVK.Album.Walls = walls.FreshMedia, walls, walls
	}
	workers.AtStart(func(ctx context.Context) { noticeMissingRights(ctx, c) })
	workers.AtStart(func(ctx context.Context) { keepSchedules(ctx, c) })
	workers.AtStart(func(ctx context.Context) { keepTitles(ctx, c) })

	main := workers.On(protocol.TaskQueue)
	main.RegisterActivity(&activities.Lanes{Starter: c.Starter, Ledger: c.Ledger, Pace: c.Pace, Quiet: c.Quiet})
	main.RegisterActivity(&activities.Recovery{Starter: c.Starter, Ledger: c.Ledger, Imports: imports, CaseWindow: cfg.Relay.CaseWindow})
	main.RegisterActivity(&activities.Retention{Posts: c.Posts, Days: cfg.Relay.RetentionDays})
	main.RegisterActivity(activities.NewLedger(c.Ledger))
	main.RegisterActivity(walls.PlanReads)
	main.RegisterActivity(walls.StartDeliveries)
	workers.On(protocol.VKTaskQueue).RegisterActivity(walls.ReadWall)
	workers.On(protocol.VKTaskQueue).RegisterActivity(walls.BackfillWall)
	workers.On(protocol.VKTaskQueue).RegisterActivity(toVK.SendToVK)
	workers.On(protocol.TelegramTaskQueue).RegisterActivity(telegram.SendToTelegram)
	workers.On(protocol.VKTaskQueue).RegisterActivity(toVK.EditOnVK)
	workers.On(protocol.TelegramTaskQueue).RegisterActivity(telegram.EditOnTelegram)
	return nil
}

// schedulesEvery is how often a worker looks whether the schedules are there.
const schedulesEvery = time.Minute

// keepSchedules makes the relay's schedules where they are missing, for as long
// as the worker runs: Temporal may be a new one.
func keepSchedules(ctx context.Context, c *Clients) {
	again := time.NewTicker(schedulesEvery)
	defer again.Stop()
	for {
		if err := c.EnsureSchedules(ctx); err != nil && ctx.Err() == nil {
			c.Log.WarnContext(ctx, "schedules not looked after", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

// titlesEvery is how often a worker looks whose title is not known as of late.
const titlesEvery = 20 * time.Second

// keepTitles learns what chats and walls call themselves, for as long as the
// worker runs: walls are found out one by one, and names change.
func keepTitles(ctx context.Context, c *Clients) {
	again := time.NewTicker(titlesEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		if err := c.LearnTitles(ctx); err != nil && ctx.Err() == nil {
			c.Log.InfoContext(ctx, "some titles of chats and walls not learned", "error", err)
		}
	}
}

// askTime bounds what is asked at the start about one destination.
const askTime = 10 * time.Second

// noticeMissingRights says at the start which walls' posts may go without
// their photos, and why.
func noticeMissingRights(ctx context.Context, c *Clients) {
	for _, target := range c.Routes().Targets() {
		if target.Destination.Platform != route.VK || !target.Settings.AttachMedia {
			continue
		}
		asked, cancel := context.WithTimeout(ctx, askTime)
		if err := c.TryUploading(asked, target.Destination); err != nil && ctx.Err() == nil {
			c.Log.WarnContext(ctx, "photos are named, not uploaded: where the wall drops them, posts go as text",
				"destination", target.Destination.String(), "error", err)
		}
		cancel()
	}
}

// RegisterGuide registers the guide bot's activities. They run beside its
// sessions, on one queue, so that Temporal may hand them over without a trip
// through the server's queues: a person waits for the screen.
func RegisterGuide(workers *Workers, guide *activities.Guide) {
	workers.On(protocol.TaskQueue).RegisterActivity(guide)
}

// RegisterContent registers the activities that take the CMS's batches in.
func RegisterContent(workers *Workers, content *activities.Content) {
	workers.On(protocol.TaskQueue).RegisterActivity(content)
}
