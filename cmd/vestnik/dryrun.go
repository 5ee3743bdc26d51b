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

	"vestnik/db"
	"vestnik/internal/compose"
	"vestnik/internal/config"
	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
	"vestnik/internal/reading"
	"vestnik/internal/relay"
	"vestnik/internal/route"
	"vestnik/internal/telemetry"
	"vestnik/internal/vk"
)

// dryPage is how many posts of each wall a dry run looks at.
const dryPage = 30

// dryRun reads the walls and tells exactly what would be sent where. It sends
// nothing and stores nothing; each wall costs a call of wall.get. Where there
// is a database it leaves out what is delivered or owed already; whether a
// case is told, only a scan decides.
type dryRun struct {
	relay  *relay.Relay
	ledger *db.Ledger // nil if there is none to ask
}

// rehearsal is what would become of a post at a destination.
type rehearsal struct {
	Post        string             `json:"post"`
	Type        petpost.Type       `json:"type"`
	Animal      petpost.Animal     `json:"animal"`
	Destination string             `json:"destination,omitempty"` // "": none, whatever the rules
	Sends       bool               `json:"sends"`
	Reason      string             `json:"reason"`
	Messages    []rehearsedMessage `json:"messages,omitempty"`
}

// rehearsedMessage is one call to the platform.
type rehearsedMessage struct {
	Kind      string   `json:"kind"` // message, photo, album or post
	Text      string   `json:"text"`
	ParseMode string   `json:"parse_mode,omitempty"`
	Photos    []string `json:"photos,omitempty"`    // links; on VK their names
	Answers   int      `json:"answers,omitempty"`   // the number of the message that it answers
	Preview   string   `json:"preview,omitempty"`   // the link whose preview it shows
	Copyright string   `json:"copyright,omitempty"` // the source that VK shows under it
	Silent    bool     `json:"silent,omitempty"`
}

func dryRunAction(ctx context.Context, cmd *cli.Command) error {
	cfg, err := config.Load(environ(), config.NeedScan)
	if err != nil {
		return err
	}
	telemetry.Redact(cfg.Secrets()...)
	d := &dryRun{}
	if d.relay, err = relay.New(cfg, nil, nil, nil); err != nil {
		return err
	}
	if cfg.Database.URL.IsSet() {
		pool, err := db.Open(ctx, cfg.Database.URL.Reveal())
		if err != nil {
			return err
		}
		defer pool.Close()
		d.ledger = db.NewLedger(pool)
	}
	walls := cmd.Args().Slice()
	if len(walls) == 0 {
		walls = cfg.Scan.Walls
	}
	all := []rehearsal{}
	var failures []error
	for _, wall := range walls {
		rehearsals, err := d.wall(ctx, wall)
		if err != nil {
			failures = append(failures, fmt.Errorf("wall %s: %w", wall, err))
		}
		all = append(all, rehearsals...)
	}
	if wantsJSON(cmd) {
		err = printJSON(os.Stdout, all)
	} else {
		err = printRehearsals(os.Stdout, all)
	}
	return errors.Join(append(failures, err)...)
}

// wall rehearses the posts of a wall, the oldest first, as they would go.
func (d *dryRun) wall(ctx context.Context, name string) (rehearsals []rehearsal, err error) {
	reader, err := d.relay.Reader()
	if err != nil {
		return nil, err
	}
	var owner int64
	var page vk.Page
	if err := askVK(ctx, func(ctx context.Context) (err error) { owner, err = reader.ResolveWall(ctx, name); return err }); err != nil {
		return nil, err
	}
	if err := askVK(ctx, func(ctx context.Context) (err error) { page, err = reader.WallGet(ctx, owner, dryPage, 0); return err }); err != nil {
		return nil, err
	}
	items := reading.Decode(owner, page.Items)
	for reason, count := range items.Skipped {
		fmt.Fprintf(os.Stderr, "· %s: %d posts skipped: %s\n", name, count, reason)
	}
	slices.Reverse(items.Posts)
	for _, item := range items.Posts {
		ofPost, err := d.post(ctx, name, item.Post)
		if err != nil {
			return rehearsals, err
		}
		rehearsals = append(rehearsals, ofPost...)
	}
	return rehearsals, nil
}

