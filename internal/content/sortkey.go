package content

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSortKeyRunes keeps index rows small; names that agree so far are ordered
// by id.
const maxSortKeyRunes = 64

// SortKey is a name (or a person's words, searching for one) as lists are ordered by and typos are looked for in: lower
// case, ё as е, letters and digits with single spaces between them. Compared
// byte by byte it gives the Russian alphabet.
func SortKey(name string) string {
	var key strings.Builder
	runes, gap := 0, false
	for _, r := range strings.ToLower(norm.NFC.String(name)) {
		if runes == maxSortKeyRunes {
			break
		}
		if r == 'ё' {
			r = 'е'
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = runes > 0
			continue
		}
		if gap {
			key.WriteByte(' ')
			gap = false
			runes++
		}
		key.WriteRune(r)
		runes++
	}
	return key.String()
}
