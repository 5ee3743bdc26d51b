package petpost

import (
	"cmp"
	"slices"
	"strings"
)

// classify decides the type and the animal of a text that says something.
func (r *reader) classify(v *view, source string) {
	features := known(r.features(&v.signs))
	sums := sumsOf(features)
	if animal := sums.decideAnimal(v.animal, v.animalBy); animal != v.animal {
		best := len(ModelTypes) + slices.Index(ModelAnimals[:], animal)
		against := len(ModelTypes) + slices.Index(ModelAnimals[:], v.animal)
		v.animal, v.animalBy = animal, animalCalled
		r.explain(v, features, best, against, Evidence{Field: "animal", Source: source})
	}
	if v.typ != "" {
		return
	}
	margin := v.lostMargin()
	best, second, confidence := sums.decideType(v.veto != "", margin)
	v.typ, v.confidence = ModelTypes[best], confidence
	if v.veto == "" {
		v.alternatives = sums.alternatives(best, margin)
	}
	r.explain(v, features, best, second, Evidence{Field: "type", Source: source})
	if v.veto != "" {
		most := slices.Max(sums[:len(ModelTypes)])
		v.evidence = append(v.evidence, Evidence{Field: "type", Rule: "veto: " + v.veto, Points: string(v.typ), Weight: max(most-sums[best], 10) / 10, Source: source})
	}
	if v.typ == News && v.signs.sum[sigNotPet] >= outright {
		v.animal = "" // it is about a thing or a person
	}
}

// explained is how many pieces of evidence one decision shows.
const explained = 8

// explain records which words spoke most for a column of the model against
// another, or against it. What several features say of the same words is one
// piece, named after the rule among them if there is one.
func (r *reader) explain(v *view, features []feature, best, against int, e Evidence) {
	rows := learned()
	var pieces []Evidence
	at := map[[2]int]int{}
	for _, f := range features {
		if f.from == f.to {
			continue
		}
		net := rows[f.name][best]
		if against >= 0 {
			net -= rows[f.name][against]
		}
		span := [2]int{f.from, f.to}
		k, have := at[span]
		if !have {
			k = len(pieces)
			at[span] = k
			e.Rule, e.Words = "words", r.text.rawOf(f.from, f.to)
			pieces = append(pieces, e)
		}
		pieces[k].Weight += net
		if rule, is := strings.CutPrefix(f.name, "r "); is {
			pieces[k].Rule = rule
		}
	}
	slices.SortStableFunc(pieces, func(a, b Evidence) int { return cmp.Compare(abs(b.Weight), abs(a.Weight)) })
	for _, piece := range pieces[:min(explained, len(pieces))] {
		piece.Points = columnName(best)
		if piece.Weight < 0 {
			piece.Points = columnName(against)
		}
		if piece.Weight = abs(piece.Weight) / 10; piece.Weight > 0 && piece.Points != "" {
			v.evidence = append(v.evidence, piece)
		}
	}
}

// columnName is empty for a column below 0, of no answer.
func columnName(column int) string {
	switch {
	case column < 0:
		return ""
	case column < len(ModelTypes):
		return string(ModelTypes[column])
	}
	return string(ModelAnimals[column-len(ModelTypes)])
}

func abs(n int) int { return max(n, -n) }
