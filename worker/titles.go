package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"vestnik/internal/route"
	"vestnik/internal/telegram"
	"vestnik/internal/vk"
)

// LearnTitles asks the platforms what the configured destinations and the walls
// that are read call themselves, where that is not known as of late. Whoever
// gives none is asked again later.
func (c *Clients) LearnTitles(ctx context.Context) error {
	var configured []string
	for _, target := range c.Routes().Targets() {
		configured = append(configured, target.Destination.String())
	}
	names, err := c.Ledger.TitlesToAsk(ctx, configured)
	if err != nil {
		return err
	}
	var failures []error
	owners := map[string]int64{}
	for _, name := range names {
		destination, err := route.ParseDestination(name)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if destination.Platform == route.VK {
			owners[name] = destination.Owner
			continue
		}
		title, err := c.chatTitle(ctx, destination)
		failures = append(failures, err, c.Ledger.KeepTitle(ctx, name, title))
	}
	if len(owners) > 0 {
		titles, err := c.wallTitles(ctx, owners)
		failures = append(failures, err)
		for name, owner := range owners {
			failures = append(failures, c.Ledger.KeepTitle(ctx, name, titles[owner]))
		}
	}
	return errors.Join(failures...)
}

// chatTitle is a chat's title, with the number of the topic if it is one: the
// names of topics are told to nobody.
func (c *Clients) chatTitle(ctx context.Context, destination route.Destination) (string, error) {
	bot, err := c.Bot(destination)
	if err != nil {
		return "", err
	}
	chat, err := bot.GetChat(ctx, telegram.Chat(destination.Chat))
	if err != nil {
		return "", fmt.Errorf("title of %s: %w", destination, err)
	}
	title := cmp.Or(chat.Title, chat.Username)
	if title != "" && destination.Thread != 0 {
		title += fmt.Sprintf(" / %d", destination.Thread)
	}
	return title, nil
}

func (c *Clients) wallTitles(ctx context.Context, owners map[string]int64) (map[int64]string, error) {
	readers, err := c.Readers()
	if err != nil || len(readers) == 0 {
		return nil, err
	}
	var titles map[int64]string
	err = vk.Ask(ctx, func(ctx context.Context) (err error) {
		if err := readers[0].Pace.Wait(ctx); err != nil {
			return err
		}
		titles, err = readers[0].Client.Titles(ctx, slices.Collect(maps.Values(owners))...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("titles of walls: %w", err)
	}
	return titles, nil
}
