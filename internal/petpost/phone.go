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

// digitGroup is a run of digits.
type digitGroup struct {
	start, end int
	digits     string
	linked     bool // no more than a phone's separators stand before it
	plus       bool
	paren      bool // an opening bracket stands before it
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
	var next digitGroup // what is known of the group to come
	separators := 0
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		switch {
		case r >= '0' && r <= '9':
			next.start = i
			next.digits, size = digitRun(raw[i:])
			next.end = i + size
			groups = append(groups, next)
			next, separators = digitGroup{linked: true}, 0
		case r == '[' || r == '@' || isLatin(r):
			n, plus := noDigits(raw, i)
			next, separators = digitGroup{plus: n > 0 && (plus || next.plus)}, 0
			size = max(n, 1)
		case r == '+' || r == '＋':
			next, separators = digitGroup{plus: true}, 0
		case isSilent(r):
		case strings.ContainsRune(" -.)_(\u00a0\u2009\u202f–—‐‑−", r):
			separators++
			next.paren = next.paren || r == '('
			next.linked = next.linked && separators <= 4
		default:
			next, separators = digitGroup{}, 0
		}
		i += size
	}
	return groups
}

// digitRun reads the digits at the head of s, an O among them as a zero, and
// returns how many bytes they take.
func digitRun(s string) (digits string, n int) {
	var run strings.Builder
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		rest := s[n+size:]
		switch {
		case r >= '0' && r <= '9':
			run.WriteByte(byte(r))
		case strings.ContainsRune("ОоOo", r) && rest != "" && isDigit(rune(rest[0])):
			run.WriteByte('0')
		case !isSilent(r):
			return run.String(), n
		}
		n += size
	}
	return run.String(), n
}

// noDigits measures the mention, link or Latin word at i, whose digits are no
// phone's, up to the phone that a link may hold; plus says that it has one.
func noDigits(raw string, i int) (n int, plus bool) {
	switch raw[i] {
	case '[':
		n, _ = bracketMention(raw[i:])
		return n, false
	case '@':
		return screenNameMention(raw, i), false
	}
	n = urlLength(raw, i)
	if n == 0 {
		return latinRun(raw[i:]), false
	}
	if k := phoneInURL(raw[i : i+n]); k > 0 {
		return k, raw[i+k-1] == '+'
	}
	return n, false
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
	digits, n := russianDigits(groups)
	if digits == "" {
		return "", 0
	}
	number := digits[len(digits)-10:]
	full := len(digits) == 11
	before := raw[:head.start]
	switch {
	case number[0] == '9':
		if !full && !bareMobile(raw, groups[:n]) {
			return "", 0
		}
	case !cityCode(number[0]):
		return "", 0
	case full && n == 1 && head.digits[0] == '8' && number[0] != '8', !full && !head.paren:
		if !calledPhone(before) {
			return "", 0
		}
	}
	if documentBefore(before, full && number[0] == '9') {
		return "", 0
	}
	return "+7" + number, n
}

// russianDigits joins the groups of a number: ten digits, or eleven from a 7 or
// 8 on; none if the groups do not end with them.
func russianDigits(groups []digitGroup) (digits string, n int) {
	head := groups[0]
	want := 10
	if head.digits[0] == '7' || head.digits[0] == '8' {
		want = 11
	}
	for n < len(groups) && len(digits) < want && (n == 0 || groups[n].linked && !groups[n].plus) {
		digits += groups[n].digits
		n++
	}
	if len(digits) == 10 && head.paren && cityCode(digits[0]) {
		want = 10 // "(842) …": a city code in brackets
	}
	if len(digits) != want {
		return "", 0
	}
	return digits, n
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
