package petpost

import (
	"unicode"
	"unicode/utf8"
)

// gap describes what stands between a word and the one before it.
type gap uint16

const (
	gapComma gap = 1 << iota
	gapDot
	gapExclaim
	gapQuestion
	gapColon
	gapDash
	gapHyphen // a hyphen and nothing else
	gapQuote
	gapParen
	gapEmoji
	gapLine  // one line break
	gapBlank // an empty line
	gapWide  // two spaces or more
	gapSlash
	gapSpace
)

// kind is what a word is made of.
type kind uint8

const (
	kindWord kind = iota
	kindLatin
	kindNumber
	kindURL
	kindMention
)

// word is one unit of text. Offsets are bytes of text.raw.
type word struct {
	start, end     int32
	codeAt, codeTo int32 // its letters in text.codes
	lexAt, lexTo   int32 // its classes in text.lex
	sentence       int32
	gap            gap
	kind           kind
	hashtag        bool
	upper          bool // begins with a capital
	caps           bool // two capitals or more and nothing else
	merged         bool // put together from single letters or cut from a run-on
}

// text is a post cut into words. It is scratch space: reset for each post.
type text struct {
	raw       string
	words     []word
	codes     []byte
	lex       []uint16
	sentences []sentence
	letters   int // letters outside links, mentions and hashtags
	mentions  int
	links     int
	hashtags  int
	emoji     int
	pictures  [3]int // emoji of dogs, cats and other pets
	tail      gap    // what follows the last word
}

// sentence is a run of words [from, to).
type sentence struct {
	from, to int32
	question bool
	exclaim  bool
}

func (t *text) reset(raw string) {
	*t = text{
		raw: raw, words: t.words[:0], codes: t.codes[:0],
		lex: t.lex[:0], sentences: t.sentences[:0],
	}
}

func (t *text) codesOf(w *word) []byte    { return t.codes[w.codeAt:w.codeTo] }
func (t *text) lexOf(w *word) []uint16    { return t.lex[w.lexAt:w.lexTo] }
func (t *text) rawOf(from, to int) string { return t.raw[t.words[from].start:t.words[to-1].end] }

// has reports whether word i belongs to a class.
func (t *text) has(i int, class uint16) bool {
	w := &t.words[i]
	for _, c := range t.lex[w.lexAt:w.lexTo] {
		if c == class {
			return true
		}
	}
	return false
}

