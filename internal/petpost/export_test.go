package petpost

import "strings"

// RuleNames lists the rules of the phrases.
func RuleNames() (names []string) {
	for _, file := range phraseFiles() {
		for _, pattern := range readPatterns(file) {
			names = append(names, pattern.rule.name)
		}
	}
	return names
}

// Vocabulary lists the words of the lexicon, stems as they are.
func Vocabulary() (words []string) {
	for _, file := range vocabularyFiles {
		for _, s := range sections(file.name) {
			for _, word := range s.words() {
				if word = strings.TrimRight(word, "~*"); word[0] != '@' {
					words = append(words, word)
				}
			}
		}
	}
	return words
}
