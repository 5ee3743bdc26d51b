package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand"
	"os"
	"slices"

	"vestnik/internal/petpost"
)

const (
	rounds     = 40
	rate       = 0.3
	decay      = 0.02 // of weights; keeps those of rare words small
	rare       = 2    // features of fewer posts are left out
	scale      = 100  // weights are written in hundredths
	negligible = 4    // rows with no weight above this are not written
)

// questions are the columns that each question about a text is answered in.
var questions = [...]struct{ from, to int }{
	{0, len(petpost.OpinionTypes)},
	{len(petpost.OpinionTypes), petpost.OpinionColumns},
}

// model holds a row of weights, one per column, for each feature.
type model struct {
	names []string
	index map[string]int
	rows  [][petpost.OpinionColumns]float64
}

// train learns by AdaGrad, each question for itself.
func train(samples []*sample) *model {
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
	for i, name := range m.names {
		m.index[name] = i
	}
	m.rows = make([][petpost.OpinionColumns]float64, len(m.names))
	squares := make([][petpost.OpinionColumns]float64, len(m.names))
	features := make([][]int, len(samples))
	for i, s := range samples {
		features[i] = m.known(s.names)
	}
	random := rand.New(rand.NewSource(1))
	for range rounds {
		for _, i := range random.Perm(len(samples)) {
			chances := m.chances(features[i])
			for q, question := range questions {
				if samples[i].columns[q] < 0 {
					continue // not labelled
				}
				for k := question.from; k < question.to; k++ {
					miss := chances[k]
					if k == samples[i].columns[q] {
						miss--
					}
					for _, f := range features[i] {
						gradient := miss + decay*m.rows[f][k]
						squares[f][k] += gradient * gradient
						m.rows[f][k] -= rate * gradient / math.Sqrt(squares[f][k]+1e-3)
					}
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

func (m *model) sums(features []int) (sums [petpost.OpinionColumns]float64) {
	for _, f := range features {
		for k := range sums {
			sums[k] += m.rows[f][k]
		}
	}
	return sums
}

// chances are the probabilities of the answers to each question.
func (m *model) chances(features []int) [petpost.OpinionColumns]float64 {
	chances := m.sums(features)
	for _, q := range questions {
		answers := chances[q.from:q.to]
		top, total := slices.Max(answers), 0.0
		for k := range answers {
			answers[k] = math.Exp(answers[k] - top)
			total += answers[k]
		}
		for k := range answers {
			answers[k] /= total
		}
	}
	return chances
}

// read answers as petpost does: the rules lead, the model may overtake them.
func (m *model) read(s *sample) (typ petpost.Type, animal petpost.Animal) {
	var sums petpost.OpinionSums
	for k, x := range m.sums(m.known(s.names)) {
		sums[k] = int(math.Round(x * scale))
	}
	t, a := sums.Weigh(s.rules)
	return petpost.OpinionTypes[t], petpost.OpinionAnimals[a-len(petpost.OpinionTypes)]
}

func (m *model) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "# Made by internal/petpost/learn; do not edit. Hundredths of log odds; see features.go for the features.")
	fmt.Fprint(w, "# feature")
	for _, t := range petpost.OpinionTypes {
		fmt.Fprint(w, "\t", t)
	}
	for _, a := range petpost.OpinionAnimals {
		fmt.Fprint(w, "\t", a)
	}
	fmt.Fprintln(w)
	for i, name := range m.names {
		most := 0
		var weights [petpost.OpinionColumns]int
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
