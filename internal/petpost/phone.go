package petpost

import (
	"strings"
	"unicode/utf8"
)

// phoneSpan is a phone number in E.164 with its place in the text.
type phoneSpan struct {
	number     string
	start, end int
}

func phoneNumbers(spans []phoneSpan) []string {
	var numbers []string
	for _, s := range spans {
		numbers = appendNew(numbers, s.number)
	}
	return numbers
}

// digitGroup is a run of digits; glue is what stands between it and the group
// before it, false if more than a phone number's separators do.
type digitGroup struct {
	start, end int
	digits     string
	linked     bool // only separators of a phone stand before it
	plus       bool
	paren      bool // an opening bracket stands before it
	hyphen     bool
}

// findPhones finds the phone numbers of a text: Russian ones in any spelling
// with ten digits of code and number, foreign ones with a plus.
func findPhones(raw string, out []phoneSpan) []phoneSpan {
	if countDigits(raw) < 10 {
		return out
	}
	var buffer [64]digitGroup
	groups := digitGroups(raw, buffer[:0])
	for i := 0; i < len(groups); {
		if n := cardLength(groups[i:]); n > 0 {
			i += n
			continue
		}
		number, n := readPhone(raw, groups[i:])
		if n == 0 {
			i++
			continue
		}
		out = append(out, phoneSpan{number, groups[i].start, groups[i+n-1].end})
		i += n
	}
	return out
}

func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// digitGroups cuts the digits of a text into groups, leaving out those of
// links and mentions except for wa.me and t.me/+.
func digitGroups(raw string, groups []digitGroup) []digitGroup {
	var scratch []byte
	linked, plus, paren, hyphen := false, false, false, false
	separators := 0
	reset := func() { linked, plus, paren, hyphen, separators = false, false, false, false, 0 }
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c >= '0' && c <= '9':
			start, end := i, i
			plain := true
			scratch = scratch[:0]
			for end < len(raw) {
				if raw[end] >= '0' && raw[end] <= '9' {
					scratch = append(scratch, raw[end])
					end++
					continue
				}
				r, size := utf8.DecodeRuneInString(raw[end:])
				if isSilent(r) {
					plain = false
					end += size
					continue
				}
				if (r == 'О' || r == 'о' || r == 'O' || r == 'o') && end+size < len(raw) && isDigit(rune(raw[end+size])) && len(scratch) > 0 {
					plain = false
					scratch = append(scratch, '0')
					end += size
					continue
				}
				break
			}
			digits := raw[start:end]
			if !plain {
				digits = string(scratch)
			}
			groups = append(groups, digitGroup{start, end, digits, linked, plus, paren, hyphen})
			reset()
			linked = true
			i = end
			continue
		case c == '[' || c == '@' || isLatin(rune(c)):
			n := 0
			if c == '[' {
				n, _ = bracketMention(raw[i:])
			} else if c == '@' {
				n = screenNameMention(raw, i)
			} else if n = urlLength(raw, i); n > 0 {
				if k := phoneInURL(raw[i : i+n]); k > 0 {
					n = k
					plus = raw[i+k-1] == '+'
				}
			} else {
				n = latinRun(raw[i:])
			}
			keep := plus
			reset()
			plus = keep && n > 0
			i += max(n, 1)
			continue
		case c == '+':
			reset()
			plus = true
		case c == ' ' || c == '-' || c == '.' || c == ')' || c == '_':
			separators++
			hyphen = hyphen || c == '-'
			if separators > 4 {
				linked = false
			}
		case c == '(':
			separators++
			paren = true
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(raw[i:])
			switch {
			case isSilent(r):
			case r == 0xA0 || r == '–' || r == '—' || r == '‐' || r == '‑' || r == '−' || r == 0x2009 || r == 0x202F:
				separators++
			case r == '＋':
				reset()
				plus = true
			default:
				reset()
			}
			i += size
			continue
		default:
			reset()
		}
		i++
	}
	return groups
}

// latinRun measures a Latin word; the digits of "id123" and "wall-1_2" belong
// to it, those of "Viber8912…" do not.
func latinRun(s string) int {
	n := 0
	for n < len(s) && isLatin(rune(s[n])) {
		n++
	}
	switch strings.ToLower(s[:n]) {
	case "id", "club", "public", "event", "wall", "photo", "video", "album", "topic":
		for n < len(s) && (isDigit(rune(s[n])) || s[n] == '_' || s[n] == '-') {
			n++
		}
	}
	return n
}

// phoneInURL returns how much of a link stands before the phone in it.
func phoneInURL(url string) int {
	for _, prefix := range []string{"wa.me/", "whatsapp.com/send?phone=", "t.me/+", "phone=", "number="} {
		if k := strings.Index(url, prefix); k >= 0 {
			k += len(prefix)
			if strings.HasPrefix(url[k:], "+") {
				k++
			}
			return k
		}
	}
	return 0
}

// cardLength counts the groups of a bank card (4-4-4-4, or its masked head),
// a bank account or another number that is too long for a phone.
func cardLength(groups []digitGroup) int {
	n := 1
	total := len(groups[0].digits)
	if total > 11 && !groups[0].plus {
		return 1
	}
	if total != 4 {
		return 0
	}
	for n < len(groups) && groups[n].linked && len(groups[n].digits) == 4 {
		n++
	}
	if n < 4 {
		return 0
	}
	if n < len(groups) && groups[n].linked && len(groups[n].digits) <= 3 {
		n++
	}
	return n
}

