package petpost

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The model is linear: each feature of a text has a weight for every type and
// every animal. It is learned from the labelled corpora by `make model`, the
// command in learn.
//
//go:embed model.tsv
var modelTable string

// ModelTypes are the types that the model chooses from, and ModelAnimals the
// animals, in the order of the columns of model.tsv.
var (
	ModelTypes   = [...]Type{Lost, Found, Sighting, Adoption, Fundraising, Reunited, News, Unknown}
	ModelAnimals = [...]Animal{Dog, Cat, Other, ""}
)

// ModelColumns is how many weights a feature has.
const ModelColumns = len(ModelTypes) + len(ModelAnimals)

// ModelSums are a text's sums of weights, in hundredths of log odds. Those of
// the types are calibrated: their odds are how often the type is right.
type ModelSums [ModelColumns]int

// learned is the table by the names of features.
var learned = sync.OnceValue(func() map[string]*ModelSums { return readModel(modelTable) })

func readModel(table string) map[string]*ModelSums {
	rows := map[string]*ModelSums{}
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != ModelColumns+1 {
			panic(fmt.Sprintf("petpost: model.tsv: %d cells in the row of %q; run make model", len(cells), cells[0]))
		}
		row := &ModelSums{}
		for i, cell := range cells[1:] {
			weight, err := strconv.Atoi(cell)
			if err != nil {
				panic(fmt.Sprintf("petpost: model.tsv: bad weight %q of %q", cell, cells[0]))
			}
			row[i] = weight
		}
		rows[cells[0]] = row
	}
	return rows
}

// known are the features that the model has learned.
func known(all []feature) []feature {
	rows := learned()
	return slices.DeleteFunc(all, func(f feature) bool { return rows[f.name] == nil })
}

// sumsOf adds up the weights of known features.
func sumsOf(features []feature) (sums ModelSums) {
	rows := learned()
	for _, f := range features {
		for i, weight := range rows[f.name] {
			sums[i] += weight
		}
	}
	return sums
}

// decideType chooses the type that the sums speak for most, news whatever they say
// if it is vetoed, and gives the runner-up and how likely the choice is right, 0..1.
// Lost must lead by a margin: a false search goes out to people's chats.
func (s *ModelSums) decideType(vetoed bool, margin int) (best, second int, confidence float64) {
	score := slices.Clone(s[:len(ModelTypes)])
	score[slices.Index(ModelTypes[:], Lost)] -= margin
	best = slices.Index(score, slices.Max(score))
	if vetoed {
		best = slices.Index(ModelTypes[:], News)
	}
	score[best] = math.MinInt
	second = slices.Index(score, slices.Max(score))
	if vetoed {
		return best, second, 1
	}
	return best, second, s.chances()[best]
}

// alternatives are the types besides best with how likely each is, lost not where
// the margin rules it out.
func (s *ModelSums) alternatives(best, margin int) map[Type]float64 {
	const least = 0.01
	var likely map[Type]float64
	for k, chance := range s.chances() {
		if k == best || chance < least || ModelTypes[k] == Lost && margin == neverLost {
			continue
		}
		if likely == nil {
			likely = map[Type]float64{}
		}
		likely[ModelTypes[k]] = chance
	}
	return likely
}

// chances are how likely each type is by the sums alone.
func (s *ModelSums) chances() (chances [len(ModelTypes)]float64) {
	most, total := slices.Max(s[:len(ModelTypes)]), 0.0
	for k := range chances {
		chances[k] = math.Exp(float64(s[k]-most) / 100)
		total += chances[k]
	}
	for k := range chances {
		chances[k] /= total
	}
	return chances
}

// decideAnimal chooses the animal when the one that the words name has had its
// lead.
func (s *ModelSums) decideAnimal(named Animal, by animalBy) Animal {
	best, most := named, math.MinInt
	for k, animal := range ModelAnimals {
		sum := s[len(ModelTypes)+k]
		if animal == named {
			sum += leadAnimal[by]
		}
		if sum > most {
			best, most = animal, sum
		}
	}
	return best
}

// leadAnimal is the lead of the animal that a text's words name, by how they
// do, in hundredths of log odds. It is chosen by cross-validation.
var leadAnimal = [...]int{animalUntold: 400, animalHinted: 50, animalCalled: 400, animalNamed: 600}

// Leads that lost must have, in hundredths of log odds too.
const (
	usualLostMargin = 130
	neverLost       = math.MaxInt32
)

// lostMargin is none where the first words say outright that an animal is missing
// and nothing in the text says otherwise ("Пропал кот, фото в комментариях"), and
// more than anything where they say that it is home again: "НАЙДЕНА! Пропала …".
func (v *view) lostMargin() int {
	s := &v.signs
	others := s.of(sigFound, sigHold, sigSeen, sigFree, sigOwner, sigSeeksOwner, sigAdopt, sigFoster, sigMoney, sigHome, sigAdopted, sigSale, sigNews, sigNotPet, sigAdvice, sigEvent, sigFun)
	switch {
	case s.title[sigLost] >= outright && others == 0 && v.animalBy == animalNamed:
		return 0
	case s.title[sigHome] >= plain && s.sum[sigLost] >= outright && s.first[sigHome] < s.first[sigLost] && s.of(sigNotHome, sigNotPet) == 0:
		return neverLost
	}
	return usualLostMargin
}

// Prepared is a text as the classifier sees it: for the command learn, which
// trains on Features and measures by Decide.
type Prepared struct {
	Features []string // names, each once
	view     view
}

// Prepare reads a text without classifying it.
func Prepare(raw string) *Prepared {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	p := &Prepared{view: r.weigh(raw, "own")}
	for _, f := range r.features(&p.view.signs) {
		p.Features = append(p.Features, f.name)
	}
	return p
}

// Decide gives the type and the animal that sums lead to, and how sure the type
// is.
func (p *Prepared) Decide(sums *ModelSums) (Type, Animal, float64) {
	animal := sums.decideAnimal(p.view.animal, p.view.animalBy)
	if p.view.typ != "" {
		return p.view.typ, animal, 1
	}
	best, _, confidence := sums.decideType(p.view.veto != "", p.view.lostMargin())
	return ModelTypes[best], animal, confidence
}
