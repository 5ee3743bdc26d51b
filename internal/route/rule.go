package route

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"vestnik/internal/petpost"
)

// rule sends the posts that meet all its conditions to some destinations.
// An empty condition is met by every post.
type rule struct {
	name             string
	types            []petpost.Type
	animals          []petpost.Animal
	include, exclude []pattern
	hasPhone         *bool
	minConfidence    float64
	approve          bool
	approval         Approval // of posts that a person is asked about
	walls            []wall
	to               []Destination
}

// pattern is a word, a phrase or a regular expression.
type pattern struct {
	shown string // as written in the file
	words [][]rune
	regex *regexp.Regexp
}

// wall is the source of a post, by owner id or by screen name in lower case.
type wall struct {
	owner int64
	name  string
}

func (w wall) String() string {
	if w.owner != 0 {
		return strconv.FormatInt(w.owner, 10)
	}
	return w.name
}

type result struct {
	matched bool
	asks    bool // but a person is to be asked
	unsure  bool // because the type is not sure
	other   bool // it was read as a type that the rule does not want
	reason  string
	refusal Refusal // if not matched
}

// Conditions of a rule that a post may not meet.
const (
	ConditionType     = "type"
	ConditionAnimal   = "animal"
	ConditionWall     = "wall"
	ConditionNoPhone  = "no_phone"
	ConditionPhone    = "has_phone"
	ConditionExcluded = "excluded"
	ConditionIncluded = "not_included"
)

// Refusal is why a rule does not send a post: the condition that is not met.
type Refusal struct {
	Rule      string
	Condition string
	Is        string   // what the post is, or the word of the rule that excludes it
	Wants     []string // what the rule wants, of a type, an animal or a wall
}

// String is the refusal without the name of its rule.
func (f Refusal) String() string {
	switch f.Condition {
	case ConditionNoPhone:
		return "no phone"
	case ConditionPhone:
		return "has a phone"
	case ConditionExcluded:
		return "excluded by " + f.Is
	case ConditionIncluded:
		return "none of the included words is there"
	}
	return fmt.Sprintf("%s %s is not one of %s", f.Condition, f.Is, strings.Join(f.Wants, ", "))
}

func (r rule) no(condition, is string, wants ...string) result {
	refusal := Refusal{Rule: r.name, Condition: condition, Is: is, Wants: wants}
	return result{reason: refusal.String(), refusal: refusal}
}

// decide goes through the conditions, the cheap and telling ones first, and
// stops at the first that is not met.
func (r rule) decide(post petpost.Post, watched string, text *searchText) result {
	met := []string{"type " + string(post.Reading.Type)}
	other, likely := r.wants(post.Reading)
	if other && likely <= 1-r.minConfidence {
		return r.no(ConditionType, string(post.Reading.Type), names(r.types)...)
	}
	if len(r.animals) > 0 {
		if !slices.Contains(r.animals, post.Reading.Animal) {
			return r.no(ConditionAnimal, animalName(post.Reading.Animal), names(r.animals)...)
		}
		met = append(met, "animal "+animalName(post.Reading.Animal))
	}
	if len(r.walls) > 0 {
		i := slices.IndexFunc(r.walls, func(w wall) bool { return w.holds(post, watched) })
		if i < 0 {
			return r.no(ConditionWall, strconv.FormatInt(post.OwnerID, 10), names(r.walls)...)
		}
		met = append(met, "wall "+r.walls[i].String())
	}
	if r.hasPhone != nil {
		hasPhone := len(post.Reading.Phones) > 0
		phone := r.no(map[bool]string{true: ConditionPhone, false: ConditionNoPhone}[hasPhone], "")
		if *r.hasPhone != hasPhone {
			return phone
		}
		met = append(met, phone.reason)
	}
	if i := slices.IndexFunc(r.exclude, func(p pattern) bool { return p.in(text) }); i >= 0 {
		return r.no(ConditionExcluded, r.exclude[i].shown)
	}
	if len(r.include) > 0 {
		i := slices.IndexFunc(r.include, func(p pattern) bool { return p.in(text) })
		if i < 0 {
			return r.no(ConditionIncluded, "")
		}
		met = append(met, "includes "+r.include[i].shown)
	}
	unsure := other || likely < r.minConfidence
	switch {
	case other:
		met = append(met, fmt.Sprintf("but %.0f %% likely %s: a person is asked", 100*likely, strings.Join(names(r.types), " or ")))
	case unsure:
		met = append(met, fmt.Sprintf("but only %.0f %% sure of the type: a person is asked", 100*likely))
	}
	if r.approve {
		met = append(met, "a person approves it first")
	}
	return result{matched: true, asks: r.approve || unsure, unsure: unsure && !r.approve, other: other, reason: strings.Join(met, ", ")}
}

// wants reports whether the rule wants other types than the one that was read, and
// how likely the post is of one that it wants.
func (r rule) wants(reading petpost.Reading) (other bool, likely float64) {
	if len(r.types) == 0 || slices.Contains(r.types, reading.Type) {
		return false, reading.Confidence
	}
	for _, kind := range r.types {
		likely += reading.Alternatives[kind]
	}
	return true, likely
}

func joined[T any](values []T) string { return strings.Join(names(values), ", ") }

func names[T any](values []T) []string {
	names := make([]string, len(values))
	for i, value := range values {
		if animal, is := any(value).(petpost.Animal); is {
			names[i] = animalName(animal)
			continue
		}
		names[i] = fmt.Sprint(value)
	}
	return names
}

// animalName is the animal's name in the routes file.
func animalName(animal petpost.Animal) string {
	if animal == "" {
		return "unknown"
	}
	return string(animal)
}

func (w wall) holds(post petpost.Post, watched string) bool {
	if w.owner != 0 {
		return w.owner == post.OwnerID
	}
	return w.name == strings.ToLower(watched)
}

// searchText is a post's text as patterns see it.
type searchText struct {
	raw   string
	words [][]rune
}

func newSearchText(post petpost.Post) *searchText {
	raw := post.Text
	for _, repost := range post.Reposts {
		raw += "\n" + repost.Text
	}
	return &searchText{raw: raw, words: wordsOf(raw)}
}

// wordsOf splits a text into words in lower case, ё as е and accents off;
// everything that is no letter, digit or inner mark ends a word.
func wordsOf(text string) [][]rune {
	var words [][]rune
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		var plain []rune
		for _, r := range word {
			if unicode.IsMark(r) {
				// "й" and "ё" may come as letter and mark (macOS); the breve
				// makes another letter, all other marks do not.
				if r == '\u0306' && len(plain) > 0 && plain[len(plain)-1] == 'и' {
					plain[len(plain)-1] = 'й'
				}
				continue
			}
			r = unicode.ToLower(r)
			if r == 'ё' {
				r = 'е'
			}
			plain = append(plain, r)
		}
		if len(plain) > 0 {
			words = append(words, plain)
		}
	}
	return words
}

const anyEnding = '*'

// in reports whether the pattern occurs in the text.
func (p pattern) in(text *searchText) bool {
	if p.regex != nil {
		return p.regex.MatchString(text.raw)
	}
	for start := 0; start+len(p.words) <= len(text.words); start++ {
		if phraseAt(p.words, text.words[start:]) {
			return true
		}
	}
	return false
}

func phraseAt(phrase, text [][]rune) bool {
	for i, wanted := range phrase {
		word := text[i]
		if last := len(wanted) - 1; wanted[last] == anyEnding {
			wanted = wanted[:last]
			word = word[:min(len(word), len(wanted))]
		}
		if !slices.Equal(word, wanted) {
			return false
		}
	}
	return true
}
