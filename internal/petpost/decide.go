package petpost

import "strings"

// scores are the sums of a text's evidence by signal.
type scores struct {
	sum   [signals]int
	title [signals]int // the part that stands in the first two sentences
	first [signals]int // 1 + word index of the first match
	adopt int          // the weight of the best rule for adoption
	lost  int          // the weight of the best rule for lost: hints alone do not make a search
}

// titleSentences is how many sentences a reader takes in before deciding what
// a post is about; evidence there counts half as much again.
const titleSentences = 2

// sum adds up the evidence. A rule that matches again counts half the second
// time and nothing after that: three ways to say "ищет дом" are one request.
func (r *reader) sum(v *view, source string) scores {
	var s scores
	t := &r.text
	type use struct {
		rule  *rule
		times int
	}
	var uses [64]use
	used := 0
	for k := range r.found {
		m := &r.found[k]
		rule := m.phrase.rule
		if rule.signal == sigQuiet {
			continue
		}
		times := 0
		for i := range used {
			if uses[i].rule == rule {
				uses[i].times++
				times = uses[i].times
			}
		}
		if times == 0 && used < len(uses) {
			uses[used] = use{rule, 0}
			used++
		}
		weight := rule.weight
		switch {
		case rule.signal == sigProfile:
			if times > 6 {
				weight = 0
			}
		case times == 1:
			weight /= 2
		case times > 1:
			weight = 0
		}
		switch rule.signal {
		case sigLost:
			s.lost = max(s.lost, rule.weight)
		case sigAdopt:
			s.adopt = max(s.adopt, rule.weight)
		}
		title := t.words[m.anchor].sentence < titleSentences
		if title {
			weight += weight / 2
			s.title[rule.signal] += weight
		}
		s.sum[rule.signal] += weight
		if s.first[rule.signal] == 0 || m.from+1 < s.first[rule.signal] {
			s.first[rule.signal] = m.from + 1
		}
		if weight != 0 {
			v.evidence = append(v.evidence, Evidence{
				Field: "type", Rule: rule.name, Points: signalNames[rule.signal],
				Words: t.rawOf(m.from, m.to), Weight: weight, Source: source,
			})
		}
	}
	if from, to := r.cardNumber(); from >= 0 {
		s.sum[sigAccount] += cardWeight
		v.evidence = append(v.evidence, Evidence{
			Field: "type", Rule: "account.number", Points: signalNames[sigAccount],
			Words: t.rawOf(from, to), Weight: cardWeight, Source: source,
		})
	}
	return s
}

// Thresholds, in the weights of the rule tables: a request said outright is 10,
// a plain word for it 6 to 8, a hint less.
const (
	outright = 10
	plain    = 6
)

