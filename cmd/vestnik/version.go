package main

import (
	"context"
	"fmt"
	"os"
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
			build := buildFacts()
			if wantsJSON(cmd) {
				return printJSON(os.Stdout, build)
			}
			fmt.Printf("vestnik %s (Go %s, parsing rules %d)\n", build.Version, build.Go, build.Ruleset)
			return nil
		},
	}
}

type buildInfo struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	Ruleset int    `json:"ruleset"`
}

func buildFacts() buildInfo {
	facts := buildInfo{Version: version, Ruleset: petpost.RulesetVersion}
	if info, ok := debug.ReadBuildInfo(); ok {
		facts.Go = info.GoVersion
	}
	return facts
}
