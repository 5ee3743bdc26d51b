package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/rehearse"
	"vestnik/internal/route"
	"vestnik/internal/words"
)

func deliveriesCommand() *cli.Command {
	return &cli.Command{
		Name:      "deliveries",
		Usage:     "list deliveries, newest first; with an id: every attempt at it",
		ArgsUsage: "[id]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "status", Usage: "only these: " + strings.Join(protocol.Statuses, ", "), Validator: oneOf("status", protocol.Statuses...)},
			&cli.StringFlag{Name: "destination", Usage: "only to this one, such as telegram:-1001234567890"},
			limitFlag(), beforeFlag(),
			&cli.BoolFlag{Name: "summary", Usage: "counts by status, the oldest that waits, sent in the last hour"},
			outputFlag(),
		},
		Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
			for _, filter := range []string{"summary", "status", "destination", "limit", "before"} {
				if cmd.IsSet(filter) && (cmd.Args().Present() || filter != "summary" && cmd.Bool("summary")) {
					return fmt.Errorf("--%s is for the list: a delivery by its id, and --summary, take no filter", filter)
				}
			}
			switch {
			case cmd.Bool("summary"):
				return a.printSummary(ctx, cmd)
			case cmd.Args().Present():
				return a.printAttempts(ctx, cmd)
			default:
				return a.printDeliveries(ctx, cmd)
			}
		}),
	}
}

func (a *app) printDeliveries(ctx context.Context, cmd *cli.Command) error {
	destination, err := a.destination(ctx, cmd.String("destination"))
	if err != nil {
		return err
	}
	rows, err := a.starter.Ledger.List(ctx, db.DeliveryFilter{
		Status: cmd.String("status"), Destination: destination, Before: cmd.Int64("before"), Limit: cmd.Int("limit"),
	})
	if err != nil {
		return err
	}
	return show(cmd, rows, func() error { return printRows(os.Stdout, rows, a.titles(ctx)) })
}

func printRows(w io.Writer, rows []db.DeliveryRow, titles db.Titles) error {
	list := newTable(w, "ID", "STATUS", "POST", "TYPE", "CASE", "DESTINATION", "ATTEMPTS", "MESSAGES", "CREATED", "REASON")
	for _, row := range rows {
		if row.Held {
			row.Reason = "its destination is paused"
		}
		list.row(row.ID, row.Status, titles.Post(row.OwnerID, row.PostID), row.Type, caseNumber(row.Case), titles.Beside(row.Destination), row.Attempts,
			messages(row.MessageIDs), ago(&row.CreatedAt), row.Reason)
	}
	return list.print()
}

// destination is a known destination by the name it was given, or no name.
func (a *app) destination(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	parsed, err := route.ParseDestination(name)
	if err != nil {
		return "", err
	}
	lane, err := a.starter.Destination(ctx, parsed.String())
	return lane.Destination, err
}

func caseNumber(id *int64) string {
	if id == nil {
		return "-"
	}
	return strconv.FormatInt(*id, 10)
}

func messages(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return dash(strings.Join(texts, ","))
}

func (a *app) printSummary(ctx context.Context, cmd *cli.Command) error {
	summary, err := a.starter.Ledger.Summarise(ctx, time.Now())
	if err != nil {
		return err
	}
	return show(cmd, summary, func() error { return printCounts(summary) })
}

func printCounts(summary db.Summary) error {
	for _, status := range protocol.Statuses {
		fmt.Printf("%-12s %d\n", status, summary.Statuses[status])
	}
	fmt.Printf("\noldest waiting   %s\nsent last hour   %d\n", ago(summary.OldestWaiting), summary.SentLastHour)
	if summary.UncertainLastHour > 0 {
		fmt.Printf("of unknown outcome among them: %s, each perhaps one copy too many\n", words.Count(summary.UncertainLastHour, "attempt", "attempts"))
	}
	return nil
}

