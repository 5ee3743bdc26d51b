package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/config"
	"vestnik/internal/content"
	"vestnik/internal/operators"
	"vestnik/internal/words"
)

// importPoll is how often the command looks how far its import is.
const importPoll = 250 * time.Millisecond

func importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "take a batch of content into the guide, or take one back",
		ArgsUsage: "<content.json | table.csv | workbook.xlsx | tables.zip>",
		Description: "The batch is one that POST /api/v1/cms/import takes: JSON, or tables as editors have them: CSV (UTF-8,\n" +
			"UTF-16 or Windows-1251; comma, semicolon or tab), xlsx, or a zip of those, with Russian or English\n" +
			"headings. What is refused is listed, the rest is taken. A snapshot that would unpublish more than\n" +
			"CMS_UNPUBLISH_PERCENT of a list waits until its number is confirmed. The exit code is 1 if anything\n" +
			"was refused.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "tell what would be refused and import nothing; needs no server. With DATABASE_URL, tell what would be created, changed and unpublished, too"},
			&cli.BoolFlag{Name: "snapshot", Usage: "tables only: unpublish what they do not name"},
			&cli.StringFlag{Name: "list", Usage: "what a table holds, such as `places`, if neither its name nor its headings show it"},
			&cli.StringFlag{Name: "key", Usage: "the same `KEY` is the same import"},
			&cli.IntFlag{Name: "unpublish", Usage: "the `NUMBER` of objects that a snapshot may unpublish, confirmed"},
			&cli.BoolFlag{Name: "no-wait", Usage: "do not wait for the import's end"},
			outputFlag(),
		},
		Commands: []*cli.Command{
			importCommandOn("status", "show how an import stands", showImport),
			importCommandOn("undo", "take an import back: what it wrote is as it was before", undoImport),
			importCommandOn("discard", "forget an import that waits to be confirmed",
				func(ctx context.Context, _ *cli.Command, a *app, id string) error {
					return a.content().Discard(ctx, id)
				}),
			importCommandOn("confirm", "let an import that waits be applied", confirmImport,
				&cli.IntFlag{Name: "unpublish", Usage: "the `NUMBER` of objects that it unpublishes"}),
			{
				Name: "history", Usage: "list the latest imports with who and what; they are kept for 30 days",
				Flags: []cli.Flag{outputFlag()}, Action: withApp(listImports),
			},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Len() != 1 {
				return errors.New("name one file: content.json, table.csv, workbook.xlsx or tables.zip")
			}
			if cmd.Bool("check") {
				return checkBatch(ctx, cmd)
			}
			return withApp(importBatch)(ctx, cmd)
		},
	}
}

// importCommandOn does something with the import whose ID is its argument.
func importCommandOn(name, usage string, action func(ctx context.Context, cmd *cli.Command, a *app, id string) error, flags ...cli.Flag) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: "<id>", Flags: append(flags, outputFlag()),
		Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
			if cmd.Args().Len() != 1 {
				return errors.New("name one import by its id: `vestnik import history`")
			}
			id := cmd.Args().First()
			err := action(ctx, cmd, a, id)
			if errors.Is(err, guidedb.ErrNotFound) {
				return a.whyNoImport(ctx, name, id)
			}
			return err
		}),
	}
}

// whyNoImport says why nothing could be done to an import.
func (a *app) whyNoImport(ctx context.Context, action, id string) error {
	history, err := a.content().History(ctx, importsListed)
	if err != nil {
		return err
	}
	var known []string
	for _, status := range history {
		known = append(known, status.ID)
	}
	if slices.Contains(known, id) {
		return fmt.Errorf("import %s: there is nothing to %s; `vestnik import status %[1]s` shows how it stands", id, action)
	}
	return words.NewUnknown("import", id, known, "`vestnik import history` lists them")
}

// importsListed is how many imports the history shows.
const importsListed = 50

