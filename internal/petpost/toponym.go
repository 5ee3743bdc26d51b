package petpost

// cityTag returns a town named in a hashtag, for posts that name no place.
func (r *reader) cityTag() string {
	t, c := &r.text, &r.rs.class
	for i := range t.words {
		if t.words[i].hashtag && t.has(i, c.city) && !t.has(i, c.kind) && !t.words[i].merged {
			return t.rawOf(i, i+1)
		}
	}
	return ""
}

// marksNext reports a street's marker that stands before its name and not after
// another's: "г. Киров ул. Труда".
func (r *reader) marksNext(i int) bool {
	t := &r.text
	return t.isWord(i, "ул", "пер", "просп", "бул", "наб") && t.sameSentence(i, i+1) && t.words[i+1].upper && t.words[i+1].gap&^(gapDot|gapSpace) == 0
}

// leadingPlace reads a place that stands at the head of the text without a word
// that says so: "Норское, у церкви. Собака…", "Базаиха. Кошка ушла". As a pet's
// name may stand there too, only what ends as places do is taken for one.
func (r *reader) leadingPlace() placeSpan {
	t := &r.text
	i := 0
	for i < len(t.words) && t.words[i].hashtag {
		i++
	}
	if i >= len(t.words) || !r.unknownName(i) || !placeEnding(t.codesOf(&t.words[i])) {
		return placeSpan{}
	}
	end := t.tail
	if i+1 < len(t.words) {
		end = t.words[i+1].gap
	}
	if end&(gapComma|gapDot|gapColon|gapDash|gapLine) == 0 {
		return placeSpan{}
	}
	return placeSpan{i, i + 1, rankSettlement}
}

// toponymBefore reports a name between commas before a street: "Бахта, ул. Труда".
func (r *reader) toponymBefore(i int) bool {
	t := &r.text
	if !r.unknownName(i) || i+1 >= len(t.words) || t.words[i+1].gap&gapComma == 0 {
		return false
	}
	return int(t.sentences[t.words[i].sentence].from) == i || t.words[i].gap&(gapComma|gapLine) != 0
}

// unknownName reports a capitalised word that is no pet's or person's name and
// nothing that the vocabulary knows.
func (r *reader) unknownName(i int) bool {
	t := &r.text
	w := &t.words[i]
	return w.kind == kindWord && w.upper && !w.hashtag && w.codeTo-w.codeAt >= 4 && w.lexTo == w.lexAt && !peopleNames[t.rawOf(i, i+1)]
}

func placeEnding(letters []byte) bool {
	for _, ending := range []string{"ово", "ево", "ино", "ское", "ская", "ский", "цкий", "цкая", "овка", "евка", "аиха", "ники", "ищи", "ичи", "овск", "инск", "анка", "яново", "ёво"} {
		if endsWith(letters, ending) {
			return true
		}
	}
	return false
}
