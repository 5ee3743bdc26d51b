package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"vestnik/internal/config"
	"vestnik/internal/doctor"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "check the settings, the servers, the tokens and their rights; sends nothing",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "settings", Usage: "also list every setting, secrets masked"}, outputFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			cfg, err := settings()
			if err != nil {
				return err
			}
			findings := doctor.Examine(ctx, cfg)
			err = show(cmd, findings, func() error { return printFindings(findings) })
			if err == nil && cmd.Bool("settings") && !wantsJSON(cmd) {
				err = printSettings(ctx, cfg)
			}
			return errors.Join(err, doctor.Err(findings))
		},
	}
}

func printFindings(findings []doctor.Finding) error {
	list := newTable(os.Stdout, "", "WHAT", "FINDING")
	for _, found := range findings {
		mark := string(found.State)
		if found.State == doctor.Fault {
			mark = "FAULT"
		}
		list.row(mark, found.What, found.Detail)
	}
	return list.print()
}

// printSettings prints what the process runs with that answers, else what one
// that starts now would.
func printSettings(ctx context.Context, cfg config.Config) error {
	settings, err := doctor.Running(ctx, cfg)
	if err != nil {
		settings = cfg.Describe()
		fmt.Printf("\nSettings of this shell (%v):\n", err)
	} else {
		fmt.Println("\nSettings of the process that runs:")
	}
	list := newTable(os.Stdout, "VARIABLE", "VALUE", "FROM", "MEANING")
	for _, setting := range settings {
		list.row(setting.Name, dash(setting.Value), setting.From, setting.About)
	}
	return list.print()
}
