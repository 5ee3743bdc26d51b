// Vestnik reposts lost-pet posts from VK walls and runs a city guide in
// Telegram. One binary, a subcommand for each role.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"

	"vestnik/internal/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	err := root().Run(ctx, os.Args)
	stop()
	if err != nil {
		explain(err)
		os.Exit(1)
	}
}

func root() *cli.Command {
	return &cli.Command{
		Name:  "vestnik",
		Usage: "watch VK walls for lost pets and repost them; guide people through their city",
		Description: "Settings come from the environment; README lists them. Beside a running `vestnik dev`,\n" +
			"the other commands find its servers by themselves.",
		Suggest:                   true,
		EnableShellCompletion:     true,
		DisableSliceFlagSeparator: true,
		Commands: []*cli.Command{
			devCommand(),
			migrateCommand(), workerCommand(), apiCommand(), sandboxCommand(), scheduleCommand(),
			scanCommand(), deliverCommand(), deliveriesCommand(), resumeCommand(), skipCommand(), destinationCommand(), caseCommand(),
			parseCommand(), reparseCommand(), importCommand(), exportCommand(), botCommand(), replayCommand(), reconcileCommand(), doctorCommand(), versionCommand(),
		},
	}
}

// explain prints an error for the person at the keyboard; a configuration's
// faults one to a line.
func explain(err error) {
	var faults config.Faults
	if errors.As(err, &faults) {
		fmt.Fprintln(os.Stderr, "vestnik: the configuration has faults:")
		for _, fault := range faults {
			fmt.Fprintln(os.Stderr, "  "+fault.Error())
		}
		return
	}
	fmt.Fprintln(os.Stderr, "vestnik: "+err.Error())
}
