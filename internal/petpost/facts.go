package petpost

import (
	"regexp"
	"slices"
	"strings"

	"vestnik/internal/post"
)

// FactKind is the kind of a fact.
type FactKind string

// What of a search its readers can act on.
const (
	FactPhone  FactKind = "phone"
	FactPlace  FactKind = "place"
	FactReward FactKind = "reward"
)

// Fact is something that helps to find the animal.
type Fact struct {
	Kind FactKind `json:"kind"`
	Text string   `json:"text,omitempty"` // a phone in E.164, a place as written
}

// Addition is what a post of a case says that those before it did not.
type Addition struct {
	Post  post.ID `json:"post"`
	Facts []Fact  `json:"facts,omitempty"`
	// Seen: it tells where or when the animal was seen; what else it says stands
	// beside that.
	Seen bool `json:"seen,omitempty"`
}

// String names what is added, without a word of the post's.
func (a Addition) String() string {
	var kinds []string
	for _, fact := range a.Facts {
		kinds = append(kinds, string(fact.Kind))
	}
	if a.Seen {
		kinds = append(kinds, "sighting")
	}
	return strings.Join(kinds, ", ")
}

// CaseNews returns what each post of a case adds to those before it. The first
// says what is known.
func CaseNews(posts []Post) []Addition {
	known := knowledge{phones: map[string]bool{}}
	news := make([]Addition, len(posts))
	for i := range posts {
		news[i] = Addition{Post: posts[i].ID}
		if i == 0 || known.hears(&posts[0], &posts[i]) {
			known.add(&posts[i], &news[i])
		}
	}
	if len(news) > 0 {
		news[0] = Addition{Post: posts[0].ID}
	}
	return news
}

// Additions are what the other posts of a case add to one, sightings aside:
// those are told by themselves.
func Additions(to Post, others []Post) []Addition {
	news := CaseNews(append([]Post{to}, others...))
	return slices.DeleteFunc(news, func(n Addition) bool { return n.Seen || len(n.Facts) == 0 })
}

// knowledge is what the posts of a case have said so far.
type knowledge struct {
	phones map[string]bool
	places []string
	reward bool
	seen   []Reading // the sightings, each read by itself
}

// hears reports whether a post may add to what the first one says: a sighting's
// phone is not the owner's.
func (k *knowledge) hears(first, post *Post) bool {
	kind := post.Reading.Type
	return post.DeletedAt.IsZero() && (kind == first.Reading.Type || kind == Sighting || groupOf(kind) == noAnimal)
}

func (k *knowledge) add(post *Post, news *Addition) {
	reading := &post.Reading
	if sighting, is := sightingIn(reading); is && !slices.ContainsFunc(k.seen, sighting.sameSighting) {
		k.seen = append(k.seen, sighting)
		news.Seen = !shared(placesIn(sighting.Location), k.places) // where it was lost is known
	}
	if reading.Type == Sighting {
		return
	}
	for _, phone := range reading.Callable() {
		if !k.phones[phone] {
			k.phones[phone] = true
			news.Facts = append(news.Facts, Fact{FactPhone, phone})
		}
	}
	places := post.Fingerprint.Places
	if place := post.Place(); place != "" && len(places) > 0 && !shared(places, k.places) && reading.Seen == "" {
		news.Facts = append(news.Facts, Fact{FactPlace, place})
	}
	k.places = append(k.places, places...)
	if slices.Contains(reading.Traits, TraitReward) && !k.reward {
		k.reward = true
		news.Facts = append(news.Facts, Fact{Kind: FactReward})
	}
}

// sightingIn reads the sighting that a post tells of, if it says where or when.
func sightingIn(reading *Reading) (Reading, bool) {
	sighting := *reading
	if reading.Type != Sighting {
		if reading.Seen == "" || reading.Type != Lost && groupOf(reading.Type) != noAnimal {
			return Reading{}, false
		}
		sighting = Parse(Input{Text: reading.Seen})
	}
	return sighting, sighting.Location != "" || sighting.When != ""
}

