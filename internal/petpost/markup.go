package petpost

import (
	"strings"
	"unicode/utf8"
)

// bracketMention measures VK's "[id1|Анна]", "[club1|Приют]", "[https://…|text]"
// and "[#alias|text|url]" at the head of s.
func bracketMention(s string) (int, bool) {
	const longest = 400
	end := strings.IndexByte(s[:min(len(s), longest)], ']')
	if end < 0 {
		return 0, false
	}
	bar := strings.IndexByte(s[:end], '|')
	if bar < 2 || strings.ContainsAny(s[1:bar], " \n\t[") {
		return 0, false
	}
	for i := 1; i < bar; i++ {
		if s[i] >= utf8.RuneSelf && s[1] != '#' {
			return 0, false
		}
	}
	return end + 1, true
}

// mentionParts returns the target and the label of a mention.
func mentionParts(raw string) (target, label string) {
	switch raw[0] {
	case '[':
		inner := raw[1 : len(raw)-1]
		target, label, _ = strings.Cut(inner, "|")
		label, _, _ = strings.Cut(label, "|")
		return target, label
	default:
		target, label, _ = strings.Cut(raw[1:], "(")
		return strings.TrimSpace(target), strings.TrimSuffix(label, ")")
	}
}

func screenNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.'
}

// screenNameMention measures "@id1", "@id1 (Анна)" and "*id1 (Анна)" at i.
func screenNameMention(raw string, i int) int {
	if i > 0 && (screenNameByte(raw[i-1]) || raw[i-1] >= utf8.RuneSelf) {
		return 0
	}
	end := i + 1
	for end < len(raw) && screenNameByte(raw[end]) {
		end++
	}
	if end-i < 3 || raw[i+1] < 'A' {
		return 0
	}
	label := 0
	rest := raw[end:]
	if strings.HasPrefix(rest, " (") || strings.HasPrefix(rest, "(") {
		if close := strings.IndexByte(rest[:min(len(rest), 120)], ')'); close > 0 {
			label = close + 1
		}
	}
	if raw[i] == '*' && label == 0 {
		return 0
	}
	return end + label - i
}

// urlLength measures a link, with or without a scheme, at i.
func urlLength(raw string, i int) int {
	s := raw[i:]
	if s[0] >= utf8.RuneSelf {
		return 0
	}
	// A host or scheme ends within the first few letters, and most words of
	// a Russian text do not begin with a Latin letter at all.
	end := 0
	dot := -1
	for end < len(s) && urlHostByte(s[end]) {
		if s[end] == '.' {
			dot = end
		}
		end++
	}
	if strings.HasPrefix(s[end:], "://") {
		return urlEnd(s)
	}
	if end < len(s) && s[end] == '@' && end > 1 { // e-mail
		rest := end + 1
		for rest < len(s) && urlHostByte(s[rest]) {
			rest++
		}
		if strings.IndexByte(s[end:rest], '.') > 0 {
			return rest
		}
		return 0
	}
	if dot <= 0 || !latinTopLevel(s[dot+1:end]) || !hasLatin(s[:dot]) {
		return 0
	}
	return urlEnd(s)
}

func urlHostByte(c byte) bool { return screenNameByte(c) || c == '-' }

func latinTopLevel(s string) bool {
	if len(s) < 2 || len(s) > 6 {
		return false
	}
	for i := range len(s) {
		if !isLatin(rune(s[i])) {
			return false
		}
	}
	return true
}

func hasLatin(s string) bool {
	for i := range len(s) {
		if isLatin(rune(s[i])) {
			return true
		}
	}
	return false
}

func urlEnd(s string) int {
	end := 0
	for end < len(s) {
		c := s[end]
		if c <= ' ' || c == '"' || c == '<' || c == '>' || c == ')' || c == ']' || c == '|' {
			break
		}
		if c >= utf8.RuneSelf {
			r, _ := utf8.DecodeRuneInString(s[end:])
			if isEmoji(r) || isSilent(r) || r == 0xA0 || r == '»' || r == '…' {
				break
			}
			if cyrillicCode(r) == 0 {
				break
			}
			end += utf8.RuneLen(r)
			continue
		}
		end++
	}
	for end > 0 && strings.IndexByte(".,!?;:", s[end-1]) >= 0 {
		end--
	}
	return end
}
