package petpost

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/post"
)

// Decision reports whether two posts are about one animal, and why. Reason is
// meant for operators; it holds no phone numbers or names.
type Decision struct {
	Same   bool
	Reason string
}

const (
	// textWindow is how long after a post the same text is still the same
	// search; people post a missing dog for months.
	textWindow = 180 * 24 * time.Hour
	// phoneWindow is how long a phone stands for the same animal.
	phoneWindow = 45 * 24 * time.Hour
	// strangersWindow is how long a name, a breed and a street do.
	strangersWindow = 14 * 24 * time.Hour

	sameText        = 0.60 // share of word pairs
	sameTextAdverts = 0.80 // adverts of animals are written from templates

	sameTextAdvertsPhone = 0.70 // one person's next advert says another name, colour or age

	alikeWording = 0.25 // one author, or one template

	never   = 2  // no share of a text
	telling = 15 // words that are more than a formula
)

// SameCase decides whether two posts are about one animal:
//
//  1. the same original post;
//  2. otherwise no contradiction in animal, name, colour, age or sex;
//  3. near-identical text;
//  4. the same phone, or the same photo on another wall, with enough else in
//     common: a volunteer's phone stands under a dozen animals;
//  5. the same name and place, and with phones of two people more than that:
//     there are many Barsiks in a long street.
//
// In doubt they stay two: an animal that is told twice is a nuisance, one that
// is not told is lost.
func SameCase(a, b Fingerprint) Decision {
	if a.Origin == b.Origin && a.Origin != (post.ID{}) {
		return Decision{true, "both go back to " + a.Origin.String()}
	}
	groupA, groupB := groupOf(a.Type), groupOf(b.Type)
	if groupA == noAnimal || groupB == noAnimal {
		return Decision{false, "no animal to compare"}
	}
	if reason := contradiction(&a, &b); reason != "" {
		return Decision{false, reason}
	}
	between := a.At.Sub(b.At).Abs()

	like := similarity(&a, &b)
	if like >= enough(&a, &b) && between <= textWindow {
		return Decision{true, fmt.Sprintf("%.0f %% of the text is the same", 100*like)}
	}
	switch {
	case groupA != groupB, between > phoneWindow:
		return Decision{false, "different texts"}
	case groupA == adverts && otherNames(&a, &b, like):
		return Decision{false, "other names in other words"}
	}
	points, words := inCommon(&a, &b, like)
	var same []string
	if shared(a.Phones, b.Phones) {
		points += phoneWorth(a.Type, b.Type)
		same = append(same, "phone")
	}
	if samePhoto(&a, &b) {
		points += photoWorth(&a, &b)
		same = append(same, "photo")
	}
	what := "same " + strings.Join(same, " and ")
	switch {
	case len(same) > 0 && points >= 2:
		return Decision{true, what + words}
	case len(same) > 0:
		return Decision{false, what + ", but too little else in common"}
	case a.Name == "" || a.Name != b.Name || a.Animal != b.Animal || a.Animal == "" || !shared(a.Places, b.Places):
		return Decision{false, "different texts and phones"}
	case apart(a.Phones, b.Phones) && !shared(houses(a.Places), houses(b.Places)) && (!shared(a.Breeds, b.Breeds) || between > strangersWindow):
		return Decision{false, "the same name and street, but different phones and no house"}
	}
	return Decision{true, "no shared phone, but" + strings.TrimPrefix(words, ",")}
}

// enough is how much of two texts must be the same for one animal.
func enough(a, b *Fingerprint) float64 {
	named := a.Name != "" && a.Name == b.Name
	switch {
	case groupOf(a.Type) == searches && groupOf(b.Type) == searches:
		if apart(a.Phones, b.Phones) && !named && !shared(a.Places, b.Places) && min(a.Words, b.Words) < telling {
			return never // "Пропал кот, рыжий. Вознаграждение" is anybody's
		}
		return sameText
	case named:
		return sameText
	case otherNames(a, b, sameText):
		return never
	case shared(a.Phones, b.Phones):
		return sameTextAdvertsPhone
	}
	return sameTextAdverts
}

