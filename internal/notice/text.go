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
