package notice

import (
	"strings"
	"unicode"
)

// Span is a run of text in one style.
type Span struct {
	Text string
	// Link is an http(s) URL opened by the text, "" if none.
	Link         string
	Bold, Italic bool
}

// Text is rich text: spans, read one after another. Line breaks are "\n".
type Text []Span

// Plain is a text without any style.
func Plain(s string) Text {
	if s == "" {
		return nil
	}
	return Text{{Text: s}}
}

// bold is a text in bold.
func bold(s string) Text { return Text{{Text: s, Bold: true}} }

// String is the text as a reader sees it, without links and styles.
func (t Text) String() string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(span.Text)
	}
	return b.String()
}

// Units is the length of the text in UTF-16 units, the safe bound of how
// Telegram counts a message after parsing its entities.
func (t Text) Units() int {
	total := 0
	for _, span := range t {
		total += units(span.Text)
	}
	return total
}

func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// add appends spans, joining neighbours of one style so that they render as
// one entity (and, in MarkdownV2, never meet as "__").
func (t Text) add(spans ...Span) Text {
	for _, span := range spans {
		if span.Text == "" {
			continue
		}
		if last := len(t) - 1; last >= 0 && t[last].sameStyle(span) {
			t[last].Text += span.Text
			continue
		}
		t = append(t, span)
	}
	return t
}

func (s Span) sameStyle(other Span) bool {
	return s.Link == other.Link && s.Bold == other.Bold && s.Italic == other.Italic
}

// joinTexts puts texts together with a separator, leaving out the empty ones.
func joinTexts(separator string, texts ...Text) Text {
	var joined Text
	for _, text := range texts {
		if len(text) == 0 {
			continue
		}
		if len(joined) > 0 {
			joined = joined.add(Span{Text: separator})
		}
		joined = joined.add(text...)
	}
	return joined
}

// slice is the part of the text between two byte offsets of its String.
func (t Text) slice(from, to int) Text {
	var part Text
	at := 0
	for _, span := range t {
		start, end := max(from-at, 0), min(to-at, len(span.Text))
		if start < end {
			cut := span
			cut.Text = span.Text[start:end]
			part = part.add(cut)
		}
		at += len(span.Text)
	}
	return part
}

// trim takes blanks off both ends, as Telegram does.
func (t Text) trim() Text {
	whole := t.String()
	from := len(whole) - len(strings.TrimLeftFunc(whole, isBlank))
	to := len(strings.TrimRightFunc(whole, isBlank))
	if from >= to {
		return nil
	}
	return t.slice(from, to)
}

// isBlank tells characters that show nothing and take part in no letter. The
// fillers are there because authors on VK put them into "empty" lines.
func isBlank(r rune) bool {
	switch r {
	case '\u200B', '\u2060', '\uFEFF', // zero-width space, word joiner, byte order mark
		'\u2800', '\u3164', '\uFFA0', '\u115F', '\u1160', '\u180E', // Braille blank, Hangul fillers, Mongolian separator
		'\u00AD': // soft hyphen
		return true
	}
	return unicode.IsSpace(r)
}

// isVisible reports whether a reader would see anything of the text.
func isVisible(s string) bool { return strings.ContainsFunc(s, isVisibleRune) }

func isVisibleRune(r rune) bool { return !isBlank(r) && !unicode.In(r, unicode.Cf, unicode.Cc) }

// maxBlankLines is how many empty lines in a row an author may keep.
const maxBlankLines = 2

// Clean tidies raw text without changing what it says: line breaks become
// "\n", characters that no reader can see are dropped, blanks at line ends
// and around the text go, and more than two empty lines become two.
func Clean(raw string) string {
	text := strings.ToValidUTF8(raw, "")
	text = lineBreaks.Replace(text)
	text = strings.Map(visibleRune, text)

	var kept []string
	blank := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRightFunc(line, isBlank)
		if line == "" {
			blank++
			continue
		}
		if len(kept) > 0 {
			for range min(blank, maxBlankLines) {
				kept = append(kept, "")
			}
		}
		blank = 0
		kept = append(kept, line)
	}
	return strings.TrimLeftFunc(strings.Join(kept, "\n"), isBlank)
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", " ")

// visibleRune drops control characters and the bidirectional overrides.
// Telegram strips the same ones (TDLib, clean_input_string); an unclosed
// override would otherwise turn the rest of the line around.
func visibleRune(r rune) rune {
	switch {
	case r == '\n':
		return r
	case unicode.Is(unicode.Cc, r), r == '\uFEFF', r >= '\u202A' && r <= '\u202E':
		return -1
	}
	return r
}

// oneLine makes a title of raw text: no line breaks, no double blanks, and at
// most limit letters (grapheme clusters).
func oneLine(raw string, limit int) string {
	line := strings.Join(strings.FieldsFunc(Clean(raw), isBlank), " ")
	return shorten(line, limit)
}