// otherNames reports whether two adverts seem to call their animals by names
// which the readings do not know for such: each has words of its own that are
// written like names. Where the wording is another such words are many, so
// there they must have none in common.
func otherNames(a, b *Fingerprint, like float64) bool {
	if a.Name != "" && a.Name == b.Name || callsBy(a, b.Name) || callsBy(b, a.Name) {
		return false
	}
	if like < alikeWording {
		return apart(a.Proper, b.Proper)
	}
	return len(without(a.Proper, b.Proper)) > 0 && len(without(b.Proper, a.Proper)) > 0
}

// group parts the posts that can be about one animal.
type group int

const (
	noAnimal group = iota
	searches       // lost, found, seen, home again
	adverts        // looks for a home, or for money
)

func groupOf(t Type) group {
	switch t {
	case Lost, Found, Sighting, Reunited:
		return searches
	case Adoption, Fundraising:
		return adverts
	}
	return noAnimal
}

// HasAnimal reports a type of posts that are each about one animal.
func (t Type) HasAnimal() bool { return groupOf(t) != noAnimal }

// contradiction names what cannot be true of one animal. What colour or breed
// it has is a matter of opinion: under one phone and one name it may be told in
// two ways.
func contradiction(a, b *Fingerprint) string {
	known := shared(a.Phones, b.Phones) && a.Name != "" && a.Name == b.Name
	advert := groupOf(a.Type) == adverts || groupOf(b.Type) == adverts
	switch {
	case a.Animal != "" && b.Animal != "" && a.Animal != b.Animal:
		return "different animals"
	case a.Name != "" && b.Name != "" && !sameName(a.Name, b.Name):
		return "different names"
	case apart(a.Colors, b.Colors) && !known:
		return "different colours"
	case advert && otherAges(a, b):
		return "different ages"
	case apart(a.Breeds, b.Breeds) && !known:
		return "different breeds"
	case a.Sex != "" && b.Sex != "" && a.Sex != b.Sex && (a.Name == "" || a.Name != b.Name):
		return "different sexes"
	case apart(a.Phones, b.Phones) && (apart(a.Places, b.Places) || apart(houses(a.Places), houses(b.Places))):
		return "different phones and places"
	case apart(a.Towns, b.Towns) && !shared(a.Places, b.Places):
		return "different towns"
	}
	return ""
}

// otherAges reports ages that can't be one animal's, each on the day of its post.
func otherAges(a, b *Fingerprint) bool {
	ageA, stepA := months(a.Age)
	ageB, stepB := months(b.Age)
	if a.Age == b.Age || stepA == 0 || stepB == 0 {
		return false
	}
	const month = 365.25 / 12 * 24
	grown := b.At.Sub(a.At).Hours() / month
	return math.Abs(ageA+grown-ageB) >= 0.9*max(stepA, stepB)
}

// writtenAge is a number, or two ("1,5 года", "2–3 года"), and the first letter of
// the unit, with or without "-х" or "-ти" before it.
var writtenAge = regexp.MustCompile(`(\d+)(?:[^\p{L}\d]+(\d+))?[^\p{L}\d]*(?:(?:х|ти|ми)[^\p{L}\d]+)?([глмнд])`)

// months reads an age as it is written, and how exactly such ages are told; 0 if
// it says none.
func months(age string) (n, step float64) {
	m := writtenAge.FindStringSubmatch(strings.ToLower(age))
	if m == nil {
		return 0, 0
	}
	unit := map[string]float64{"г": 12, "л": 12, "м": 1, "н": 12.0 / 52, "д": 12.0 / 365}[m[3]]
	first, _ := strconv.ParseFloat(m[1], 64)
	second, _ := strconv.ParseFloat(m[2], 64)
	switch {
	case second == 5 && first < 5: // 1,5 года
		return (first + 0.5) * unit, unit / 2
	case second > first: // 2–3 года
		return (first + second) / 2 * unit, unit
	}
	return first * unit, unit
}

// apart reports that both say something, and nothing that the other says. Of
// phones or places alone that is no contradiction: a friend's phone is added,
// the dog was seen elsewhere. Of both at once it is another animal, however
// alike the words are: there are templates for the words.
func apart(a, b []string) bool { return len(a) > 0 && len(b) > 0 && !shared(a, b) }

