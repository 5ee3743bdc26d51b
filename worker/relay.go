package worker

import (
	"context"
	"log/slog"
	"time"

	"vestnik/activities"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
	"vestnik/internal/relay"
	"vestnik/internal/route"
	"vestnik/internal/telemetry"
	"vestnik/internal/vk"
	"vestnik/starter"
)

// RegisterRelay registers the relay's activities. What calls a platform runs
// on that platform's queue.
func RegisterRelay(workers *Workers, r *relay.Relay, imports *starter.Content, metrics *telemetry.Metrics) error {
	cfg, starting := r.Config, starter.New(r)
	if _, err := r.Readers(); err != nil {
		return err
	}
	if _, err := r.Uploader(); err != nil {
		return err
	}
	keys := &activities.ReadingKeys{Store: r.Walls, Quota: cfg.Scan.DailyQuota, Keys: readingKeys(r)}
	walls := &activities.Walls{
		Store: r.Walls, Posts: r.Posts, Ledger: r.Ledger, Starter: starting, Routes: r.Routes,
		Keys: keys, Names: r.WatchedWalls,
		Every: cfg.Scan.Interval, MaxAge: cfg.Scan.MaxAge, FirstRead: time.Duration(cfg.Scan.FirstRead) * time.Hour,
		CaseWindow: cfg.Relay.CaseWindow, Pictures: photo.NewFetcher(activities.HashOptions(r.PhotoOptions())), Log: r.Log, Metrics: metrics,
	}
	outbound := &activities.Outbound{
		Ledger: r.Ledger, Posts: r.Posts, Starter: starting, Routes: r.Routes, MaxAge: cfg.Scan.MaxAge, Log: r.Log, Metrics: metrics,
	}
	uploader := func() *vk.Client {
		client, _ := r.Uploader() // every token that is taken up has made one
		return client
	}
	pictures := photo.NewFetcher(r.PhotoOptions())
	telegram := &activities.Telegram{Outbound: outbound, Bots: r.Bot, Timeout: cfg.Telegram.HTTPTimeout + time.Second, Pictures: pictures}
	toVK := &activities.VK{
		Outbound: outbound, Keys: r.Key, FromGroup: cfg.VKOut.FromGroup, Timeout: cfg.VKOut.HTTPTimeout + time.Second,
		Album: &activities.WallAlbum{Ledger: r.Ledger, Pictures: pictures, Uploader: uploader, Pace: r.KeyPace(), Log: r.Log},
	}
	if len(cfg.Scan.Tokens()) > 0 {
		telegram.Fresh, toVK.Walls, toVK.Album.Walls = walls.FreshMedia, walls, walls
	}
	workers.AtStart(func(ctx context.Context) { noticeMissingRights(ctx, r) })
	workers.AtStart(func(ctx context.Context) { keepSchedules(ctx, starting, r.Log) })
	workers.AtStart(func(ctx context.Context) { keepTitles(ctx, r) })

	main := workers.On(protocol.TaskQueue)
	main.RegisterActivity(&activities.Lanes{Starter: starting, Ledger: r.Ledger, Pace: r.Pace, Quiet: r.Quiet})
	main.RegisterActivity(&activities.Recovery{Starter: starting, Ledger: r.Ledger, Imports: imports, CaseWindow: cfg.Relay.CaseWindow})
	main.RegisterActivity(&activities.Retention{Posts: r.Posts, Days: cfg.Relay.RetentionDays})
	main.RegisterActivity(activities.NewLedger(r.Ledger))
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

// readingKeys returns the keys of VK_TOKEN as it is whenever they are asked for.
func readingKeys(r *relay.Relay) func() []activities.ReadingKey {
	return func() (keys []activities.ReadingKey) {
		readers, _ := r.Readers() // every token that is taken up has made them
		for _, reader := range readers {
			keys = append(keys, activities.ReadingKey{Name: reader.Name, Client: reader.Client, Pace: reader.Pace})
		}
		return keys
	}
}

const (
	// schedulesEvery is how often a worker looks whether the schedules are there.
	schedulesEvery = time.Minute
)

// keepSchedules makes the relay's schedules where they are missing, for as long
// as the worker runs: Temporal may be a new one.
func keepSchedules(ctx context.Context, starting *starter.Starter, log *slog.Logger) {
	again := time.NewTicker(schedulesEvery)
	defer again.Stop()
	for {
		if err := starting.EnsureSchedules(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "schedules not looked after", "error", err)
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
func keepTitles(ctx context.Context, r *relay.Relay) {
	again := time.NewTicker(titlesEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		if err := r.LearnTitles(ctx); err != nil && ctx.Err() == nil {
			r.Log.InfoContext(ctx, "some titles of chats and walls not learned", "error", err)
		}
	}
}

// askTime bounds what is asked at the start about one destination.
const askTime = 10 * time.Second

// noticeMissingRights says at the start which walls' posts may go without
// their photos, and why.
func noticeMissingRights(ctx context.Context, r *relay.Relay) {
	for _, target := range r.Routes().Targets() {
		if target.Destination.Platform != route.VK || !target.Settings.AttachMedia {
			continue
		}
		asked, cancel := context.WithTimeout(ctx, askTime)
		if err := r.TryUploading(asked, target.Destination); err != nil && ctx.Err() == nil {
			r.Log.WarnContext(ctx, "photos are named, not uploaded: where the wall drops them, posts go as text",
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
