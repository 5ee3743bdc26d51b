package corpus

import (
	"slices"
	"strings"

	"vestnik/internal/petpost"
)

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

func (c *Count) labelled() int { return c.Hit + c.Extra + c.Missed }

// Result is what an evaluation found.
type Result struct {
	Posts     int
	Types     map[petpost.Type]*Count
	Fields    map[string]*Count       // correct, wrong where something was read, wrong where nothing was
	Confusion map[[2]petpost.Type]int // by the label and what was read
	Sure      []Sure
	Misses    []Miss
}

// Sure is how sure a reading was of its type, and whether it was right.
type Sure struct {
	petpost.Reading
	Right bool
	Lost  bool // it is a search, by its label
}

// Searches are what comes of the posts of a result where a rule asks for what is
// lost.
type Searches struct {
	Asked  int // about so many a person is asked
	False  int // go out that are none
	Missed int // neither go out nor are asked about
}

// Accuracy of a field among the posts where it is labelled, 0..1.
func (r *Result) Accuracy(field string) float64 {
	c := r.Fields[field]
	if c == nil || c.labelled() == 0 {
		return 1
	}
	return float64(c.Hit) / float64(c.labelled())
}

// LearnWalls gives what each wall of a corpus repeats.
func LearnWalls(posts []Post) map[int64]*petpost.WallContext {
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
	r := &Result{Posts: len(posts), Types: map[petpost.Type]*Count{}, Fields: map[string]*Count{}, Confusion: map[[2]petpost.Type]int{}}
	for _, t := range petpost.Types {
		r.Types[t] = &Count{}
	}
	walls := LearnWalls(posts)
	for i := range posts {
		p := &posts[i]
		in := p.Input()
		in.Wall = walls[p.OwnerID]
		got := petpost.Parse(in)
		r.countType(p, got)
		r.compare(p, got, "type", string(got.Type), string(p.Want.Type), p.Want.TypeIs(got.Type))
		r.compare(p, got, "animal", string(got.Animal), string(p.Want.Animal), p.Want.AnimalIs(got.Animal))
		r.compareList(p, got, "phones", got.Phones, p.Want.Phones)
		if p.Want.Contacts != nil {
			r.compareList(p, got, "contacts", got.Contacts, p.Want.Contacts)
		}
		for _, f := range []struct {
			name  string
			want  *string
			value string
			same  func(got, want string) bool
		}{
			{"sex", p.Want.Sex, string(got.Sex), equal}, {"name", p.Want.Name, got.Name, equal},
			{"location", p.Want.Location, got.Location, overlap}, {"when", p.Want.When, got.When, overlap},
			{"breed", p.Want.Breed, got.Breed, overlap}, {"age", p.Want.Age, got.Age, overlap},
		} {
			if f.want != nil {
				r.compare(p, got, f.name, f.value, *f.want, f.same(f.value, *f.want))
			}
		}
	}
	return r
}

func equal(got, want string) bool { return got == want }

// overlap accepts what contains, or is contained in, what is wanted.
func overlap(got, want string) bool {
	if got == "" || want == "" {
		return got == want
	}
	a, b := strings.ToLower(got), strings.ToLower(want)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

// countType counts a type that two people may read as the one that was read.
func (r *Result) countType(p *Post, got petpost.Reading) {
	want := p.Want.Type
	right := p.Want.TypeIs(got.Type)
	if right {
		want = got.Type
		r.Types[want].Hit++
	} else {
		r.Types[got.Type].Extra++
		r.Types[want].Missed++
	}
	r.Confusion[[2]petpost.Type{want, got.Type}]++
	r.Sure = append(r.Sure, Sure{got, right, p.Want.Type == petpost.Lost})
}

// SearchesAt counts what a rule with this min_confidence does.
func (r *Result) SearchesAt(minConfidence float64) (s Searches) {
	for _, sure := range r.Sure {
		read := sure.Type == petpost.Lost
		switch {
		case read && sure.Confidence < minConfidence, !read && sure.Alternatives[petpost.Lost] > 1-minConfidence:
			s.Asked++
		case read:
			s.False += one(!sure.Right)
		case sure.Lost:
			s.Missed += one(!sure.Right)
		}
	}
	return s
}

func (r *Result) compareList(p *Post, got petpost.Reading, field string, values, want []string) {
	r.compare(p, got, field, strings.Join(values, " "), strings.Join(want, " "), slices.Equal(values, want))
}

func (r *Result) compare(p *Post, got petpost.Reading, field, value, want string, same bool) {
	c := r.Fields[field]
	if c == nil {
		c = &Count{}
		r.Fields[field] = c
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

// Add counts the posts of another result too.
func (r *Result) Add(other *Result) {
	r.Posts += other.Posts
	for pair, n := range other.Confusion {
		if r.Confusion == nil {
			r.Confusion = map[[2]petpost.Type]int{}
		}
		r.Confusion[pair] += n
	}
	r.Sure = append(r.Sure, other.Sure...)
}
