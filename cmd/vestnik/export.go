package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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
			switch cmd.Args().Len() {
			case 0:
				return exportTo(ctx, imports, os.Stdout)
			case 1:
				return exportFiles(ctx, imports, cmd.Args().First())
			default:
				return errors.New("name one file, or none for standard output")
			}
		}),
	}
}

func exportTo(ctx context.Context, imports *guidedb.Imports, out io.Writer) error {
	begun := false
	return writeBatches(ctx, imports, func() (content.BatchWriter, error) {
		if begun {
			return nil, errors.New("the guide has more than one batch may hold: name a file, and it is written as several")
		}
		begun = true
		return content.NewWriter(out, content.Upsert), nil
	})
}

// exportFiles writes beside the files and renames at the end, so that a batch
// that is there is always a whole one.
func exportFiles(ctx context.Context, imports *guidedb.Imports, name string) (err error) {
	var files []*os.File
	defer func() {
		for _, file := range files {
			_ = file.Close()           // after a success it is closed already
			_ = os.Remove(file.Name()) // and renamed
		}
	}()
	err = writeBatches(ctx, imports, func() (content.BatchWriter, error) {
		file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		if strings.HasSuffix(name, ".zip") {
			return content.NewCSVWriter(file), nil
		}
		return content.NewWriter(file, content.Upsert), nil
	})
	if err != nil {
		return err
	}
	for n, file := range files {
		if err := errors.Join(file.Chmod(0o644), file.Close()); err != nil {
			return err
		}
		if err := os.Rename(file.Name(), partName(name, n+1)); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "written: "+partName(name, n+1))
	}
	return nil
}

// partName is content-2.json for the second part of content.json.
func partName(name string, part int) string {
	if part == 1 {
		return name
	}
	folder, file := filepath.Split(name)
	stem, suffix, dot := strings.Cut(file, ".")
	if dot {
		suffix = "." + suffix
	}
	return fmt.Sprintf("%s%s-%d%s", folder, stem, part, suffix)
}

func writeBatches(ctx context.Context, imports *guidedb.Imports, open func() (content.BatchWriter, error)) error {
	parts := content.NewParts(open)
	if err := imports.Export(ctx, parts.Write); err != nil {
		return err
	}
	return parts.Close()
}
