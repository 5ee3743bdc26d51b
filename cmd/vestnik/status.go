package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

func statusCommand() *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "say what needs a person, and which command helps; the exit code is 1 if anything does",
		Flags: []cli.Flag{outputFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			a, err := openAs(ctx, statusRole)
			if err != nil {
				return err
			}
			defer a.close()
			problems, err := a.starter.Problems(ctx)
			if err != nil {
				return err
			}
			err = show(cmd, problems, func() error { return printProblems(problems, a.titles(ctx)) })
			if err == nil && len(problems) > 0 {
				err = errors.New(words.Count(len(problems), "thing needs a person", "things need a person"))
			}
			return err
		},
	}
}

func printProblems(problems []protocol.Problem, titles db.Titles) error {
	if len(problems) == 0 {
		fmt.Println("Nothing needs a person.")
		return nil
	}
	list := newTable(os.Stdout, "WHAT", "WHERE", "COUNT", "SINCE", "REASON", "LOOK AT")
	for _, p := range problems {
		list.row(p.Kind, dash(titles.Of(p.Subject)), p.Count, ago(p.Since), dash(oneLine(p.Reason)), lookAt(p))
	}
	return list.print()
}

// lookAt is the command that shows more of a problem, or ends it.
func lookAt(p protocol.Problem) string {
	switch p.Kind {
	case protocol.ProblemDeliveries:
		return fmt.Sprintf("vestnik deliveries --status %s --destination %s", p.Status, p.Subject)
	case protocol.ProblemPaused, protocol.ProblemBlocked:
		return "vestnik destination resume " + p.Subject
	case protocol.ProblemCooling, protocol.ProblemBacklog:
		return "vestnik destination state " + p.Subject
	case protocol.ProblemImportFailed, protocol.ProblemImportHeld:
		return "vestnik import history"
	case protocol.ProblemReadingPaused, protocol.ProblemQuotaLow, protocol.ProblemQuotaSpent:
		return "vestnik scan --plan"
	case protocol.ProblemWallClosed, protocol.ProblemWallFailing:
		return "vestnik scan " + p.Subject
	case protocol.ProblemNoWorker:
		switch p.Reason {
		case protocol.ReasonNoWorkers:
			return "vestnik worker"
		case protocol.ReasonNoVersion, protocol.ReasonVersionUnworked:
			return "vestnik deploy status"
		}
	}
	return "vestnik doctor"
}
