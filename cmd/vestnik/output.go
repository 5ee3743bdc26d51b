package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"
)

// outputFlag chooses between a table for people and JSON for programs.
func outputFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "output", Aliases: []string{"o"}, Value: "table", Usage: "table or json", Validator: oneOf("output", "table", "json"),
	}
}

func wantsJSON(cmd *cli.Command) bool { return cmd.String("output") == "json" }

// show prints a value as --output asks: as JSON, or by what prints it for people.
func show(cmd *cli.Command, value any, forPeople func() error) error {
	if wantsJSON(cmd) {
		return printJSON(os.Stdout, value)
	}
	return forPeople()
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// table prints rows in columns under a heading.
type table struct {
	writer io.Writer
	lines  [][]string
}

func newTable(w io.Writer, heading ...string) *table {
	return &table{writer: w, lines: [][]string{heading}}
}

func (t *table) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = strings.NewReplacer("\t", " ", "\n", " ").Replace(fmt.Sprint(cell))
	}
	t.lines = append(t.lines, texts)
}

// print says so where there is no row.
func (t *table) print() error {
	if len(t.lines) == 1 {
		_, err := fmt.Fprintln(t.writer, "Nothing to list.")
		return err
	}
	columns := tabwriter.NewWriter(t.writer, 0, 0, 2, ' ', 0)
	for _, line := range t.lines {
		fmt.Fprintln(columns, strings.Join(line, "\t"))
	}
	return columns.Flush()
}

// ago is a time as a person reads it in a list.
func ago(at *time.Time) string {
	if at == nil || at.IsZero() {
		return "-"
	}
	switch since := time.Since(*at); {
	case since < time.Minute:
		return fmt.Sprintf("%.0fs ago", since.Seconds())
	case since < time.Hour:
		return fmt.Sprintf("%.0fm ago", since.Minutes())
	case since < 2*24*time.Hour:
		return fmt.Sprintf("%.0fh ago", since.Hours())
	default:
		return fmt.Sprintf("%.0fd ago", since.Hours()/24)
	}
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
