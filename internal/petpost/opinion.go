package petpost

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The rules know how people usually say what they want. A post that says it
// otherwise leaves them with a hint or two, and a wrong guess. So each type and
// each animal also gets a score from a linear model over the words of the text
// and the rules that matched it: opinion.tsv, learned from the labelled corpora
// by the command learn. The rules' own answer starts with a lead; where the model
// is surer than that lead, its answer stands, and the words that spoke for it are
// evidence.

//go:embed opinion.tsv
var opinionTable string

// Lead of the rules' answer, in hundredths of a natural logarithm of the odds.
// They are chosen by cross-validation.
const (
	leadClear = 100 // the rules found evidence for the type
	leadVague = 80  // they decided for lack of it

	// doubtOfLost is what the model must overtake besides to call a post a search
	// that the rules do not: a false search goes out to people's chats. It halves
	// the false ones and costs few of the true.
	doubtOfLost = 100
)

// leadAnimal is that of the rules' animal, by how they know it.
var leadAnimal = [...]int{animalUntold: 400, animalHinted: 50, animalCalled: 400, animalNamed: 600}

// OpinionTypes are the types that the model chooses from, and OpinionAnimals the
// animals, in the order of the columns of opinion.tsv.
var (
	OpinionTypes   = [...]Type{Lost, Found, Sighting, Adoption, Fundraising, Reunited, News}
	OpinionAnimals = [...]Animal{Dog, Cat, Other, ""}
)

// OpinionColumns is how many weights a feature has.
const OpinionColumns = len(OpinionTypes) + len(OpinionAnimals)

// OpinionSums are a text's sums of weights, in hundredths of log odds.
type OpinionSums [OpinionColumns]int

// RulesAnswer is what the rules alone make of a text.
type RulesAnswer struct {
	Type     Type
	clear    bool // they found evidence for it
	Animal   Animal
	animalBy animalBy
}

func (v *view) rulesAnswer() RulesAnswer {
	return RulesAnswer{Type: v.typ, clear: v.clear, Animal: v.animal, animalBy: v.animalBy}
}

// Weigh gives the columns of the type and of the animal that stand when the
// rules' answer has had its lead.
func (s OpinionSums) Weigh(rules RulesAnswer) (typ, animal int) {
	for i, t := range OpinionTypes {
		switch {
		case t == rules.Type && rules.clear:
			s[i] += leadClear
		case t == rules.Type:
			s[i] += leadVague
		case t == Lost:
			s[i] -= doubtOfLost
		}
		if s[i] > s[typ] {
			typ = i
		}
	}
	animal = len(OpinionTypes)
	for k, a := range OpinionAnimals {
		i := len(OpinionTypes) + k
		if a == rules.Animal {
			s[i] += leadAnimal[rules.animalBy]
		}
		if s[i] > s[animal] {
			animal = i
		}
	}
	return typ, animal
}

// opinion is the learned table: rows of weights, and where each feature's row is.
type opinion struct {
	weights [][OpinionColumns]int16
	// hashed has the rows of words and pairs, listed those of the other kinds by
	// id; row 0 is of features without weight.
	hashed [featureClass]map[uint64]int32
	listed [featureKinds][]int32
}

var learned = sync.OnceValue(func() *opinion { return readOpinion(opinionTable, compiled()) })

func readOpinion(table string, rs *ruleset) *opinion {
	o := &opinion{weights: make([][OpinionColumns]int16, 1)}
	ids := map[string]uint64{}
	for id, name := range rs.names {
		ids["c "+strings.TrimPrefix(name, "@")] = uint64(id)
	}
	for id := range rs.rules {
		ids["r "+rs.rules[id].name], ids["rt "+rs.rules[id].name] = uint64(id), uint64(id)
	}
	for id, name := range shapeNames {
		ids["s "+name] = uint64(id)
	}
	for kind := range o.hashed {
		o.hashed[kind] = map[uint64]int32{}
	}
	o.listed[featureClass] = make([]int32, len(rs.names))
	o.listed[featureRule] = make([]int32, len(rs.rules))
	o.listed[featureRuleTitle] = make([]int32, len(rs.rules))
	o.listed[featureShape] = make([]int32, shapes)
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != OpinionColumns+1 {
			panic(fmt.Sprintf("petpost: opinion.tsv: %d cells in the row of %q; run the command learn", len(cells), cells[0]))
		}
		var row [OpinionColumns]int16
		for i, cell := range cells[1:] {
			weight, err := strconv.ParseInt(cell, 10, 16)
			if err != nil {
				panic(fmt.Sprintf("petpost: opinion.tsv: bad weight %q of %q", cell, cells[0]))
			}
			row[i] = int16(weight)
		}
		at := int32(len(o.weights))
		o.weights = append(o.weights, row)
		name := strings.Split(cells[0], " ")
		switch name[0] {
		case "w":
			o.hashed[featureWord][tokenOf(name[1])] = at
		case "t":
			o.hashed[featureTitle][tokenOf(name[1])] = at
		case "e":
			o.hashed[featureEnding][tokenOf(name[1])] = at
		case "b":
			o.hashed[featurePair][pairOf(tokenOf(name[1]), tokenOf(name[2]))] = at
		default:
			// A class or rule that is no more says nothing.
			if id, ok := ids[cells[0]]; ok {
				for kind := featureClass; kind < featureKinds; kind++ {
					if featureNames[kind] == name[0] {
						o.listed[kind][id] = at
					}
				}
			}
		}
	}
	return o
}

