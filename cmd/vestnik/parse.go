package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/reading"
	"vestnik/internal/vk"
)

// maxLine is the longest line that parse takes: a post with a long chain of
// reposts is some hundred kilobytes.
const maxLine = 16 << 20

func parseCommand() *cli.Command {
	return &cli.Command{
		Name:  "parse",
		Usage: "read posts from standard input, one JSON object a line, and write what they say",
		Description: `A line in:  {"owner_id":-1,"id":2,"date":1756000000,"text":"…"}, with copy_history as VK gives it, if any.
A line out: {"owner_id","id","type","animal","sex","name","phones","location","when","contacts"}, in the same order.
It needs no server.`,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			out := bufio.NewWriter(os.Stdout)
			err := parsePosts(ctx, os.Stdin, out)
			return errors.Join(err, out.Flush())
		},
	}
}

// parsedPost is a line of `vestnik parse`; its form is a contract.
type parsedPost struct {
	OwnerID  int64    `json:"owner_id"`
	ID       int64    `json:"id"`
	Type     string   `json:"type"`
	Animal   string   `json:"animal"`
	Sex      string   `json:"sex"`
	Name     string   `json:"name"`
	Phones   []string `json:"phones"`
	Location string   `json:"location"`
	When     string   `json:"when"`
	Contacts []string `json:"contacts"`
}

// parsePosts answers every line that holds a post. A line that holds none is
// an error, told at the end with its number; the others are answered.
func parsePosts(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	var faults []error
	for number := 1; lines.Scan() && ctx.Err() == nil; number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		post, err := vk.DecodePost(line)
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d holds no post: %w", number, err))
			continue
		}
		if err := encoder.Encode(parsed(reading.Understand(post))); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		faults = append(faults, fmt.Errorf("standard input: %w", err))
	}
	return errors.Join(append(faults, ctx.Err())...)
}

func parsed(post db.Post) parsedPost {
	r := post.Reading
	return parsedPost{
		OwnerID: post.OwnerID, ID: post.PostID,
		Type: string(r.Type), Animal: string(r.Animal), Sex: string(r.Sex), Name: r.Name,
		Phones: orEmpty(r.Phones), Location: r.Location, When: r.When, Contacts: orEmpty(r.Contacts),
	}
}

func orEmpty(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
