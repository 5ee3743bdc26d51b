package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"vestnik/internal/petpost"
)

// version is set by the Makefile: -ldflags "-X main.version=…".
var version = "dev"

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "say which build this is",
		Flags: []cli.Flag{outputFlag()},
		Action: func(_ context.Context, cmd *cli.Command) error {
			build := buildInfo{Version: version, Ruleset: petpost.RulesetVersion}
			if info, ok := debug.ReadBuildInfo(); ok {
				build.Go = info.GoVersion
			}
			return show(cmd, build, func() error {
				_, err := fmt.Printf("vestnik %s (Go %s, parsing rules %d)\n", build.Version, build.Go, build.Ruleset)
				return err
			})
		},
	}
}

type buildInfo struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	Ruleset int    `json:"ruleset"`
}
