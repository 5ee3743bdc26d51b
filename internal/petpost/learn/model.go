package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"slices"

	"vestnik/internal/petpost"
)

const (
	rounds     = 80
	settled    = 40 // the weights are the mean over the rounds from here on: which features a round hides matters less
	rate       = 0.15
	dropout    = 0.7 // of a text's features in each round: none may be all that a label hangs on
	rare       = 3   // features of fewer posts are left out
	scale      = 100 // weights are written in hundredths
	negligible = 4   // rows with no weight above this are not written
)

// questions are the columns that each question about a text is answered in.
var questions = [...]struct{ from, to int }{
	{0, len(petpost.ModelTypes)},
	{len(petpost.ModelTypes), petpost.ModelColumns},
}

// row has a weight for each column.
type row [petpost.ModelColumns]float64

// chances are the probabilities of the answers to each question.
func (r row) chances() row {
	for _, q := range questions {
		answers := r[q.from:q.to]
		top, total := slices.Max(answers), 0.0
		for k := range answers {
			answers[k] = math.Exp(answers[k] - top)
			total += answers[k]
		}
		for k := range answers {
			answers[k] /= total
		}
	}
	return r
}

// sum is what the row has in columns together.
func (r row) sum(columns []int) (sum float64) {
	for _, k := range columns {
		sum += r[k]
	}
	return sum
}

// written is the row as it stands in the table.
func (r row) written(temperature float64) (sums petpost.ModelSums) {
	for k, x := range r {
		sums[k] = int(math.Round(x / temperature * scale))
	}
	return sums
}

// model holds a row of weights for each feature.
type model struct {
	names []string
	index map[string]int
	rows  []row
}

// train learns by AdaGrad with dropout, each question for itself, and gives the
// mean of the later rounds.
func train(samples []*sample) *model {
	m := newModel(samples)
	squares := make([]row, len(m.names))
	features := make([][]int, len(samples))
	for i, s := range samples {
		features[i] = m.known(s.Features)
	}
	random, kept := rand.New(rand.NewSource(1)), []int{}
	mean := make([]row, len(m.names))
	for round := range rounds {
		for _, i := range random.Perm(len(samples)) {
			kept = kept[:0]
			for _, f := range features[i] {
				if random.Float64() >= dropout {
					kept = append(kept, f)
				}
			}
			m.step(squares, kept, samples[i].labels)
		}
		if round < settled {
			continue
		}
		for f := range mean {
			for k, weight := range m.rows[f] {
				mean[f][k] += weight / (rounds - settled)
			}
		}
	}
	m.rows = mean
	return m
}

func newModel(samples []*sample) *model {
	counts := map[string]int{}
	for _, s := range samples {
		for _, name := range s.Features {
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
	m.rows = make([]row, len(m.names))
	return m
}

// step moves the weights of a text's features towards its labels. Of several
// labels of one question each counts for as much as the model thinks of it.
func (m *model) step(squares []row, features []int, labels [len(questions)][]int) {
	miss := m.sums(features).chances()
	for q := range questions {
		right := miss.sum(labels[q])
		for _, k := range labels[q] {
			miss[k] -= miss[k] / right
		}
	}
	for _, f := range features {
		weights, seen := &m.rows[f], &squares[f]
		for k, gradient := range miss {
			seen[k] += gradient * gradient
			weights[k] -= rate * gradient / math.Sqrt(seen[k]+1e-3)
		}
	}
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

func (m *model) sums(features []int) (sums row) {
	for _, f := range features {
		for k := range sums {
			sums[k] += m.rows[f][k]
		}
	}
	return sums
}

// calibrate finds the divisor of the sums under which the probabilities that
// they stand for fit the labels best.
func calibrate(samples []*sample, sums []row) float64 {
	best, least := 1.0, math.Inf(1)
	for temperature := 0.5; temperature < 5; temperature += 0.01 {
		loss := 0.0
		for i, s := range samples {
			scaled := sums[i]
			for k := range scaled {
				scaled[k] /= temperature
			}
			loss -= math.Log(scaled.chances().sum(s.labels[0]))
		}
		if loss < least {
			best, least = temperature, loss
		}
	}
	return math.Round(best*100) / 100 // as the table says it
}

// table is the model as it stands in model.tsv.
func (m *model) table(temperature float64) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "# Made by make model; do not edit. Hundredths of log odds, divided by %.2f; see features.go.\n", temperature)
	fmt.Fprint(&w, "# feature")
	for _, t := range petpost.ModelTypes {
		fmt.Fprint(&w, "\t", t)
	}
	for _, a := range petpost.ModelAnimals {
		fmt.Fprint(&w, "\t", a)
	}
	fmt.Fprintln(&w)
	for i, name := range m.names {
		weights := m.rows[i].written(temperature)
		if most := max(slices.Max(weights[:]), -slices.Min(weights[:])); most <= negligible {
			continue
		}
		fmt.Fprint(&w, name)
		for _, x := range weights {
			fmt.Fprint(&w, "\t", x)
		}
		fmt.Fprintln(&w)
	}
	return w.Bytes()
}
