package petpost

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The vocabulary is plain text under lexicon; lexicon/README.md says how it is
// written.
//
//go:embed lexicon/*.txt lexicon/phrases/*.txt
var lexiconFiles embed.FS

// vocabulary lists the files of word classes, those first whose classes others
// include.
var vocabulary = []struct {
	file    string
	bySound bool // words are known by their sound as well as by their letters
}{
	{"animals", true}, {"actions", true},
	{"money", false}, {"homes", false}, {"surroundings", false}, {"fields", false}, {"traits", false},
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

// rule gives every match of its phrases one meaning.
type rule struct {
	name    string
	signal  signal
	weight  int // how plainly it says so: 10 outright, 6 in plain words, less for a hint
	phrases []string
}

// readRules reads the files of lexicon/phrases in the order of their names: of
// the phrases that match a word the first explains it.
func readRules() []rule {
	files, err := lexiconFiles.ReadDir("lexicon/phrases")
	if err != nil {
		panic("petpost: " + err.Error())
	}
	var rules []rule
	for _, file := range files {
		for _, s := range sections("phrases/" + strings.TrimSuffix(file.Name(), ".txt")) {
			if len(s.args) != 2 {
				panic(fmt.Sprintf("petpost: %s: the rule %s needs a signal and a weight", file.Name(), s.name))
			}
			meaning := slices.Index(signalNames[:], s.args[0])
			weight, err := strconv.Atoi(s.args[1])
			if meaning < 0 || err != nil {
				panic(fmt.Sprintf("petpost: %s: the rule %s has the bad signal or weight %v", file.Name(), s.name, s.args))
			}
			rules = append(rules, rule{s.name, signal(meaning), weight, s.lines})
		}
	}
	return rules
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