func (a *app) printAttempts(ctx context.Context, cmd *cli.Command) error {
	ids, err := deliveryIDs(cmd)
	if err != nil {
		return err
	}
	id := ids[0]
	delivery, err := a.starter.Ledger.Delivery(ctx, id)
	if err != nil {
		return err
	}
	attempts, err := a.starter.Ledger.Attempts(ctx, id)
	if err != nil {
		return err
	}
	var preview []rehearse.Message
	if delivery.Status == protocol.StatusParked || delivery.Status == protocol.StatusUnknown {
		if preview, err = a.starter.Preview(ctx, delivery.OwnerID, delivery.PostID, delivery.Destination); err != nil {
			return err
		}
	}
	told := toldDelivery{delivery, attempts, preview}
	return show(cmd, told, func() error { return printDelivery(told, a.titles(ctx)) })
}

// toldDelivery is a delivery with all that is known of it.
type toldDelivery struct {
	db.DeliveryRow
	History []db.AttemptRow    `json:"history"`
	Preview []rehearse.Message `json:"preview,omitempty"`
}

func printDelivery(delivery toldDelivery, titles db.Titles) error {
	fmt.Printf("delivery %d  %s → %s\nstatus   %s %s\nworkflow %s\nsource   https://vk.com/%s\n", delivery.ID,
		titles.Post(delivery.OwnerID, delivery.PostID), titles.Beside(delivery.Destination), delivery.Status, delivery.Reason,
		delivery.WorkflowID, protocol.WallPost(delivery.OwnerID, delivery.PostID))
	if captcha := delivery.Captcha; captcha != nil {
		fmt.Printf("captcha  picture %s\n         page    %s\n", dash(captcha.Picture), dash(captcha.RedirectURI))
	}
	if delivery.AnswerBy != nil {
		fmt.Printf("if nobody answers by %s: %s\n", delivery.AnswerBy.Format(time.DateTime), delivery.Silence)
	}
	for i, message := range delivery.Preview {
		printRehearsed(os.Stdout, i+1, message)
	}
	fmt.Println()
	list := newTable(os.Stdout, "ATTEMPT", "PART", "STARTED", "TOOK", "OUTCOME", "CODE", "RUNG", "ERROR")
	for _, attempt := range delivery.History {
		took := "-"
		if attempt.FinishedAt != nil {
			took = attempt.FinishedAt.Sub(attempt.StartedAt).Round(time.Millisecond).String()
		}
		list.row(attempt.Number, attempt.Part+1, attempt.StartedAt.Format(time.DateTime), took, dash(attempt.Outcome),
			attempt.Code, dash(attempt.Rung), attempt.Error)
	}
	return list.print()
}

func deliverCommand() *cli.Command {
	return &cli.Command{
		Name:      "deliver",
		Usage:     "send a stored post to a destination, whatever the rules say",
		ArgsUsage: "wall<owner>_<post>",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "to", Usage: "destination, such as telegram:-1001234567890; may be repeated", Required: true},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			source, err := post.ParseID(cmd.Args().First())
			if err != nil {
				return err
			}
			a, err := open(ctx)
			if err != nil {
				return err
			}
			defer a.close()
			for _, name := range cmd.StringSlice("to") {
				destination, err := route.ParseDestination(name)
				if err != nil {
					return err
				}
				id, err := a.starter.Deliver(ctx, source.OwnerID, source.PostID, destination)
				if err != nil {
					return err
				}
				fmt.Printf("delivery %d queued: %s → %s\n", id, source, a.titles(ctx).Beside(destination.String()))
			}
			return nil
		},
	}
}

