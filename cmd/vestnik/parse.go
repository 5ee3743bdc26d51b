package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"vestnik/internal/petpost"
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
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "cases", Usage: `add "case": the same number for posts about one animal; all posts are read before the first is written`},
			&cli.BoolFlag{Name: "explain", Usage: `add "evidence": the words that led to the type and the animal, and their weight`},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			out := bufio.NewWriter(cmd.Root().Writer)
			p := &postParser{out: json.NewEncoder(out), explain: cmd.Bool("explain"), cases: cmd.Bool("cases")}
			p.out.SetEscapeHTML(false)
			err := p.run(ctx, cmd.Root().Reader)
			return errors.Join(err, out.Flush())
		},
	}
}

// parsedPost is a line of `vestnik parse`; its form is a contract.
type parsedPost struct {
	OwnerID  int64              `json:"owner_id"`
	ID       int64              `json:"id"`
	Type     string             `json:"type"`
	Animal   string             `json:"animal"`
	Sex      string             `json:"sex"`
	Name     string             `json:"name"`
	Phones   []string           `json:"phones"`
	Location string             `json:"location"`
	When     string             `json:"when"`
	Contacts []string           `json:"contacts"`
	Case     int                `json:"case,omitempty"`
	Evidence []petpost.Evidence `json:"evidence,omitempty"`
}

// postParser answers every line that holds a post.
type postParser struct {
	out            *json.Encoder
	explain, cases bool

	held   []parsedPost // with cases: what is not written yet
	prints []petpost.Fingerprint
	faults []error
}

// run reads to the end. A line that holds no post is an error, told at the end
// with its number; the others are answered.
func (p *postParser) run(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for number := 1; lines.Scan() && ctx.Err() == nil; number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		post, err := vk.DecodePost(line)
		if err != nil {
			p.faults = append(p.faults, fmt.Errorf("line %d holds no post: %w", number, err))
			continue
		}
		if err := p.answer(petpost.ReadPost(post.Content())); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		p.faults = append(p.faults, fmt.Errorf("standard input: %w", err))
	}
	return errors.Join(append(p.faults, p.writeCases(), ctx.Err())...)
}

func (p *postParser) answer(post petpost.Post) error {
	answer := parsed(post)
	if p.explain {
		answer.Evidence = post.Reading.Evidence
	}
	if !p.cases {
		return p.out.Encode(answer)
	}
	p.held, p.prints = append(p.held, answer), append(p.prints, post.Fingerprint)
	return nil
}

// writeCases writes the posts that were held back, each with the number of its
// case, counted from 1 in the order in which cases begin.
func (p *postParser) writeCases() error {
	numbers := map[int]int{}
	for i, first := range petpost.Group(p.prints) {
		if _, known := numbers[first]; !known {
			numbers[first] = len(numbers) + 1
		}
		p.held[i].Case = numbers[first]
		if err := p.out.Encode(p.held[i]); err != nil {
			return err
		}
	}
	return nil
}

func parsed(post petpost.Post) parsedPost {
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
