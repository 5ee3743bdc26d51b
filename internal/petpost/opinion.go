package petpost

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// The rules know how people usually say what they want. A post that says it
// otherwise leaves them with a hint or two, and a wrong guess. So each type also
// gets a score from a linear model over the words of the text and the rules that
// matched it: opinion.tsv, learned from the labelled corpora by the command
// learn. The rules' own answer starts with a lead; where the model is surer than
// that lead, its answer stands, and the words that spoke for it are evidence.

//go:embed opinion.tsv
var opinionTable string

// Lead of the rules' answer, in hundredths of a natural logarithm of the odds.
const (
	LeadClear = 100 // the rules found evidence
	LeadVague = 40  // they decided for lack of it

	// DoubtOfLost is what the model must overtake besides to call a post a search
	// that the rules do not: a false search goes out to people's chats. By
	// cross-validation it halves the false ones and costs few of the true.
	DoubtOfLost = 60
)

// OpinionTypes are the types that the model chooses from, in the order of the
// columns of opinion.tsv.
var OpinionTypes = [...]Type{Lost, Found, Sighting, Adoption, Fundraising, Reunited, News}

const opinionColumns = len(OpinionTypes)

// A feature is something that the model knows a text by. Its name, as it stands
// in opinion.tsv:
//
//	w ищу      a word, cut to its stem
//	t ищу      the same within the first two sentences
//	b ищу дом  two neighbours in a sentence; animals, pets' names, colours and
//	           numbers stand for all of their kind, ^ is the sentence's begin
//	c seek     a word of a class
//	r, rt      a rule that matched, anywhere or within the first two sentences
//	s …        the shape of the text
type feature struct {
	kind featureKind
	// id is a class, the number of a rule, a shape, or a hash of letters.
	id       uint64
	from, to int // the words that it stands for; equal for a shape
}

type featureKind uint8

const (
	featureWord featureKind = iota
	featureTitle
	featurePair
	featureClass
	featureRule
	featureRuleTitle
	featureShape
	featureKinds
)

var featureNames = [featureKinds]string{"w", "t", "b", "c", "r", "rt", "s"}

// The shapes of a text.
const (
	shapeAny = iota
	shapePhone
	shapeQuestion
	shapeLength // six of them, by tens of words
	shapes      = shapeLength + 6
)

var shapeNames = [shapes]string{"any", "phone", "question", "words 0", "words 10", "words 20", "words 30", "words 40", "words 50"}

// Tokens stand for all words of a kind; hashes of letters are greater.
const (
	tokenNumber = iota
	tokenNoLetters
	tokenBegin
	tokenAnimal
	tokenName
	tokenColor
	tokens
)

var tokenNames = [tokens]string{"#", "~", "^", "@animal", "@name", "@color"}

// opinion is the learned table: rows of weights, and where each feature's row is.
type opinion struct {
	weights [][opinionColumns]int16
	// hashed has the rows of words and pairs, listed those of the other kinds by
	// id; row 0 is of features without weight.
	hashed [featureClass]map[uint64]int32
	listed [featureKinds][]int32
}

var learned = sync.OnceValue(func() *opinion { return readOpinion(opinionTable, compiled()) })