// cut splits raw into words, reads them through the lexicon and finds the
// sentences.
func (t *text) cut(raw string, lx *lexicon) {
	t.reset(raw)
	var between gap
	spaces := 0
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		switch {
		case r == '[':
			if n, ok := bracketMention(raw[i:]); ok {
				t.add(word{start: int32(i), end: int32(i + n), kind: kindMention}, &between, &spaces)
				t.mentions++
				i += n
				continue
			}
			between |= gapParen
		case r == '@' || r == '*':
			if n := screenNameMention(raw, i); n > 0 {
				t.add(word{start: int32(i), end: int32(i + n), kind: kindMention}, &between, &spaces)
				t.mentions++
				i += n
				continue
			}
		case r == '#':
			if n := t.cutHashtag(i, &between, &spaces, lx); n > 0 {
				i += n
				continue
			}
		case isLatin(r) || cyrillicCode(r) != 0 || isDigit(r):
			if n := urlLength(raw, i); n > 0 {
				t.add(word{start: int32(i), end: int32(i + n), kind: kindURL}, &between, &spaces)
				t.links++
				i += n
				continue
			}
			if isDigit(r) {
				n := 1
				for i+n < len(raw) && isDigit(rune(raw[i+n])) {
					n++
				}
				t.add(word{start: int32(i), end: int32(i + n), kind: kindNumber}, &between, &spaces)
				t.lex = append(t.lex, lx.number)
				if v := t.number(len(t.words) - 1); v > 25 && v <= 120 {
					t.lex = append(t.lex, lx.oldNumber)
				}
				t.words[len(t.words)-1].lexTo = int32(len(t.lex))
				i += n
				continue
			}
			i += t.cutWord(i, &between, &spaces, lx)
			continue
		case r == '\n':
			if between&(gapLine|gapBlank) != 0 {
				between |= gapBlank
			}
			between |= gapLine
		case r == ' ' || r == '\t' || r == 0xA0:
			spaces++
			between |= gapSpace
			if spaces >= 2 {
				between |= gapWide
			}
		case r == ',' || r == ';':
			between |= gapComma
		case r == '.' || r == '…':
			between |= gapDot
		case r == '!' || r == '❗' || r == '‼' || r == '❕':
			between |= gapExclaim
		case r == '?' || r == '❓' || r == '⁉' || r == '❔':
			between |= gapQuestion
		case r == ':':
			between |= gapColon
		case r == '-' || r == '‐' || r == '‑':
			if between == 0 {
				between |= gapHyphen
			} else {
				between |= gapDash
			}
		case r == '–' || r == '—' || r == '−':
			between |= gapDash
		case r == '«' || r == '»' || r == '"' || r == '“' || r == '”' || r == '„' || r == '\'':
			between |= gapQuote
		case r == '(' || r == ')' || r == ']':
			between |= gapParen
		case r == '/' || r == '\\' || r == '|':
			between |= gapSlash
		case isEmoji(r):
			between |= gapEmoji
			t.emoji++
			if k := emojiAnimal(r); k >= 0 {
				t.pictures[k]++
			}
		}
		if r != ' ' && r != '\t' && r != 0xA0 {
			spaces = 0
		}
		i += size
	}
	t.tail = between
	t.joinLetters(lx)
	t.joinHyphens(lx)
	t.findSentences(lx)
}

func (t *text) add(w word, between *gap, spaces *int) {
	if *between&gapHyphen != 0 && *between&^gapHyphen != 0 {
		*between = *between&^gapHyphen | gapDash // "Рольф- ласковый пёс"
	}
	w.gap = *between
	w.codeAt, w.codeTo = int32(len(t.codes)), int32(len(t.codes))
	w.lexAt, w.lexTo = int32(len(t.lex)), int32(len(t.lex))
	t.words = append(t.words, w)
	*between, *spaces = 0, 0
}

// cutWord reads one word of letters at i and returns its length in bytes.
func (t *text) cutWord(i int, between *gap, spaces *int, lx *lexicon) int {
	raw := t.raw
	at := len(t.codes)
	cyrillic, latin, upper, total := 0, 0, 0, 0
	first := true
	firstUpper := false
	end := i
	for end < len(raw) {
		r, size := utf8.DecodeRuneInString(raw[end:])
		if c := cyrillicCode(r); c != 0 {
			cyrillic++
			t.codes = append(t.codes, c)
		} else if isLatin(r) {
			latin++
			t.codes = append(t.codes, 0)
		} else if isSilent(r) && !first {
			if r == 0x306 && len(t.codes) > at && t.codes[len(t.codes)-1] == code('и') {
				t.codes[len(t.codes)-1] = code('й')
			}
			end += size
			continue
		} else if (r == '0' || r == '3' || r == '@') && cyrillic > 0 && letterFollows(raw[end+size:]) {
			t.codes = append(t.codes, lookAlike(r))
			end += size
			continue
		} else {
			break
		}
		total++
		if isUpper(r) {
			upper++
			firstUpper = firstUpper || first
		}
		first = false
		end += size
	}
	t.letters += total
	w := word{start: int32(i), end: int32(end), upper: firstUpper, caps: upper == total && total > 1}
	if cyrillic == 0 {
		w.kind = kindLatin
		t.codes = t.codes[:at]
		t.readLatin(raw[i:end], at, lx)
	} else if latin > 0 {
		t.mendLatin(raw[i:end], at)
	}
	t.shortenRuns(at)
	t.add(w, between, spaces)
	last := &t.words[len(t.words)-1]
	last.codeAt = int32(at)
	lx.read(t, last)
	return end - i
}

