package main

import (
	"cmp"
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
		Flags: []cli.Flag{&cli.StringFlag{Name: "lang", Usage: "en or ru", DefaultText: "as LC_ALL says, else LANG"}},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return setup.Run(ctx, os.Stdin, os.Stdout, speaksRussian(cmd.String("lang")), config.Environ(), envFile)
		},
	}
}

// speaksRussian goes by --lang, else by the locale: an LC_ALL that is empty leaves it
// to LANG.
func speaksRussian(flag string) bool {
	return strings.HasPrefix(cmp.Or(flag, os.Getenv("LC_ALL"), os.Getenv("LANG")), "ru")
}
