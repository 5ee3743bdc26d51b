package petpost

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// WallContextVersion names the way in which a WallContext is learned and used;
// one of another version is to be learned anew.
const WallContextVersion = 2

// WallPosts is how many of a wall's last posts a context is learned from.
const WallPosts = 100

const (
	// fewestPosts is from how many posts on one can tell what a wall repeats.
	fewestPosts = 8
	// fewestRepeats is in how many of them it stands at least.
	fewestRepeats = 3
	// A unit is boilerplate where it stands in more than one of boilerplateShare
	// posts. One that says what happened to an animal is none where most of them
	// begin with it; a short one may be the title of many, and is boilerplate
	// only in more than titleShare of titleOf.
	boilerplateShare = 5
	titleShare       = 4
	titleOf          = 5
	titleWords       = 5
)

// WallContext is what the posts of a wall repeat: slogans, rules, a fund's card,
// the hashtags of forty towns. It says nothing about one post. The zero value
// knows of nothing.
type WallContext struct {
	Version int           `json:"version"`
	Posts   int           `json:"posts"` // how many it was learned from
	Units   []Boilerplate `json:"units,omitempty"`
}

// Boilerplate is a sentence, a line or a hashtag that recurs on a wall.
type Boilerplate struct {
	Text  string `json:"text"`  // as first written
	Posts int    `json:"posts"` // how many posts have it

	heads int // how many of them begin with it
}

// LearnWall learns what the posts of one wall repeat, from their own texts, the
// newest first; those after the first WallPosts are left out. Too few posts tell
// nothing.
func LearnWall(texts []string) WallContext {
	texts = texts[:min(len(texts), WallPosts)]
	context := WallContext{Version: WallContextVersion, Posts: len(texts)}
	if len(texts) < fewestPosts {
		return context
	}
	count := map[string]*Boilerplate{}
	for _, text := range texts {
		inPost := map[string]bool{}
		for _, u := range unitsOf(text) {
			if u.key == "" || inPost[u.key] {
				continue
			}
			inPost[u.key] = true
			if count[u.key] == nil {
				count[u.key] = &Boilerplate{Text: u.in(text)}
			}
			count[u.key].Posts++
			if len(inPost) == 1 {
				count[u.key].heads++
			}
		}
	}
	for _, unit := range count {
		if unit.recurs(len(texts)) {
			context.Units = append(context.Units, Boilerplate{Text: unit.Text, Posts: unit.Posts})
		}
	}
	slices.SortFunc(context.Units, func(a, b Boilerplate) int {
		return cmp.Or(cmp.Compare(b.Posts, a.Posts), strings.Compare(a.Text, b.Text))
	})
	return context
}

// ContextOf gives the context under which a reading set units aside, so that it
// can be repeated; nil if it set none aside.
func ContextOf(setAside []string) *WallContext {
	if len(setAside) == 0 {
		return nil
	}
	context := &WallContext{Version: WallContextVersion}
	for _, unit := range setAside {
		context.Units = append(context.Units, Boilerplate{Text: unit})
	}
	return context
}

// recurs reports that so many of a wall's posts have the unit that it says
// nothing about one of them.
func (b *Boilerplate) recurs(posts int) bool {
	if b.Posts < fewestRepeats || b.Posts*boilerplateShare <= posts {
		return false
	}
	words, happening := says(b.Text)
	switch {
	case !happening:
		return true
	case b.heads*2 > b.Posts: // how people here begin: the rest may say little without it
		return false
	default:
		return words > titleWords || b.Posts*titleOf > posts*titleShare
	}
}

// says counts the words of a text and reports whether they say of an animal what
// a post may be about.
func says(text string) (words int, happening bool) {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	v := r.weigh(text, "own")
	return v.words, v.animal != "" || v.signs.of(sigLost, sigFound, sigHold, sigSeen, sigOwner, sigHome, sigNotHome) >= plain
}

// Strip takes out of a text what the wall repeats, and a pile of hashtags that
// could stand under any post, and gives what it has set aside. A text of nothing
// else is left as it is.
func (c *WallContext) Strip(text string) (rest string, aside []string) {
	units := unitsOf(text)
	repeated := map[string]bool{}
	if c != nil && c.Version == WallContextVersion {
		for _, b := range c.Units {
			repeated[keyOf(b.Text)] = true
		}
	}
	pile := tagPile(units)
	var kept strings.Builder
	at, said := 0, false
	for _, u := range units {
		if u.key == "" || !repeated[u.key] && !(pile && u.tag) {
			said = said || u.key != ""
			continue
		}
		aside = append(aside, u.in(text))
		kept.WriteString(text[at:u.from])
		kept.WriteString(cutMark)
		at = u.to
	}
	if !said || len(aside) == 0 {
		return text, nil
	}
	kept.WriteString(text[at:])
	return kept.String(), aside
}

// cutMark stands where something was set aside, so that what stood before and
// after it does not read as one sentence.
const cutMark = "\n\n"

// pileOfTags is how many hashtags make a pile: nobody chooses so many for one
// post.
const pileOfTags = 8

func tagPile(units []unit) bool {
	tags := 0
	for _, u := range units {
		if u.tag {
			tags++
		}
	}
	return tags >= pileOfTags
}

// unit is a hashtag, a sentence or a line without either in a text.
type unit struct {
	from, to int
	key      string // its letters and digits; empty for one too short to tell
	tag      bool
}

func (u unit) in(text string) string { return strings.TrimSpace(text[u.from:u.to]) }

// shortestUnit is how many letters and digits a sentence has at least.
const shortestUnit = 6

// unitsOf cuts a text into units.
func unitsOf(text string) []unit {
	var units []unit
	from := 0
	add := func(to int, tag bool) {
		if key := keyOf(text[from:to]); to > from {
			if !tag && utf8.RuneCountInString(key) < shortestUnit {
				key = ""
			}
			units = append(units, unit{from, to, key, tag})
		}
		from = to
	}
	for i := 0; i < len(text); {
		if tag := len(hashtag.FindString(text[i:])); tag > 0 {
			add(i, false)
			i += tag
			add(i, true)
			continue
		}
		size, ends := sentenceEnd(text[i:])
		i += size
		if ends {
			add(i, false)
		}
	}
	add(len(text), false)
	return units
}

// sentenceEnd measures the first character of a text, with the marks and spaces
// after it if it ends a sentence.
func sentenceEnd(text string) (size int, ends bool) {
	r, size := utf8.DecodeRuneInString(text)
	rest := text[size:]
	if r != '\n' && !(strings.ContainsRune(".!?…❗", r) && (rest == "" || strings.ContainsRune(" \n!?.", rune(rest[0])))) {
		return size, false
	}
	return len(text) - len(strings.TrimLeft(rest, ".!? ")), true
}

// keyOf levels what does not matter: case, punctuation, emoji.
func keyOf(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 'ё' || r == 'Ё':
			return 'е'
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
