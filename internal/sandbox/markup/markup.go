// Package markup reads marked-up texts as Telegram's server does, as far as Vestnik marks up: HTML and MarkdownV2 with
// bold, italic, underlined and struck-through text, code and links. What the server refuses is refused in its words
// ("Formatting options" of the Bot API documentation; MessageEntity.cpp of TDLib).
package markup

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Text is a message's text as its readers see it.
type Text struct {
	Plain string // without markup and the white space around it: what Telegram counts
	HTML  string // for a page, safe there
	Link  string // the first link, whose preview Telegram shows; empty if there is none
}

// Parse reads a text of a parse_mode of the Bot API: HTML, MarkdownV2, or none. The error is what follows "can't parse
// entities: " in the server's answer.
func Parse(source, mode string) (Text, error) {
	w, err := writer{}, error(nil)
	switch strings.ToLower(mode) {
	case "":
		w.text(source)
	case "html":
		err = w.html(source)
	case "markdownv2":
		err = w.markdown(source)
	default:
		err = errors.New("unsupported parse_mode")
	}
	w.flush()
	return Text{Plain: strings.TrimFunc(w.plain, blank), HTML: strings.TrimFunc(w.page, blank), Link: w.link}, err
}

func blank(r rune) bool {
	return strings.ContainsRune(" \t\n\v\f\r\u0085\u00a0\u200b\u2028\u2029", r)
}

// writer puts a text together.
type writer struct {
	plain, page, link string
	piece             string // the end of plain that page does not have yet
	open              []element
}

// element is formatting that waits for its end.
type element struct {
	tag    string // in page
	href   string
	source int // byte offset at which it begins in the source
	page   int // and in page
}

func (w *writer) text(more string) { w.plain, w.piece = w.plain+more, w.piece+more }

func (w *writer) flush() {
	linked, link := html.EscapeString(w.piece), ""
	if !slices.ContainsFunc(w.open, func(e element) bool { return e.tag == "a" }) {
		linked, link = Linkify(w.piece)
	}
	w.page, w.piece = w.page+linked, ""
	w.see(link)
}

// see notes the first link.
func (w *writer) see(link string) {
	w.link = cmp.Or(w.link, link)
}

func (w *writer) begin(tag, href string, source int) {
	w.flush()
	w.open = append(w.open, element{tag, href, source, len(w.page)})
}

func (w *writer) innermost() string {
	if len(w.open) == 0 {
		return ""
	}
	return w.open[len(w.open)-1].tag
}

// end closes the innermost element. The server drops a link that it can't follow and keeps its text.
func (w *writer) end() {
	w.flush()
	e := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	start, content := "<"+e.tag+">", w.page[e.page:]
	if e.tag == "a" {
		if !followable(e.href) {
			return
		}
		w.see(e.href)
		address := html.EscapeString(e.href)
		start = `<a href="` + address + `" rel="noreferrer" target="_blank" title="` + address + `">`
	}
	w.page = w.page[:e.page] + start + content + "</" + e.tag + ">"
}

func followable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (slices.Contains([]string{"tg", "mailto", "tel"}, u.Scheme) ||
		(u.Scheme == "http" || u.Scheme == "https") && strings.ContainsAny(u.Host, ".:"))
}

var (
	htmlTag  = regexp.MustCompile(`^<(/?)([^\s<>]*)(?:\s+href="([^"]*)")?\s*(>?)`)
	htmlTags = map[string]string{"b": "b", "strong": "b", "i": "i", "em": "i", "u": "u", "s": "s", "code": "code", "a": "a"}
	// The references that Telegram knows: all others stay as they are.
	reference = regexp.MustCompile(`&(?:lt|gt|amp|quot|#\d{1,7}|#x[0-9a-fA-F]{1,6});`)
)

func unescape(text string) string { return reference.ReplaceAllStringFunc(text, html.UnescapeString) }

