package petpost

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A letter code is 1..32 for а..я, with ё folded into е; 0 is no Cyrillic
// letter. Words are kept as codes: half the size of UTF-8.
func cyrillicCode(r rune) byte {
	switch {
	case r >= 'а' && r <= 'я':
		return byte(r-'а') + 1
	case r >= 'А' && r <= 'Я':
		return byte(r-'А') + 1
	case r == 'ё' || r == 'Ё':
		return byte('е'-'а') + 1
	case r == 'і' || r == 'І' || r == 'ї' || r == 'Ї':
		return byte('и'-'а') + 1
	case r == 'є' || r == 'Є':
		return byte('е'-'а') + 1
	case r >= 'Ґ' && r <= 'ӿ':
		return turkicLetters[r]
	}
	return 0
}

// turkicLetters are those of Tatar, Bashkir and Udmurt, as what Russian has nearest.
var turkicLetters = func() map[rune]byte {
	table := map[rune]byte{}
	for _, pair := range strings.Fields("әа Әа өо Өо үу Үу җж Җж ңн Ңн һх Һх ғг Ғг қк Қк ҙз Ҙз ҫс Ҫс ґг Ґг ӝж Ӝж ӟз Ӟз ӥи Ӥи ӧо Ӧо ӵч Ӵч") {
		letter, size := utf8.DecodeRuneInString(pair)
		nearest, _ := utf8.DecodeRuneInString(pair[size:])
		table[letter] = code(nearest)
	}
	return table
}()

func code(r rune) byte { return byte(r-'а') + 1 }

func letterOf(c byte) rune { return 'а' + rune(c) - 1 }

// lookAlikes map a Latin letter or a digit to the Cyrillic letter that it is typed
// for inside a Cyrillic word.
var lookAlikes = func() map[rune]byte {
	table := map[rune]byte{}
	for _, pair := range strings.Fields("aа Aа @а bь Bв cс Cс eе Eе gг rг Hн hн iи Iи uи kк Kк mм Mм nп oо Oо 0о pр Pр tт Tт xх Xх yу Yу 3з 4ч 6б") {
		latin, size := utf8.DecodeRuneInString(pair)
		table[latin] = codesOf(pair[size:])[0]
	}
	return table
}()

func isLatin(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// isUpper knows the alphabets that cutWord reads, which is faster than all.
func isUpper(r rune) bool {
	return r >= 'А' && r <= 'Я' || r >= 'A' && r <= 'Z' || r == 'Ё' || r == 'І' || r == 'Ї' || r == 'Є' || r >= 'Ґ' && r <= 'ӿ' && unicode.IsUpper(r)
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// isSilent reports characters that stand inside words without being part of
// them: soft hyphens, joiners, stress marks, variation selectors, keycaps.
func isSilent(r rune) bool {
	switch {
	case r == 0xAD || r == 0x301 || r == 0x300 || r == 0x306 || r == 0x308:
		return true
	case r >= 0x200B && r <= 0x200F || r == 0x2060 || r == 0xFEFF:
		return true
	case r >= 0xFE00 && r <= 0xFE0F || r == 0x20E3:
		return true
	}
	return false
}

func isEmoji(r rune) bool {
	switch {
	case r >= 0x1F000 && r <= 0x1FAFF:
		return true
	case r >= 0x2600 && r <= 0x27BF || r >= 0x2B00 && r <= 0x2BFF:
		return true
	case r >= 0x2190 && r <= 0x21FF || r >= 0x2300 && r <= 0x23FF || r >= 0x25A0 && r <= 0x25FF:
		return true
	}
	return r > 0x2000 && unicode.Is(unicode.So, r)
}

// emojiAnimal returns which of the animals an emoji shows, -1 for none.
func emojiAnimal(r rune) int {
	switch r {
	case '🐕', '🐶', '🐩', '🦮':
		return dogIndex
	case '🐱', '🐈', '😺', '😸', '😹', '😻', '😼', '😽', '🙀', '😿', '😾':
		return catIndex
	case '🦜', '🐦', '🐰', '🐇', '🐹', '🐢', '🐭', '🐁', '🦎', '🐍', '🦔', '🐀':
		return otherIndex
	}
	return -1
}