func readOpinion(table string, rs *ruleset) *opinion {
	o := &opinion{weights: make([][opinionColumns]int16, 1)}
	ids := map[string]uint64{}
	for id, name := range rs.names {
		ids["c "+strings.TrimPrefix(name, "@")] = uint64(id)
	}
	for id := range rules {
		ids["r "+rules[id].name], ids["rt "+rules[id].name] = uint64(id), uint64(id)
	}
	for id, name := range shapeNames {
		ids["s "+name] = uint64(id)
	}
	for kind := range o.hashed {
		o.hashed[kind] = map[uint64]int32{}
	}
	o.listed[featureClass] = make([]int32, len(rs.names))
	o.listed[featureRule] = make([]int32, len(rules))
	o.listed[featureRuleTitle] = make([]int32, len(rules))
	o.listed[featureShape] = make([]int32, shapes)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != opinionColumns+1 {
			continue // a comment
		}
		var row [opinionColumns]int16
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

// tokenOf is the token, or the hash of the letters, that a name stands for.
func tokenOf(name string) uint64 {
	for token, n := range tokenNames {
		if n == name {
			return uint64(token)
		}
	}
	return letterHash(codesOf(name))
}

func letterHash(letters []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range letters {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h | 1<<63
}

func pairOf(a, b uint64) uint64 { return a*0x9E3779B97F4A7C15 ^ b }

// features calls visit for each feature of the text, some more than once.
func (r *reader) features(visit func(feature)) {
	t := &r.text
	shape := func(id uint64) { visit(feature{kind: featureShape, id: id}) }
	shape(shapeAny)
	if len(r.phones) > 0 {
		shape(shapePhone)
	}
	for i := range t.sentences {
		if t.sentences[i].question {
			shape(shapeQuestion)
			break
		}
	}
	shape(uint64(shapeLength + min(5, len(t.words)/10)))

	previous := uint64(tokenBegin)
	for i := range t.words {
		w := &t.words[i]
		begins := int(t.sentences[w.sentence].from) == i
		if begins {
			previous = tokenBegin
		}
		for _, class := range t.lexOf(w) {
			if r.rs.names[class][0] == '@' {
				visit(feature{featureClass, uint64(class), i, i + 1})
			}
		}
		token := r.token(i)
		if token != tokenColor {
			letters := token
			if token == tokenAnimal || token == tokenName {
				letters = letterHash(cutStem(t.codesOf(w)))
			}
			visit(feature{featureWord, letters, i, i + 1})
			if w.sentence < titleSentences {
				visit(feature{featureTitle, letters, i, i + 1})
			}
		}
		from := i
		if !begins {
			from--
		}
		visit(feature{featurePair, pairOf(previous, token), from, i + 1})
		previous = token
	}
	for k := range r.found {
		m := &r.found[k]
		visit(feature{featureRule, uint64(m.phrase.ruleID), m.from, m.to})
		if t.words[m.anchor].sentence < titleSentences {
			visit(feature{featureRuleTitle, uint64(m.phrase.ruleID), m.from, m.to})
		}
	}
}

func (r *reader) token(i int) uint64 {
	t, c := &r.text, &r.rs.class
	w := &t.words[i]
	if w.lexTo > w.lexAt {
		switch {
		case t.has(i, c.kind):
			return tokenAnimal
		case t.has(i, c.nameKnown):
			return tokenName
		case t.has(i, c.color):
			return tokenColor
		}
	}
	if w.kind == kindNumber {
		return tokenNumber
	}
	if w.codeTo == w.codeAt {
		return tokenNoLetters
	}
	return letterHash(cutStem(t.codesOf(w)))
}

// cutStem cuts a word to about its stem: short words lose nothing, long ones up
// to three letters, and none keeps more than seven.
func cutStem(letters []byte) []byte {
	switch n := len(letters); {
	case n > 5:
		return letters[:min(7, max(5, n-3))]
	case n == 5:
		return letters[:4]
	}
	return letters
}

// secondOpinion lets the model overrule the rules where it is surer.
func (r *reader) secondOpinion(v *view, source string) {
	if v.typ == Link || v.typ == Empty || v.typ == Unknown && v.words < 6 {
		return
	}
	o := learned()
	sum := r.opinionSums(o)
	best := 0
	for i, t := range OpinionTypes {
		if t == v.typ && v.clear {
			sum[i] += LeadClear
		} else if t == v.typ {
			sum[i] += LeadVague
		}
		if t == Lost && v.typ != Lost {
			sum[i] -= DoubtOfLost
		}
		if sum[i] > sum[best] {
			best = i
		}
	}
	if was := v.typ; OpinionTypes[best] != was {
		v.typ = OpinionTypes[best]
		r.explainOpinion(o, v, was, best, source)
	}
}

// opinionSums counts each feature once, however often the text has it.
func (r *reader) opinionSums(o *opinion) (sum [opinionColumns]int) {
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
// type against that of the rules.
func (r *reader) explainOpinion(o *opinion, v *view, was Type, best int, source string) {
	against := -1
	for i, t := range OpinionTypes {
		if t == was {
			against = i
		}
	}
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
	for _, f := range top {
		if f.weight > 0 {
			v.evidence = append(v.evidence, Evidence{
				Field: "type", Rule: "learned", Points: string(v.typ),
				Words: r.text.rawOf(f.from, f.to), Weight: f.weight / 10, Source: source,
			})
		}
	}
}

// Features lists the names of a text's features, for the command learn, with
// what the rules alone make of the text and whether they found evidence for it.
func Features(raw string) (names []string, rulesSay Type, clear bool) {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	v := r.weigh(raw, "own")
	seen := map[string]bool{}
	previous := tokenNames[tokenBegin]
	r.features(func(f feature) {
		name := featureNames[f.kind] + " "
		switch f.kind {
		case featureWord, featureTitle:
			name += r.stemName(f.from)
		case featurePair:
			token := r.tokenName(f.to - 1)
			if int(r.text.sentences[r.text.words[f.to-1].sentence].from) == f.to-1 {
				previous = tokenNames[tokenBegin]
			}
			name += previous + " " + token
			previous = token
		case featureClass:
			name += r.rs.names[f.id][1:]
		case featureRule, featureRuleTitle:
			name += rules[f.id].name
		case featureShape:
			name += shapeNames[f.id]
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	})
	return names, v.typ, v.clear
}

func (r *reader) tokenName(i int) string {
	if token := r.token(i); token < tokens {
		return tokenNames[token]
	}
	return r.stemName(i)
}

func (r *reader) stemName(i int) string {
	w := &r.text.words[i]
	switch {
	case w.kind == kindNumber:
		return tokenNames[tokenNumber]
	case w.codeTo == w.codeAt:
		return tokenNames[tokenNoLetters]
	}
	var name strings.Builder
	for _, c := range cutStem(r.text.codesOf(w)) {
		name.WriteRune(letterOf(c))
	}
	return name.String()
}
