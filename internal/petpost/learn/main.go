// Command learn makes petpost's opinion.tsv: the weights of a multinomial
// logistic model over petpost.Features, learned from the labelled corpora. It is
// run by hand after the rules or the corpora have changed, and always makes the
// same table of the same input.
//
//	go run ./internal/petpost/learn [-check] [file.jsonl …]
//
// It prints how well the rules, and the rules with the model, read posts that
// the model has not seen: every tenth of the corpora in turn is read by a model
// learned from the others. With -check nothing is written.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"

	"vestnik/internal/petpost"
	"vestnik/internal/petpost/corpus"
)

var types = petpost.OpinionTypes[:]

const (
	rounds     = 40
	rate       = 0.3
	decay      = 0.02 // of weights; keeps those of rare words small
	rare       = 2    // features of fewer posts are left out
	scale      = 100  // weights are written in hundredths
	negligible = 4    // rows with no weight above this are not written
)

// sample is one text with its label.
type sample struct {
	names    []string
	features []int
	file     string
	label    int
	rules    petpost.Type
	clear    bool
}

// model holds a row of weights, one per type, for each feature.
type model struct {
	names []string
	index map[string]int
	rows  [][]float64
}

func main() {
	check := flag.Bool("check", false, "measure, write nothing")
	dir := flag.String("dir", "internal/petpost", "where the package is")
	flag.Parse()
	files := flag.Args()
	if len(files) == 0 {
		for _, name := range []string{"train.jsonl", "blind.jsonl", "wide.jsonl"} {
			files = append(files, filepath.Join(*dir, "testdata", name))
		}
	}
	var samples []sample
	for _, file := range files {
		posts, err := corpus.Load(file)
		if err != nil {
			fail(err)
		}
		samples = append(samples, read(posts)...)
	}
	crossValidate(samples)
	if *check {
		return
	}
	if err := train(samples).write(filepath.Join(*dir, "opinion.tsv")); err != nil {
		fail(err)
	}
}

// read takes the posts of one text; what a repost makes of two is for the rules.
func read(posts []corpus.Post) []sample {
	var samples []sample
	for i := range posts {
		text := posts[i].Text
		switch n := len(posts[i].CopyHistory); {
		case n > 0 && text == "":
			text = posts[i].CopyHistory[n-1].Text
		case n > 0:
			continue
		}
		label := slices.Index(types, posts[i].Want.Type)
		if label < 0 {
			continue
		}
		s := sample{file: posts[i].File, label: label}
		s.names, s.rules, s.clear = petpost.Features(text)
		samples = append(samples, s)
	}
	return samples
}

// train learns by AdaGrad.
func train(samples []sample) *model {
	counts := map[string]int{}
	for _, s := range samples {
		for _, name := range s.names {
			counts[name]++
		}
	}
	m := &model{index: map[string]int{}}
	for name, n := range counts {
		if n >= rare {
			m.names = append(m.names, name)
		}
	}
	slices.Sort(m.names)
	squares := make([][]float64, len(m.names))
	for i, name := range m.names {
		m.index[name] = i
		m.rows = append(m.rows, make([]float64, len(types)))
		squares[i] = make([]float64, len(types))
	}
	for i := range samples {
		samples[i].features = m.known(samples[i].names)
	}
	random := rand.New(rand.NewSource(1))
	for range rounds {
		for _, i := range random.Perm(len(samples)) {
			s := &samples[i]
			chances := m.chances(s.features)
			for k := range types {
				miss := chances[k]
				if k == s.label {
					miss--
				}
				for _, f := range s.features {
					gradient := miss + decay*m.rows[f][k]
					squares[f][k] += gradient * gradient
					m.rows[f][k] -= rate * gradient / math.Sqrt(squares[f][k]+1e-3)
				}
			}
		}
	}
	return m
}

func (m *model) known(names []string) []int {
	var features []int
	for _, name := range names {
		if i, ok := m.index[name]; ok {
			features = append(features, i)
		}
	}
	return features
}

func (m *model) sums(features []int) []float64 {
	sums := make([]float64, len(types))
	for _, f := range features {
		for k := range sums {
			sums[k] += m.rows[f][k]
		}
	}
	return sums
}

func (m *model) chances(features []int) []float64 {
	chances := m.sums(features)
	top, total := slices.Max(chances), 0.0
	for k := range chances {
		chances[k] = math.Exp(chances[k] - top)
		total += chances[k]
	}
	for k := range chances {
		chances[k] /= total
	}
	return chances
}

func (m *model) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "# Made by internal/petpost/learn; do not edit. Hundredths of log odds; see opinion.go for the features.")
	fmt.Fprint(w, "# feature")
	for _, t := range types {
		fmt.Fprint(w, "  ", t)
	}
	fmt.Fprintln(w)
	for i, name := range m.names {
		weights, most := make([]int, len(types)), 0
		for k, x := range m.rows[i] {
			weights[k] = int(math.Round(x * scale))
			most = max(most, weights[k], -weights[k])
		}
		if most <= negligible {
			continue
		}
		fmt.Fprint(w, name)
		for _, x := range weights {
			fmt.Fprint(w, "\t", x)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// crossValidate prints how often the type of texts that were not learned from
// is right, corpus by corpus.
func crossValidate(samples []sample) {
	type count struct{ texts, rules, both, falseLost, missedLost int }
	counts := map[string]*count{}
	var files []string
	const folds = 10
	for fold := range folds {
		var rest []sample
		for i := range samples {
			if i%folds != fold {
				rest = append(rest, samples[i])
			}
		}
		m := train(rest)
		for i := range samples {
			if i%folds != fold {
				continue
			}
			s := &samples[i]
			c := counts[s.file]
			if c == nil {
				c = &count{}
				counts[s.file] = c
				files = append(files, s.file)
			}
			read := m.read(s)
			want := types[s.label]
			c.texts++
			if s.rules == want {
				c.rules++
			}
			switch {
			case read == want:
				c.both++
			case read == petpost.Lost:
				c.falseLost++
			case want == petpost.Lost:
				c.missedLost++
			}
		}
	}
	for _, file := range files {
		c := counts[file]
		fmt.Printf("%-14s %4d texts: rules %.1f %%, with the model %.1f %%, false lost %d, missed lost %d\n", filepath.Base(file),
			c.texts, percent(c.rules, c.texts), percent(c.both, c.texts), c.falseLost, c.missedLost)
	}
}

// read answers as petpost does: the rules lead, the model may overtake them.
func (m *model) read(s *sample) petpost.Type {
	sums := m.sums(m.known(s.names))
	if k := slices.Index(types, s.rules); k >= 0 {
		lead := petpost.LeadVague
		if s.clear {
			lead = petpost.LeadClear
		}
		sums[k] += float64(lead) / scale
	}
	if s.rules != petpost.Lost {
		sums[slices.Index(types, petpost.Lost)] -= float64(petpost.DoubtOfLost) / scale
	}
	return types[slices.Index(sums, slices.Max(sums))]
}

func percent(a, b int) float64 { return 100 * float64(a) / float64(b) }

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
