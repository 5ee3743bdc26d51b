package petpost

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A lexicon tells which classes a word belongs to. Three kinds of pattern:
//
//	кот      this form only
//	собак~   the stem with any noun or adjective ending (see endings)
//	потерял* anything that begins so
//
// A word that no pattern knows is looked up once more by its sound, so that
// "потерелса" is understood without being listed; only the words of animals and
// of what happens to them are, for sounds are ambiguous.
type lexicon struct {
	letters forms
	sounds  forms
	classes map[string]bool
}

// forms hold the classes of words by letter codes: of whole words, of stems and of
// what words begin with.
type forms struct{ whole, stem, begin map[string][]string }

func newForms() forms {
	return forms{map[string][]string{}, map[string][]string{}, map[string][]string{}}
}

// of gives the map that a pattern's mark asks for.
func (f *forms) of(mark string) map[string][]string {
	switch mark {
	case "~":
		return f.stem
	case "*":
		return f.begin
	}
	return f.whole
}

// classesOf appends the classes of a word, the shortest match first.
func (f *forms) classesOf(out []string, letters []byte) []string {
	for n, c := range letters {
		if c == 0 {
			return out
		}
		out = append(out, f.begin[string(letters[:n+1])]...)
		if stem := f.stem[string(letters[:n+1])]; stem != nil && endings()[string(letters[n+1:])] {
			out = append(out, stem...)
		}
	}
	return append(out, f.whole[string(letters)]...)
}

// endings that "~" accepts after a stem.
var endings = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{"": true}
	for _, e := range strings.Fields(`а я о е и ы у ю ь й ой ей ою ею ом ем ам ям ами ями ах ях ов ев ый ий ая яя ое ее
		ые ие ого его ому ему ым им ых их ыми ими ую юю ок ек`) {
		set[string(codesOf(e))] = true
	}
	return set
})

// vocabulary is the lexicon of the files of word classes, read at the first use.
var vocabulary = sync.OnceValue(func() *lexicon {
	lx := &lexicon{letters: newForms(), sounds: newForms(), classes: map[string]bool{classNumber: true, classOldNumber: true, className: true, classNameLike: true}}
	for _, file := range vocabularyFiles {
		lx.define(file.name, file.bySound)
	}
	return lx
})

// Classes of words by more than their letters.
const (
	classNumber    = "number"     // every number
	classOldNumber = "number.old" // 26..120: the years of people, not of pets
	className      = "name.any"   // with a capital, a form of a name that pets go by
	classNameLike  = "name.like"  // with a capital, and nothing else is known of it
)

// define adds the classes of a file. "@other" among the words of a class includes
// another class's, which must be defined before.
func (lx *lexicon) define(file string, bySound bool) {
	for _, s := range sections(file) {
		lx.classes[s.name] = true
		for _, pattern := range s.words() {
			included, is := strings.CutPrefix(pattern, "@")
			switch {
			case !is:
				lx.insert(pattern, s.name, bySound)
			case lx.classes[included]:
				lx.include(s.name, included)
			default:
				panic(fmt.Sprintf("petpost: class %q includes %q, which is not defined before it", s.name, included))
			}
		}
	}
}

func (lx *lexicon) include(class, included string) {
	for _, f := range []forms{lx.letters, lx.sounds} {
		for _, lists := range []map[string][]string{f.whole, f.stem, f.begin} {
			for key, classes := range lists {
				if slices.Contains(classes, included) {
					lists[key] = appendNew(classes, class)
				}
			}
		}
	}
}

// shortestSound is how many letters a word has at least that is known by its
// sound.
const shortestSound = 6

func (lx *lexicon) insert(pattern, class string, bySound bool) {
	word := newWordPattern(pattern)
	if len(word.letters) == 0 {
		panic(fmt.Sprintf("petpost: pattern %q holds no Cyrillic letters", pattern))
	}
	lists, key := lx.letters.of(word.mark), string(word.letters)
	lists[key] = appendNew(lists[key], class)
	if bySound && len(word.letters) >= shortestSound {
		lists, key = lx.sounds.of(word.mark), string(soundOf(word.letters, word.mark == ""))
		lists[key] = appendNew(lists[key], class)
	}
}

func codesOf(word string) []byte {
	var letters []byte
	for _, r := range word {
		if c := cyrillicCode(r); c != 0 {
			letters = append(letters, c)
		}
	}
	return letters
}

// read appends the classes of a word.
func (lx *lexicon) read(out []string, letters []byte) []string {
	all := lx.letters.classesOf(out, letters)
	if n := len(letters); len(all) == len(out) && n >= shortestSound && n <= 40 {
		return lx.sounds.classesOf(out, soundOf(letters, true))
	}
	return all
}

// soundOf writes a word roughly as it sounds: unstressed vowels alike, repeated
// letters once, no soft signs, "тся" as "ца". whole says that the word ends
// here, so that endings may be levelled too.
func soundOf(letters []byte, whole bool) []byte {
	const (
		aLetter = 1
		iLetter = byte('и'-'а') + 1
	)
	var out []byte
	var last byte // of out
	for i, c := range letters {
		switch letter := letterOf(c); {
		case letter == 'ь', letter == 'ъ', letter == 'т' && i+1 < len(letters) && letters[i+1] == code('ч'):
			continue
		case letter == 'о', letter == 'я' && (last == code('ш') || last == code('ч')): // "убежял"
			c = aLetter
		case strings.ContainsRune("еэыя", letter):
			c = iLetter
		case letter == 'щ', letter == 'ж':
			c = code('ш')
		case letter == 'с' && last == code('т'):
			c = code('ц')
			out = out[:len(out)-1]
		}
		if c != last {
			out = append(out, c)
		}
		last = c
	}
	if n := len(out); whole && n > 3 && out[n-2] == code('с') && (out[n-1] == aLetter || out[n-1] == iLetter) {
		out = out[:n-1] // -ся, -са, -сь
	}
	return out
}
