package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/post"
)

func caseCommand() *cli.Command {
	note := &cli.StringFlag{Name: "note", Usage: "why, for the record"}
	return &cli.Command{
		Name:  "case",
		Usage: "look at the posts that were taken for one animal, and put right what was taken wrong",
		Commands: []*cli.Command{
			{
				Name:  "list",
				Usage: "list cases, newest first",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "open", Usage: "only those whose animal is not home again"},
					&cli.IntFlag{Name: "posts", Value: 2, Usage: "only those of so many posts or more", Validator: positive[int]},
					limitFlag(), beforeFlag(), outputFlag(),
				},
				Action: withApp(listCases),
			},
			{
				Name: "show", Usage: "show a case: its posts, why they are in it, and what was told to whom", ArgsUsage: "case",
				Flags: []cli.Flag{outputFlag()}, Action: showCase,
			},
			{
				Name: "join", Usage: "make cases one: they are about one animal", ArgsUsage: "case case…",
				Flags: []cli.Flag{note}, Action: joinCases,
			},
			{
				Name: "split", Usage: "take posts out of a case: they are about another animal", ArgsUsage: "case post…",
				Description: "Posts are named as in their addresses: wall-123_45. What was not sent because another post of the case\n" +
					"was is sent now, one delivery for each destination that has not heard of the other animal.",
				Flags:  []cli.Flag{note, &cli.BoolFlag{Name: "hold", Usage: "send nothing"}},
				Action: splitCase,
			},
		},
	}
}

func listCases(ctx context.Context, cmd *cli.Command, a *app) error {
	filter := db.CaseFilter{LeastPosts: cmd.Int("posts"), Before: cmd.Int64("before"), Limit: cmd.Int("limit")}
	if cmd.Bool("open") {
		filter.Closed = new(bool)
	}
	rows, err := a.starter.Cases.List(ctx, filter)
	if err != nil {
		return err
	}
	return show(cmd, rows, func() error { return printCases(rows) })
}

func printCases(rows []db.CaseRow) error {
	list := newTable(os.Stdout, "CASE", "TYPE", "ANIMAL", "PLACE", "POSTS", "TOLD", "SUPPRESSED", "FIRST", "LAST", "CLOSED BY")
	for _, row := range rows {
		list.row(row.ID, row.Type, dash(row.Animal), dash(oneLine(row.Location)), row.Posts, row.Told, row.Suppressed,
			ago(&row.FirstAt), ago(&row.LastAt), dash(row.ClosedBy))
	}
	return list.print()
}

func showCase(ctx context.Context, cmd *cli.Command) error {
	ids, err := caseNumbers(cmd.Args().Slice())
	if err != nil {
		return err
	}
	if len(ids) != 1 {
		return errors.New("name one case by its number, as `vestnik case list` shows it")
	}
	a, err := open(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	shown, err := a.starter.Cases.Story(ctx, ids[0])
	if err != nil {
		return err
	}
	return show(cmd, shown, func() error { return printCase(shown, a.titles(ctx)) })
}

func printCase(c db.CaseStory, titles db.Titles) error {
	state := "open"
	if c.ClosedAt != nil {
		state = fmt.Sprintf("closed %s by %s", ago(c.ClosedAt), c.ClosedBy)
	}
	fmt.Printf("case %d: %s %s %s, %s\n", c.ID, c.Type, c.Animal, oneLine(c.Location), state)
	if c.Note != "" {
		fmt.Println(c.Note)
	}
	fmt.Println()
	posts := newTable(os.Stdout, "POST", "WRITTEN", "TYPE", "PLACE", "ADDS", "IN THE CASE BECAUSE")
	for _, post := range c.Members {
		reason := dash(post.Reason)
		if post.Deleted != nil {
			reason += " (deleted)"
		}
		posts.row(titles.Post(post.ID.OwnerID, post.ID.PostID), post.PostedAt.Local().Format(time.DateTime), post.Type, dash(oneLine(post.Location)), dash(post.Adds.String()), reason)
	}
	if err := posts.print(); err != nil {
		return err
	}
	if len(c.Deliveries) > 0 {
		fmt.Println()
		list := newTable(os.Stdout, "DELIVERY", "STATUS", "POST", "DESTINATION", "MESSAGES", "ANSWERS", "REASON")
		for _, row := range c.Deliveries {
			answers := "-"
			if row.ReplyTo != nil {
				answers = strconv.FormatInt(*row.ReplyTo, 10)
			}
			list.row(row.ID, row.Status, titles.Post(row.OwnerID, row.PostID), titles.Beside(row.Destination), messages(row.MessageIDs), answers, dash(row.Reason))
		}
		if err := list.print(); err != nil {
			return err
		}
	}
	if len(c.Edits) > 0 {
		fmt.Println()
		list := newTable(os.Stdout, "EDIT", "OF DELIVERY", "BECAUSE", "STATUS", "ATTEMPTS", "ASKED", "REASON")
		for _, row := range c.Edits {
			list.row(row.ID, row.DeliveryID, row.Cause, row.Status, row.Attempts, ago(&row.CreatedAt), dash(row.Reason))
		}
		return list.print()
	}
	return nil
}

func joinCases(ctx context.Context, cmd *cli.Command) error {
	ids, err := caseNumbers(cmd.Args().Slice())
	if err != nil {
		return err
	}
	if len(ids) < 2 {
		return errors.New("name two cases or more; the first keeps its number")
	}
	a, err := open(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	id, err := a.starter.JoinCases(ctx, ids[0], ids[1:], cmd.String("note"))
	if err != nil {
		return err
	}
	fmt.Printf("case %d holds the posts of all of them\n", id)
	return nil
}

func splitCase(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() < 2 {
		return errors.New("name a case and the posts to take out of it: vestnik case split 12 wall-123_45")
	}
	ids, err := caseNumbers(cmd.Args().Slice()[:1])
	if err != nil {
		return err
	}
	var posts []post.ID
	for _, text := range cmd.Args().Tail() {
		id, err := post.ParseID(text)
		if err != nil {
			return err
		}
		posts = append(posts, id)
	}
	a, err := open(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	id, released, err := a.starter.SplitCase(ctx, ids[0], posts, cmd.Bool("hold"), cmd.String("note"))
	if err != nil {
		return err
	}
	fmt.Printf("case %d holds them; deliveries sent now: %v\n", id, released)
	return nil
}

func caseNumbers(texts []string) ([]int64, error) { return numbers("case", "vestnik case list", texts) }
