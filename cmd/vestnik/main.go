// Vestnik reposts lost-pet posts from VK walls and runs a city guide in
// Telegram. One binary, a subcommand for each role.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/joho/godotenv"
	"github.com/urfave/cli/v3"

	"vestnik/internal/config"
	"vestnik/internal/guide"
	"vestnik/internal/operators"
	"vestnik/internal/telemetry"
	"vestnik/internal/words"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)  // a second Ctrl-C ends the process at once
	err := godotenv.Load(envFile) // what is set goes before it
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "vestnik: "+envFile+" can't be read: it takes lines such as NAME=value") // the error would quote it
		os.Exit(1)
	}
	err = root().Run(operators.As(ctx, operators.Actor{Name: cmp.Or(os.Getenv("USER"), "somebody"), Via: "cli"}), os.Args)
	stop()
	if err != nil {
		explain(err)
		os.Exit(1)
	}
}

func root() *cli.Command {
	var unknown error // asked help about; the library returns none
	root := &cli.Command{
		Name:  "vestnik",
		Usage: "watch VK walls for lost pets and repost them; guide people through their city",
		Description: "Settings come from the environment; docs/configuration.md lists them. Beside a running `vestnik dev`,\n" +
			"the other commands find its servers by themselves.",
		EnableShellCompletion:     true,
		DisableSliceFlagSeparator: true,
		ConfigureShellCompletionCommand: func(completion *cli.Command) {
			strict(completion, &unknown)
			completion.Hidden = false
			completion.Usage = "print the shell's completion: source <(vestnik completion bash)"
		},
		Commands: []*cli.Command{
			devCommand(), setupCommand(), statusCommand(),
			migrateCommand(), workerCommand(), apiCommand(), sandboxCommand(), scheduleCommand(),
			scanCommand(), backfillCommand(), deliverCommand(), deliveriesCommand(), resumeCommand(), skipCommand(), destinationCommand(), caseCommand(), postCommand(), takeBackCommand(), auditCommand(), operatorCommand(),
			parseCommand(), reparseCommand(), routesCommand(), importCommand(), exportCommand(), botCommand(), replayCommand(), deployCommand(), reconcileCommand(), forgetCommand(), doctorCommand(), versionCommand(),
		},
	}
	strict(root, &unknown)
	root.After = func(context.Context, *cli.Command) error { return unknown }
	return root
}

// strict makes what a command does not know an error that names the nearest.
func strict(cmd *cli.Command, helped *error) {
	cmd.Suggest = true
	var names []string
	for _, sub := range cmd.Commands {
		names = append(names, sub.Name)
		strict(sub, helped)
	}
	if action := cmd.Action; len(names) == 0 {
		cmd.Action = func(ctx context.Context, cmd *cli.Command) error {
			switch most := arguments(cmd.ArgsUsage); {
			case most < 0 || cmd.Args().Len() <= most:
				return action(ctx, cmd)
			case most == 0:
				return fmt.Errorf("`%s` takes no argument, and was given %q: see `%[1]s --help`", cmd.FullName(), cmd.Args().First())
			default:
				return fmt.Errorf("`%s` takes %s, and was given %q too: see `%[1]s --help`", cmd.FullName(), cmd.ArgsUsage, cmd.Args().Get(most))
			}
		}
	}
	if len(names) == 0 {
		return
	}
	unknown := func(name string) error {
		return words.NewUnknown("command", name, names, fmt.Sprintf("`%s --help` lists them all", cmd.FullName()))
	}
	cmd.CommandNotFound = func(_ context.Context, _ *cli.Command, name string) { *helped = unknown(name) }
	if cmd.Action != nil { // it knows its arguments itself
		return
	}
	cmd.Action = func(_ context.Context, cmd *cli.Command) error {
		if name := cmd.Args().First(); name != "" {
			return unknown(name)
		}
		return cli.ShowSubcommandHelp(cmd)
	}
}

// arguments is how many a command takes at most by its usage, -1 if any number.
func arguments(usage string) int {
	if strings.Contains(usage, "…") {
		return -1
	}
	return len(strings.Fields(strings.ReplaceAll(usage, " | ", "|")))
}

// explain prints an error: for the person at the keyboard, a configuration's
// faults one to a line; in a log, each as the record that the guide's
// specification asks for (4.7).
func explain(err error) {
	var faults config.Faults
	if !errors.As(err, &faults) {
		fmt.Fprintln(os.Stderr, "vestnik: "+err.Error())
		return
	}
	if info, statErr := os.Stderr.Stat(); statErr == nil && info.Mode()&os.ModeCharDevice == 0 {
		recordFaults(os.Stderr, faults)
		return
	}
	fmt.Fprintln(os.Stderr, "vestnik: the configuration has faults:")
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, "  "+fault.Error())
	}
}

func recordFaults(output io.Writer, faults config.Faults) {
	ctx := telemetry.WithTraceID(context.Background(), telemetry.NewTraceID())
	log := telemetry.NewLogger(output, config.Log{})
	for _, fault := range faults {
		log.ErrorContext(ctx, "start refused", guide.InternalConfig.LogFields(fault.Variable+" "+fault.Problem, fault.Remedy)...)
	}
}
