package notice

import (
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Limits of one Telegram message besides its length (tdlib Client.cpp). Length is
// counted in UTF-16 units here, of which no text has fewer than code points.
const (
	// maxEntities is how many entities a message keeps; the rest lose their links.
	maxEntities = 100
	// maxEntityBytes is the size of all entities together, texts and URLs.
	maxEntityBytes = 10_000
	// maxRawBytes bounds the marked-up text before it is parsed.
	maxRawBytes = 32_768 - 1
)

// minUnits is the smallest limit a caller may set: below it the source link
// with its label would not fit into one part.
const minUnits = 128

// split cuts a text into parts that each keep all limits of a message with a
// text of maxUnits. It cuts at the end of a paragraph, else of a line, a
// sentence, a word, and only in a text without any of them between two
// letters; never inside a link, a web address or a phone number that fits
// into a message. Blanks at a cut are dropped, nothing else is.
func split(text Text, mode ParseMode, maxUnits int) []Text {
	text = text.trim()
	if len(text) == 0 {
		return nil
	}
	s := newSplitter(text, mode, max(maxUnits, minUnits))
	if s.fits(0, len(s.whole)) {
		return []Text{text}
	}
	var cuts []int // where each part ends
	for from := 0; from < len(s.whole); {
		from = s.cutAfter(from, s.maxUnits)
		cuts = append(cuts, from)
	}
	return s.parts(s.evenOut(cuts))
}

type splitter struct {
	text     Text
	whole    string
	mode     ParseMode
	maxUnits int
	// breaks are the places where a part may end, in order.
	breaks []textBreak
}

type textBreak struct {
	at   int // byte offset in whole
	rank breakRank
}

// breakRank says how little a cut at a place disturbs the reader.
type breakRank int

const (
	insideCluster breakRank = iota // between code points: only for a "letter" longer than a message
	insideLink                     // between letters of a link, address or phone longer than a message
	betweenLetters
	betweenWords
	betweenSentences
	betweenLines
	betweenParagraphs
)

func newSplitter(text Text, mode ParseMode, maxUnits int) *splitter {
	s := &splitter{text: text, whole: text.String(), mode: mode, maxUnits: maxUnits}
	whole := keepWhole(text, s.whole)
	rest, state, at := s.whole, -1, 0
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		for i := range cluster {
			if i > 0 {
				s.breaks = append(s.breaks, textBreak{at + i, insideCluster})
			}
		}
		if at > 0 {
			for len(whole) > 0 && whole[0].end <= at {
				whole = whole[1:]
			}
			rank := s.rankAt(at, cluster)
			if len(whole) > 0 && whole[0].start < at {
				rank = insideLink
			}
			s.breaks = append(s.breaks, textBreak{at, rank})
		}
		at += len(cluster)
	}
	sort.SliceStable(s.breaks, func(i, j int) bool { return s.breaks[i].at < s.breaks[j].at })
	s.breaks = append(s.breaks, textBreak{len(s.whole), betweenParagraphs})
	return s
}

// rankAt ranks a cut right before the letter that starts at a byte: a blank
// there ends a word, and the whole run of blanks shows whether also a line or
// a paragraph.
func (s *splitter) rankAt(at int, letter string) breakRank {
	if strings.TrimFunc(letter, isBlank) != "" {
		return betweenLetters
	}
	before, _ := utf8.DecodeLastRuneInString(s.whole[:at])
	if isBlank(before) {
		return betweenLetters // the run's first blank was ranked for all of it
	}
	run := s.whole[at:]
	run = run[:len(run)-len(strings.TrimLeftFunc(run, isBlank))]
	switch lines := strings.Count(run, "\n"); {
	case lines > 1:
		return betweenParagraphs
	case lines == 1:
		return betweenLines
	case endsSentence(s.whole[max(0, at-64):at]):
		return betweenSentences
	}
	return betweenWords
}

// endsSentence does not take "ул." or "5." for the end of one: a full stop
// counts after a word of four letters and more.
func endsSentence(before string) bool {
	before = strings.TrimRight(before, ")»\"”'")
	word, stopped := strings.CutSuffix(before, ".")
	if !stopped {
		last, _ := utf8.DecodeLastRuneInString(before)
		return strings.ContainsRune("!?…", last)
	}
	letters := 0
	for word != "" {
		last, size := utf8.DecodeLastRuneInString(word)
		if !unicode.IsLetter(last) && !unicode.IsMark(last) {
			break
		}
		letters++
		word = word[:len(word)-size]
	}
	return letters >= 4 || strings.HasSuffix(word, "..") && letters == 0
}

type byteRange struct{ start, end int }

var (
	webAddress  = regexp.MustCompile(`(?i)(?:[a-z][a-z0-9+.-]*)?://\S*|www\.\S+|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/\S*`)
	phoneNumber = regexp.MustCompile(`\+?\d[\d \x{00A0}()\x{2010}-\x{2015}-]{8,18}\d`)
)

