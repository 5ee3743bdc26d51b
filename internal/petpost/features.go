package petpost

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kljensen/snowball/russian"
)

// A feature is something that the model knows a text by. Its name, as it stands
// in model.tsv:
//
//	w ищ       a word's stem
//	t ищ       the same within the first two sentences
//	l ищ       the same within the last sentence
//	h ищ       the same in a hashtag
//	b ищ дом   two neighbours in a sentence; animals, pets' names, colours and
//	           numbers stand for all of their kind, ^ is the sentence's begin
//	e ем       the last two letters of a word: who does it, and to whom
//	c seek     a word of a class
//	n, nc      a word, or one of a class, within two words after a negation
//	r, rt      a rule that matched, anywhere or within the first two sentences
//	g, gt      what the rules are signs of, with how plainly all of them say so
//	g1         the sign that comes first
//	gg         two signs in one text
//	s …        the shape of the text
type feature struct {
	name     string
	from, to int // the words that it stands for; equal where it stands for none
}

// Names of what stands for all words of a kind.
const (
	tokenNumber    = "#"
	tokenNoLetters = "~"
	tokenBegin     = "^"
	tokenAnimal    = "@animal"
	tokenName      = "@name"
	tokenColor     = "@color"
)

const (
	// minEnding is how long a word must be for its last letters to be an ending.
	minEnding = 4
	// longText is how many words the longest of the length features stands for.
	longText = 50
)

// features lists the features of the text, each once.
func (r *reader) features(s *signs) []feature {
	all := r.shapes(make([]feature, 0, 16*len(r.text.words)+32))
	all = r.wordFeatures(all)
	all = r.ruleFeatures(all)
	seen := map[string]bool{}
	return slices.DeleteFunc(s.features(all), func(f feature) bool {
		again := seen[f.name]
		seen[f.name] = true
		return again
	})
}

func (r *reader) shapes(all []feature) []feature {
	t := &r.text
	shape := func(name string, is bool) {
		if is {
			all = append(all, feature{name: "s " + name})
		}
	}
	shape("any", true)
	shape("phone", len(r.phones) > 0)
	shape("question", slices.ContainsFunc(t.sentences, func(s sentence) bool { return s.question }))
	shape("no pet", !t.holds("pet"))
	shape("laughs", strings.ContainsAny(t.raw, "😂🤣😹😆"))
	shape("card", r.namesCard())
	shape("words "+strconv.Itoa(min(longText, len(t.words)/10*10)), true)
	return all
}

func (r *reader) wordFeatures(all []feature) []feature {
	t := &r.text
	previous := tokenBegin
	for i := range t.words {
		w := &t.words[i]
		add := func(from int, name string) { all = append(all, feature{name, from, i + 1}) }
		for _, class := range t.learnedClasses(i) {
			add(i, "c "+class)
		}
		if w.hashtag {
			add(i, "h "+r.stemName(i))
			continue
		}
		begins := int(t.sentences[w.sentence].from) == i
		if begins {
			previous = tokenBegin
		}
		token := r.token(i)
		if token != tokenColor {
			stem := r.stemName(i)
			add(i, "w "+stem)
			if w.sentence < titleSentences {
				add(i, "t "+stem)
			}
			if int(w.sentence) == len(t.sentences)-1 {
				add(i, "l "+stem)
			}
		}
		if letters := t.codesOf(w); len(letters) >= minEnding {
			add(i, "e "+lettersOf(letters[len(letters)-2:]))
		}
		all = r.negated(all, i)
		add(i-btoi(!begins), "b "+previous+" "+token)
		previous = token
	}
	return all
}

// learnedClasses are the classes of word i that the model learns.
func (t *text) learnedClasses(i int) []string {
	return slices.DeleteFunc(slices.Clone(t.lexOf(&t.words[i])), ofPlace)
}

// negated adds that word i stands after a negation, if it does.
func (r *reader) negated(all []feature, i int) []feature {
	t := &r.text
	from := t.negation(i)
	if from == i {
		return all
	}
	all = append(all, feature{"n " + r.stemName(i), from, i + 1})
	for _, class := range t.learnedClasses(i) {
		all = append(all, feature{"nc " + class, from, i + 1})
	}
	return all
}

// negation is the place of a negation one or two words before word i in its
// sentence; i where there is none.
func (t *text) negation(i int) int {
	for k := i - 1; k >= i-2 && t.sameSentence(k, i); k-- {
		if t.isWord(k, "не", "нет", "ни", "без", "нету") {
			return k
		}
	}
	return i
}

func (r *reader) ruleFeatures(all []feature) []feature {
	for k := range r.found {
		m := &r.found[k]
		all = append(all, feature{"r " + m.pattern.rule.name, m.from, m.to})
		if r.text.words[m.anchor].sentence < titleSentences {
			all = append(all, feature{"rt " + m.pattern.rule.name, m.from, m.to})
		}
	}
	return all
}

// features are those of the signs together.
func (s *signs) features(all []feature) []feature {
	add := func(name string) { all = append(all, feature{name: name}) }
	first := sigQuiet
	for a := sigQuiet + 1; a < signals; a++ {
		if s.sum[a] == 0 {
			continue
		}
		add("g " + signalNames[a] + " " + plainness(s.sum[a]))
		if s.title[a] > 0 {
			add("gt " + signalNames[a] + " " + plainness(s.title[a]))
		}
		for b := a + 1; b < signals; b++ {
			if s.sum[b] > 0 {
				add("gg " + signalNames[a] + "+" + signalNames[b])
			}
		}
		if first == sigQuiet || s.first[a] < s.first[first] {
			first = a
		}
	}
	add("g1 " + signalNames[first])
	return all
}

// plainness names how plainly a sum of weights says something.
func plainness(sum int) string {
	switch {
	case sum < plain:
		return "hinted"
	case sum < outright:
		return "plain"
	case sum < 2*outright:
		return "outright"
	}
	return "repeatedly"
}

// token is what stands for word i among its neighbours.
func (r *reader) token(i int) string {
	t := &r.text
	if w := &t.words[i]; w.lexTo > w.lexAt {
		switch {
		case t.has(i, "kind"):
			return tokenAnimal
		case t.has(i, "name.known"), t.has(i, "name.any"):
			return tokenName
		case t.has(i, "color"):
			return tokenColor
		}
	}
	return r.stemName(i)
}

func (r *reader) stemName(i int) string {
	w := &r.text.words[i]
	switch {
	case w.kind == kindNumber:
		return tokenNumber
	case w.codeTo == w.codeAt:
		return tokenNoLetters
	}
	return russian.Stem(lettersOf(r.text.codesOf(w)), true)
}

func lettersOf(codes []byte) string {
	letters := make([]rune, len(codes))
	for i, c := range codes {
		letters[i] = letterOf(c)
	}
	return string(letters)
}
