package petpost

// signal is what a phrase tells about a post. Signals are summed and decide.go
// weighs the sums against each other.
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
	signals
)

var signalNames = [signals]string{
	"quiet", "lost", "own-animal", "found", "hold", "sighting", "not-held", "owner-wanted", "old-or-new-owner-wanted", "adoption", "profile", "foster", "fundraising",
	"account", "reunited", "not-home-yet", "adopted", "sale", "news", "thanks", "not-a-pet", "advice", "event",
}
