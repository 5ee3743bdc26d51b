package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/operators"
)

func operatorCommand() *cli.Command {
	return &cli.Command{
		Name:  "operator",
		Usage: "say who may use the console, in OPS_TOKENS_FILE",
		Commands: []*cli.Command{
			{
				Name: "add", Usage: "let somebody in, and print their token: it is kept nowhere", ArgsUsage: "name",
				Flags: []cli.Flag{&cli.StringFlag{Name: "role", Value: operators.Look, Usage: "look or decide", Validator: oneOf("role", operators.Look, operators.Decide)}},
				Action: withOperators(func(cmd *cli.Command, path string) error {
					token, err := operators.Add(path, cmd.Args().First(), cmd.String("role"))
					if err != nil {
						return err
					}
					fmt.Println(token)
					fmt.Fprintf(os.Stderr, "%s may %s. This is the only time that the token is shown.\n", cmd.Args().First(), cmd.String("role"))
					return nil
				}),
			},
			{
				Name: "remove", Usage: "let somebody in no more; what is open in their name ends", ArgsUsage: "name",
				Action: withOperators(func(cmd *cli.Command, path string) error { return operators.Remove(path, cmd.Args().First()) }),
			},
			{
				Name: "list", Usage: "list who may use the console", Flags: []cli.Flag{outputFlag()},
				Action: func(_ context.Context, cmd *cli.Command) error {
					cfg, err := settings()
					if err != nil {
						return err
					}
					known, err := operators.Open(cfg.HTTP.OpsToken, cfg.HTTP.OpsTokensFile)
					if err != nil {
						return err
					}
					all, err := known.All()
					if err != nil {
						return err
					}
					return show(cmd, append([]operators.Operator{}, all...), func() error {
						list := newTable(os.Stdout, "NAME", "ROLE")
						for _, operator := range all {
							list.row(operator.Name, operator.Role)
						}
						return list.print()
					})
				},
			},
		},
	}
}

// withOperators runs a command on the one operator that its argument names.
func withOperators(run func(cmd *cli.Command, path string) error) cli.ActionFunc {
	return func(_ context.Context, cmd *cli.Command) error {
		cfg, err := config.Load(config.Environ()) // a file is the caller's own, whatever a running dev has
		switch {
		case err != nil:
			return err
		case cfg.HTTP.OpsTokensFile == "":
			return errors.New("OPS_TOKENS_FILE is not set: name the file that is to hold the operators")
		case cmd.Args().Len() != 1:
			return errors.New("name one operator")
		}
		return run(cmd, cfg.HTTP.OpsTokensFile)
	}
}

func auditCommand() *cli.Command {
	return &cli.Command{
		Name:  "audit",
		Usage: "list what people have decided, newest first",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "subject", Usage: "only about this, such as delivery/17, destination/vk:-1 or case/3"},
			limitFlag(), outputFlag(),
		},
		Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
			decisions, err := a.starter.Ledger.Decisions(ctx, cmd.String("subject"), 0, cmd.Int("limit"))
			if err != nil {
				return err
			}
			if len(decisions) == 0 && cmd.IsSet("subject") {
				if err := a.starter.Subject(ctx, cmd.String("subject")); err != nil {
					return err
				}
			}
			return show(cmd, decisions, func() error { return printDecisions(decisions, a.titles(ctx)) })
		}),
	}
}

func printDecisions(decisions []db.Decision, titles db.Titles) error {
	list := newTable(os.Stdout, "WHEN", "WHO", "VIA", "WHAT", "ABOUT", "WHY", "WHAT CAME OF IT")
	for _, d := range decisions {
		list.row(ago(&d.At), d.Who, d.Via, d.Action, aboutSubject(titles, d.Subject), dash(oneLine(d.Note)), outcome(d))
	}
	return list.print()
}

// aboutSubject is the subject of a decision as --subject takes it, with its title
// beside it.
func aboutSubject(titles db.Titles, subject string) string {
	kind, name, _ := strings.Cut(subject, "/")
	if kind == "post" {
		return "post/" + named(titles, name)
	}
	if kind == "destination" || kind == "wall" {
		return kind + "/" + titles.Beside(name)
	}
	return subject
}

func outcome(d db.Decision) string {
	switch {
	case d.Open:
		return "under way, or its process died"
	case d.Failure != "":
		return "nothing: " + oneLine(d.Failure)
	default:
		return "done"
	}
}

func takeBackCommand() *cli.Command {
	return &cli.Command{
		Name:      "take-back",
		Usage:     "remove what was sent: the lane deletes the messages, and what waits is not sent",
		ArgsUsage: "id…",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "note", Usage: "why, for the record", Required: true}},
		Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
			ids, err := deliveryIDs(cmd)
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				return errors.New("name deliveries by id, as `vestnik deliveries` shows them")
			}
			for _, id := range ids {
				if _, err := a.starter.Ledger.Delivery(ctx, id); err != nil {
					return err
				}
			}
			if err := a.starter.TakeBack(ctx, cmd.String("note"), ids...); err != nil {
				return err
			}
			for _, id := range ids {
				fmt.Printf("delivery %d: is taken back\n", id)
			}
			return nil
		}),
	}
}