func (o *opinion) row(f *feature) int32 {
	if f.kind < featureClass {
		return o.hashed[f.kind][f.id]
	}
	return o.listed[f.kind][f.id]
}

// secondOpinion lets the model overrule the rules where it is surer.
func (r *reader) secondOpinion(v *view, source string) {
	if v.typ == Link || v.typ == Empty || v.typ == Unknown && v.words < 6 || v.scrap {
		return
	}
	o := learned()
	rules := v.rulesAnswer()
	best, animal := r.opinionSums(o).Weigh(rules)
	if typ := OpinionTypes[best]; typ != rules.Type && v.mayBecome(typ) {
		v.typ = typ
		r.explainOpinion(o, v, best, slices.Index(OpinionTypes[:], rules.Type), Evidence{Field: "type", Points: string(typ), Source: source})
	}
	if a := OpinionAnimals[animal-len(OpinionTypes)]; a != rules.Animal {
		v.animal, v.animalBy = a, animalCalled
		against := len(OpinionTypes) + slices.Index(OpinionAnimals[:], rules.Animal)
		r.explainOpinion(o, v, animal, against, Evidence{Field: "animal", Points: string(a), Source: source})
	}
}

// mayBecome keeps the model from what the text denies outright: one that looks
// for the owner, and says nothing of a search, is none, and no happy end without
// a home; who tells how the animal is kept did not merely see it.
func (v *view) mayBecome(typ Type) bool {
	s := &v.scores.sum
	owner := s[sigOwner] + s[sigSeeksOwner]
	switch typ {
	case Reunited:
		return owner < outright || s[sigHome] > 0
	case Lost:
		return owner < outright || s[sigLost] >= plain && s[sigLost] >= owner || s[sigMine] > 0
	case Sighting:
		return v.typ != Found || !v.clear || s[sigHold] < outright || s[sigFree] > 0
	}
	return true
}

// opinionSums counts each feature once, however often the text has it.
func (r *reader) opinionSums(o *opinion) (sum OpinionSums) {
	r.newRound(o)
	r.features(func(f feature) {
		row := o.row(&f)
		if r.marks[row] == r.round {
			return
		}
		r.marks[row] = r.round
		for i, weight := range &o.weights[row] {
			sum[i] += int(weight)
		}
	})
	return sum
}

func (r *reader) newRound(o *opinion) {
	if len(r.marks) < len(o.weights) {
		r.marks = make([]uint32, len(o.weights))
	}
	r.round++
	if r.round == 0 { // after 2^32 rounds old marks would look new
		clear(r.marks)
		r.round = 1
	}
}

// explainOpinion records the three features that spoke most for the model's
// column against that of the rules, which is negative if they had none.
func (r *reader) explainOpinion(o *opinion, v *view, best, against int, e Evidence) {
	var top [3]struct {
		feature
		weight int
	}
	r.newRound(o)
	r.features(func(f feature) {
		row := o.row(&f)
		if f.from == f.to || r.marks[row] == r.round {
			return
		}
		r.marks[row] = r.round
		weight := int(o.weights[row][best])
		if against >= 0 {
			weight -= int(o.weights[row][against])
		}
		for i := range top {
			if weight > top[i].weight {
				copy(top[i+1:], top[i:])
				top[i].feature, top[i].weight = f, weight
				break
			}
		}
	})
	e.Rule = "learned"
	for _, f := range top {
		if f.weight > 0 {
			e.Words, e.Weight = r.text.rawOf(f.from, f.to), f.weight/10
			v.evidence = append(v.evidence, e)
		}
	}
}
