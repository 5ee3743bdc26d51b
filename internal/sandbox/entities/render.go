package entities

import (
	"cmp"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// Link completes and checks the address of a text link: http, https, tg, ton and mailto pass, an address without a
// scheme gets http://.
func Link(address string) (string, bool) {
	address = strings.TrimSpace(address)
	if address == "" || strings.ContainsAny(address, " \n\t") {
		return "", false
	}
	if !strings.Contains(address, "://") && !strings.HasPrefix(address, "mailto:") && !strings.HasPrefix(address, "tel:") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		host := u.Hostname()
		if host == "" || !strings.Contains(host, ".") && host != "localhost" && !strings.Contains(host, ":") {
			return "", false
		}
	case "tg", "ton", "mailto", "tel":
	default:
		return "", false
	}
	return address, true
}

var bareAddress = regexp.MustCompile(`https?://[^\s<>"«»]+[^\s<>"«».,;:!?)\]]|(?:\+7|\b8)[\s(-]*9\d{2}[\s)-]*\d{3}[\s-]*\d{2}[\s-]*\d{2}\b|(?:^|[\s(])[#@][\p{L}\d_]{2,}`)

// HTML renders text with its entities for a browser. Bare addresses, phones, hashtags and mentions become links too, as
// a Telegram app shows them.
func HTML(text string, list []Entity) string {
	units := utf16.Encode([]rune(text))
	opens, closes := map[int][]Entity{}, map[int][]Entity{}
	for _, e := range inOrder(slices.Clone(list)) {
		if e.Offset < 0 || e.Offset+e.Length > len(units) {
			continue
		}
		opens[e.Offset] = append(opens[e.Offset], e)
		closes[e.Offset+e.Length] = append(closes[e.Offset+e.Length], e)
	}
	var out strings.Builder
	from := 0
	depth := 0 // of links and code, inside which nothing is linked on its own
	flush := func(to int) {
		if to > from {
			piece := string(utf16.Decode(units[from:to]))
			if depth > 0 {
				out.WriteString(html.EscapeString(piece))
			} else {
				out.WriteString(Linkify(piece))
			}
		}
		from = to
	}
	for i := 0; i <= len(units); i++ {
		if len(opens[i]) == 0 && len(closes[i]) == 0 {
			continue
		}
		flush(i)
		for j := len(closes[i]) - 1; j >= 0; j-- {
			e := closes[i][j]
			out.WriteString(closeHTML(e))
			depth -= quiet(e)
		}
		for _, e := range opens[i] {
			out.WriteString(openHTML(e))
			depth += quiet(e)
		}
	}
	flush(len(units))
	return out.String()
}

// Linkify escapes text and turns bare addresses, phones, hashtags and mentions into links.
func Linkify(text string) string {
	var out strings.Builder
	at := 0
	for _, m := range bareAddress.FindAllStringIndex(text, -1) {
		from, to := m[0], m[1]
		match := text[from:to]
		if strings.ContainsAny(match[:1], " \n\t\r(") {
			from++
			match = text[from:to]
		}
		out.WriteString(html.EscapeString(text[at:from]))
		if shown := html.EscapeString(match); strings.HasPrefix(match, "http") {
			out.WriteString(`<a href="` + shown + `" rel="noreferrer" target="_blank">` + shown + `</a>`)
		} else {
			out.WriteString(`<span class="link">` + shown + `</span>`)
		}
		at = to
	}
	out.WriteString(html.EscapeString(text[at:]))
	return out.String()
}

func quiet(e Entity) int {
	switch e.Type {
	case TextLink, Code, Pre:
		return 1
	}
	return 0
}

// tags are the elements of a browser that have no attributes.
var tags = map[Type]string{Bold: "b", Italic: "i", Underline: "u", Strikethrough: "s", Code: "code", Pre: "pre", Blockquote: "blockquote"}

func openHTML(e Entity) string {
	switch e.Type {
	case Spoiler:
		return `<span class="spoiler">`
	case TextLink:
		return `<a href="` + html.EscapeString(safeLink(e.URL)) + `" rel="noreferrer" target="_blank" title="` + html.EscapeString(e.URL) + `">`
	}
	return "<" + cmp.Or(tags[e.Type], "span") + ">"
}

func closeHTML(e Entity) string {
	if e.Type == TextLink {
		return "</a>"
	}
	return "</" + cmp.Or(tags[e.Type], "span") + ">"
}

// safeLink keeps script addresses out of the page.
func safeLink(address string) string {
	link, ok := Link(address)
	if !ok {
		return "#"
	}
	return link
}

// FirstLink is the first address in a text: of a text link, or written out. Empty if there is none.
func FirstLink(text string, list []Entity) string {
	first, at := "", len(text)+1
	for _, m := range bareAddress.FindAllStringIndex(text, -1) {
		if match := text[m[0]:m[1]]; strings.HasPrefix(match, "http") {
			first, at = match, UTF16Length(text[:m[0]])
			break
		}
	}
	for _, e := range list {
		if e.Type == TextLink && e.Offset < at {
			first, at = e.URL, e.Offset
		}
	}
	return first
}
