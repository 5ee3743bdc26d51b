package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"vestnik/internal/words"
)

// limitFlag bounds a list.
func limitFlag() cli.Flag {
	return &cli.IntFlag{Name: "limit", Value: 50, Usage: "how many at most", Validator: positive[int]}
}

// beforeFlag goes on with a list.
func beforeFlag() cli.Flag {
	return &cli.Int64Flag{Name: "before", Usage: "those that follow this number in the list", Validator: positive[int64]}
}

// oneOf refuses a value that is none of those that there are.
func oneOf(what string, values ...string) func(string) error {
	return func(value string) error {
		if slices.Contains(values, value) {
			return nil
		}
		return words.NewUnknown(what, value, values, "want one of "+strings.Join(values, ", "))
	}
}

// numbers reads numbers of things, each of which a list shows.
func numbers(what, list string, texts []string) ([]int64, error) {
	var ids []int64
	for _, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 {
			return nil, fmt.Errorf("%s %q: want the number that `%s` shows", what, text, list)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func positive[T int | int64](n T) error {
	if n < 1 {
		return fmt.Errorf("%d: want 1 or more", n)
	}
	return nil
}

// spanFlag is a time span, as [spanOf] gives it; days are allowed beside Go's
// units.
func spanFlag(name, value, usage string) cli.Flag {
	return &cli.StringFlag{Name: name, Value: value, Usage: usage + ", such as 7d, 36h or 10m", Validator: func(text string) error {
		_, err := span(text)
		return err
	}}
}

func spanOf(cmd *cli.Command, name string) time.Duration {
	length, _ := span(cmd.String(name)) // it was validated
	return length
}

func span(text string) (time.Duration, error) {
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 3650 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	} else if span, err := time.ParseDuration(text); err == nil && span > 0 {
		return span, nil
	}
	return 0, fmt.Errorf("%q is no time span: write it like 7d, 36h or 10m", text)
}

// onlyWith refuses flags that say nothing unless another is set.
func onlyWith(cmd *cli.Command, other string, flags ...string) error {
	for _, flag := range flags {
		if cmd.IsSet(flag) && !cmd.IsSet(other) {
			return fmt.Errorf("--%s says nothing without --%s", flag, other)
		}
	}
	return nil
}

// onlyOne refuses flags that ask for different things.
func onlyOne(cmd *cli.Command, flags ...string) error {
	var set []string
	for _, flag := range flags {
		if cmd.IsSet(flag) {
			set = append(set, "--"+flag)
		}
	}
	if len(set) > 1 {
		return fmt.Errorf("%s ask for different things: name one of them", strings.Join(set, " and "))
	}
	return nil
}
