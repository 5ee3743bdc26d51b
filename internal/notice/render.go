package notice

import "strings"

// ParseMode is how a text is marked up on the wire, as Telegram's parse_mode
// names it.
type ParseMode string

// The parse modes a destination may ask for. Unmarked sends a text as it is.
const (
	HTML       ParseMode = "HTML"
	MarkdownV2 ParseMode = "MarkdownV2"
	Unmarked   ParseMode = ""
)

// render writes the text in a parse mode. Text is escaped span by span, after
// everything has been cut to size, so no tag or escape can be cut in two.
func render(text Text, mode ParseMode) string {
	var b strings.Builder
	for _, span := range text {
		switch mode {
		case HTML:
			span.writeHTML(&b)
		case MarkdownV2:
			span.writeMarkdown(&b)
		default:
			b.WriteString(span.Text)
		}
	}
	return b.String()
}

// Only these four are needed, and they are all that Telegram knows by name.
var (
	htmlText      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	htmlAttribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
)

func (s Span) writeHTML(b *strings.Builder) {
	link, bold, italic := s.marks()
	text := htmlText.Replace(s.Text)
	if italic {
		text = "<i>" + text + "</i>"
	}
	if bold {
		text = "<b>" + text + "</b>"
	}
	if link {
		text = `<a href="` + htmlAttribute.Replace(s.Link) + `">` + text + "</a>"
	}
	b.WriteString(text)
}

// The characters that MarkdownV2 wants escaped in text, and in the round
// brackets of a link (core.telegram.org/bots/api, "MarkdownV2 style").
var (
	markdownText = strings.NewReplacer(escapes("\\_*[]()~`>#+-=|{}.!")...)
	markdownLink = strings.NewReplacer(escapes("\\)")...)
)

func escapes(special string) []string {
	var pairs []string
	for _, r := range special {
		pairs = append(pairs, string(r), "\\"+string(r))
	}
	return pairs
}

// writeMarkdown always nests italic innermost: neighbours of one style are one
// span, so "__", which would mean underline, cannot come about.
func (s Span) writeMarkdown(b *strings.Builder) {
	link, bold, italic := s.marks()
	text := markdownText.Replace(s.Text)
	if italic {
		text = "_" + text + "_"
	}
	if bold {
		text = "*" + text + "*"
	}
	if link {
		text = "[" + text + "](" + markdownLink.Replace(s.Link) + ")"
	}
	b.WriteString(text)
}

// marks are which entities the span becomes. Blank text carries none:
// Telegram drops such entities, and a link that is nowhere to be seen helps nobody.
func (s Span) marks() (link, bold, italic bool) {
	if !isVisible(s.Text) {
		return false, false, false
	}
	return s.Link != "", s.Bold, s.Italic
}
