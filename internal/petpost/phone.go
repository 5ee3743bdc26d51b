package petpost

import (
	"regexp"
	"slices"
	"strings"
)

// phoneSpan is a phone number in E.164 and the words [from, to) that it stands in.
type phoneSpan struct {
	number   string
	from, to int
}

// phoneInLink is that of "wa.me/7912…", "t.me/+7912…", "…?phone=7912…".
var phoneInLink = regexp.MustCompile(`(?:wa\.me/|t\.me/\+|phone=|number=)\+?([1-9]\d{9,14})`)

// findPhones finds the phone numbers of a text: Russian ones in any spelling
// with ten digits of code and number, foreign ones with a plus.
func (r *reader) findPhones() {
	t := &r.text
	r.phones = r.phones[:0]
	for i := 0; i < len(t.words); i++ {
		if m := phoneInLink.FindStringSubmatch(t.rawOf(i, i+1)); t.words[i].kind == kindURL && m != nil {
			r.phones = append(r.phones, phoneSpan{"+" + m[1], i, i + 1})
		}
		if n := r.cardLength(i); n > 0 {
			i += n - 1
		} else if number, to := r.phoneAt(i); to > i {
			r.phones = append(r.phones, phoneSpan{number, i, to})
			i = to - 1
		}
	}
}

func phoneNumbers(spans []phoneSpan) []string {
	var numbers []string
	for _, s := range spans {
		numbers = appendNew(numbers, s.number)
	}
	return numbers
}

// digits are those of word i, none of a word that is no number.
func (t *text) digits(i int) string {
	if w := t.at(i); w.kind != kindNumber || w.hashtag {
		return ""
	}
	return t.rawOf(i, i+1)
}

// dialled reports that nothing but a phone's separators stands between word i and
// the one before it.
func (t *text) dialled(i int) bool {
	between := t.raw[t.at(i-1).end:t.words[i].start]
	return strings.Trim(between, " -.)_(\u00a0\u2009\u202f–—‐‑−\ufe0f\u20e3") == ""
}

// cardLength counts the words of a bank card (4-4-4-4, or its masked head) at i, 0
// for none.
func (r *reader) cardLength(i int) int {
	t := &r.text
	n := 0
	for len(t.digits(i+n)) == 4 && (n == 0 || t.dialled(i+n)) {
		n++
	}
	return n * btoi(n >= 4)
}

func (r *reader) plusBefore(i int) bool {
	return strings.HasSuffix(r.text.raw[:r.text.words[i].start], "+")
}

// phoneAt reads a number that begins with word i and returns where it ends, i if
// none begins here.
func (r *reader) phoneAt(i int) (number string, to int) {
	t := &r.text
	head, plus := t.digits(i), r.plusBefore(i)
	if head == "" {
		return "", i
	}
	most := 10
	switch {
	case head[0] == '7' || head[0] == '8':
		most = 11
	case plus:
		most = 15
	}
	digits := ""
	for to = i; len(digits) < most && t.digits(to) != "" && (to == i || t.dialled(to)); to++ {
		digits += t.digits(to)
	}
	paren := t.words[i].gap&gapParen != 0
	switch {
	case len(digits) < 10 || len(digits) > most:
		return "", i
	case plus && most == 15 && digits[0] != '0':
		return "+" + digits, to
	}
	number = digits[len(digits)-10:]
	// Without 8 or +7 a mobile number is written in one piece or begins with three
	// digits: 4-6 and 2-2-6 are passports.
	mobile, full := number[0] == '9' || plus, len(digits) == 11
	switch {
	case mobile && !full && to > i+1 && len(head) != 3, !mobile && !cityCode(number[0]), r.toldBefore(i, full && mobile, "document"):
		return "", i
	case !mobile && !full && !paren && !r.toldBefore(i, false, "phone.word"):
		return "", i
	}
	return "+7" + number, to
}

func cityCode(first byte) bool { return first == '3' || first == '4' || first == '8' }

// toldBefore reports that the words right before a number, in its line, are of a
// class, and none of them calls it a phone; near: in its clause.
func (r *reader) toldBefore(i int, near bool, class string) bool {
	const most = 4
	t := &r.text
	for k := i - 1; k >= i-most && k >= 0 && t.words[k+1].gap&gapLine == 0; k-- {
		switch {
		case near && r.clauseStarts(k+1) && t.words[k+1].gap&gapColon == 0:
			return false
		case t.has(k, class):
			return true
		case t.has(k, "phone.word"):
			return false
		}
	}
	return false
}

// inPhone reports a word that is part of a phone number.
func (r *reader) inPhone(i int) bool {
	return slices.ContainsFunc(r.phones, func(p phoneSpan) bool { return i >= p.from && i < p.to })
}

// bankBefore is how many words before a phone, in one line and a card's number not
// counted, a bank makes it an account's number; one right behind it does too.
const bankBefore = 6

// accounts are those of the phones that money is sent to: "на Сбер 8 900 …".
func (r *reader) accounts() (numbers []string) {
	t := &r.text
	for _, span := range r.phones {
		is := t.has(span.to, "account") && t.words[span.to].gap&(gapComma|gapDot|gapLine) == 0
		for k, left := span.from-1, bankBefore; k >= 0 && left > 0 && !is && t.words[k+1].gap&gapLine == 0; k-- {
			if r.inPhone(k) || t.has(k, "phone.word") && !t.isWord(k, "номер", "номеру", "номера") {
				break
			}
			if t.words[k].kind != kindNumber {
				left--
			}
			is = t.has(k, "account")
		}
		if is {
			numbers = appendNew(numbers, span.number)
		}
	}
	return numbers
}

// cardWeight is what the number of a bank card says of money.
const cardWeight = 6

// namesCard reports the number of a bank card, sixteen digits in a row or by fours.
func (r *reader) namesCard() bool {
	for i := range r.text.words {
		if len(r.text.digits(i)) == 16 || len(r.text.digits(i)) == 4 && r.cardLength(i) == 4 {
			return true
		}
	}
	return false
}
