package petpost

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