// decide chooses the type of one text. The order of the steps is the order of
// precedence; clear is false where only the lack of evidence decided.
func (r *reader) decide(v *view) (typ Type, clear bool) {
	t := &r.text
	s := &v.scores.sum
	title := &v.scores.title
	if t.letters == 0 && t.hashtags == 0 && len(v.reading.Phones) == 0 {
		switch {
		case t.links+t.mentions > 0:
			return Link, false
		case strings.TrimSpace(t.raw) == "":
			return Empty, false
		}
		return Unknown, false
	}

	lost := s[sigLost]
	adopt := s[sigAdopt]
	owner := s[sigOwner]
	switch seeks := s[sigSeeksOwner]; {
	case seeks == 0:
	case r.seeksOldOwner(v):
		owner += seeks
	default:
		adopt += seeks
	}
	seen := s[sigSeen] + s[sigFree]
	side := s[sigFound] + owner + seen // found and sighting together
	if mine := s[sigMine]; lost > 0 {
		lost += min(mine, 8)
		if mine >= 5 && s[sigFound] == 0 {
			side -= seen // seen by others, told by the owner
		}
	} else if mine > 0 && seen > 0 && owner+s[sigFound]+s[sigHold] < 5 {
		lost = seen + mine // who saw it knows it: "пробежала моя собака"
	} else if mine >= plain && adopt == 0 {
		lost = mine / 2
	}
	if adopt > 0 {
		adopt += min(s[sigProfile], 8)
	}
	money := s[sigMoney]
	if money > 0 || v.scores.adopt < 8 && s[sigAccount] >= plain && s[sigNews]+s[sigThanks] < outright {
		money += s[sigAccount]
	}
	named := r.petNamed() && r.kindMentioned(len(t.words))
	animal := v.animal != "" || v.reading.Name != "" || r.petMentioned()

	switch {
	case r.pointsAtLink(v):
		return Link, true
	case r.isScrap(v), len(v.reading.Phones) > 0 && r.onlyPhone():
		v.scrap = true
		return Unknown, false
	case s[sigAdvice] >= outright && s[sigAdvice] >= lost && side < outright && adopt < outright:
		return News, true
	case v.animal == "" && r.hasCable():
		v.notPet = true
		return News, true
	case named: // a pet is, whatever else is missing
	case title[sigNotPet] >= outright && v.scores.first[sigNotPet] < v.scores.first[sigLost] && !r.kindMentioned(v.scores.first[sigNotPet]+3):
		v.notPet = true
		return News, true
	case s[sigNotPet] >= plain && adopt < outright && !r.kindMentioned(len(t.words)) && (s[sigNotPet] >= outright || !r.petNamed()) || s[sigNotPet] >= outright && (s[sigNotPet] > lost && !r.kindMentioned(v.scores.first[sigNotPet])):
		v.notPet = true
		return News, true
	}

	if s[sigSale] >= 8 && title[sigSale] > 0 && (adopt < s[sigSale]+8 || !animal && !r.ofPet()) && lost < outright && money < outright && owner < outright {
		return News, true
	}
	if r.isHome(v, lost, adopt, money, owner) {
		return Reunited, true
	}
	if s[sigNotHome] >= plain && adopt < outright && side < outright && (lost > 0 || s[sigHold] == 0) {
		lost += s[sigNotHome]
	}
	if s[sigAdopted] >= 8 && money < outright && (adopt < outright || title[sigAdopted] > 0 && title[sigAdopt] == 0 && adopt < 2*outright) && lost < outright && side < 2*outright {
		return News, true
	}
	if v.scores.lost < plain && lost < 8 && !r.kindMentioned(len(t.words)) {
		lost = 0 // hints only, and of no animal
	}
	if !animal && lost < 12 && len(t.words) > 25 && len(v.reading.Phones) == 0 {
		lost = 0
	}

	if mine := s[sigMine]; mine == 0 && (owner >= outright && owner >= lost || lost <= 12 && seen >= outright && v.reading.Name == "" && len(v.reading.Phones) == 0) {
		lost = 0 // a finder's or a passer-by's guess: "наверное, сорвался с привязи"
	}

	best, typ := 0, Unknown
	choose := func(score int, candidate Type) {
		if score > best {
			best, typ = score, candidate
		}
	}
	if money >= outright {
		choose(money, Fundraising)
	}
	if adopt >= plain {
		if title[sigMoney] >= outright && title[sigAdopt] == 0 {
			adopt /= 2
		}
		choose(adopt+adopt/4, Adoption)
	}
	if lost >= plain {
		choose(lost+lost/4, Lost)
	}
	if side >= plain && (side > owner || owner >= outright) {
		total := side
		if owner < 5 && s[sigAdopt] >= 8 || owner < outright && adopt >= outright {
			total = owner + s[sigFound]/2
		}
		choose(total, r.foundOrSeen(v))
	}
	if best >= plain {
		if typ != Fundraising && typ != Lost && s[sigEvent] >= outright && title[sigEvent] > 0 && title[sigAdopt] == 0 && owner < outright {
			return News, true
		}
		if (s[sigNews]+s[sigSale] > best || title[sigNews] > title[sigAdopt] && title[sigNews] >= 12) && typ != Fundraising && owner < outright {
			return News, true
		}
		return typ, true
	}

	switch {
	case s[sigHome] > 0 && s[sigNotHome] == 0 && adopt == 0:
		return Reunited, false
	case s[sigFoster] >= plain && animal:
		return Adoption, true
	case s[sigAccount] >= plain && s[sigNews] < outright && s[sigThanks] == 0:
		return Fundraising, true
	case s[sigProfile] >= 8 && animal && s[sigNews]+s[sigThanks]+s[sigAdopted] == 0:
		return Adoption, true
	case s[sigNews]+s[sigSale]+s[sigEvent]+s[sigAdopted] >= 4:
		return News, true
	case s[sigThanks] > 0:
		return News, len(t.words) > 4
	case r.petMentioned() && adopt+s[sigProfile] >= 4 && adopt+s[sigProfile] >= side+lost:
		return Adoption, false
	case animal && side > 0 && side+s[sigHold] >= 5 && side+s[sigHold] > lost && !r.askedInGeneral():
		return r.foundOrSeen(v), false
	case animal && seen > 0 && v.reading.Location != "" && adopt+lost == 0:
		return Sighting, false
	case animal && lost >= 4 && s[sigProfile]+adopt < lost:
		return Lost, false
	case len(t.words) >= 6 && r.saysSomething():
		return News, false
	case t.letters == 0 && t.links+t.mentions > 0:
		return Link, false
	}
	return Unknown, false
}

// seeksOldOwner parts "ищем хозяев" of one who found an animal from that of one
// who gives it away: by what else is told of it.
func (r *reader) seeksOldOwner(v *view) bool {
	s := &v.scores.sum
	old := s[sigFound] + s[sigHold] + s[sigSeen] + s[sigFree] + s[sigOwner]
	home := s[sigAdopt] + s[sigProfile]
	return old > home
}

// foundOrSeen parts the animals that somebody holds from those that were seen.
func (r *reader) foundOrSeen(v *view) Type {
	s := &v.scores.sum
	held := s[sigHold]
	found := s[sigFound]
	switch {
	case s[sigFree] > held:
		return Sighting
	case held >= plain || held > 0 && held >= s[sigSeen]:
		return Found // people tell how they saw it before how they took it in
	case s[sigSeen] > found+held:
		return Sighting
	case found > 0 || held > 0:
		return Found
	case s[sigSeen] > 0:
		return Sighting
	case s[sigLost] > 0 && len(v.reading.Phones) == 0:
		return Sighting // "удрал в кусты. Кто потерял?"
	case v.reading.Location != "" && len(v.reading.Phones) == 0:
		return Sighting // "Чей пёс? Ленина 5"
	}
	return Found
}

// askedInGeneral reports advice and questions about animals in general.
func (r *reader) askedInGeneral() bool {
	s := 0
	for i := range r.text.words {
		if r.text.isWord(i, "если", "когда", "почему", "знали", "нужно", "можно") {
			s++
		}
	}
	return s > 1
}
