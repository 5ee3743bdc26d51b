package petpost

// signal is what a phrase is a sign of. Rules name it in their headings; the
// classifier weighs the signs of a text.
type signal uint8

const (
	sigQuiet      signal = iota // explains a word without meaning anything
	sigLost                     // a pet is missing
	sigMine                     // the author knows the animal: its name, "наш кот"
	sigFound                    // an animal was found
	sigHold                     // and is kept somewhere
	sigSeen                     // an animal was seen, or roams
	sigFree                     // and could not be caught or taken in
	sigOwner                    // its owner is looked for
	sigSeeksOwner               // "ищет хозяина": the old one or a new one
	sigAdopt                    // a home is looked for
	sigProfile                  // praise and health, as in adverts of animals
	sigFoster                   // a temporary home is looked for
	sigMoney                    // money is asked for
	sigAccount                  // card or account details
	sigHome                     // the animal is home again
	sigNotHome                  // the search goes on
	sigAdopted                  // the animal has a new home
	sigSale                     // something is sold, bought or advertised
	sigNews                     // announcements, adverts, reports
	sigThanks                   // thanks
	sigNotPet                   // a thing or a person is missing
	sigAdvice                   // instructions in general
	sigEvent                    // exhibition, lecture, contest
	sigFun                      // a joke, a riddle, a quiz, a verse
	signals
)

var signalNames = [signals]string{
	"quiet", "lost", "own-animal", "found", "hold", "sighting", "not-held", "owner-wanted", "old-or-new-owner-wanted", "adoption", "profile", "foster", "fundraising",
	"account", "reunited", "not-home-yet", "adopted", "sale", "news", "thanks", "not-a-pet", "advice", "event", "fun",
}

// signs are the sums of what the rules found in a text, by signal.
type signs struct {
	sum   [signals]int
	title [signals]int // the part that stands in the first two sentences
	first [signals]int // 1 + word index of the first match
}

// titleSentences is how many sentences a reader takes in before deciding what
// a post is about; signs there count half as much again.
const titleSentences = 2

// Thresholds, in the weights of the rules: what is said outright is 10, a plain
// word for it 6 to 8, a hint less.
const (
	outright = 10
	plain    = 6
)

// of adds up several signals.
func (s *signs) of(which ...signal) (sum int) {
	for _, w := range which {
		sum += s.sum[w]
	}
	return sum
}

// read adds up the matches. A rule that matches again counts half the second
// time and nothing after that: three ways to say "ищет дом" are one request.
func (s *signs) read(r *reader) {
	*s = signs{}
	used := map[*rule]int{}
	for k := range r.found {
		m := &r.found[k]
		rule := m.pattern.rule
		if rule.signal == sigQuiet {
			continue
		}
		weight := rule.weight
		switch times := used[rule]; {
		case rule.signal == sigProfile && times <= 6:
		case times == 1:
			weight /= 2
		case times > 1:
			weight = 0
		}
		used[rule]++
		if r.text.words[m.anchor].sentence < titleSentences {
			weight += weight / 2
			s.title[rule.signal] += weight
		}
		s.sum[rule.signal] += weight
		if first := &s.first[rule.signal]; *first == 0 || m.from+1 < *first {
			*first = m.from + 1
		}
	}
	if r.namesCard() {
		s.sum[sigAccount] += cardWeight
	}
}