func (d *dryRun) post(ctx context.Context, wall string, post db.Post) ([]rehearsal, error) {
	r := rehearsal{Post: protocol.WallPost(post.OwnerID, post.PostID), Type: post.Reading.Type, Animal: post.Reading.Animal}
	if time.Since(post.PostedAt) > d.relay.Config.Scan.MaxAge {
		r.Reason = "stored only, older than DELIVER_MAX_AGE"
		return []rehearsal{r}, nil
	}
	owed, err := d.owed(ctx, post)
	if err != nil {
		return nil, err
	}
	var rehearsals []rehearsal
	_, decisions := d.relay.Routes.Match(compose.RoutePost(post, wall))
	for _, decision := range decisions {
		r.Destination, r.Sends, r.Reason, r.Messages = decision.Destination.String(), decision.Matched, decision.Reason, nil
		if delivery, is := owed[r.Destination]; is && r.Sends {
			r.Sends, r.Reason = false, fmt.Sprintf("delivery %d is there already: %s", delivery.ID, delivery.Status)
		}
		if r.Sends {
			target, _ := d.relay.Routes.Target(decision.Destination)
			r.Messages = rehearse(post, target)
		}
		rehearsals = append(rehearsals, r)
	}
	return rehearsals, nil
}

// owed are the deliveries of a post that the ledger has, by destination.
func (d *dryRun) owed(ctx context.Context, post db.Post) (map[string]db.DeliveryRow, error) {
	if d.ledger == nil {
		return nil, nil
	}
	rows, err := d.ledger.List(ctx, db.DeliveryFilter{Post: petpost.PostRef{OwnerID: post.OwnerID, PostID: post.PostID}})
	owed := map[string]db.DeliveryRow{}
	for _, row := range rows {
		owed[row.Destination] = row
	}
	return owed, err
}

// rehearse makes the calls to a platform, short of making them.
func rehearse(post db.Post, target route.Target) (messages []rehearsedMessage) {
	if target.Destination.Platform == route.VK {
		words := compose.VK(post, target, 0)
		message := rehearsedMessage{Kind: "post", Text: words.Text, Copyright: words.Copyright, Silent: target.Settings.Silent}
		for _, index := range words.Photos {
			photo := post.Photos[index]
			message.Photos = append(message.Photos, vk.Photo{OwnerID: photo.OwnerID, ID: photo.ID, AccessKey: photo.AccessKey}.Ref())
		}
		return []rehearsedMessage{message}
	}
	for _, step := range compose.Telegram(post, target).Steps {
		message := rehearsedMessage{
			Kind: string(step.Kind), Text: step.Text, ParseMode: string(step.ParseMode), Preview: step.Preview, Silent: step.Silent,
		}
		if step.ReplyTo != notice.NoReply {
			message.Answers = step.ReplyTo + 1
		}
		for _, index := range step.Photos {
			link := "(VK names no link)"
			if sizes := post.Photos[index].Sizes; len(sizes) > 0 {
				link = sizes[0].URL
			}
			message.Photos = append(message.Photos, link)
		}
		messages = append(messages, message)
	}
	return messages
}

func printRehearsals(w io.Writer, rehearsals []rehearsal) error {
	var text strings.Builder
	count := 0
	for _, r := range rehearsals {
		what := strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Post, r.Type, r.Animal))
		switch {
		case r.Destination == "":
			fmt.Fprintf(&text, "%s: %s\n", what, r.Reason)
		case !r.Sends:
			fmt.Fprintf(&text, "%s ↛ %s: %s\n", what, r.Destination, r.Reason)
		default:
			fmt.Fprintf(&text, "%s → %s: %s\n", what, r.Destination, r.Reason)
		}
		for i, message := range r.Messages {
			count++
			message.print(&text, i+1)
		}
	}
	fmt.Fprintf(&text, "%d messages, posts and albums would be sent. Nothing was.\n", count)
	_, err := io.WriteString(w, text.String())
	return err
}

func (m rehearsedMessage) print(w io.Writer, number int) {
	about := []string{fmt.Sprintf("%d. %s", number, m.Kind)}
	add := func(is bool, format string, values ...any) {
		if is {
			about = append(about, fmt.Sprintf(format, values...))
		}
	}
	add(m.ParseMode != "", "%s", m.ParseMode)
	add(m.Answers > 0, "answers %d", m.Answers)
	add(m.Silent, "without a sound")
	add(m.Preview != "", "with the preview of %s", m.Preview)
	add(m.Copyright != "", "copyright %s", m.Copyright)
	fmt.Fprintf(w, "  ┌ %s\n", strings.Join(about, ", "))
	for _, photo := range m.Photos {
		fmt.Fprintf(w, "  │ 🖼 %s\n", photo)
	}
	for line := range strings.Lines(m.Text) {
		fmt.Fprintf(w, "  │ %s\n", strings.TrimRight(line, "\n"))
	}
	fmt.Fprintln(w, "  └")
}