func checkBatch(ctx context.Context, cmd *cli.Command) error {
	cfg, err := settings(config.NeedDatabase)
	rules := contentRules(cfg)
	imports, closeGuide := guideToAsk(ctx, cfg, err)
	defer closeGuide()
	if imports != nil {
		rules.Known = func(list content.List) ([]content.Named, error) { return imports.Named(ctx, list) }
	}
	batch, closeBatch, err := openBatch(cmd, func(name string, file io.Reader, options content.TableOptions) (content.Source, error) {
		return content.Open(name, file, rules, options)
	})
	if err != nil {
		return err
	}
	defer closeBatch()
	if imports != nil {
		status, err := imports.Check(ctx, guidedb.Upload{Batch: batch})
		if err != nil {
			return err
		}
		return printImport(cmd, status)
	}
	report, err := content.CheckBatch(batch)
	if err != nil {
		return err
	}
	err = show(cmd, report, func() error {
		fmt.Println(report)
		printRefusals(report.Refused)
		printNotes(batch.Summary().Notes)
		if len(report.Outside) > 0 {
			fmt.Println("\nGood only if the guide has them already:")
			printRefusals(report.Outside)
		}
		return nil
	})
	return errors.Join(err, refusedError(len(report.Refused)))
}

// guideToAsk is the guide behind DATABASE_URL, nil if there is none: a batch
// can be checked without, only not what it would make of the guide.
func guideToAsk(ctx context.Context, cfg config.Config, err error) (guide *guidedb.Imports, closeGuide func()) {
	if !cfg.Database.URL.IsSet() {
		return nil, func() {}
	}
	var pool *pgxpool.Pool
	if err == nil {
		pool, err = db.Open(ctx, cfg.Database.URL.Reveal())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "the guide is not asked: %v\n", err)
		return nil, func() {}
	}
	return guidedb.NewImports(pool), pool.Close
}

func importBatch(ctx context.Context, cmd *cli.Command, a *app) error {
	imports := a.content()
	batch, closeBatch, err := openBatch(cmd, imports.Open)
	if err != nil {
		return err
	}
	defer closeBatch()
	accepted, err := imports.Import(ctx, guidedb.Upload{
		Key: cmd.String("key"), Batch: batch, Author: operators.Of(ctx).Name, Origin: filepath.Base(cmd.Args().First()), Confirmed: cmd.Int("unpublish"),
	})
	switch {
	case err != nil:
		return err
	case accepted.OtherContent:
		return fmt.Errorf("the key %q stands for another batch, sent before: this one is not imported", cmd.String("key"))
	case accepted.Repeated:
		fmt.Fprintln(os.Stderr, "this batch was sent before: it is the same import")
	}
	return followImport(ctx, cmd, a, accepted.ID)
}

// followImport shows how far an import is, to its end.
func followImport(ctx context.Context, cmd *cli.Command, a *app, id string) error {
	bar := newBar(os.Stderr)
	defer bar.end()
	for {
		status, err := a.content().Status(ctx, id)
		if err != nil {
			return fmt.Errorf("import %s goes on, and can't be followed: %w", id, err)
		}
		if status.State != content.Running || cmd.Bool("no-wait") {
			bar.end()
			return printImport(cmd, status)
		}
		bar.show(status.Progress, string(status.Phase)+", "+words.Count(status.Objects, "object", "objects"))
		select {
		case <-time.After(importPoll):
		case <-ctx.Done():
			return fmt.Errorf("import %s goes on by itself: `vestnik import status %s`", id, id)
		}
	}
}

func showImport(ctx context.Context, cmd *cli.Command, a *app, id string) error {
	status, err := a.content().Status(ctx, id)
	if err != nil {
		return err
	}
	return printImport(cmd, status)
}

func undoImport(ctx context.Context, cmd *cli.Command, a *app, id string) error {
	accepted, err := a.content().Undo(ctx, id, operators.Of(ctx).Name)
	if err != nil {
		return err
	}
	return followImport(ctx, cmd, a, accepted.ID)
}

func confirmImport(ctx context.Context, cmd *cli.Command, a *app, id string) error {
	err := a.content().Confirm(ctx, id, cmd.Int("unpublish"))
	if miscounted := new(guidedb.CountError); errors.As(err, &miscounted) {
		return fmt.Errorf("it unpublishes %s: confirm with --unpublish %d", words.Count(miscounted.Unpublishes, "object", "objects"), miscounted.Unpublishes)
	}
	if err != nil {
		return err
	}
	return followImport(ctx, cmd, a, id)
}

func listImports(ctx context.Context, cmd *cli.Command, a *app) error {
	history, err := a.content().History(ctx, importsListed)
	if err != nil {
		return err
	}
	return show(cmd, history, func() error { return printImports(history) })
}

