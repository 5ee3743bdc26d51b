package petpost

// combine puts an author's text and the post under it together.
func combine(own, original view) view {
	out := own
	switch {
	case original.typ == Empty:
		return own
	case own.typ == Empty || own.typ == Link && original.typ != Link:
		out.typ, out.clear = original.typ, original.clear
	case original.typ == Adoption && own.scores.sum[sigAdopted] >= 8 && own.scores.sum[sigAdopt] == 0:
		out.typ = News
	case own.typ == Reunited:
		if original.typ == Adoption && own.scores.sum[sigHome] < outright {
			out.typ = News
		}
	case own.scores.sum[sigHome] > 0 && own.scores.sum[sigNotHome] == 0 && isSearch(original.typ):
		out.typ, out.clear = Reunited, true
	case original.typ == Lost && own.scores.sum[sigThanks] > 0 && own.scores.sum[sigFound]+own.scores.sum[sigHold] > 0 && own.scores.sum[sigNotHome]+own.scores.sum[sigLost] == 0:
		out.typ, out.clear = Reunited, true // "Принесли вчера, спасибо"
	case !own.clear:
		out.typ, out.clear = original.typ, original.clear
	case own.scores.sum[sigNotHome] >= plain && own.words <= 20 && own.typ != Adoption && own.typ != Fundraising && isSearch(original.typ):
		out.typ = original.typ
	case own.words <= 12 && own.typ == News && own.scores.sum[sigAdopted]+own.scores.sum[sigThanks]+own.scores.sum[sigNotPet] == 0:
		out.typ = original.typ
	case own.scores.sum[sigSeeksOwner] > 0 && own.scores.sum[sigAdopt] == 0 && isSide(original.typ):
		out.typ = original.typ
	case isSide(own.typ) && isSide(original.typ) && own.scores.sum[sigFound]+own.scores.sum[sigHold]+own.scores.sum[sigSeen] == 0:
		out.typ = original.typ
	case own.words <= 10 && isSide(own.typ) && original.typ == Adoption && own.scores.sum[sigFound]+own.scores.sum[sigHold]+own.scores.sum[sigSeen] == 0:
		out.typ = original.typ // "Посмотрите, может, ваш?"
	case own.words <= 8 && (own.typ == Found || own.typ == Sighting) && original.typ == Lost:
		// "Видели вчера?" over a search is still the search.
		if own.scores.sum[sigOwner] == 0 && own.scores.sum[sigHold] == 0 && len(own.reading.Phones) == 0 && countDigits(own.reading.Location) == 0 {
			out.typ = Lost
		}
	}
	if out.typ == Unknown && original.typ != Link {
		out.typ = original.typ
	}
	out.complete(&original)
	return out
}

func isSide(t Type) bool { return t == Found || t == Sighting }

func isSearch(t Type) bool { return t == Lost || t == Found || t == Sighting || t == Reunited }
