package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/words"
	"vestnik/starter"
)

func forgetCommand() *cli.Command {
	return &cli.Command{
		Name:  "forget",
		Usage: "remove what is kept and what was sent of somebody who asks for it; shows first what it will do",
		Description: "Without --apply nothing changes. With it the posts are blanked, and not stored again as long as they\n" +
			"stand on their walls; their messages are deleted, or emptied where the platform does not let us delete\n" +
			"them; what can't be reached is listed, and the command fails. The same command shows later how the\n" +
			"copies stand; once posts are blanked, only --post finds them. docs/personal-data.md says what is where.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "post", Usage: "a post, as in its address: wall-123_45; what reposts it, too"},
			&cli.Int64Flag{Name: "author", Usage: "a person's VK id: what they wrote, and what reposts them"},
			&cli.StringFlag{Name: "phone", Usage: "a phone that posts name"},
			&cli.Int64Flag{Name: "telegram-user", Usage: "a Telegram id of a person who has used the guide"},
			&cli.BoolFlag{Name: "apply", Usage: "do it"},
			spanFlag("wait", "1m", "how long to wait for the copies to be removed, at the pace of their lanes"),
			outputFlag(),
		},
		Action: withApp(forget),
	}
}

func forget(ctx context.Context, cmd *cli.Command, a *app) error {
	meant, err := toForget(cmd)
	if err != nil {
		return err
	}
	var found starter.Forgetting
	if cmd.Bool("apply") {
		waiting, cancel := context.WithTimeout(ctx, spanOf(cmd, "wait"))
		defer cancel()
		found, err = a.starter.Forget(waiting, meant)
	} else {
		found, err = a.starter.LookForgotten(ctx, meant)
	}
	if err != nil {
		return err
	}
	err = show(cmd, found, func() error { return printForgetting(found, cmd.Bool("apply"), a.titles(ctx)) })
	if n := found.Count(starter.CopyNotReached); n > 0 && err == nil {
		err = errors.New(words.Count(n, "copy", "copies") + " could not be reached: remove by hand")
	}
	return err
}

// toForget reads who or what is meant.
func toForget(cmd *cli.Command) (meant db.ToForget, err error) {
	if cmd.String("post") != "" {
		if meant.Post, err = post.ParseID(cmd.String("post")); err != nil {
			return meant, err
		}
	}
	if cmd.String("phone") != "" {
		phones := petpost.Parse(petpost.Input{Text: "Тел. " + cmd.String("phone")}).Phones
		if len(phones) != 1 {
			return meant, errors.New("--phone: want one number, such as +79000000000")
		}
		meant.Phone = phones[0]
	}
	meant.Author, meant.TelegramUser = cmd.Int64("author"), cmd.Int64("telegram-user")
	named := 0
	for _, flag := range []string{"post", "author", "phone", "telegram-user"} {
		if cmd.IsSet(flag) {
			named++
		}
	}
	if named != 1 || meant.Author < 0 || meant.TelegramUser < 0 || meant == (db.ToForget{}) {
		return meant, errors.New("name one of --post, --author, --phone and --telegram-user")
	}
	return meant, nil
}

func printForgetting(found starter.Forgetting, applied bool, titles db.Titles) error {
	if len(found.Posts)+len(found.Copies) == 0 && !found.User {
		fmt.Println("Nothing is kept of them, and nothing was sent.")
		return nil
	}
	if len(found.Copies) > 0 {
		list := newTable(os.Stdout, "DELIVERY", "POST", "DESTINATION", "STATE", "MESSAGES", "REASON")
		for _, c := range found.Copies {
			list.row(c.Delivery, named(titles, c.Post), titles.Beside(c.Destination), c.State, dash(strings.Join(c.Messages, " ")), dash(c.Reason))
		}
		if err := list.print(); err != nil {
			return err
		}
		fmt.Println()
	}
	for _, post := range found.Posts {
		state := map[bool]string{true: "forgotten"}[applied || post.Forgotten]
		fmt.Println(post.ID, post.Type, post.PostedAt.Local().Format(time.DateOnly), state)
	}
	fmt.Printf("%s, %s, %d of them removed and %d out of reach\n",
		words.Count(len(found.Posts), "post", "posts"), words.Count(len(found.Copies), "copy", "copies"), found.Count(starter.CopyRemoved), found.Count(starter.CopyNotReached))
	if found.User {
		fmt.Printf("a person of the guide with %s\n", words.Count(found.Favourites, "favourite", "favourites"))
	}
	if !applied {
		fmt.Println("nothing was changed: --apply does it")
	}
	return nil
}
