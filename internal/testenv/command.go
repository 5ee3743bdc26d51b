package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Run runs a command with the addresses of the servers in its environment, and
// returns its exit code. An error is one that the command has not printed.
func Run(ctx context.Context, arguments []string, database, temporal string) (code int, err error) {
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Env = append(os.Environ(), DatabaseVariable+"="+database, TemporalVariable+"="+temporal)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	// The command hears of the end from us as well as from the terminal.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	err = command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode(), nil // the command has said what was wrong
	default:
		return 1, fmt.Errorf("%s: %w", arguments[0], err)
	}
}
