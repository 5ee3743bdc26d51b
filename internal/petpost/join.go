package petpost

// joinLetters puts words spelled letter by letter together: "П Р О П А Л А",
// "п-р-о-п-а-л", "н🐾а🐾й🐾д🐾е🐾н".
func (t *text) joinLetters(lx *lexicon) {
	single := func(i int) bool {
		w := &t.words[i]
		return w.kind == kindWord && w.codeTo-w.codeAt == 1
	}
	const inside = gapSpace | gapHyphen | gapDot | gapEmoji | gapDash | gapSlash
	for i := 0; i+2 < len(t.words); i++ {
		if !single(i) {
			continue
		}
		end := i + 1
		between := t.words[end].gap
		for end < len(t.words) && single(end) && t.words[end].gap&^inside == 0 && t.words[end].gap == between {
			end++
		}
		if end-i < 4 && (end-i < 3 || !t.spells(i, end, lx)) {
			continue
		}
		t.merge(i, end, lx)
		t.splitRunOn(i, lx)
	}
}

// spells reports whether the letters of [from, to) make a word.
func (t *text) spells(from, to int, lx *lexicon) bool {
	at := len(t.codes)
	for i := from; i < to; i++ {
		w := &t.words[i]
		t.codes = append(t.codes, t.codes[w.codeAt:w.codeTo]...)
	}
	known := lx.knowsExactly(t.codes[at:])
	t.codes = t.codes[:at]
	return known
}

// joinHyphens mends words that a hyphen cut in two: particles ("кто-то"),
// syllables ("поте-рялась").
func (t *text) joinHyphens(lx *lexicon) {
	for i := 0; i+1 < len(t.words); i++ {
		a, b := &t.words[i], &t.words[i+1]
		if b.gap != gapHyphen || a.kind != kindWord || b.kind != kindWord {
			continue
		}
		if particles[string(t.codesOf(b))] || prefixParticles[string(t.codesOf(a))] {
			t.merge(i, i+2, lx)
			continue
		}
		if b.upper && !b.caps {
			continue
		}
		end := i + 2
		for end < len(t.words) && t.words[end].gap == gapHyphen && t.words[end].kind == kindWord {
			end++
		}
		t.joinSyllables(i, end, lx)
	}
}

// joinSyllables merges [from, to) if the parts say nothing and the whole is a
// word of the lexicon.
func (t *text) joinSyllables(from, to int, lx *lexicon) {
	known := 0
	for i := from; i < to; i++ {
		w := &t.words[i]
		if w.lexTo > w.lexAt && w.codeTo-w.codeAt > 2 {
			known++
		}
	}
	if known < to-from && t.spells(from, to, lx) {
		t.merge(from, to, lx)
	}
}

// merge replaces words [from, to) by one.
func (t *text) merge(from, to int, lx *lexicon) {
	at := len(t.codes)
	for i := from; i < to; i++ {
		w := t.words[i]
		t.codes = append(t.codes, t.codes[w.codeAt:w.codeTo]...)
	}
	w := &t.words[from]
	w.end = t.words[to-1].end
	w.codeAt, w.codeTo = int32(at), int32(len(t.codes))
	w.merged = true
	t.words = append(t.words[:from+1], t.words[to:]...)
	lx.read(t, &t.words[from])
}

// splitRunOn cuts a run-on into words that the lexicon knows: "пропаласобака".
func (t *text) splitRunOn(i int, lx *lexicon) int {
	w := t.words[i]
	if lx.knowsExactly(t.codesOf(&w)) {
		return 1
	}
	var cuts [8]int
	n := lx.segment(t.codesOf(&w), cuts[:])
	if n < 2 {
		return 1
	}
	parts := make([]word, 0, 8)
	at := int(w.codeAt)
	for k := range n {
		part := w
		part.codeAt, part.codeTo = int32(at), w.codeAt+int32(cuts[k])
		part.merged = true
		if k > 0 {
			part.gap = gapSpace
		}
		lx.read(t, &part)
		parts = append(parts, part)
		at = int(part.codeTo)
	}
	t.words = append(t.words[:i], append(parts, t.words[i+1:]...)...)
	return n
}