func resumeCommand() *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "decide about deliveries that wait for a person",
		ArgsUsage: "[id…]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "action", Value: string(protocol.ResumeRetry), Usage: "retry, captcha, mark_sent or skip"},
			&cli.StringFlag{Name: "captcha-key", Usage: "the text on VK's picture, or the success_token of its page"},
			&cli.StringFlag{Name: "note", Usage: "why, for the record"},
			&cli.BoolFlag{Name: "all", Usage: "every delivery that waits (narrow with --reason and --destination)"},
			&cli.StringFlag{Name: "reason", Usage: "with --all: only those parked for this reason"},
			&cli.StringFlag{Name: "destination", Usage: "with --all: only those to this destination"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			resume := protocol.Resume{
				Action: protocol.ResumeAction(cmd.String("action")), CaptchaKey: cmd.String("captcha-key"), Note: cmd.String("note"),
			}
			if resume.CaptchaKey != "" && !cmd.IsSet("action") {
				resume.Action = protocol.ResumeCaptcha
			}
			if resume.CaptchaKey != "" && resume.Action != protocol.ResumeCaptcha {
				return fmt.Errorf("--captcha-key says nothing to the action %s", resume.Action)
			}
			if cmd.Bool("all") && cmd.Args().Present() {
				return errors.New("name deliveries by id, or say --all")
			}
			if err := onlyWith(cmd, "all", "reason", "destination"); err != nil {
				return err
			}
			return resumeAll(ctx, cmd, resume)
		},
	}
}

func skipCommand() *cli.Command {
	return &cli.Command{
		Name:      "skip",
		Usage:     "do not send deliveries that wait: parked ones, or ones still in the queue",
		ArgsUsage: "id…",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "note", Usage: "why, for the record"}},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return resumeAll(ctx, cmd, protocol.Resume{Action: protocol.ResumeSkip, Note: cmd.String("note")})
		},
	}
}

// resumeAll hands a decision to every delivery the command names, and goes on
// when one of them can't take it.
func resumeAll(ctx context.Context, cmd *cli.Command, resume protocol.Resume) error {
	if err := resume.Validate(); err != nil {
		return err
	}
	a, err := open(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	ids, err := a.chosen(ctx, cmd)
	if err != nil {
		return err
	}
	var failures []error
	for _, id := range ids {
		answer, err := a.starter.Resume(ctx, id, resume)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		fmt.Println(answer)
	}
	return errors.Join(failures...)
}

// chosen are the deliveries that a command names by id or by --all.
func (a *app) chosen(ctx context.Context, cmd *cli.Command) ([]int64, error) {
	if !cmd.Bool("all") {
		if !cmd.Args().Present() {
			return nil, errors.New("name deliveries by id (see `vestnik deliveries --status parked`), or say --all")
		}
		return deliveryIDs(cmd)
	}
	destination, err := a.destination(ctx, cmd.String("destination"))
	if err != nil {
		return nil, err
	}
	var ids []int64
	var reasons []string
	reason := cmd.String("reason")
	for _, status := range []string{protocol.StatusParked, protocol.StatusUnknown} {
		rows, err := a.starter.Ledger.List(ctx, db.DeliveryFilter{Status: status, Destination: destination, Limit: 10_000})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			reasons = append(reasons, row.Reason)
			if reason == "" || row.Reason == reason {
				ids = append(ids, row.ID)
			}
		}
	}
	switch {
	case len(ids) == 0 && reason != "":
		return nil, words.NewUnknown("reason", reason, reasons, "nothing waits for it; `vestnik status` shows what does")
	case len(ids) == 0:
		fmt.Fprintln(os.Stderr, "nothing waits for a person")
	}
	slices.Sort(ids) // the oldest first, as they were meant to go
	return ids, nil
}

func deliveryIDs(cmd *cli.Command) ([]int64, error) {
	return numbers("delivery", "vestnik deliveries", cmd.Args().Slice())
}

func reconcileCommand() *cli.Command {
	return &cli.Command{
		Name:  "reconcile",
		Usage: "settle deliveries whose closed workflow knows more than the ledger: after Postgres was restored from a backup",
		Flags: []cli.Flag{outputFlag()},
		Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
			counts, err := a.starter.Reconcile(ctx)
			if err != nil {
				return err
			}
			return show(cmd, counts, func() error {
				_, err := fmt.Printf("deliveries not at rest: %d; settled from their closed workflows: %d\n", counts.Open, counts.Settled)
				return err
			})
		}),
	}
}
