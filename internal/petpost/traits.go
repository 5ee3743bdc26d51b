package petpost

import (
	"strings"
	"sync"
)

// TraitReward is the one of Reading.Traits that others ask for; the headings of
// lexicon/traits.txt name them all.
const TraitReward = "reward"

var traitClasses = sync.OnceValue(func() []section { return sections("traits") })

// traits lists what the post says of the animal, in the order of the file.
func (r *reader) traits() (out []string) {
	for _, class := range traitClasses() {
		for i := range r.text.words {
			if len(class.args) > 0 && r.text.has(i, class.name) && !r.text.denied(i) {
				out = appendNew(out, strings.Join(class.args, " "))
			}
		}
	}
	return out
}

// denied reports a "не" or "без" right before a word.
func (t *text) denied(i int) bool {
	return t.sameSentence(i-1, i) && t.isWord(i-1, "не", "без", "нет", "ни")
}

// breed returns the first breed named, with the word before it if that belongs
// to it ("немецкая овчарка", "русский той").
func (r *reader) breed() string {
	t := &r.text
	for i := range t.words {
		if !t.has(i, "dog.breed") && !t.has(i, "cat.breed") && !t.has(i, "breed.maybe") || t.words[i].hashtag || r.companion(i) {
			continue
		}
		from, to := i, i+1
		for to < len(t.words) && t.words[to].gap&^(gapSpace|gapHyphen) == 0 && (t.has(to, "dog.breed") || t.has(to, "cat.breed")) {
			to++
		}
		if t.sameSentence(from-1, from) && t.has(from-1, "breed.part") && t.words[from].gap&^(gapSpace|gapHyphen) == 0 {
			from--
		}
		return t.rawOf(from, to)
	}
	return ""
}

// age returns the first age: "около 3 лет", "1,5 года", "годовалый", "2 месяца".
func (r *reader) age() string {
	for i := range r.text.words {
		if m, ok := r.firstAt(patternsOf("ages"), i); ok && !r.text.words[i].hashtag {
			return r.text.rawOf(i, m.to)
		}
	}
	return ""
}

// color returns the first run of colour words: "бело-рыжий", "чёрный с белой
// грудкой".
func (r *reader) color() string {
	t := &r.text
	for i := range t.words {
		w := &t.words[i]
		if !t.has(i, "color") || w.hashtag || w.upper && !w.caps && int(t.sentences[w.sentence].from) != i && w.gap&gapComma == 0 {
			continue
		}
		to := i + 1
		for to < len(t.words) && t.has(to, "color") && t.words[to].gap&^(gapSpace|gapHyphen|gapDash|gapComma) == 0 {
			to++
		}
		if t.isWord(to, "и", "с", "со") && t.sameSentence(i, to+1) && t.has(to+1, "color") && t.words[to+1].gap == gapSpace {
			with := !t.isWord(to, "и")
			to += 2
			if with && t.sameSentence(i, to) && t.words[to].gap == gapSpace {
				to++ // "с белой грудкой"
			}
		}
		return t.rawOf(i, to)
	}
	return ""
}