func printImports(history []content.Status) error {
	list := newTable(os.Stdout, "ID", "ACCEPTED", "STATE", "CREATED", "CHANGED", "UNPUBLISHED", "REFUSED", "BY", "WHAT")
	for _, status := range history {
		what := status.Origin
		if status.Undoes != "" {
			what = "undo of " + status.Undoes
		}
		list.row(status.ID, status.AcceptedAt.Local().Format("2006-01-02 15:04"), status.State,
			status.Created, status.Changed, status.Unpublished, status.RefusedCount, status.Author, what)
	}
	return list.print()
}

func printImport(cmd *cli.Command, status content.Status) error {
	err := show(cmd, status, func() error {
		if cmd.Bool("check") {
			fmt.Println("checked; nothing was imported")
		} else {
			fmt.Printf("import %s: %s (%s)\n", status.ID, status.State, status.Phase)
		}
		fmt.Printf("%s: %d created, %d changed, %d unchanged, %d refused; %d unpublished\n",
			words.Count(status.Objects, "object", "objects"), status.Created, status.Changed, status.Unchanged, status.RefusedCount, status.Unpublished)
		printRefusals(status.Refused)
		printNotes(status.Notes)
		printDifference(status.Difference)
		return nil
	})
	switch {
	case err != nil:
		return err
	case status.State == content.Failed:
		return errors.New(status.Failure)
	case status.State == content.Held && !cmd.Bool("check"):
		return fmt.Errorf("nothing is done yet: `vestnik import confirm --unpublish %d %s`, or `vestnik import discard %s`",
			status.Unpublished, status.ID, status.ID)
	}
	return refusedError(status.RefusedCount)
}

func printRefusals(refusals []content.Refusal) {
	for _, refusal := range refusals {
		fmt.Printf("  %s: %s\n", refusal, refusal.Reason)
	}
}

func printNotes(notes content.Notes) {
	for _, warning := range notes.Warnings {
		fmt.Printf("\nПредупреждение (%d): %s\n", warning.Count, warning.Reason)
		for _, object := range warning.Objects {
			fmt.Printf("  %s\n", object)
		}
	}
}

func printDifference(difference content.Difference) {
	for _, change := range difference {
		fmt.Printf("\n%s %s: %d\n", change.List, change.Kind, change.Count)
		for _, object := range change.Objects {
			fmt.Printf("  %s (%s)\n", object.Name, object.ID)
			for _, field := range object.Fields {
				fmt.Printf("    %s: %q → %q\n", field.Field, field.Before, field.After)
			}
		}
		if rest := change.Count - len(change.Objects); rest > 0 {
			fmt.Printf("  … and %d more\n", rest)
		}
	}
}

func refusedError(count int) error {
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%s refused", words.Count(count, "object", "objects"))
}

// openBatch opens the file that the command names.
func openBatch(cmd *cli.Command, open func(string, io.Reader, content.TableOptions) (content.Source, error)) (content.Source, func(), error) {
	options := content.TableOptions{List: content.List(cmd.String("list"))}
	if options.List != "" && options.List.Rank() < 0 {
		return nil, nil, fmt.Errorf("--list: want one of %v", content.Lists)
	}
	if cmd.Bool("snapshot") {
		options.Mode = content.Snapshot
	}
	file, err := os.Open(cmd.Args().First())
	if err != nil {
		var commands []string
		for _, command := range cmd.Commands {
			commands = append(commands, command.Name)
		}
		if meant := words.NewUnknown("file or command", cmd.Args().First(), commands, "`vestnik import --help` lists the commands"); meant.Nearest != "" {
			return nil, nil, meant
		}
		return nil, nil, err
	}
	closeFile := func() { _ = file.Close() } // it was only read
	batch, err := open(filepath.Base(file.Name()), file, options)
	if err != nil {
		closeFile()
	}
	return batch, closeFile, err
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

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write the guide's published content as a batch that import reads",
		ArgsUsage: "[content.json | content.csv.zip]",
		Description: "Without a file the batch goes to standard output, as JSON. Importing it again changes nothing.\n" +
			"What is more than one batch may hold goes into content.json, content-2.json and so on, to be\n" +
			"imported in this order.",
		Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
			imports := guidedb.NewImports(a.pool)
			export := content.Export(func(write func(content.List, any) error) error { return imports.Export(ctx, write) })
			switch cmd.Args().Len() {
			case 0:
				return export.Write(os.Stdout)
			case 1:
				names, err := export.WriteFiles(cmd.Args().First())
				for _, name := range names {
					fmt.Fprintln(os.Stderr, "written: "+name)
				}
				return err
			default:
				return errors.New("name one file, or none for standard output")
			}
		}),
	}
}