func (w *writer) html(source string) error {
	for at := 0; at < len(source); {
		found := htmlTag.FindStringSubmatch(source[at:])
		if found == nil {
			size := strings.IndexByte(source[at:]+"<", '<')
			w.text(unescape(source[at : at+size]))
			at += size
			continue
		}
		name, closed := strings.ToLower(found[2]), found[4] != ""
		tag, known := htmlTags[name]
		switch ending := found[1] != ""; {
		case ending && len(w.open) == 0:
			return fmt.Errorf("Unexpected end tag at byte offset %d", at)
		case ending && (!closed || tag != w.innermost()):
			return fmt.Errorf("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", at, w.innermost(), name)
		case ending:
			w.end()
		case !known:
			return fmt.Errorf("Unsupported start tag %q at byte offset %d", name, at)
		case !closed:
			return fmt.Errorf("Unclosed start tag %q at byte offset %d", name, at)
		default:
			w.begin(tag, unescape(found[3]), at)
		}
		at += len(found[0])
	}
	if len(w.open) > 0 {
		return fmt.Errorf("Can't find end tag corresponding to start tag %q", w.innermost())
	}
	return nil
}

// marks of MarkdownV2, the longer before the shorter, with the server's names of their entities.
var marks = []struct{ mark, tag, name string }{
	{"__", "u", "Underline"}, {"_", "i", "Italic"}, {"*", "b", "Bold"}, {"~", "s", "Strikethrough"}, {"`", "code", "Code"}, {"[", "a", "TextUrl"},
}

const reserved = "\\_*[]()~`>#+-=|{}.!"

var (
	target  = regexp.MustCompile(`^\]\(((?:[^\\)]|\\.)*)\)`)
	escaped = regexp.MustCompile(`\\([!-~])`)
)

func (w *writer) markdown(source string) error {
	for at := 0; at < len(source); {
		var size int
		rest := source[at:]
		mark := slices.IndexFunc(marks, func(m struct{ mark, tag, name string }) bool { return strings.HasPrefix(rest, m.mark) })
		inCode := w.innermost() == "code"
		switch link := target.FindStringSubmatch(rest); {
		case escaped.MatchString(rest[:min(len(rest), 2)]):
			w.text(rest[1:2])
			size = 2
		case mark >= 0 && (!inCode || marks[mark].tag == "code"):
			size = len(marks[mark].mark)
			if tag := marks[mark].tag; tag == w.innermost() && tag != "a" {
				w.end()
			} else {
				w.begin(tag, "", at)
			}
		case link != nil && w.innermost() == "a":
			size = len(link[0])
			w.open[len(w.open)-1].href = escaped.ReplaceAllString(link[1], "$1")
			w.end()
		case strings.ContainsAny(rest[:1], reserved) && !inCode:
			return fmt.Errorf("Character '%c' is reserved and must be escaped with the preceding '\\'", rest[0])
		default:
			size = max(strings.IndexAny(rest+"_", reserved), 1)
			w.text(rest[:size])
		}
		at += size
	}
	if len(w.open) > 0 {
		open := w.open[len(w.open)-1]
		at := slices.IndexFunc(marks, func(m struct{ mark, tag, name string }) bool { return m.tag == open.tag })
		return fmt.Errorf("Can't find end of %s entity at byte offset %d", marks[at].name, open.source)
	}
	return nil
}

var bareAddress = regexp.MustCompile(`https?://[^\s<>"«»]+[^\s<>"«».,;:!?)\]]|(?:\+7|\b8)[\s(-]*9\d{2}[\s)-]*\d{3}[\s-]*\d{2}[\s-]*\d{2}\b|\B[#@][\p{L}\d_]{2,}`)

// Linkify escapes text and turns bare addresses, phones, hashtags and mentions into links, as a Telegram app shows them.
// link is the first address; empty if there is none.
func Linkify(text string) (page, link string) {
	at := 0
	for _, found := range bareAddress.FindAllStringIndex(text, -1) {
		match := text[found[0]:found[1]]
		shown := html.EscapeString(match)
		page += html.EscapeString(text[at:found[0]])
		at = found[1]
		if !strings.HasPrefix(match, "http") {
			page += `<span class="link">` + shown + `</span>`
			continue
		}
		page += `<a href="` + shown + `" rel="noreferrer" target="_blank">` + shown + `</a>`
		link = cmp.Or(link, match)
	}
	return page + html.EscapeString(text[at:]), link
}
