package petpost

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

// The vocabulary is plain text under lexicon; lexicon/README.md says how it is
// written.
//
//go:embed lexicon/*.txt lexicon/phrases/*.txt
var lexiconFiles embed.FS

// vocabularyFiles are the files of word classes, those first whose classes others
// include.
var vocabularyFiles = []struct {
	name    string
	bySound bool // words are known by their sound as well as by their letters
}{
	{"animals", true}, {"actions", true},
	{"money", false}, {"homes", false}, {"surroundings", false}, {"fields", false}, {"traits", false}, {"places", false},
}

// section is a part of a lexicon file: what stands in the brackets of its
// heading and after them, and the lines under it.
type section struct {
	name  string
	args  []string
	lines []string
}

// words are all the words of a section, in the order of the file.
func (s *section) words() []string { return strings.Fields(strings.Join(s.lines, " ")) }

// sections reads a lexicon file; name is without lexicon/ and .txt. It panics on
// a line outside any section: the files are part of the program.
func sections(name string) []section {
	raw, err := lexiconFiles.ReadFile("lexicon/" + name + ".txt")
	if err != nil {
		panic("petpost: " + err.Error())
	}
	var all []section
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		heading, isHeading := strings.CutPrefix(line, "[")
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case isHeading:
			class, args, _ := strings.Cut(heading, "]")
			all = append(all, section{name: class, args: strings.Fields(args)})
		case len(all) == 0:
			panic(fmt.Sprintf("petpost: %s.txt: %q stands before the first heading", name, line))
		default:
			last := &all[len(all)-1]
			last.lines = append(last.lines, line)
		}
	}
	return all
}

// phraseFiles lists the files of phrases: a phrase of an earlier one counts before
// those of later ones.
func phraseFiles() (names []string) {
	files, err := lexiconFiles.ReadDir("lexicon/phrases")
	if err != nil {
		panic("petpost: " + err.Error())
	}
	for _, file := range files {
		names = append(names, "phrases/"+strings.TrimSuffix(file.Name(), ".txt"))
	}
	return names
}

// nameLists are the sections of names.txt: the names of male and female pets,
// and the given names of people.
var nameLists = sync.OnceValue(func() map[string][]string {
	lists := map[string][]string{}
	for _, s := range sections("names") {
		lists[s.name] = s.words()
	}
	return lists
})
