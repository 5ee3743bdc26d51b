package petpost

import "strings"

// A feature is something that the model knows a text by. Its name, as it stands
// in opinion.tsv:
//
//	w ищу      a word, cut to its stem
//	t ищу      the same within the first two sentences
//	b ищу дом  two neighbours in a sentence; animals, pets' names, colours and
//	           numbers stand for all of their kind, ^ is the sentence's begin
//	e ем       the last two letters of a word: who does it, and to whom
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
	featureEnding
	featureClass
	featureRule
	featureRuleTitle
	featureShape
	featureKinds
)

var featureNames = [featureKinds]string{"w", "t", "b", "e", "c", "r", "rt", "s"}

// The shapes of a text.
const (
	shapeAny = iota
	shapePhone
	shapeQuestion
	shapeNoPet  // neither an animal nor any word for a pet
	shapeCard   // the number of a bank card
	shapeLength // six of them, by tens of words
	shapes      = shapeLength + 6
)

var shapeNames = [shapes]string{"any", "phone", "question", "no pet", "card", "words 0", "words 10", "words 20", "words 30", "words 40", "words 50"}

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
	if !r.petMentioned() {
		shape(shapeNoPet)
	}
	if from, _ := r.cardNumber(); from >= 0 {
		shape(shapeCard)
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
		if letters := t.codesOf(w); len(letters) >= minEnding {
			visit(feature{featureEnding, letterHash(letters[len(letters)-2:]), i, i + 1})
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

// minEnding is how long a word must be for its last letters to be an ending.
const minEnding = 4

func (r *reader) token(i int) uint64 {
	t, c := &r.text, &r.rs.class
	w := &t.words[i]
	if w.lexTo > w.lexAt {
		switch {
		case t.has(i, c.kind):
			return tokenAnimal
		case t.has(i, c.nameKnown), t.has(i, c.nameAny):
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

// FeaturesOf lists the names of a text's features, for the command learn, with
// what the rules alone make of the text.
func FeaturesOf(raw string) (names []string, rulesSay RulesAnswer) {
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
		case featureEnding:
			letters := r.text.codesOf(&r.text.words[f.from])
			name += lettersOf(letters[len(letters)-2:])
		case featureClass:
			name += r.rs.names[f.id][1:]
		case featureRule, featureRuleTitle:
			name += r.rs.rules[f.id].name
		case featureShape:
			name += shapeNames[f.id]
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	})
	return names, v.rulesAnswer()
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
	return lettersOf(cutStem(r.text.codesOf(w)))
}

func lettersOf(codes []byte) string {
	var letters strings.Builder
	for _, c := range codes {
		letters.WriteRune(letterOf(c))
	}
	return letters.String()
}
