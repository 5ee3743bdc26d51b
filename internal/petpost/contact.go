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
	const beside = gapSpace | gapComma | gapHyphen | gapDash | gapParen | gapColon | gapDot | gapQuote
	for _, span := range r.phones {
		before := span.from - 1
		if t.isWord(before, "тел", "телефон", "номер") {
			before--
		}
		if t.at(span.to).gap&^beside == 0 && r.person(span.to) != "" {
			out = appendNew(out, r.person(span.to))
		} else if before >= 0 && t.words[before+1].gap&^beside == 0 {
			for _, i := range [...]int{before - 1, before} {
				if name := r.person(i); name != "" && (i == before || strings.Contains(name, " ")) {
					out = appendNew(out, name)
					break
				}
			}
		}
	}
	return out
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
