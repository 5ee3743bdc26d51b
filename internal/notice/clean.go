package notice

import (
	"strings"
	"unicode"
)

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
