package petpost

import "strings"

// bankBefore is how many words before a phone, in one line and a card's number not
// counted, a bank makes it an account's number; one right behind it does too.
const bankBefore = 6

// accounts are those of the phones that money is sent to: "на Сбер 8 900 …".
func (r *reader) accounts() (numbers []string) {
	t := &r.text
	for _, span := range r.phones {
		first := 0
		for first < len(t.words) && int(t.words[first].end) <= span.start {
			first++
		}
		after := first
		for after < len(t.words) && int(t.words[after].start) < span.end {
			after++
		}
		is, left := false, bankBefore
		for k := first - 1; k >= 0 && left > 0 && !is; k-- {
			if t.words[k].kind != kindNumber {
				left--
			}
			toCall := t.has(k, r.rs.class.phone) && !t.isWord(k, "номер", "номеру", "номера")
			if toCall || r.inPhone(k) || strings.Contains(t.raw[t.words[k].end:span.start], "\n") {
				break
			}
			is = t.has(k, r.rs.class.account)
		}
		if after < len(t.words) && t.words[after].gap&(gapComma|gapDot|gapLine) == 0 {
			is = is || t.has(after, r.rs.class.account)
		}
		if is {
			numbers = appendNew(numbers, span.number)
		}
	}
	return numbers
}

// cardWeight is what the number of a bank card says of money.
const cardWeight = 6

// cardNumber returns the words of a card's number, sixteen digits in a row or by
// fours, or -1.
func (r *reader) cardNumber() (from, to int) {
	t := &r.text
	fours := 0
	for i := range t.words {
		w := &t.words[i]
		switch digits := w.end - w.start; {
		case w.kind != kindNumber:
			fours = 0
		case digits == 16:
			return i, i + 1
		case digits != 4:
			fours = 0
		case fours > 0 && w.gap&^(gapSpace|gapHyphen|gapWide) != 0:
			fours = 1
		default:
			fours++
		}
		if fours == 4 {
			return i - 3, i + 1
		}
	}
	return -1, -1
}
