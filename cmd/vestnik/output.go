package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"
)

// outputFlag chooses between a table for people and JSON for programs.
func outputFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "output", Aliases: []string{"o"}, Value: "table", Usage: "table or json",
		Validator: func(value string) error {
			if value != "table" && value != "json" {
				return fmt.Errorf("output %q: want table or json", value)
			}
			return nil
		},
	}
}

func wantsJSON(cmd *cli.Command) bool { return cmd.String("output") == "json" }

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// table prints rows in columns under a heading.
type table struct {
	writer *tabwriter.Writer
}

func newTable(w io.Writer, heading ...string) *table {
	t := &table{writer: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.row(toAny(heading)...)
	return t
}

func (t *table) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = strings.ReplaceAll(fmt.Sprint(cell), "\t", " ")
	}
	fmt.Fprintln(t.writer, strings.Join(texts, "\t"))
}

func (t *table) print() error { return t.writer.Flush() }

func toAny(texts []string) []any {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = text
	}
	return values
}

// ago is a time as a person reads it in a list.
func ago(at *time.Time) string {
	if at == nil || at.IsZero() {
		return "-"
	}
	return time.Since(*at).Round(time.Second).String() + " ago"
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
