package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write the guide's published content as a batch that import reads",
		ArgsUsage: "[content.json | content.csv.zip]",
		Description: "Without a file the batch goes to standard output, as JSON. Importing it again changes nothing.\n" +
			"What is more than one batch may hold goes into content.json, content-2.json and so on, to be\n" +
			"imported in this order.",
		Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
			imports := guidedb.NewImports(a.pool)
			export := content.Export(func(write func(content.List, any) error) error { return imports.Export(ctx, write) })
			switch cmd.Args().Len() {
			case 0:
				return export.Write(os.Stdout)
			case 1:
				names, err := export.WriteFiles(cmd.Args().First())
				for _, name := range names {
					fmt.Fprintln(os.Stderr, "written: "+name)
				}
				return err
			default:
				return errors.New("name one file, or none for standard output")
			}
		}),
	}
}
