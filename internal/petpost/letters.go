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
		return code(r)
	case r >= 'А' && r <= 'Я':
		return byte(r-'А') + 1
	case r >= 'Ѐ' && r <= 'ӿ':
		return otherLetters[r]
	}
	return 0
}

// otherLetters are those of Ukrainian, Tatar, Bashkir and Udmurt, and ё, as what
// Russian has nearest.
var otherLetters = letterTable("ёе Ёе іи Іи їи Їи єе Єе әа Әа өо Өо үу Үу җж Җж ңн Ңн һх Һх ғг Ғг қк Қк ҙз Ҙз ҫс Ҫс ґг Ґг ӝж Ӝж ӟз Ӟз ӥи Ӥи ӧо Ӧо ӵч Ӵч")

// lookAlikes map a Latin letter or a digit to the Cyrillic letter that it is typed
// for inside a Cyrillic word.
var lookAlikes = letterTable("aа Aа @а bь Bв cс Cс eе Eе gг rг Hн hн iи Iи uи kк Kк mм Mм nп oо Oо 0о pр Pр tт Tт xх Xх yу Yу 3з 4ч 6б")

// letterTable reads pairs of a letter and the Cyrillic one that it stands for.
func letterTable(pairs string) map[rune]byte {
	table := map[rune]byte{}
	for _, pair := range strings.Fields(pairs) {
		letter, size := utf8.DecodeRuneInString(pair)
		cyrillic, _ := utf8.DecodeRuneInString(pair[size:])
		table[letter] = code(cyrillic)
	}
	return table
}

func code(r rune) byte { return byte(r-'а') + 1 }

func letterOf(c byte) rune { return 'а' + rune(c) - 1 }

func isLatin(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// isSilent reports characters that stand inside words without being part of
// them: soft hyphens, joiners, stress marks, variation selectors, keycaps.
func isSilent(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) }

// isEmoji reports pictures, arrows and other signs that are no punctuation.
func isEmoji(r rune) bool { return r > 0x2000 && unicode.In(r, unicode.So, unicode.Sm, unicode.Sk) }

// emojiAnimals are the emoji of each of the animals.
var emojiAnimals = [len(animals)]string{
	dogIndex: "🐕🐶🐩🦮", catIndex: "🐱🐈😺😸😹😻😼😽🙀😿😾", otherIndex: "🦜🐦🐰🐇🐹🐢🐭🐁🦎🐍🦔🐀",
}
