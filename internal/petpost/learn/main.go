// Command learn makes petpost's opinion.tsv: the weights of two multinomial
// logistic models, for the type and for the animal, over petpost.FeaturesOf,
// learned from the labelled corpora. It is run by hand after the rules or the
// corpora have changed, and always makes the same table of the same input.
//
//	go run ./internal/petpost/learn [-check] [file.jsonl …]
//
// It prints how well the rules, and the rules with the model, read posts that
// the model has not seen: every tenth of the corpora in turn is read by a model
// learned from the others, and so is each corpus as a whole, which tells more of
// walls that are worded in their own way. With -check nothing is written.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"vestnik/internal/petpost"
	"vestnik/internal/petpost/corpus"
)

// sample is one text with its labels.
type sample struct {
	names   []string
	file    string
	want    corpus.Want
	columns [len(questions)]int // of the labels
	rules   petpost.RulesAnswer
}

func main() {
	check := flag.Bool("check", false, "measure, write nothing")
	dir := flag.String("dir", "internal/petpost", "where the package is")
	flag.Parse()
	files := flag.Args()
	if len(files) == 0 {
		for _, name := range corpus.Training {
			files = append(files, filepath.Join(*dir, "testdata", name))
		}
	}
	var samples []*sample
	for _, file := range files {
		posts, err := corpus.Load(file)
		if err != nil {
			fail(err)
		}
		samples = append(samples, read(posts)...)
	}
	const folds = 10
	measure("every tenth", samples, files, folds, func(i int) int { return i % folds })
	measure("whole corpora", samples, files, len(files), func(i int) int { return slices.Index(files, samples[i].file) })
	if *check {
		return
	}
	if err := train(samples).write(filepath.Join(*dir, "opinion.tsv")); err != nil {
		fail(err)
	}
}

// read takes the posts of one text; what a repost makes of two is for the rules.
func read(posts []corpus.Post) []*sample {
	var samples []*sample
	for i := range posts {
		text := posts[i].Text
		switch n := len(posts[i].CopyHistory); {
		case n > 0 && text == "":
			text = posts[i].CopyHistory[n-1].Text
		case n > 0:
			continue
		}
		want := posts[i].Want
		typ := slices.Index(petpost.OpinionTypes[:], want.Type)
		if typ < 0 {
			continue
		}
		s := &sample{file: posts[i].File, want: want}
		s.columns = [...]int{typ, len(petpost.OpinionTypes) + slices.Index(petpost.OpinionAnimals[:], want.Animal)}
		s.names, s.rules = petpost.FeaturesOf(text)
		samples = append(samples, s)
	}
	return samples
}

// measure prints how often texts that were not learned from are read rightly,
// corpus by corpus. foldOf says with which others a text is left out.
func measure(title string, samples []*sample, files []string, folds int, foldOf func(i int) int) {
	type count struct{ texts, rules, both, falseLost, missedLost, rulesAnimal, animal int }
	counts := map[string]*count{}
	all := &count{}
	for _, file := range files {
		counts[file] = &count{}
	}
	for fold := range folds {
		var rest []*sample
		for i, s := range samples {
			if foldOf(i) != fold {
				rest = append(rest, s)
			}
		}
		m := train(rest)
		for i, s := range samples {
			if foldOf(i) != fold {
				continue
			}
			typ, animal := m.read(s)
			for _, c := range []*count{counts[s.file], all} {
				c.texts++
				c.rules += one(s.rules.Type == s.want.Type)
				c.both += one(typ == s.want.Type)
				c.falseLost += one(typ == petpost.Lost && s.want.Type != petpost.Lost)
				c.missedLost += one(typ != petpost.Lost && s.want.Type == petpost.Lost)
				c.rulesAnimal += one(s.rules.Animal == s.want.Animal)
				c.animal += one(animal == s.want.Animal)
			}
		}
	}
	fmt.Printf("%s left out:\n", title)
	show := func(name string, c *count) {
		fmt.Printf("%-16s %4d texts: type %.1f %% by the rules, %.1f %% with the model, false lost %d, missed lost %d; animal %.1f %%, %.1f %%\n", name,
			c.texts, percent(c.rules, c.texts), percent(c.both, c.texts), c.falseLost, c.missedLost, percent(c.rulesAnimal, c.texts), percent(c.animal, c.texts))
	}
	for _, file := range files {
		show(filepath.Base(file), counts[file])
	}
	show("all", all)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func percent(a, b int) float64 { return 100 * float64(a) / float64(b) }

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
