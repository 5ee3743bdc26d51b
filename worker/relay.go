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
func RegisterRelay(workers *Workers, s *starter.Starter, imports *starter.Content, metrics *telemetry.Metrics) error {
	cfg := s.Config
	if _, err := s.Readers(); err != nil {
		return err
	}
	if _, err := s.Uploader(); err != nil {
		return err
	}
	keys := &activities.ReadingKeys{Store: s.Walls, Quota: cfg.Scan.DailyQuota, Keys: readingKeys(s)}
	walls := &activities.Walls{
		Store: s.Walls, Posts: s.Posts, Ledger: s.Ledger, Starter: s, Routes: s.Routes,
		Keys: keys, Names: s.WatchedWalls,
		Every: cfg.Scan.Interval, MaxAge: cfg.Scan.MaxAge, FirstRead: time.Duration(cfg.Scan.FirstRead) * time.Hour,
		CaseWindow: cfg.Relay.CaseWindow, Pictures: photo.NewFetcher(activities.HashOptions(s.PhotoOptions())), Log: s.Log, Metrics: metrics,
	}
	outbound := &activities.Outbound{
		Ledger: s.Ledger, Posts: s.Posts, Starter: s, Routes: s.Routes, MaxAge: cfg.Scan.MaxAge, Log: s.Log, Metrics: metrics,
	}
	uploader := func() *vk.Client {
		client, _ := s.Uploader() // every token that is taken up has made one
		return client
	}
	pictures := photo.NewFetcher(s.PhotoOptions())
	telegram := &activities.Telegram{Outbound: outbound, Bots: s.Bot, Timeout: cfg.Telegram.HTTPTimeout + time.Second, Pictures: pictures}
	toVK := &activities.VK{
		Outbound: outbound, Keys: s.Key, FromGroup: cfg.VKOut.FromGroup, Timeout: cfg.VKOut.HTTPTimeout + time.Second,
		Album: &activities.WallAlbum{Ledger: s.Ledger, Pictures: pictures, Uploader: uploader, Pace: s.KeyPace(), Log: s.Log},
	}
	if len(cfg.Scan.Tokens()) > 0 {
		telegram.Fresh, toVK.Walls, toVK.Album.Walls = walls.FreshMedia, walls, walls
	}
	workers.AtStart(func(ctx context.Context) { noticeMissingRights(ctx, s) })
	workers.AtStart(func(ctx context.Context) { keepSchedules(ctx, s) })
	workers.AtStart(func(ctx context.Context) { keepTitles(ctx, s) })

	main := workers.On(protocol.TaskQueue)
	main.RegisterActivity(&activities.Lanes{Starter: s, Ledger: s.Ledger, Pace: s.Pace, Quiet: s.Quiet})
	main.RegisterActivity(&activities.Recovery{Starter: s, Ledger: s.Ledger, Imports: imports, CaseWindow: cfg.Relay.CaseWindow})
	main.RegisterActivity(&activities.Retention{Posts: s.Posts, Days: cfg.Relay.RetentionDays})
	main.RegisterActivity(activities.NewLedger(s.Ledger))
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
func readingKeys(s *starter.Starter) func() []activities.ReadingKey {
	return func() (keys []activities.ReadingKey) {
		readers, _ := s.Readers() // every token that is taken up has made them
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
func keepSchedules(ctx context.Context, s *starter.Starter) {
	again := time.NewTicker(schedulesEvery)
	defer again.Stop()
	for {
		if err := s.EnsureSchedules(ctx); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "schedules not looked after", "error", err)
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
func keepTitles(ctx context.Context, s *starter.Starter) {
	again := time.NewTicker(titlesEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		if err := s.LearnTitles(ctx); err != nil && ctx.Err() == nil {
			s.Log.InfoContext(ctx, "some titles of chats and walls not learned", "error", err)
		}
	}
}

// askTime bounds what is asked at the start about one destination.
const askTime = 10 * time.Second

// noticeMissingRights says at the start which walls' posts may go without
// their photos, and why.
func noticeMissingRights(ctx context.Context, s *starter.Starter) {
	for _, target := range s.Routes().Targets() {
		if target.Destination.Platform != route.VK || !target.Settings.AttachMedia {
			continue
		}
		asked, cancel := context.WithTimeout(ctx, askTime)
		if err := s.TryUploading(asked, target.Destination); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "photos are named, not uploaded: where the wall drops them, posts go as text",
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
