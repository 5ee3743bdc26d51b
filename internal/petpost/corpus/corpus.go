// Package corpus reads the labelled posts under petpost/testdata and measures
// readings against them. It serves the floor test and `make eval`.
package corpus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"vestnik/internal/petpost"
)

// Training lists the corpora that rules and model are made from; HeldOut those
// that were written before these met them and that nothing is tuned on.
var (
	Training = []string{"train.jsonl", "blind.jsonl", "wide.jsonl", "voices.jsonl"}
	HeldOut  = []string{"heldout.jsonl", "fresh.jsonl", "walls.jsonl", "ordinary.jsonl", "communities.jsonl"}
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

// Miss is a post read otherwise than labelled.
type Miss struct {
	Post      *Post
	Field     string
	Got, Want string
	Reading   petpost.Reading
}

// Count of one value of a field.
type Count struct {
	Hit, Extra, Missed int
}

// Result is what an evaluation found.
type Result struct {
	Posts  int
	Types  map[petpost.Type]*Count
	Fields map[string]*Count // correct, wrong where something was read, wrong where nothing was
	Misses []Miss
}

// Accuracy of a field among the posts where it is labelled, 0..1.
func (r *Result) Accuracy(field string) float64 {
	c := r.Fields[field]
	if c == nil || c.Hit+c.Extra+c.Missed == 0 {
		return 1
	}
	return float64(c.Hit) / float64(c.Hit+c.Extra+c.Missed)
}

// learnWalls gives what each wall of a corpus repeats.
func learnWalls(posts []Post) map[int64]*petpost.WallContext {
	texts := map[int64][]string{}
	for _, p := range slices.Backward(posts) {
		texts[p.OwnerID] = append(texts[p.OwnerID], p.Text)
	}
	walls := map[int64]*petpost.WallContext{}
	for owner := range texts {
		context := petpost.LearnWall(texts[owner])
		walls[owner] = &context
	}
	return walls
}

// Evaluate reads every post and compares. The posts of one owner are one wall.
func Evaluate(posts []Post) *Result {
	r := &Result{Posts: len(posts), Types: map[petpost.Type]*Count{}, Fields: map[string]*Count{}}
	for _, t := range petpost.Types {
		r.Types[t] = &Count{}
	}
	walls := learnWalls(posts)
	for i := range posts {
		p := &posts[i]
		in := p.Input()
		in.Wall = walls[p.OwnerID]
		got := petpost.Parse(in)
		if p.Want.TypeIs(got.Type) {
			r.Types[got.Type].Hit++
		} else {
			r.Types[got.Type].Extra++
			r.Types[p.Want.Type].Missed++
		}
		r.compare(p, got, "type", string(got.Type), string(p.Want.Type), false)
		r.compare(p, got, "animal", string(got.Animal), string(p.Want.Animal), false)
		r.compare(p, got, "phones", strings.Join(got.Phones, " "), strings.Join(p.Want.Phones, " "), false)
		for _, f := range []struct {
			name  string
			want  *string
			value string
			loose bool
		}{
			{"sex", p.Want.Sex, string(got.Sex), false}, {"name", p.Want.Name, got.Name, false},
			{"location", p.Want.Location, got.Location, true}, {"when", p.Want.When, got.When, true},
			{"breed", p.Want.Breed, got.Breed, true}, {"age", p.Want.Age, got.Age, true},
		} {
			if f.want != nil {
				r.compare(p, got, f.name, f.value, *f.want, f.loose)
			}
		}
		if p.Want.Contacts != nil {
			r.compare(p, got, "contacts", strings.Join(got.Contacts, " "), strings.Join(p.Want.Contacts, " "), false)
		}
	}
	return r
}

func (r *Result) compare(p *Post, got petpost.Reading, field, value, want string, loose bool) {
	c := r.Fields[field]
	if c == nil {
		c = &Count{}
		r.Fields[field] = c
	}
	same := value == want || field == "animal" && p.Want.AnimalIs(petpost.Animal(value)) || field == "type" && p.Want.TypeIs(petpost.Type(value))
	if loose && value != "" && want != "" {
		a, b := strings.ToLower(value), strings.ToLower(want)
		same = strings.Contains(a, b) || strings.Contains(b, a)
	}
	switch {
	case same:
		c.Hit++
		return
	case value == "":
		c.Missed++
	default:
		c.Extra++
	}
	r.Misses = append(r.Misses, Miss{p, field, value, want, got})
}

// Print writes the tables: per type, per field, then the misses with their
// evidence if verbose.
func (r *Result) Print(w io.Writer, title string, verbose bool) {
	fmt.Fprintf(w, "%s: %d posts\n\n", title, r.Posts)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "type\tposts\tprecision\trecall\t")
	for _, t := range petpost.Types {
		c := r.Types[t]
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t\n", t, c.Hit+c.Missed, percent(c.Hit, c.Hit+c.Extra), percent(c.Hit, c.Hit+c.Missed))
	}
	fmt.Fprintln(tw, "\t\t\t\t")
	fmt.Fprintln(tw, "field\tlabelled\tright\t\t")
	for _, f := range []string{"type", "animal", "phones", "sex", "name", "location", "when", "breed", "age", "contacts"} {
		if c := r.Fields[f]; c != nil {
			fmt.Fprintf(tw, "%s\t%d\t%s\t\t\n", f, c.Hit+c.Extra+c.Missed, percent(c.Hit, c.Hit+c.Extra+c.Missed))
		}
	}
	tw.Flush()
	fmt.Fprintf(w, "\n%d misses\n", len(r.Misses))
	for _, m := range r.Misses {
		text := m.Post.Text
		for _, c := range m.Post.CopyHistory {
			text += " <= " + c.Text
		}
		fmt.Fprintf(w, "  line %d  %s: got %q, want %q\n      %s\n", m.Post.Line, m.Field, m.Got, m.Want, shorten(strings.ReplaceAll(text, "\n", " / "), 400))
		if !verbose {
			continue
		}
		for _, e := range m.Reading.Evidence {
			if e.Field == m.Field {
				fmt.Fprintf(w, "        %-22s %-14s %+3d  %q %s\n", e.Rule, e.Points, e.Weight, e.Words, e.Source)
			}
		}
	}
	fmt.Fprintln(w)
}

func percent(a, b int) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(b))
}

func shorten(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n]) + "…"
}
