// Package petpost reads what people write on community walls about lost and
// found pets: what kind of post it is, which animal, where, when, whom to call.
//
// Reading is pure: no I/O, no clock, no randomness; the same text read by the
// same RulesetVersion always gives the same Reading. A post passes through
//
//	text.go      letters, look-alikes, stretched words -> words and sentences
//	lexicon.go   words -> the word classes they belong to
//	pattern.go   the lines of the lexicon's files of phrases and fields
//	match.go     word classes -> phrases, each explained by a rule
//	signals.go   rules -> signs: how plainly the text says what
//	features.go  words, rules and signs -> features
//	model.go     features -> the type and the animal, and how sure they are
//	vetoes.go    what the words rule out, however much the rest is like it
//	classify.go  the decision, and the words that it rests on
//	repost.go    a comment and the post under it -> one reading
//
// and the fields (phones, name, place, …) are read beside it, one file each; dates,
// ages, names and most places by patterns of the lexicon.
// Words and phrases are data: see lexicon/README.md. model.tsv is learned from
// the posts in testdata by `make model`, and `make eval` measures all of it;
// docs/understanding.md tells what came out. Which posts are about one animal is
// decided in cases.go over the fingerprints of fingerprint.go.
package petpost

import "time"

// RulesetVersion names the vocabulary, the model and the code of this build. It
// is stored with every reading; raise it with any change that can alter one.
const RulesetVersion = 12

// Type is what a post asks of its reader.
type Type string

// The types of a post.
const (
	Lost        Type = "lost"        // an owner or friend looks for a missing pet
	Found       Type = "found"       // somebody holds an animal that is somebody's
	Sighting    Type = "sighting"    // an animal was seen and is not held
	Adoption    Type = "adoption"    // an animal looks for a home
	Fundraising Type = "fundraising" // money is asked for
	Reunited    Type = "reunited"    // the lost animal is home again
	News        Type = "news"        // thanks, events, adverts, everything else with text
	Link        Type = "link"        // nothing but links and mentions
	Empty       Type = "empty"       // no text at all, here or in the reposts
	Unknown     Type = "unknown"     // a scrap without context
)

// Types lists every type, most urgent first.
var Types = []Type{Lost, Found, Sighting, Adoption, Fundraising, Reunited, News, Link, Empty, Unknown}

// Animal is the kind of animal a post is about; empty when the post does not say.
type Animal string

// The animals.
const (
	Dog   Animal = "dog"
	Cat   Animal = "cat"
	Other Animal = "other" // birds, rabbits, turtles, ferrets, …
)

// Sex is the animal's sex; empty when the post does not say or speaks of several.
type Sex string

// The sexes.
const (
	Male   Sex = "male"
	Female Sex = "female"
)

// Input is a post as the wall gives it.
type Input struct {
	// Text is the author's own text, with VK markup.
	Text string
	// Reposts holds the texts of copy_history, nearest parent first, original last.
	Reposts []string
	// PostedAt is the time of the post; it may be zero.
	PostedAt time.Time
	// Wall is what the author's wall repeats; nil where that is not known.
	Wall *WallContext
}

// Reading is what was understood. Every text field is a piece of the post as
// it was written; an empty field means that the post does not say.
type Reading struct {
	Type     Type
	Animal   Animal
	Sex      Sex
	Name     string   // the pet's
	Phones   []string // E.164, in the order of the text, own text first
	Accounts []string `json:",omitempty"` // those of Phones that money is sent to
	Location string   // the most precise place, as written
	When     string   // date and time of the event, as written
	Contacts []string // "@screen_name" of VK accounts, then people's names
	Breed    string   // as written
	Age      string   // as written
	Color    string   // as written
	Traits   []string // those that lexicon/traits.txt names
	Seen     string   `json:",omitempty"` // the sentence that tells where or when it was seen
	Evidence []Evidence
	// Confidence is how likely Type is right, 0..1, as calibrated on posts that
	// the model had not seen.
	Confidence float64
	// Alternatives are the types that it may be instead, with how likely each is,
	// where that is a hundredth or more.
	Alternatives map[Type]float64 `json:",omitempty"`
	// ByHand: a person has said what Type it is.
	ByHand bool `json:"-"`
	// SetAside is what of the own text was not read, as boilerplate of the wall:
	// without it the text gives the same Reading again.
	SetAside []string `json:",omitempty"`
}

// Evidence is one reason for a decision.
type Evidence struct {
	Field  string `json:"field"`  // "type" or "animal"
	Rule   string `json:"rule"`   // name of the rule in the tables
	Points string `json:"points"` // the value that it speaks for, such as "lost" or "cat"
	Words  string `json:"words"`  // the words that matched, as written
	Weight int    `json:"weight"` // negative speaks against
	Source string `json:"source"` // "own" or "repost": which text the words stand in
}
