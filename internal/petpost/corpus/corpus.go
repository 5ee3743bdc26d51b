// Package corpus reads the labelled posts under petpost/testdata and measures
// readings against them. It serves the floor test and `make eval`.
package corpus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"vestnik/internal/petpost"
)

// Training lists the corpora that words and model are made from; HeldOut those
// that were written before these met them and that the model never learns from.
var (
	Training = []string{
		"train.jsonl", "blind.jsonl", "wide.jsonl", "voices.jsonl", "chorus.jsonl", "crowd.jsonl", "streetwalls.jsonl", "yards.jsonl", "chats.jsonl",
		"searches.jsonl", "shelters.jsonl", "oblique.jsonl", "people.jsonl", "plain.jsonl", "boards.jsonl", "towns.jsonl", "finds.jsonl", "wards.jsonl",
		"owners.jsonl", "notices.jsonl", "curators.jsonl", "contrasts.jsonl", "yardtalk.jsonl", "thumbs.jsonl", "stories.jsonl", "witnesses.jsonl",
		"subjects.jsonl", "updates.jsonl", "others.jsonl", "accounts.jsonl", "chatter.jsonl", "sides.jsonl", "sequels.jsonl", "missing.jsonl",
		"kennels.jsonl", "editors.jsonl", "neighbours.jsonl",
	}
	HeldOut = []string{
		"heldout.jsonl", "fresh.jsonl", "walls.jsonl", "ordinary.jsonl", "communities.jsonl", "districts.jsonl", "sixwalls.jsonl", "tenwalls.jsonl",
		"lastwalls.jsonl", "morewalls.jsonl", "eightwalls.jsonl", "newwalls.jsonl", "latewalls.jsonl", "nextwalls.jsonl", "presswalls.jsonl",
	}
)

// Post is one line of a corpus: the input of `vestnik parse` and what a person
// reads in it.
type Post struct {
	OwnerID     int64  `json:"owner_id"`
	ID          int64  `json:"id"`
	Date        int64  `json:"date"`
	Text        string `json:"text"`
	CopyHistory []Copy `json:"copy_history,omitempty"`
	Want        Want   `json:"want"`
	Line        int    `json:"-"`
	File        string `json:"-"`
}

// Copy is a post of copy_history, nearest parent first.
type Copy struct {
	OwnerID int64  `json:"owner_id"`
	ID      int64  `json:"id"`
	Date    int64  `json:"date"`
	Text    string `json:"text"`
}

// Want is the label. Type, animal and phones are always labelled; the other
// fields only where the key is present, an empty value meaning "nothing".
type Want struct {
	Type     petpost.Type   `json:"type"`
	Animal   petpost.Animal `json:"animal"`
	Phones   []string       `json:"phones"`
	Sex      *string        `json:"sex,omitempty"`
	Name     *string        `json:"name,omitempty"`
	Location *string        `json:"location,omitempty"` // must contain, or be contained in, what is read
	When     *string        `json:"when,omitempty"`
	Breed    *string        `json:"breed,omitempty"`
	Age      *string        `json:"age,omitempty"`
	Contacts []string       `json:"contacts,omitempty"`

	// What else a person may read in it, where two would differ.
	OrType   []petpost.Type   `json:"or_type,omitempty"`
	OrAnimal []petpost.Animal `json:"or_animal,omitempty"`
}

// TypeIs reports a type that is right, or one of those that are.
func (w *Want) TypeIs(t petpost.Type) bool { return t == w.Type || slices.Contains(w.OrType, t) }

// AnimalIs is TypeIs for the animal.
func (w *Want) AnimalIs(a petpost.Animal) bool {
	return a == w.Animal || slices.Contains(w.OrAnimal, a)
}

// Input gives the post as Parse takes it.
func (p *Post) Input() petpost.Input {
	in := petpost.Input{Text: p.Text, PostedAt: time.Unix(p.Date, 0).UTC()}
	for _, c := range p.CopyHistory {
		in.Reposts = append(in.Reposts, c.Text)
	}
	return in
}

// Load reads a file of JSON lines; empty lines and lines that begin with // are
// skipped.
func Load(path string) ([]Post, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var posts []Post
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for line := 1; scanner.Scan(); line++ {
		raw := strings.TrimSpace(scanner.Text())
		if raw == "" || strings.HasPrefix(raw, "//") {
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(raw))
		decoder.DisallowUnknownFields()
		p := Post{Line: line, File: path}
		if err := decoder.Decode(&p); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if !slices.Contains(petpost.Types, p.Want.Type) {
			return nil, fmt.Errorf("%s:%d: unknown type %q", path, line, p.Want.Type)
		}
		posts = append(posts, p)
	}
	return posts, scanner.Err()
}