// sameSighting reports whether two sightings are one told twice.
func (r Reading) sameSighting(other Reading) bool {
	if r.Location == "" || other.Location == "" {
		return r.Location == other.Location && strings.EqualFold(r.When, other.When)
	}
	return shared(placesIn(r.Location), placesIn(other.Location)) || strings.EqualFold(r.Location, other.Location)
}

// placesIn are the stems of a place's names, its town's among them.
func placesIn(location string) []string {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	places, towns := r.placeKeys(location)
	return append(places, towns...)
}

// mostContinuing is how many words may continue an earlier post.
const mostContinuing = 12

// continuing is how such posts begin.
var continuing = regexp.MustCompile(`(?i)^[^\p{L}\d]*(?:(?:и|а|по|ещ[её]|также|можно|забыл\p{L}*|дополн\p{L}*|тел\p{L}*|номер\p{L}*|звон\p{L}*|вознагр\p{L}*|видел\p{L}*|вчера|сегодня|upd|ps|зы)(?:\P{L}|$)|[78][\d (-])`)

// Callable are the phones to call: all but those that money is sent to.
func (r *Reading) Callable() []string { return without(r.Phones, r.Accounts) }

// townMark is how a town or village is marked.
var townMark = regexp.MustCompile(`(?i)(?:^|[ ,])(?:г|с|д|п|дер|пос|пгт|рп)\.`)

// anywhere is a place that every street has.
var anywhere = regexp.MustCompile(`(?i)(?:дорог|трасс|улиц|двор|подъезд|дома|обочин|забор|ворот|магазин|перекр[её]ст|гараж)\p{L}*$`)

// Place is the place that a reader is told, "" rather than a wrong one: of a
// search whatever tells streets apart, of an advert its town or a house.
func (p Post) Place() string {
	location := p.Reading.Location
	r := readers.Get().(*reader)
	defer readers.Put(r)
	places, towns := r.placeKeys(location)
	switch groupOf(p.Reading.Type) {
	case adverts:
		named := townMark.MatchString(location)
		for i := range r.text.words {
			named = named || r.text.has(i, "settlement")
		}
		if len(towns) == 0 && len(houses(places)) == 0 && !named {
			return ""
		}
	case searches:
		if p.Reading.Type == Reunited || len(places)+len(towns) == 0 && anywhere.MatchString(location) {
			return ""
		}
	default:
		return ""
	}
	return location
}

// Continues reports whether a post goes on with what its author has just
// posted: "И по номеру 8 900 …". It says something, but of no animal, and
// nothing else.
func (p Post) Continues() bool {
	r := &p.Reading
	if p.Origin.PostID != 0 || r.Animal != "" || r.Name != "" || groupOf(r.Type) != noAnimal && r.Type != Sighting {
		return false
	}
	if len(strings.Fields(p.Text)) > mostContinuing || !continuing.MatchString(p.Text) {
		return false
	}
	for _, evidence := range r.Evidence {
		if strings.HasPrefix(evidence.Rule, "news.") || strings.HasPrefix(evidence.Rule, "not-pet.") {
			return false
		}
	}
	return len(r.Phones) > 0 || r.Seen != "" || slices.Contains(r.Traits, TraitReward)
}

// seen is the first sentence that tells where or when the animal was seen, as
// written.
func (r *reader) seen() string {
	for k := range r.found {
		m := &r.found[k]
		if m.pattern.rule.signal != sigSeen || m.pattern.rule.weight < plain {
			continue
		}
		s := r.text.sentences[r.text.words[m.anchor].sentence]
		if s.question {
			continue
		}
		said := r.text.rawOf(int(s.from), int(s.to))
		rest := r.text.raw[r.text.words[s.to-1].end:]
		return said + rest[:len(rest)-len(strings.TrimLeft(rest, "»”\")"))]
	}
	return ""
}
