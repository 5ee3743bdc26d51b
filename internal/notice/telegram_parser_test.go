package notice_test

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"vestnik/internal/notice"
)

// An independent reading of what we render: Telegram's two parse modes, strict
// and small, written from the Bot API documentation. It knows only the
// entities we use; anything else is an error.

type parsedEntity struct {
	Kind string // bold, italic, link
	Text string
	URL  string
}

type parsedText struct {
	Text     string
	Entities []parsedEntity
}

func parseAs(mode notice.ParseMode, marked string) (parsedText, error) {
	switch mode {
	case notice.HTML:
		return parseHTML(marked)
	case notice.MarkdownV2:
		return parseMarkdownV2(marked)
	}
	return parsedText{Text: marked}, nil
}

type openEntity struct {
	tag, url string
	start    int
}

func parseHTML(marked string) (parsedText, error) {
	var text strings.Builder
	var open []openEntity
	var parsed parsedText
	for i := 0; i < len(marked); {
		switch marked[i] {
		case '&':
			char, length, err := htmlEntity(marked[i:])
			if err != nil {
				return parsed, err
			}
			text.WriteString(char)
			i += length
		case '<':
			end := strings.IndexByte(marked[i:], '>')
			if end < 0 {
				return parsed, fmt.Errorf("tag without end at %d", i)
			}
			tag := marked[i+1 : i+end]
			i += end + 1
			if name, closing := strings.CutPrefix(tag, "/"); closing {
				if len(open) == 0 || open[len(open)-1].tag != name {
					return parsed, fmt.Errorf("</%s> closes nothing", name)
				}
				last := open[len(open)-1]
				open = open[:len(open)-1]
				covered := text.String()[last.start:]
				if strings.TrimSpace(covered) == "" {
					return parsed, fmt.Errorf("empty <%s>", name)
				}
				kind := map[string]string{"a": "link", "b": "bold", "i": "italic"}[name]
				parsed.Entities = append(parsed.Entities, parsedEntity{kind, covered, last.url})
				continue
			}
			entity := openEntity{tag: tag, start: text.Len()}
			if address, is := strings.CutPrefix(tag, `a href="`); is {
				address, ends := strings.CutSuffix(address, `"`)
				if !ends || strings.ContainsAny(address, `"<`) {
					return parsed, fmt.Errorf("bad href %q", address)
				}
				url, err := unescapeHTML(address)
				if err != nil {
					return parsed, err
				}
				entity.tag, entity.url = "a", url
			} else if tag != "b" && tag != "i" {
				return parsed, fmt.Errorf("unknown tag <%s>", tag)
			}
			open = append(open, entity)
		default:
			text.WriteByte(marked[i])
			i++
		}
	}
	if len(open) > 0 {
		return parsed, fmt.Errorf("<%s> is never closed", open[0].tag)
	}
	parsed.Text = text.String()
	return parsed, nil
}

func htmlEntity(rest string) (string, int, error) {
	for name, char := range map[string]string{"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": `"`} {
		if strings.HasPrefix(rest, name) {
			return char, len(name), nil
		}
	}
	return "", 0, fmt.Errorf("bare & at %.10q", rest)
}

func unescapeHTML(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '&' {
			b.WriteByte(s[i])
			i++
			continue
		}
		char, length, err := htmlEntity(s[i:])
		if err != nil {
			return "", err
		}
		b.WriteString(char)
		i += length
	}
	return b.String(), nil
}

func parseMarkdownV2(marked string) (parsedText, error) {
	var text strings.Builder
	var open []openEntity
	var parsed parsedText
	closes := func(tag string) bool { return len(open) > 0 && open[len(open)-1].tag == tag }
	end := func(kind, url string) error {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		covered := text.String()[last.start:]
		if strings.TrimSpace(covered) == "" {
			return fmt.Errorf("empty %s", kind)
		}
		parsed.Entities = append(parsed.Entities, parsedEntity{kind, covered, url})
		return nil
	}
	for i := 0; i < len(marked); {
		c := marked[i]
		switch {
		case c == '\\':
			if i+1 == len(marked) || marked[i+1] == 0 || marked[i+1] > 126 {
				return parsed, fmt.Errorf("backslash before nothing at %d", i)
			}
			text.WriteByte(marked[i+1])
			i += 2
		case c == '*' || c == '_':
			tag := string(c)
			if c == '_' && strings.HasPrefix(marked[i:], "__") {
				return parsed, fmt.Errorf("__ would be underline at %d", i)
			}
			i++
			if closes(tag) {
				if err := end(map[string]string{"*": "bold", "_": "italic"}[tag], ""); err != nil {
					return parsed, err
				}
				continue
			}
			for _, entity := range open {
				if entity.tag == tag {
					return parsed, fmt.Errorf("%s inside %s at %d", tag, tag, i)
				}
			}
			open = append(open, openEntity{tag: tag, start: text.Len()})
		case c == '[':
			open = append(open, openEntity{tag: "[", start: text.Len()})
			i++
		case c == ']':
			if !closes("[") || i+1 == len(marked) || marked[i+1] != '(' {
				return parsed, fmt.Errorf("] closes no link at %d", i)
			}
			var url strings.Builder
			i += 2
			for ; i < len(marked) && marked[i] != ')'; i++ {
				if marked[i] == '\\' {
					i++
				}
				url.WriteByte(marked[i])
			}
			if i == len(marked) {
				return parsed, fmt.Errorf("( is never closed")
			}
			i++
			if err := end("link", url.String()); err != nil {
				return parsed, err
			}
		case strings.IndexByte("()~`>#+-=|{}.!", c) >= 0:
			return parsed, fmt.Errorf("unescaped %q at %d", c, i)
		default:
			_, size := utf8.DecodeRuneInString(marked[i:])
			text.WriteString(marked[i : i+size])
			i += size
		}
	}
	if len(open) > 0 {
		return parsed, fmt.Errorf("%s is never closed", open[0].tag)
	}
	parsed.Text = text.String()
	return parsed, nil
}
