package petpost

// joined reports a word with no more before it than a space, a quote or "№".
func (r *reader) joined(i int) bool {
	w := r.text.at(i)
	return r.text.follows(i, gapSpace|gapQuote|gapDot|gapHyphen|gapEmoji) && !r.inPhone(i) && (w.kind != kindNumber || w.gap&gapDot == 0)
}

// spotAdjective reports a word that may stand before the word for a spot.
func (r *reader) spotAdjective(i int) bool {
	t := &r.text
	if t.has(i, "place.no.name", "place.spot", "place.yard", "kind", "lose", "color") || !t.follows(i+1, gapSpace|gapHyphen|gapSlash) {
		return false
	}
	return t.ends(i, "adjective") || t.isWord(i, "жд", "ж", "авто") || t.at(i).gap == gapSlash && t.isWord(i, "д")
}

// spotName returns the end of the name at i after the word for a spot, i if there
// is none.
func (r *reader) spotName(i int) int {
	t := &r.text
	end := r.properName(i, 2)
	if w := t.at(i); end == i || w.caps && (t.at(i-1).caps || !r.unknown(i)) {
		return i
	}
	return r.withNoun(end)
}

// nearName returns the end of the name at i after "у", "возле", "между", i if there
// is none.
func (r *reader) nearName(i int) int {
	to := r.properName(i, 2)
	if to == i || r.text.at(i).gap&gapQuote != 0 || r.someone(i, to) || !r.unknown(i) && !r.text.has(i, "city") {
		return i
	}
	return to
}
