package petpost

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// petName is a name that pets go by.
type petName struct {
	name string // in the nominative
	sex  Sex    // empty for names of both
}

// petNames finds a name by the letter codes of any of its cases.
var petNames = sync.OnceValue(func() map[string]petName {
	forms := map[string]petName{}
	add := func(form string, n petName) {
		key := string(codesOf(form))
		if _, taken := forms[key]; !taken {
			forms[key] = n
		}
	}
	lists := nameLists()
	for _, sex := range []Sex{Male, Female} { // nominatives first: "Симона" is no Симон
		for _, name := range lists[string(sex)] {
			add(name, petName{name, sex})
		}
	}
	for _, sex := range []Sex{Male, Female} {
		for _, name := range lists[string(sex)] {
			for _, form := range cases(name) {
				add(form, petName{name, sex})
			}
		}
	}
	return forms
})

// cases lists the oblique singular forms of a name.
func cases(name string) []string {
	runes := []rune(name)
	stem, last := string(runes[:len(runes)-1]), runes[len(runes)-1]
	var endings []string
	switch {
	case last == 'а':
		endings = []string{"ы", "и", "у", "е", "ой"}
	case last == 'я':
		endings = []string{"и", "ю", "е", "ей"}
	case last == 'й' || last == 'ь':
		endings = []string{"я", "ю", "е", "ем"}
	case strings.ContainsRune("оеиуыэю", last):
		return nil
	default:
		stem = name
		if n := len(runes); n > 3 && (strings.HasSuffix(name, "ок") || strings.HasSuffix(name, "ек") || strings.HasSuffix(name, "ёк")) {
			stem = string(runes[:n-2]) + string(last) // Пушок, Пушка
		}
		endings = []string{"а", "у", "е", "ом"}
	}
	forms := make([]string, 0, len(endings))
	for _, ending := range endings {
		forms = append(forms, stem+ending)
	}
	return forms
}

// knownName returns the pet's name that word i is a form of.
func (r *reader) knownName(i int) (petName, bool) {
	t := &r.text
	if t.isWord(i, "тому", "тома", "граф", "барс", "лис") && !t.words[i].upper || t.isWord(i, "тому") {
		return petName{}, false
	}
	if t.sameSentence(i, i+1) && (t.words[i+1].gap == gapHyphen || t.isWord(i+1, "гранта", "веста", "калина", "приора", "ларгус", "рассел", "рассела")) {
		return petName{}, false // "джек-рассел", "Лада Гранта"
	}
	n, ok := petNames()[string(t.codesOf(&t.words[i]))]
	return n, ok
}

// asName writes a name as names are written: "кузя" and "КУЗЯ" as "Кузя".
func asName(written string) string {
	runes := []rune(written)
	for i, r := range runes {
		if i == 0 {
			runes[i] = unicode.ToUpper(r)
		} else {
			runes[i] = unicode.ToLower(r)
		}
	}
	return string(runes)
}

// markNames gives the words that are pets' names by their form the class
// @name.any, and other words with a capital that no class knows @name.like: for
// the phrases and the model.
func (r *reader) markNames() {
	t := &r.text
	for i := range t.words {
		w := &t.words[i]
		if w.kind != kindWord || !w.upper {
			continue
		}
		class := className
		if _, ok := r.knownName(i); !ok {
			class = classNameLike
			if w.caps || w.hashtag || !r.unknown(i) || w.codeTo-w.codeAt < 3 {
				continue
			}
		}
		at := int32(len(t.lex))
		t.lex = append(append(t.lex, t.lexOf(w)...), class)
		w.lexAt, w.lexTo = at, int32(len(t.lex))
	}
}

// unknown reports a word that no class has: a mere name, if it has a capital.
func (r *reader) unknown(i int) bool {
	return !slices.ContainsFunc(r.text.lexOf(r.text.at(i)), func(class string) bool {
		return (!ofPlace(class) || class == "place.no.name") && class != className && class != classNameLike && class != "name.dog" && class != "name.cat"
	})
}

// nameAt gives the name at word i in the nominative: a known name by its forms,
// another one in the accusative by its ending ("ищем Грушеньку").
func (r *reader) nameAt(i int, accusative bool) string {
	w := &r.text.words[i]
	written := asName(r.text.rawOf(i, i+1))
	if known, ok := r.knownName(i); ok {
		if string(codesOf(known.name)) == string(r.text.codesOf(w)) {
			return written // "Семен" stays without its dots
		}
		return known.name
	}
	if accusative {
		for _, ending := range [...][2]string{{"у", "а"}, {"ю", "я"}} {
			if stem, ok := strings.CutSuffix(written, ending[0]); ok && len(stem) > 2 {
				return stem + ending[1]
			}
		}
	}
	return written
}

// sexOfName tells it by a known name; an unknown one is a male's where it ends
// like one.
func sexOfName(name string) Sex {
	letters := codesOf(name)
	if known, ok := petNames()[string(letters)]; ok {
		return known.sex
	}
	if len(letters) < 3 {
		return ""
	}
	switch letterOf(letters[len(letters)-1]) {
	case 'а', 'я', 'е', 'и', 'о', 'у', 'ы', 'э', 'ю', 'ь':
		return ""
	}
	return Male
}
