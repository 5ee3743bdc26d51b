package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"vestnik/internal/compose"
	"vestnik/internal/config"
	"vestnik/internal/protocol"
	"vestnik/internal/reading"
	"vestnik/internal/relay"
	"vestnik/internal/route"
	"vestnik/internal/telemetry"
)

// dryPage is how many posts of each wall a dry run looks at.
const dryPage = 30

// dryRun reads the walls and prints exactly what would be sent where. It needs
// no server, sends nothing and stores nothing; each wall costs a call of
// wall.get. What the ledger would hold back, because it has been delivered or
// its case is told, it does not know.
type dryRun struct {
	relay *relay.Relay
	out   io.Writer
	count int
}

func dryRunAction(ctx context.Context, cmd *cli.Command) error {
	cfg, err := config.Load(environ(), config.NeedScan)
	if err != nil {
		return err
	}
	telemetry.Redact(cfg.Secrets()...)
	r, err := relay.New(cfg, nil, nil, nil)
	if err != nil {
		return err
	}
	walls := cmd.Args().Slice()
	if len(walls) == 0 {
		walls = cfg.Scan.Walls
	}
	d := &dryRun{relay: r, out: os.Stdout}
	var failures []error
	for _, wall := range walls {
		if err := d.wall(ctx, wall); err != nil {
			failures = append(failures, fmt.Errorf("wall %s: %w", wall, err))
		}
	}
	fmt.Fprintf(d.out, "%d messages would be sent. Nothing was.\n", d.count)
	return errors.Join(failures...)
}

func (d *dryRun) wall(ctx context.Context, name string) error {
	reader, err := d.relay.Reader()
	if err != nil {
		return err
	}
	owner, err := reader.ResolveWall(ctx, name)
	if err != nil {
		return err
	}
	page, err := reader.WallGet(ctx, owner, dryPage, 0)
	if err != nil {
		return err
	}
	items := reading.Decode(owner, page.Items)
	for reason, count := range items.Skipped {
		fmt.Fprintf(d.out, "%s: %d posts skipped: %s\n", name, count, reason)
	}
	slices.Reverse(items.Posts) // oldest first, as they would go
	for _, item := range items.Posts {
		d.post(name, item)
	}
	return nil
}

func (d *dryRun) post(wall string, item reading.Item) {
	post := item.Post
	what := fmt.Sprintf("%s %s %s", protocol.WallPost(post.OwnerID, post.PostID), post.Reading.Type, post.Reading.Animal)
	if age := time.Since(post.PostedAt); age > d.relay.Config.Scan.MaxAge {
		fmt.Fprintf(d.out, "%s: stored only, older than DELIVER_MAX_AGE\n", what)
		return
	}
	_, decisions := d.relay.Routes.Match(compose.RoutePost(post, wall))
	for _, decision := range decisions {
		if !decision.Matched {
			fmt.Fprintf(d.out, "%s ↛ %s: %s\n", what, decision.Destination, decision.Reason)
			continue
		}
		fmt.Fprintf(d.out, "%s → %s: %s\n", what, decision.Destination, decision.Reason)
		target, _ := d.relay.Routes.Target(decision.Destination)
		if decision.Destination.Platform == route.VK {
			message := compose.VK(post, target, d.relay.Config.VKOut.MaxText)
			d.show(fmt.Sprintf("post, %d photos", len(message.Photos)), message.Text)
			continue
		}
		for _, step := range compose.Telegram(post, target).Steps {
			d.show(fmt.Sprintf("%s, %d photos", step.Kind, len(step.Photos)), step.Text)
		}
	}
}

func (d *dryRun) show(kind, text string) {
	d.count++
	fmt.Fprintf(d.out, "  ┌ %s\n", kind)
	for line := range strings.Lines(text) {
		fmt.Fprintf(d.out, "  │ %s\n", strings.TrimRight(line, "\n"))
	}
	fmt.Fprintln(d.out, "  └")
}
