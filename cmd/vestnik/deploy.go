package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"vestnik/worker"
)

func deployCommand() *cli.Command {
	return &cli.Command{
		Name:  "deploy",
		Usage: "roll out a version of the workers: see docs/production.md",
		Description: "TEMPORAL_DEPLOYMENT_NAME names the deployment, TEMPORAL_WORKER_BUILD_ID the version that is meant where none is\n" +
			"given. Run it from the build of that version: ramp and promote replay, with their own code, what runs.",
		Commands: []*cli.Command{
			{
				Name: "status", Usage: "the versions, how each stands and what runs on it", Flags: []cli.Flag{outputFlag()},
				Action: withDeployment(func(ctx context.Context, cmd *cli.Command, d *worker.Deployment, _ string) error {
					versions, err := d.Versions(ctx)
					if err != nil {
						return err
					}
					return show(cmd, versions, func() error { return printVersions(versions) })
				}),
			},
			{
				Name: "ramp", Usage: "give some of the workflows to a version; 0 takes it back", ArgsUsage: "[build]",
				Flags: []cli.Flag{&cli.FloatFlag{Name: "percent", Required: true, Usage: "of the workflows, by their ids; 0 to 100", Validator: validPercent}},
				Action: withDeployment(func(ctx context.Context, cmd *cli.Command, d *worker.Deployment, buildID string) error {
					percent := cmd.Float("percent")
					if err := d.Ramp(ctx, buildID, float32(percent)); err != nil {
						return err
					}
					fmt.Printf("version %s gets %g %% of the workflows\n", buildID, percent)
					return nil
				}),
			},
			{
				Name: "promote", Usage: "give every workflow to a version, if all that runs replays on this build", ArgsUsage: "[build]",
				Action: withDeployment(func(ctx context.Context, _ *cli.Command, d *worker.Deployment, buildID string) error {
					if err := d.Promote(ctx, buildID); err != nil {
						return err
					}
					fmt.Printf("version %s is current\n", buildID)
					return nil
				}),
			},
			{
				Name: "drain", Usage: "wait until nothing needs the workers of a version any more", ArgsUsage: "build",
				Flags: []cli.Flag{spanFlag("timeout", "15m", "how long to wait, while the server looks every few minutes")},
				Action: withDeployment(func(ctx context.Context, cmd *cli.Command, d *worker.Deployment, buildID string) error {
					if cmd.Args().Len() != 1 {
						return errors.New("name the version whose workers are to be stopped; `vestnik deploy status` shows them")
					}
					ctx, cancel := context.WithTimeout(ctx, spanOf(cmd, "timeout"))
					defer cancel()
					if err := d.Drain(ctx, buildID); err != nil {
						return err
					}
					fmt.Printf("version %s is drained: its workers may be stopped\n", buildID)
					return nil
				}),
			},
		},
	}
}

// withDeployment runs a command on the deployment and the version that the
// argument or the settings name.
func withDeployment(run func(ctx context.Context, cmd *cli.Command, d *worker.Deployment, buildID string) error) cli.ActionFunc {
	return withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
		if !a.cfg.Worker.Versioned() {
			return errors.New("the workers are not versioned: set TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID")
		}
		buildID := a.cfg.Worker.BuildID
		if cmd.Args().Len() > 0 {
			buildID = cmd.Args().First()
		}
		replayer, err := worker.NewReplayer(a.cfg.Temporal.ClientOptions())
		if err != nil {
			return err
		}
		return run(ctx, cmd, &worker.Deployment{Temporal: a.temporal, Name: a.cfg.Worker.DeploymentName, Replayer: replayer}, buildID)
	})
}

func validPercent(percent float64) error {
	if percent < 0 || percent > 100 {
		return fmt.Errorf("%g %%: want 0 to 100", percent)
	}
	return nil
}

func printVersions(versions []worker.Version) error {
	list := newTable(os.Stdout, "BUILD", "STATE", "RUNNING", "CAME")
	for _, version := range versions {
		list.row(version.BuildID, standing(version), dash(counts(version.Running)), ago(&version.Created))
	}
	return list.print()
}

func standing(version worker.Version) string {
	if version.State == worker.Ramping {
		return fmt.Sprintf("%s, %g %%", version.State, version.Percent)
	}
	return version.State
}

// counts are numbers by name as they are read in a list.
func counts(running map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(running)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, running[name]))
	}
	return strings.Join(parts, ", ")
}
