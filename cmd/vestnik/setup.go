package main

import (
	"context"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"vestnik/internal/config"
	"vestnik/internal/setup"
)

// envFile holds the settings of the folder that it lies in, for `make run`, the
// other commands and docker compose alike.
const envFile = ".env"

func setupCommand() *cli.Command {
	return &cli.Command{
		Name:  "setup",
		Usage: "ask for bots, keys, chats and walls one by one, try each, and write them to " + envFile,
		Description: "Speaks Russian where LANG does, or --lang says so. Platforms are asked with each answer; nothing is\n" +
			"written before the last one. What is set already is kept by an empty answer.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "lang", Usage: "en or ru", Sources: cli.EnvVars("LC_ALL", "LANG")}},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			russian := strings.HasPrefix(cmd.String("lang"), "ru")
			return setup.Run(ctx, os.Stdin, os.Stdout, russian, config.Environ(), envFile)
		},
	}
}
