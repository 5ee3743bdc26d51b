package petpost

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// contacts lists the VK accounts of people, as "@screen_name", and the names
// that stand beside phone numbers.
func (r *reader) contacts(out []string) []string {
	t := &r.text
	for i := range t.words {
		w := &t.words[i]
		raw := t.raw[w.start:w.end]
		switch w.kind {
		case kindMention:
			target, label := mentionParts(raw)
			if name := screenName(target); name != "" {
				out = appendNew(out, "@"+name)
				if label = strings.TrimSpace(label); label != "" && strings.HasPrefix(name, "id") {
					out = appendNew(out, label)
				}
			}
		case kindURL:
			if name := screenName(raw); name != "" {
				out = appendNew(out, "@"+name)
			}
		}
	}
	for _, span := range r.phones {
		if name := nameAfter(t.raw[span.end:]); name != "" {
			out = appendNew(out, name)
		} else if name := nameBefore(t.raw[:span.start]); name != "" {
			out = appendNew(out, name)
		}
	}
	return out
}

// screenName returns the account that a mention or a VK link points to, ""
// for posts, pictures, groups and other sites.
func screenName(target string) string {
	s := target
	if i := strings.Index(s, "://"); i >= 0 {
		s = s[i+3:]
	}
	host, path, found := strings.Cut(s, "/")
	if found {
		host = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(host), "www."), "m.")
		if host != "vk.com" && host != "vk.ru" && host != "vkontakte.ru" {
			return ""
		}
		s = path
	}
	if len(s) < 2 || !isLatin(rune(s[0])) && s[0] != '_' {
		return ""
	}
	for i := range len(s) {
		if !screenNameByte(s[i]) {
			return ""
		}
	}
	for _, prefix := range []string{"wall", "photo", "video", "album", "club", "public", "event", "topic", "market", "feed", "search", "im", "away.php", "doc", "clip", "app", "story", "poll", "article", "write", "donut"} {
		rest, ok := strings.CutPrefix(s, prefix)
		if ok && (rest == "" || isDigit(rune(rest[0])) || rest[0] == '-' || rest[0] == '.') {
			return ""
		}
	}
	if strings.Contains(s, ".") && !found {
		return ""
	}
	return s
}

// peopleNames are the given names that people sign with; only these are taken
// for contacts, so that a place or a pet is not.
var peopleNames = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, name := range nameLists()["people"] {
		set[name] = true
	}
	return set
})

// nameAfter finds "8 912 … Анна", "…(Ольга)", "… - Мария Ивановна".
func nameAfter(after string) string {
	s := strings.TrimLeft(after, " \u00a0,-–—(:.\"«")
	if len(after)-len(s) > 8 {
		return ""
	}
	return personAt(s)
}

// nameBefore finds "Анна 8 912 …", "Ольга: …", "Мария, тел. …".
func nameBefore(before string) string {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	s := strings.TrimRight(line, " \u00a0,-–—(:.+")
	if lower := strings.ToLower(tail(s, 16)); strings.HasSuffix(lower, "тел") || strings.HasSuffix(lower, "телефон") || strings.HasSuffix(lower, "номер") {
		s = strings.TrimRight(s[:strings.LastIndexByte(strings.TrimRight(s, " "), ' ')+1], " ,-–—(:.")
	}
	k := strings.LastIndexAny(s, " \u00a0(,.:")
	last := s[k+1:]
	if peopleNames()[last] {
		return last
	}
	// "Мария Ивановна": the given name stands before the patronymic.
	if patronymic(last) && k > 0 {
		first := s[:k]
		first = first[strings.LastIndexAny(first, " (,.:")+1:]
		if peopleNames()[first] {
			return s[len(s)-len(last)-len(first)-1:]
		}
	}
	return ""
}

func personAt(s string) string {
	end := letterRun(s)
	if !peopleNames()[s[:end]] {
		return ""
	}
	if rest := s[end:]; strings.HasPrefix(rest, " ") {
		if n := letterRun(rest[1:]); n > 0 && patronymic(rest[1:1+n]) {
			return s[:end+1+n]
		}
	}
	return s[:end]
}

func letterRun(s string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) {
			return i
		}
	}
	return len(s)
}

func patronymic(s string) bool {
	if r, _ := utf8.DecodeRuneInString(s); !unicode.IsUpper(r) {
		return false
	}
	for _, ending := range []string{"овна", "евна", "ична", "ович", "евич", "ьич"} {
		if strings.HasSuffix(s, ending) {
			return true
		}
	}
	return false
}