// keepWhole finds what must not be cut: links, and the addresses and phone
// numbers that Telegram makes links of. The ranges come in order, apart from
// each other.
func keepWhole(text Text, whole string) []byteRange {
	var ranges []byteRange
	at := 0
	for _, span := range text {
		if span.Link != "" {
			ranges = append(ranges, byteRange{at, at + len(span.Text)})
		}
		at += len(span.Text)
	}
	for _, form := range []*regexp.Regexp{webAddress, phoneNumber} {
		for _, found := range form.FindAllStringIndex(whole, -1) {
			ranges = append(ranges, byteRange{found[0], found[1]})
		}
	}
	sort.Slice(ranges, func(i, j int) bool { return ranges[i].start < ranges[j].start })
	var apart []byteRange
	for _, r := range ranges {
		if last := len(apart) - 1; last >= 0 && r.start < apart[last].end {
			apart[last].end = max(apart[last].end, r.end)
			continue
		}
		apart = append(apart, r)
	}
	return apart
}

// cutAfter chooses where the part that starts at from ends.
func (s *splitter) cutAfter(from, maxUnits int) int {
	first := sort.Search(len(s.breaks), func(i int) bool { return s.breaks[i].at > from })
	// How far the part can reach. What fits grows with no gaps, so doubling
	// finds the neighbourhood without ever measuring the whole rest.
	fitting := func(i int) bool { return s.fitsWithin(from, s.breaks[first+i].at, maxUnits) }
	span := 1
	for span < len(s.breaks)-first && fitting(span) {
		span *= 2
	}
	reach := sort.Search(min(span, len(s.breaks)-first), func(i int) bool { return !fitting(i) })
	if reach == 0 {
		return s.breaks[first].at // a single code point always fits; this one is marked up beyond measure
	}
	within := s.breaks[first : first+reach]
	end := within[reach-1].at
	if end == len(s.whole) {
		return end
	}
	shows := from + max(0, strings.IndexFunc(s.whole[from:], isVisibleRune)) // a part must end after this
	// A better break is worth an emptier message, up to a point.
	for _, wish := range []struct {
		rank  breakRank
		least float64
	}{
		{betweenParagraphs, 0.5}, {betweenLines, 0.5}, {betweenSentences, 0.5}, {betweenWords, 0.25},
		{betweenLetters, 0}, {insideLink, 0}, {insideCluster, 0},
	} {
		for i := reach - 1; i >= 0; i-- {
			if within[i].at-from < int(wish.least*float64(end-from)) {
				break
			}
			if within[i].rank >= wish.rank && within[i].at > shows {
				return within[i].at
			}
		}
	}
	return end
}

// evenOut cuts the last two parts anew where the last would be a mere tail,
// so that the source link does not go out all alone.
func (s *splitter) evenOut(cuts []int) []int {
	n := len(cuts)
	if n < 2 {
		return cuts
	}
	from := 0
	if n > 2 {
		from = cuts[n-3]
	}
	tail := units(s.whole[cuts[n-2]:])
	if tail*8 > s.maxUnits {
		return cuts
	}
	both := units(s.whole[from:])
	cut := s.cutAfter(from, both*2/3)
	if cut < cuts[n-2] && s.fits(cut, len(s.whole)) {
		cuts[n-2] = cut
	}
	return cuts
}

func (s *splitter) parts(cuts []int) []Text {
	var parts []Text
	from := 0
	for _, end := range cuts {
		if part := s.text.slice(from, end).trim(); isVisible(part.String()) {
			parts = append(parts, part)
		}
		from = end
	}
	return parts
}

func (s *splitter) fits(from, to int) bool { return s.fitsWithin(from, to, s.maxUnits) }

func (s *splitter) fitsWithin(from, to, maxUnits int) bool {
	return fits(s.text.slice(from, to).trim(), s.mode, maxUnits)
}

// fits reports whether the text can go out as one message or caption.
func fits(text Text, mode ParseMode, maxUnits int) bool {
	if text.Units() > maxUnits {
		return false
	}
	count, size := entities(text)
	return count <= maxEntities && size <= maxEntityBytes && len(render(text, mode)) <= maxRawBytes
}

// entityOverhead is what Telegram's own form of an entity takes beside its text and URL.
const entityOverhead = 16

// entities counts a message's entities and their bytes, erring on the high
// side: those we write, and those Telegram finds itself.
func entities(text Text) (count, size int) {
	for _, span := range text {
		for _, mark := range []bool{span.Link != "", span.Bold, span.Italic} {
			if mark {
				count++
				size += entityOverhead + len(span.Text)
			}
		}
		size += len(span.Link)
		if span.Link == "" {
			found := foundEntities(span.Text)
			count += found
			size += found * entityOverhead
		}
	}
	return count, size
}

// foundEntities counts the words Telegram may make links of: web addresses,
// hashtags, mentions, commands, mail addresses, phone and card numbers.
func foundEntities(text string) int {
	count := 0
	for word := range strings.FieldsFuncSeq(text, isBlank) {
		word = strings.TrimFunc(word, func(r rune) bool { return unicode.IsPunct(r) && !strings.ContainsRune("#@/", r) })
		if strings.ContainsAny(word, "#@/$:") || strings.Contains(word, ".") || strings.IndexFunc(word, unicode.IsDigit) >= 0 && len(word) > 4 {
			count++
		}
	}
	return count
}