// houses are the places that name a house.
func houses(places []string) []string {
	var found []string
	for _, place := range places {
		if last := place[len(place)-1]; last >= '0' && last <= '9' {
			found = append(found, place)
		}
	}
	return found
}

// sameName allows one slip: "Джек" and "Джэк".
func sameName(a, b string) bool {
	if a == b || strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
		return true
	}
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) || len(x) < 3 {
		return false
	}
	slips := 0
	for i := range x {
		if x[i] != y[i] {
			slips++
		}
	}
	return slips == 1 && x[0] == y[0] && len(x) > 3
}

// inCommon counts what two posts agree on and names it.
func inCommon(a, b *Fingerprint, like float64) (points int, words string) {
	add := func(n int, what string) {
		points += n
		words += ", " + what
	}
	if a.Animal != "" && a.Animal == b.Animal {
		add(0, string(a.Animal))
	}
	if a.Name != "" && b.Name != "" || callsBy(a, b.Name) || callsBy(b, a.Name) {
		add(3, "name")
	}
	elsewhere := apart(a.Places, b.Places)
	switch {
	case shared(a.Places, b.Places):
		add(2, "place")
	case elsewhere && a.Type == b.Type:
		points -= 2
	case elsewhere:
		points-- // it was seen, or found, where it was not lost
	}
	if shared(a.Breeds, b.Breeds) {
		add(2, "breed")
	}
	if shared(a.Colors, b.Colors) {
		add(1, "colour")
	}
	if !elsewhere && a.Sex != "" && a.Sex == b.Sex && len(a.Colors) > 0 && len(b.Colors) > 0 {
		points++
	}
	if !elsewhere && like >= alikeWording {
		add(1, "wording")
	}
	return points, words
}

// callsBy reports whether a post in which no name was read holds this one.
func callsBy(f *Fingerprint, name string) bool {
	return f.Name == "" && name != "" && slices.Contains(f.Proper, name)
}

// phoneWorth is what a shared phone proves. An owner loses one dog at a time;
// one who finds animals finds many, one who gives them away has a dozen.
func phoneWorth(a, b Type) int {
	if groupOf(a) == adverts {
		return -1
	}
	if a == Lost && b == Lost || a == Reunited || b == Reunited {
		return 2
	}
	if a == Lost || b == Lost {
		return 1
	}
	return 0
}

// samePhoto reports whether two walls show one photo. What one wall shows under
// several posts may be its banner; that is for the words to tell.
func samePhoto(a, b *Fingerprint) bool {
	return a.Post.OwnerID != b.Post.OwnerID && slices.ContainsFunc(a.Photos, b.Shows)
}

// photoWorth is what a shared photo proves, as [phoneWorth]: it shows the animal,
// unless it is a volunteer's card, or shows all of a litter.
func photoWorth(a, b *Fingerprint) int {
	worth := 3
	if groupOf(a.Type) == adverts {
		worth--
	}
	if apart(a.Phones, b.Phones) {
		worth--
	}
	return worth
}

// without is what of a is not in b.
func without(a, b []string) (rest []string) {
	for _, x := range a {
		if !slices.Contains(b, x) {
			rest = append(rest, x)
		}
	}
	return rest
}

func shared(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// groupCandidates bounds how many earlier posts of one key are compared: the
// newest ones, for a phone that stands under thousands of posts.
const groupCandidates = 64

// Group assigns cases over a batch: the result holds, for each fingerprint, the
// index of the first post of its case. The same keys and rule as a lookup in
// the database.
func Group(posts []Fingerprint) []int {
	cases := make([]int, len(posts))
	byKey := map[string][]int{}
	for i := range posts {
		cases[i] = i
		compared := map[int]bool{}
		for _, key := range posts[i].Keys() {
			list := byKey[key]
			for _, k := range slices.Backward(list[max(0, len(list)-groupCandidates):]) {
				if !compared[k] && cases[k] != cases[i] && SameCase(posts[k], posts[i]).Same {
					join(cases, cases[k], cases[i])
				}
				compared[k] = true
			}
			byKey[key] = append(list, i)
		}
	}
	return cases
}

// join makes two cases one, which has the first post of both.
func join(cases []int, a, b int) {
	for i, its := range cases {
		if its == max(a, b) {
			cases[i] = min(a, b)
		}
	}
}
