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
		Name:        "export",
		Usage:       "write the guide's published content as a batch that import reads",
		ArgsUsage:   "[content.json | content.csv.zip]",
		Description: "Without a file the batch goes to standard output, as JSON. Importing it again changes nothing.",
		Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
			imports := guidedb.NewImports(a.pool)
			switch cmd.Args().Len() {
			case 0:
				return writeBatch(ctx, imports, os.Stdout, false)
			case 1:
				return exportFile(ctx, imports, cmd.Args().First())
			default:
				return errors.New("name one file, or none for standard output")
			}
		}),
	}
}

// exportFile writes beside the file and renames, so that a batch that is there
// is always a whole one.
func exportFile(ctx context.Context, imports *guidedb.Imports, name string) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = file.Close()           // the error that matters is there already
			_ = os.Remove(file.Name()) // likewise
		}
	}()
	if err := writeBatch(ctx, imports, file, strings.HasSuffix(name, ".zip")); err != nil {
		return err
	}
	if err := file.Chmod(0o644); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "written: "+name)
	return nil
}

// batchWriter takes a batch object by object; Close ends it.
type batchWriter interface {
	Write(list content.List, object any) error
	Close() error
}

func newBatchWriter(out io.Writer, asCSV bool) batchWriter {
	if asCSV {
		return content.NewCSVWriter(out)
	}
	return content.NewWriter(out, content.Upsert)
}

func writeBatch(ctx context.Context, imports *guidedb.Imports, out io.Writer, asCSV bool) error {
	batch := newBatchWriter(out, asCSV)
	if err := imports.Export(ctx, batch.Write); err != nil {
		return err
	}
	return batch.Close()
}
