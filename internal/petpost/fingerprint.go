package petpost

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"vestnik/internal/post"
)

// Fingerprint is what is kept of a post to tell whether another post is about
// the same animal. It is stored as JSON beside the post; a change of its form
// raises RulesetVersion.
type Fingerprint struct {
	Post   post.ID   `json:"post"`
	Origin post.ID   `json:"origin"` // the last of copy_history, or the post itself
	At     time.Time `json:"at"`

	Type   Type   `json:"type"`
	Animal Animal `json:"animal,omitempty"`
	Sex    Sex    `json:"sex,omitempty"`

	// Stems, so that "Барсика" is "Барсик": five letters of a word at most.
	Name   string   `json:"name,omitempty"`
	Phones []string `json:"phones,omitempty"` // E.164
	Places []string `json:"places,omitempty"` // streets, districts, landmarks; houses as street+number
	Towns  []string `json:"towns,omitempty"`
	Colors []string `json:"colors,omitempty"`
	Breeds []string `json:"breeds,omitempty"`
	Age    string   `json:"age,omitempty"` // as written
	// Proper are the words written like names, people's aside: an advert's
	// animal may have a name that the reading does not know for one.
	Proper []string `json:"proper,omitempty"`

	// Sketch is a MinHash over pairs of neighbouring words, without greetings,
	// tags, links and phones; nil for a text too short to have one.
	Sketch []uint32 `json:"sketch,omitempty"`
	// Words counts the words that the sketch was made of.
	Words int `json:"words,omitempty"`

	// Photos are the hashes of its photos, as far as they are known.
	Photos []post.PhotoHash `json:"photos,omitempty"`
}

// The sketch has sketchBands bands of sketchRows hashes. Two texts that share
// 60 % of their word pairs share a band with a probability of 98 %, two that
// share 20 % with one of 12 %.
const (
	sketchBands = 16
	sketchRows  = 3
	sketchSize  = sketchBands * sketchRows
	sketchWords = 6 // shorter texts are like each other by chance
)

// NewFingerprint makes the fingerprint of a post, but for its photos. origin is the
// last post of copy_history, or ref itself. reading must come from Parse(in).
func NewFingerprint(ref, origin post.ID, in Input, reading Reading) Fingerprint {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	f := Fingerprint{
		Post: ref, Origin: origin, At: in.PostedAt.UTC(),
		Type: reading.Type, Animal: reading.Animal, Sex: reading.Sex, Phones: reading.Phones, Age: reading.Age,
	}
	f.Name = r.stem(reading.Name)
	f.Places, f.Towns = r.placeKeys(reading.Location)
	body, _ := in.Wall.Strip(in.Text)
	for _, text := range in.Reposts {
		if len(text) > len(body) {
			body = text
		}
	}
	r.describe(&f, body)
	for _, person := range reading.Contacts {
		stem := r.stem(person)
		f.Proper = slices.DeleteFunc(f.Proper, func(proper string) bool { return proper == stem })
	}
	return f
}

// Keys returns what to look candidates up by: a post about the same animal
// shares at least one key. Few posts share a key, except for a volunteer's
// phone.
func (f *Fingerprint) Keys() []string {
	keys := make([]string, 0, 4+len(f.Phones)+sketchBands)
	keys = append(keys, OriginKey(f.Origin))
	for _, phone := range f.Phones {
		keys = append(keys, PhoneKey(phone))
	}
	if f.Name != "" && f.Animal != "" {
		for _, place := range f.Places {
			keys = append(keys, "n:"+string(f.Animal)+":"+f.Name+":"+place)
		}
	}
	for band := range len(f.Sketch) / sketchRows {
		h := uint64(14695981039346656037)
		for _, row := range f.Sketch[band*sketchRows : (band+1)*sketchRows] {
			h = (h ^ uint64(row)) * 1099511628211
		}
		keys = append(keys, "t:"+strconv.Itoa(band)+":"+strconv.FormatUint(h, 36))
	}
	return append(keys, f.PhotoKeys()...)
}

// A half of a photo's hash has photoBands bands of photoBits bits; one is left
// over. Of photos in whose hashes not more than half a dozen bits differ 99 %
// share a band, of different photos one pair in a thousand.
const (
	photoBands = 3
	photoBits  = 21
)

// PhotoKeys are the keys of posts that show one of its photos. Others share them
// by chance: [Fingerprint.Shows] has to look.
func (f *Fingerprint) PhotoKeys() []string {
	var keys []string
	for _, hash := range f.Photos {
		for band := range photoBands {
			for half, bits := range [...]uint64{hash.Rows, hash.Columns} {
				keys = append(keys, fmt.Sprintf("i:%d:%d:%x", half, band, bits>>(band*photoBits)&(1<<photoBits-1)))
			}
		}
	}
	return keys
}

// Shows reports whether the post shows a photo.
func (f *Fingerprint) Shows(photo post.PhotoHash) bool {
	return slices.ContainsFunc(f.Photos, photo.Same)
}

// OriginKey is the key of all posts that repost one, and of that post.
func OriginKey(origin post.ID) string { return "o:" + origin.String() }

// PhoneKey is the key of all posts that name a phone (E.164).
func PhoneKey(phone string) string { return "p:" + phone }

