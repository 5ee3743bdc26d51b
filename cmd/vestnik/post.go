package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/words"
)

func postCommand() *cli.Command {
	return &cli.Command{
		Name:  "post",
		Usage: "put right what was understood of a stored post",
		Commands: []*cli.Command{{
			Name: "type", Usage: "say what type a post is; no later reading changes that", ArgsUsage: "wall<owner>_<post> type",
			Description: fmt.Sprintf("Types: %v. What no rule sends any more and has not gone out is not sent, and where the rules\n"+
				"send the post now it goes. Messages that stand are edited; `vestnik take-back` removes them.", petpost.Types),
			Flags:  []cli.Flag{&cli.StringFlag{Name: "note", Usage: "why, for the record"}, outputFlag()},
			Action: setType,
		}},
	}
}

func setType(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() != 2 {
		return errors.New("name a post and its type: vestnik post type wall-123_45 lost")
	}
	ref, err := post.ParseID(cmd.Args().First())
	if err != nil {
		return err
	}
	a, err := open(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	set, err := a.starter.SetType(ctx, ref, petpost.Type(cmd.Args().Get(1)), cmd.String("note"))
	if err != nil {
		return err
	}
	return show(cmd, set, func() error {
		fmt.Printf("%s: %s → %s; %s owed, %d not to be sent any more\n", ref, set.Was, cmd.Args().Get(1),
			words.Count(set.Owed, "delivery", "deliveries"), set.Suppressed)
		titles := a.titles(ctx)
		for _, row := range set.Sent {
			fmt.Printf("readers see it in %s all the same: vestnik take-back %d --note …\n", titles.Of(row.Destination), row.ID)
		}
		return nil
	})
}
