package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/config"
	"vestnik/internal/content"
	"vestnik/starter"
)

// importPoll is how often the command looks how far its import is.
const importPoll = 250 * time.Millisecond

func importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "take a batch of content into the guide",
		ArgsUsage: "<content.json | content.csv.zip>",
		Description: "The batch is the one that POST /api/v1/cms/import takes; a zip has a CSV file for each of its\n" +
			"lists (places.csv, …) with the fields' names in the first row and | between several values.\n" +
			"What is refused is listed, the rest is taken. The exit code is 1 if anything was refused.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "look for faults and import nothing; needs no server, and asks the guide's database if DATABASE_URL names it"},
			&cli.BoolFlag{Name: "snapshot", Usage: "CSV only: unpublish what the batch's lists do not name"},
			&cli.BoolFlag{Name: "allow-http", Usage: "take photos at http addresses, as beside the sandbox"},
			&cli.StringFlag{Name: "key", Usage: "the same `KEY` is the same import"},
			&cli.StringFlag{Name: "status", Usage: "show how the import `ID` stands"},
			&cli.BoolFlag{Name: "no-wait", Usage: "do not wait for the import's end"},
			outputFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.String("status") != "" {
				return withApp(showImport)(ctx, cmd)
			}
			if cmd.Args().Len() != 1 {
				return errors.New("name one file: content.json or content.csv.zip")
			}
			if cmd.Bool("check") {
				return checkBatch(ctx, cmd)
			}
			return withApp(importBatch)(ctx, cmd)
		},
	}
}

func checkBatch(ctx context.Context, cmd *cli.Command) error {
	batch, err := openBatch(cmd)
	if err != nil {
		return err
	}
	defer batch.Close()
	guide, closeGuide := guideToAsk(ctx)
	defer closeGuide()
	report, err := content.CheckBatch(content.NewReader(batch, content.Rules{AllowHTTP: cmd.Bool("allow-http")}), guide)
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		if err := printJSON(os.Stdout, report); err != nil {
			return err
		}
	} else {
		fmt.Println(report)
		printRefusals(report.Refused)
		if len(report.Outside) > 0 {
			fmt.Println("\nGood only if the guide has them already:")
			printRefusals(report.Outside)
		}
	}
	return refusedError(len(report.Refused))
}

// guideToAsk is the guide behind DATABASE_URL, nil if there is none: a batch
// can be checked without, only not what it refers to in the guide.
func guideToAsk(ctx context.Context) (guide content.Guide, closeGuide func()) {
	cfg, err := config.Load(environ(), config.NeedDatabase)
	if !cfg.Database.URL.IsSet() {
		return nil, func() {}
	}
	var pool *pgxpool.Pool
	if err == nil {
		pool, err = db.Open(ctx, cfg.Database.URL.Reveal())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "references are not looked up in the guide: %v\n", err)
		return nil, func() {}
	}
	imports := guidedb.NewImports(pool)
	return func(list content.List, ids []string) (map[string]bool, error) { return imports.Has(ctx, list, ids) }, pool.Close
}

func importBatch(ctx context.Context, cmd *cli.Command, a *app) error {
	batch, err := openBatch(cmd)
	if err != nil {
		return err
	}
	defer batch.Close()
	bar := newBar(os.Stderr)
	counted := &countingReader{from: batch, read: func(bytes int64) {
		bar.show(batch.Share(bytes), fmt.Sprintf("%.1f MB read", float64(bytes)/1e6))
	}}
	rules := content.Rules{AllowHTTP: cmd.Bool("allow-http")}
	accepted, err := starter.NewContent(a.temporal, guidedb.NewImports(a.pool), rules).Import(ctx, cmd.String("key"), counted)
	bar.end()
	if err != nil {
		return err
	}
	switch {
	case accepted.OtherContent:
		fmt.Fprintf(os.Stderr, "the key %q stands for another batch, sent before: this one is not imported\n", cmd.String("key"))
	case accepted.Repeated:
		fmt.Fprintln(os.Stderr, "this batch was sent before: it is the same import")
	}
	var status content.Status
	for {
		if status, err = a.content().Status(ctx, accepted.ID); err != nil {
			return fmt.Errorf("import %s goes on, and can't be followed: %w", accepted.ID, err)
		}
		if status.State != content.Running || cmd.Bool("no-wait") {
			break
		}
		bar.show(status.Progress, fmt.Sprintf("%s, %d objects", status.Phase, status.Objects))
		select {
		case <-time.After(importPoll):
		case <-ctx.Done():
			bar.end()
			return fmt.Errorf("import %s goes on by itself: `vestnik import --status %s`", accepted.ID, accepted.ID)
		}
	}
	bar.end()
	return printImport(cmd, status)
}

func showImport(ctx context.Context, cmd *cli.Command, a *app) error {
	status, err := a.content().Status(ctx, cmd.String("status"))
	if err != nil {
		return err
	}
	return printImport(cmd, status)
}

func printImport(cmd *cli.Command, status content.Status) error {
	if wantsJSON(cmd) {
		if err := printJSON(os.Stdout, status); err != nil {
			return err
		}
	} else {
		fmt.Printf("import %s: %s (%s)\n", status.ID, status.State, status.Phase)
		fmt.Printf("%d objects: %d created, %d changed, %d unchanged, %d refused; %d unpublished\n",
			status.Objects, status.Created, status.Changed, status.Unchanged, status.RefusedCount, status.Unpublished)
		printRefusals(status.Refused)
	}
	if status.State == content.Failed {
		return errors.New(status.Failure)
	}
	return refusedError(status.RefusedCount)
}

func printRefusals(refusals []content.Refusal) {
	for _, refusal := range refusals {
		value := ""
		if refusal.Value != "" {
			value = fmt.Sprintf(" %q", refusal.Value)
		}
		fmt.Printf("  %s%s: %s\n", refusal.Path, value, refusal.Reason)
	}
}

func refusedError(count int) error {
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%d objects refused", count)
}

func openBatch(cmd *cli.Command) (*content.File, error) {
	mode := content.Upsert
	if cmd.Bool("snapshot") {
		mode = content.Snapshot
	}
	return content.OpenFile(cmd.Args().First(), mode)
}

// countingReader tells how much was read.
type countingReader struct {
	from  io.Reader
	bytes int64
	read  func(bytes int64)
}

func (c *countingReader) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.bytes += int64(n)
	c.read(c.bytes)
	return n, err
}

// bar shows progress on a terminal, and nothing anywhere else.
type bar struct {
	out   io.Writer
	shown time.Time
	drawn bool
}

func newBar(file *os.File) *bar {
	described, err := file.Stat()
	if err != nil || described.Mode()&os.ModeCharDevice == 0 {
		return &bar{}
	}
	return &bar{out: file}
}

func (b *bar) show(share float64, label string) {
	if b.out == nil || time.Since(b.shown) < 100*time.Millisecond {
		return
	}
	const width = 30
	filled := int(min(max(share, 0), 1) * width)
	fmt.Fprintf(b.out, "\r\x1b[K[%s%s] %3.0f%% %s", strings.Repeat("█", filled), strings.Repeat("·", width-filled), share*100, label)
	b.shown, b.drawn = time.Now(), true
}

// end clears the line.
func (b *bar) end() {
	if b.drawn {
		fmt.Fprint(b.out, "\r\x1b[K")
		b.drawn = false
	}
}
