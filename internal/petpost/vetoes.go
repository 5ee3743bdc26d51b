package petpost

import (
	"slices"
	"strings"
)

// veto is why a text can be nothing but news, however much else it is like; empty
// if it can: the model knows what people usually say, a veto what they cannot mean.
func (r *reader) veto(v *view) string {
	missing := plain
	if r.text.holds(className, "name.known") { // a child may be called like a pet
		missing = 2 * outright
	}
	switch {
	case v.signs.sum[sigNotPet] >= missing && v.animalBy <= animalHinted && !r.text.holds("kind"):
		return "a thing or a person is missing"
	case r.isVerse():
		return "a verse"
	}
	return ""
}

// eventSignals are what a notice may be about.
var eventSignals = []signal{sigLost, sigFound, sigSeen, sigOwner, sigAdopt, sigHome}

// isVerse reports four lines or more of a few words each, without anything that a
// notice has: a phone, a number, a link, an emoji before a line, a first line that
// says what it is about ("Пропала кошка").
func (r *reader) isVerse() bool {
	const leastLines, longestLine = 4, 7
	t := &r.text
	lines, title := 1, len(t.words)
	for i := range t.words {
		w := &t.words[i]
		begins := i == 0 || w.gap&gapLine != 0
		if w.kind == kindNumber || w.gap&gapColon != 0 || begins && w.gap&gapEmoji != 0 {
			return false
		}
		if i > 0 && begins {
			lines++
			title = min(title, i)
		}
	}
	for k := range r.found {
		if m := &r.found[k]; m.anchor < title && t.gapAfter(title-1)&gapComma == 0 && m.pattern.rule.weight >= plain && slices.Contains(eventSignals, m.pattern.rule.signal) {
			return false
		}
	}
	return lines >= leastLines && len(t.words) <= longestLine*lines && t.links+t.hashtags == 0
}

// plainType gives the type of a text that leaves nothing to weigh: no letters, a
// bare link, a bare phone; empty for any other.
func (r *reader) plainType(v *view) Type {
	t := &r.text
	switch {
	case strings.TrimSpace(t.raw) == "":
		return Empty
	case r.pointsAtLink(), t.letters == 0 && t.hashtags == 0 && len(v.reading.Phones) == 0 && t.links+t.mentions > 0:
		return Link
	case t.letters == 0 && t.hashtags == 0, r.onlyPhone():
		return Unknown
	}
	return ""
}

// onlyPhone reports a phone number with no more beside it than "тел".
func (r *reader) onlyPhone() bool {
	t := &r.text
	for i := range t.words {
		if t.words[i].kind != kindNumber && !t.has(i, "phone.word") && !t.has(i, "pointer") {
			return false
		}
	}
	return true
}

// pointsAtLink reports a link with no more said than that it is one:
// "Подробности тут: https://…".
func (r *reader) pointsAtLink() bool {
	t := &r.text
	if t.links == 0 || len(t.words) > 6 {
		return false
	}
	for i := range t.words {
		if w := &t.words[i]; w.kind != kindURL && w.kind != kindMention && !t.has(i, "pointer") {
			return false
		}
	}
	return true
}
