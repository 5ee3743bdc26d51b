package petpost

import (
	"strings"
	"sync"
)

// contacts lists the VK accounts of people, as "@screen_name", and the names
// that stand beside phone numbers.
func (r *reader) contacts() (out []string) {
	t := &r.text
	for i := range t.words {
		target, label := t.rawOf(i, i+1), ""
		switch t.words[i].kind {
		case kindMention:
			target, label = mentionParts(target)
		case kindURL:
		default:
			continue
		}
		name := screenName(target)
		if name != "" {
			out = appendNew(out, "@"+name)
		}
		if label = strings.TrimSpace(label); label != "" && strings.HasPrefix(name, "id") {
			out = appendNew(out, label)
		}
	}
	for _, span := range r.phones {
		if name := r.nameBeside(span); name != "" {
			out = appendNew(out, name)
		}
	}
	return out
}

// nameBeside is that of a person right after a phone, or else right before it.
func (r *reader) nameBeside(span phoneSpan) string {
	const beside = gapSpace | gapComma | gapHyphen | gapDash | gapParen | gapColon | gapDot | gapQuote
	t := &r.text
	if name := r.person(span.to); name != "" && t.words[span.to].gap&^beside == 0 {
		return name
	}
	last := span.from - 1
	if t.isWord(last, "тел", "телефон", "номер") {
		last--
	}
	if name := r.person(last - 1); strings.Contains(name, " ") { // with the patronymic
		return name
	}
	return r.person(last)
}

// peopleNames are the given names that people sign with; only these are taken
// for contacts, so that a place or a pet is not.
var peopleNames = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, name := range nameLists()["people"] {
		set[name] = true
	}
	return set
})

// person is the given name at word i, with the patronymic after it; empty if
// there is none.
func (r *reader) person(i int) string {
	t := &r.text
	switch {
	case t.at(i).kind == kindNone || !peopleNames()[t.rawOf(i, i+1)]:
		return ""
	case t.follows(i+1, gapSpace) && t.words[i+1].upper && t.ends(i+1, "patronymic"):
		return t.rawOf(i, i+2)
	}
	return t.rawOf(i, i+1)
}