// shortenRuns folds a letter repeated three times or more into one:
// "потеряяялась", "помогитеее".
func (t *text) shortenRuns(at int) {
	letters := t.codes[at:]
	keep := 0
	for i := 0; i < len(letters); {
		n := 1
		for i+n < len(letters) && letters[i+n] == letters[i] {
			n++
		}
		letters[keep] = letters[i]
		keep++
		if n == 2 {
			letters[keep] = letters[i]
			keep++
		}
		i += n
	}
	t.codes = t.codes[:at+keep]
}

func letterFollows(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return cyrillicCode(r) != 0
}

// cutHashtag reads "#потеряшка_Ижевск@group" into the words that it holds.
func (t *text) cutHashtag(i int, between *gap, spaces *int, lx *lexicon) int {
	raw := t.raw
	end := i + 1
	for end < len(raw) {
		r, size := utf8.DecodeRuneInString(raw[end:])
		if r != '_' && !unicode.IsLetter(r) && !isDigit(r) && !isSilent(r) {
			break
		}
		end += size
	}
	if end == i+1 {
		return 0
	}
	t.hashtags++
	before := t.letters
	for k := i + 1; k < end; {
		r, size := utf8.DecodeRuneInString(raw[k:])
		if r == '_' || isSilent(r) {
			k += size
			continue
		}
		n := len(t.words)
		if isDigit(r) {
			to := k + 1
			for to < end && isDigit(rune(raw[to])) {
				to++
			}
			t.add(word{start: int32(k), end: int32(to), kind: kindNumber, hashtag: true}, between, spaces)
			k = to
			*between = gapSpace
			continue
		}
		if !isLatin(r) && cyrillicCode(r) == 0 {
			k += size
			continue
		}
		k += t.cutWord(k, between, spaces, lx)
		t.words[n].hashtag = true
		if w := &t.words[n]; w.codeTo-w.codeAt > 6 {
			t.splitRunOn(n, lx)
		}
		*between = gapSpace
	}
	t.letters = before
	if end < len(raw) && raw[end] == '@' {
		end++
		for end < len(raw) && screenNameByte(raw[end]) {
			end++
		}
	}
	return end - i
}

// findSentences numbers the sentences. A line break ends one unless the next
// line goes on in lower case or both lines shout in capitals.
func (t *text) findSentences(lx *lexicon) {
	var current int32
	from := 0
	for i := range t.words {
		w := &t.words[i]
		if i > 0 && t.breaksBefore(i, lx) {
			t.closeSentence(from, i, w.gap)
			current++
			from = i
		}
		w.sentence = current
	}
	if len(t.words) > 0 {
		t.closeSentence(from, len(t.words), t.tail)
	}
}

func (t *text) closeSentence(from, to int, after gap) {
	t.sentences = append(t.sentences, sentence{
		from: int32(from), to: int32(to),
		question: after&gapQuestion != 0, exclaim: after&gapExclaim != 0,
	})
}

func (t *text) breaksBefore(i int, lx *lexicon) bool {
	w, previous := &t.words[i], &t.words[i-1]
	g := w.gap
	if g&gapBlank != 0 || g&(gapQuestion|gapExclaim) != 0 {
		return true
	}
	if w.hashtag != previous.hashtag {
		return true
	}
	if g&gapDot != 0 {
		if previous.kind == kindNumber && w.kind == kindNumber && g&gapSpace == 0 {
			return false
		}
		if g&gapLine == 0 && t.has(i-1, lx.abbreviation) {
			return false
		}
		return true
	}
	if g&gapLine != 0 {
		if w.kind == kindWord && !w.upper {
			return false
		}
		return !(w.caps && previous.caps)
	}
	return false
}