// similarity estimates the share of word pairs that two texts have in common,
// 0..1.
func similarity(a, b *Fingerprint) float64 {
	if len(a.Sketch) != sketchSize || len(b.Sketch) != sketchSize {
		return 0
	}
	same := 0
	for i := range a.Sketch {
		if a.Sketch[i] == b.Sketch[i] {
			same++
		}
	}
	return float64(same) / sketchSize
}

// describe reads colours, breeds and the sketch from the body of a post, and
// the town of one whose place says nothing.
func (r *reader) describe(f *Fingerprint, body string) {
	placeless := len(f.Places) == 0 && len(f.Towns) == 0
	t := &r.text
	t.cut(body)
	r.markMeanings()
	r.findPhones()
	hashes := make([]uint64, 0, len(t.words))
	for i := range t.words {
		w := &t.words[i]
		letters := t.codesOf(w)
		switch {
		case w.hashtag || w.kind == kindURL || w.kind == kindMention || r.inPhone(i):
		case w.kind == kindNumber:
			if w.end-w.start <= 3 {
				hashes = append(hashes, hashString(t.raw[w.start:w.end]))
			}
		case len(letters) > 0 && !t.has(i, "scrap") && !t.has(i, "repost.word") && !t.has(i, "thanks"):
			r.describeWord(f, i, placeless)
			hashes = append(hashes, hashString(string(letters[:min(len(letters), 6)])))
		}
	}
	slices.Sort(f.Colors)
	slices.Sort(f.Breeds)
	f.Words = len(hashes)
	if f.Words >= sketchWords {
		f.Sketch = sketch(hashes)
	}
}

// describeWord notes what word i says of the animal or of the town.
func (r *reader) describeWord(f *Fingerprint, i int, placeless bool) {
	t := &r.text
	w := &t.words[i]
	letters := t.codesOf(w)
	if w.upper && !w.caps && (i > 0 && t.sameSentence(i-1, i) || r.unknown(i)) {
		f.Proper = appendNew(f.Proper, stemOf(letters, 5))
	}
	switch {
	case placeless && w.upper && t.has(i, "city") && (i+1 == len(t.words) || !t.has(i+1, "street")):
		f.Towns = appendNew(f.Towns, stemOf(letters, 5))
	case t.has(i, "color"):
		f.Colors = appendNew(f.Colors, stemOf(letters, 3))
	case (t.has(i, "dog.breed") || t.has(i, "cat.breed")) && !r.companion(i):
		f.Breeds = appendNew(f.Breeds, stemOf(letters, 5))
	case t.has(i, "other.noun") && f.Animal == Other && !r.companion(i) && !t.isWord(i, "птица", "птицу", "птичка", "птичку", "птенец"):
		f.Breeds = appendNew(f.Breeds, stemOf(letters, 3)) // a cow is no goat
	}
}

// sketch is the MinHash of the pairs of neighbouring words.
func sketch(words []uint64) []uint32 {
	out := make([]uint32, sketchSize)
	for i := range out {
		out[i] = ^uint32(0)
	}
	for i := 0; i+1 < len(words); i++ {
		pair := mix(words[i]*31 ^ words[i+1])
		for k := range out {
			// Two independent halves give all the hash functions.
			h := uint32(mix(pair + uint64(k)*0x9E3779B97F4A7C15))
			if h < out[k] {
				out[k] = h
			}
		}
	}
	return out
}

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// stemOf spells the first letters of a word without its case ending: "Гайва"
// and "Гайве" are "гайв".
func stemOf(letters []byte, n int) string {
	for cut := 0; cut < 2 && len(letters) > 3; cut++ {
		if !caseEnding(letterOf(letters[len(letters)-1])) {
			break
		}
		letters = letters[:len(letters)-1]
	}
	out := make([]rune, 0, n)
	for _, c := range letters[:min(len(letters), n)] {
		out = append(out, letterOf(c))
	}
	return string(out)
}

func caseEnding(r rune) bool {
	switch r {
	case 'а', 'я', 'у', 'ю', 'е', 'и', 'ы', 'о', 'й', 'ь':
		return true
	}
	return false
}

// stem is stemOf of a single word as written.
func (r *reader) stem(word string) string {
	t := &r.text
	t.cut(word)
	if len(t.words) == 0 {
		return ""
	}
	return stemOf(t.codesOf(&t.words[0]), 5)
}

// placeKeys splits a place into the stems of its names, with the house number
// glued to the street, and its towns.
func (r *reader) placeKeys(location string) (places, towns []string) {
	if location == "" {
		return nil, nil
	}
	t := &r.text
	t.cut(location)
	for i := range t.words {
		w := &t.words[i]
		letters := t.codesOf(w)
		switch {
		case w.kind == kindNumber:
			if len(places) > 0 && w.end-w.start <= 3 {
				places = appendNew(places, places[len(places)-1]+t.raw[w.start:w.end])
			}
		case t.has(i, "city") && (i == 0 || !t.has(i-1, "street")) && (i+1 >= len(t.words) || !t.has(i+1, "street") && t.words[i+1].kind != kindNumber):
			towns = appendNew(towns, stemOf(letters, 5))
		case len(letters) < 4 || t.has(i, "street"):
		case i > 0 && t.has(i-1, "street"): // "ул. Садовая", though a garden is no name
			places = appendNew(places, stemOf(letters, 6))
		case t.has(i, "settlement") || t.has(i, "district") || t.has(i, "spot") || t.has(i, "near") || t.has(i, "house.word"):
		default:
			places = appendNew(places, stemOf(letters, 6))
		}
	}
	return places, towns
}
