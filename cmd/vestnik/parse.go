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
	"slices"

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
It needs no server. All posts are read before the first line is written: what the posts of one owner
repeat (slogans, hashtags, a fund's card) says nothing about one of them and is set aside.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "cases", Usage: `add "case": the same number for posts about one animal`},
			&cli.BoolFlag{Name: "explain", Usage: `add "confidence", "alternatives": other types and how likely they are, "evidence": the words that led to the type and the animal, and their weight, and "set_aside"`},
			&cli.StringFlag{Name: "wall-context", Usage: "learn what walls repeat from the posts in `FILE` too, of the same form, oldest first"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			p := &postParser{explain: cmd.Bool("explain"), cases: cmd.Bool("cases")}
			if file := cmd.String("wall-context"); file != "" {
				if err := p.learnFrom(ctx, file); err != nil {
					return err
				}
			}
			out := bufio.NewWriter(cmd.Root().Writer)
			p.out = json.NewEncoder(out)
			p.out.SetEscapeHTML(false)
			err := p.run(ctx, cmd.Root().Reader)
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
	Case     int      `json:"case,omitempty"`

	Confidence   float64                  `json:"confidence,omitempty"`
	Alternatives map[petpost.Type]float64 `json:"alternatives,omitempty"`
	Evidence     []petpost.Evidence       `json:"evidence,omitempty"`
	SetAside     []string                 `json:"set_aside,omitempty"`
}

// postParser answers every line that holds a post.
type postParser struct {
	out            *json.Encoder
	explain, cases bool

	texts map[int64][]string // by owner, in the order of reading
}

// learnFrom takes the texts of a file of posts.
func (p *postParser) learnFrom(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := p.read(ctx, file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// run reads to the end and answers. A line that holds no post is an error, told
// at the end with its number; the others are answered.
func (p *postParser) run(ctx context.Context, in io.Reader) error {
	posts, faults := p.read(ctx, in)
	if ctx.Err() != nil {
		return errors.Join(faults, ctx.Err())
	}
	walls := map[int64]*petpost.WallContext{}
	for owner, texts := range p.texts {
		slices.Reverse(texts) // the newest first
		context := petpost.LearnWall(texts)
		walls[owner] = &context
	}
	for i := range posts {
		if wall := walls[posts[i].OwnerID]; len(wall.Units) > 0 {
			posts[i] = petpost.ReadOn(wall, posts[i].Post)
		}
	}
	return errors.Join(faults, p.write(posts))
}

// read decodes the posts of in and keeps their texts to learn from.
func (p *postParser) read(ctx context.Context, in io.Reader) (posts []petpost.Post, faults error) {
	if p.texts == nil {
		p.texts = map[int64][]string{}
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for number := 1; lines.Scan() && ctx.Err() == nil; number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		raw, err := vk.DecodePost(line)
		if err != nil {
			faults = errors.Join(faults, fmt.Errorf("line %d holds no post: %w", number, err))
			continue
		}
		post := petpost.ReadPost(raw.Post)
		posts = append(posts, post)
		p.texts[post.OwnerID] = append(p.texts[post.OwnerID], post.Text)
	}
	if err := lines.Err(); err != nil {
		faults = errors.Join(faults, fmt.Errorf("the input: %w", err))
	}
	return posts, faults
}

// write answers the posts, with their cases counted from 1 in the order in which
// cases begin.
func (p *postParser) write(posts []petpost.Post) error {
	var cases []int
	if p.cases {
		prints := make([]petpost.Fingerprint, len(posts))
		for i := range posts {
			prints[i] = posts[i].Fingerprint
		}
		cases = petpost.Group(prints)
	}
	numbers := map[int]int{}
	for i := range posts {
		answer := parsed(posts[i])
		if p.explain {
			r := posts[i].Reading
			answer.Confidence, answer.Alternatives, answer.Evidence, answer.SetAside = r.Confidence, r.Alternatives, r.Evidence, r.SetAside
		}
		if p.cases {
			first := cases[i]
			if numbers[first] == 0 {
				numbers[first] = len(numbers) + 1
			}
			answer.Case = numbers[first]
		}
		if err := p.out.Encode(answer); err != nil {
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
