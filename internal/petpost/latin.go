package petpost

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mendLatin replaces the Latin letters of a mixed word by what they look like.
func (t *text) mendLatin(raw string, at int) {
	k := at
	for _, r := range raw {
		if isSilent(r) || k >= len(t.codes) {
			continue
		}
		if t.codes[k] == 0 {
			t.codes[k] = lookAlike(r)
			if t.codes[k] == 0 {
				t.codes[k] = latinSound(r)
			}
		}
		k++
	}
}

func latinSound(r rune) byte {
	lower := string(unicode.ToLower(r))
	for _, pair := range transliteration {
		if pair.latin == lower {
			c, _ := utf8.DecodeRuneInString(pair.cyrillic)
			return code(c)
		}
	}
	return code('х')
}

// readLatin tries a word of Latin letters only as Cyrillic drawn with Latin
// letters (KOT), then as transliteration (sobaka). A word that the lexicon does
// not know either way gets no letters at all.
func (t *text) readLatin(raw string, at int, lx *lexicon) {
	if len(raw) < 3 || len(raw) > 24 {
		return
	}
	alike := true
	for _, r := range raw {
		c := lookAlike(r)
		if c == 0 {
			alike = false
			break
		}
		t.codes = append(t.codes, c)
	}
	if alike && lx.knows(t.codes[at:]) {
		return
	}
	t.codes = t.codes[:at]
	lower := strings.ToLower(raw)
	for i := 0; i < len(lower); {
		n := 0
		for _, pair := range transliteration {
			if strings.HasPrefix(lower[i:], pair.latin) {
				c, _ := utf8.DecodeRuneInString(pair.cyrillic)
				t.codes = append(t.codes, code(c))
				n = len(pair.latin)
				break
			}
		}
		if n == 0 {
			t.codes = t.codes[:at]
			return
		}
		i += n
	}
	if len(raw) < 4 || !lx.knows(t.codes[at:]) {
		t.codes = t.codes[:at]
	}
}

// transliteration of Latin letters for posts typed without a Russian keyboard.
var transliteration = []struct {
	latin    string
	cyrillic string
}{
	{"shch", "щ"}, {"sch", "щ"}, {"sh", "ш"}, {"ch", "ч"}, {"zh", "ж"}, {"kh", "х"},
	{"ts", "ц"}, {"yu", "ю"}, {"ju", "ю"}, {"ya", "я"}, {"ja", "я"}, {"yo", "е"}, {"ye", "е"},
	{"a", "а"}, {"b", "б"}, {"v", "в"}, {"w", "в"}, {"g", "г"}, {"d", "д"}, {"e", "е"}, {"z", "з"},
	{"i", "и"}, {"j", "й"}, {"y", "ы"}, {"k", "к"}, {"l", "л"}, {"m", "м"}, {"n", "н"}, {"o", "о"},
	{"p", "п"}, {"r", "р"}, {"s", "с"}, {"t", "т"}, {"u", "у"}, {"f", "ф"}, {"h", "х"}, {"c", "ц"},
	{"x", "х"}, {"q", "к"}, {"'", "ь"},
}
