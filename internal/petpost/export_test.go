package petpost

import "strings"

// RuleNames lists the rules of the tables.
func RuleNames() (names []string) {
	for _, rule := range compiled().rules {
		names = append(names, rule.name)
	}
	return names
}

// Vocabulary lists the words of the lexicon, stems as they are.
func Vocabulary() (words []string) {
	for _, file := range []string{"animals", "actions", "money", "homes", "surroundings", "fields", "traits", "places"} {
		for _, s := range sections(file) {
			for _, word := range s.words() {
				if word = strings.TrimRight(word, "~*"); word[0] != '@' {
					words = append(words, word)
				}
			}
		}
	}
	return words
}