// readPhone reads a number that begins with groups[0] and returns how many
// groups it takes, 0 if none begins here.
func readPhone(raw string, groups []digitGroup) (string, int) {
	head := groups[0]
	if head.plus && head.digits[0] != '7' && head.digits[0] != '8' || head.plus && strings.HasPrefix(head.digits, "77") {
		if number, n := readForeign(groups); n > 0 {
			return number, n
		}
	}
	var digits [11]byte
	total, n := 0, 0
	want := 10
	if head.digits[0] == '7' || head.digits[0] == '8' {
		want = 11
	}
	for n < len(groups) && total < want {
		g := groups[n]
		if n > 0 && (!g.linked || g.plus) {
			break
		}
		if total+len(g.digits) > want {
			return "", 0
		}
		total += copy(digits[total:], g.digits)
		n++
	}
	if total == 10 && want == 11 && head.paren && cityCode(digits[0]) {
		want = 10 // "(842) …": a city code in brackets
	}
	if total != want {
		return "", 0
	}
	number := digits[:total]
	if want == 11 {
		number = number[1:]
	}
	switch {
	case number[0] == '9':
		if want == 10 && !bareMobile(raw, groups[:n]) {
			return "", 0
		}
	case cityCode(number[0]):
		if want == 10 && !head.paren && !calledPhone(raw[:head.start]) {
			return "", 0
		}
		if want == 11 && n == 1 && head.digits[0] == '8' && !calledPhone(raw[:head.start]) && number[0] != '8' {
			return "", 0
		}
	default:
		return "", 0
	}
	if documentBefore(raw[:head.start], want == 11 && number[0] == '9') {
		return "", 0
	}
	return "+7" + string(number), n
}

func cityCode(first byte) bool { return first == '3' || first == '4' || first == '8' }

// bareMobile accepts ten digits without 8 or +7 only in the groupings that
// people use for phones; 4-6 and 2-2-6 are passports.
func bareMobile(raw string, groups []digitGroup) bool {
	switch len(groups) {
	case 1:
		before := strings.TrimRight(raw[:groups[0].start], " ")
		return !strings.HasSuffix(before, "№") && !strings.HasSuffix(before, "-")
	case 2:
		return len(groups[0].digits) == 3
	}
	return len(groups[0].digits) == 3 || len(groups) >= 4 && len(groups[0].digits) <= 4 && len(groups[1].digits) > 1 && len(groups[len(groups)-1].digits) <= 3
}

// readForeign reads "+375 29 …" and its like: groups up to the length that the
// country's numbers have.
func readForeign(groups []digitGroup) (string, int) {
	var digits [15]byte
	total := 0
	want := foreignLength(groups[0].digits)
	for n := 0; n < len(groups); n++ {
		g := groups[n]
		if n > 0 && (!g.linked || g.plus) || total+len(g.digits) > 15 {
			break
		}
		total += copy(digits[total:], g.digits)
		if want > 0 && total > want {
			return "", 0
		}
		next := n + 1
		ends := next == len(groups) || !groups[next].linked
		if total == want || want == 0 && ends && total >= 10 {
			if digits[0] == '0' {
				return "", 0
			}
			return "+" + string(digits[:total]), next
		}
	}
	return "", 0
}

// foreignLength gives the digits of a number by its country code, 0 if unknown.
func foreignLength(digits string) int {
	for _, country := range []struct {
		code   string
		digits int
	}{
		{"375", 12}, {"380", 12}, {"998", 12}, {"996", 12}, {"992", 12}, {"994", 12}, {"995", 12},
		{"993", 11}, {"374", 11}, {"373", 11}, {"371", 11}, {"370", 11}, {"372", 11}, {"77", 11},
	} {
		if strings.HasPrefix(digits, country.code) {
			return country.digits
		}
	}
	return 0
}

// calledPhone reports whether the words before a number call it a phone.
func calledPhone(before string) bool {
	return containsAny(tail(before, 40), "тел", "Тел", "ТЕЛ", "звон", "Звон", "номер", "☎", "📞", "📱", "8(", "городск")
}

// documentBefore reports whether the words before a number say that it is the
// number of something else. A full mobile number is one only where those words
// stand right before it, in its own clause.
func documentBefore(before string, mobile bool) bool {
	last := tail(before, 36)
	if containsAny(last, "тел", "Тел", "ТЕЛ", "звон", "Звон", "сбп", "СБП") {
		return false
	}
	if mobile {
		last = last[strings.LastIndexAny(last, ".,!?;()")+1:]
	}
	return containsAny(last, "ИНН", "инн ", "КПП", "ОГРН", "БИК", "р/с ", "р/с:", "к/с ", "счёт", "счет", "Счёт", "Счет", "СНИЛС", "снилс",
		"паспорт", "Паспорт", "полис", "клеймо", "Клеймо", "чип ", "чип:", "Чип", "чипа", "№ чип", "бирка", "договор №")
}

func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	if k := strings.LastIndexByte(s, '\n'); k >= 0 {
		return s[k:]
	}
	return s
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
