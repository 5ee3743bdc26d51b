package petpost

import "strings"

// combine puts an author's text and the post under it together. The author's
// words decide where they say something; a bare repost, or one with "Репост!"
// above it, is what its original is.
func combine(own, original view) view {
	out := own
	switch {
	case original.typ == Empty:
		return own
	case own.addsNothing(&original):
		out.typ, out.confidence, out.alternatives = original.typ, original.confidence, original.alternatives
	}
	out.complete(&original)
	return out
}

// addsNothing reports a comment that leaves the post under it what it is.
func (v *view) addsNothing(under *view) bool {
	s := &v.signs
	switch {
	case v.typ == Empty, v.typ == Unknown, v.typ == Link && under.typ != Link:
		return true
	case v.words <= 12 && v.typ == News:
		return s.of(sigAdopted, sigThanks, sigNotPet) == 0
	case isSide(v.typ) && (isSide(under.typ) || under.typ == Adoption && v.words <= 10):
		return s.of(sigFound, sigHold, sigSeen) == 0 // "Посмотрите, может, ваш?"
	case v.words <= 8 && isSide(v.typ) && under.typ == Lost:
		// "Видели вчера?" over a search is still the search.
		return s.of(sigOwner, sigHold) == 0 && len(v.reading.Phones) == 0 && !strings.ContainsAny(v.reading.Location, "0123456789")
	}
	return !v.clear()
}

// clear reports that the words are plain signs of the type.
func (v *view) clear() bool {
	for _, signal := range signsOf[v.typ] {
		if v.signs.sum[signal] >= plain {
			return true
		}
	}
	return v.words > 20
}

// signsOf lists what the types are told by.
var signsOf = map[Type][]signal{
	Lost:        {sigLost},
	Found:       {sigFound, sigHold, sigOwner},
	Sighting:    {sigSeen, sigFree, sigOwner, sigFound},
	Adoption:    {sigAdopt, sigFoster, sigSeeksOwner, sigProfile},
	Fundraising: {sigMoney, sigAccount},
	Reunited:    {sigHome, sigFound},
	News:        {sigNews, sigSale, sigAdopted, sigThanks, sigEvent, sigAdvice, sigNotPet},
}

func isSide(t Type) bool { return t == Found || t == Sighting }
