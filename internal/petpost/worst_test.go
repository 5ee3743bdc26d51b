package petpost_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// A wall is open to everybody: no text may hold the reader up. The bound is
// generous, for slow machines and the race detector; an ordinary post takes about
// 0.3 ms, and the slowest of these half a second.
func TestNoTextHoldsTheReaderUp(t *testing.T) {
	t.Parallel()
	const longest = 16 << 10 // VK's limit is 16,384 letters
	petpost.Parse(petpost.Input{Text: "разогрев"})
	for _, word := range []string{
		"ищем ", "не пропала ли у кого ", "помогите найти ", "если ", "у нас ", "@a ", "[id1|А] ", "#пропаласобака ", "1 ", "8 912 ",
		"ул. Ленина 5, ", "г. ", "5 мая ", "а", "п р о п а л ", "кто-то-", "собака кошка ", "потерял, ", "в ", "🐶", "Ленинская Советская ", "vk.com/a ", "(",
	} {
		text := strings.Repeat(word, longest/len([]rune(word)))
		start := time.Now()
		petpost.Parse(petpost.Input{Text: text})
		took := time.Since(start)
		t.Logf("%-24q %v", word, took)
		require.Less(t, took, 10*time.Second, "%q", word)
	}
}

// Words at the edges of a text have no neighbours: each of the vocabulary stands
// first, last and alone here.
func TestNoWordAtTheEdgeOfATextIsTooMuch(t *testing.T) {
	t.Parallel()
	read := func(text string) {
		defer func() {
			if fault := recover(); fault != nil {
				t.Errorf("%q: %v", text, fault)
			}
		}()
		in := petpost.Input{Text: text}
		petpost.NewFingerprint(post.ID{OwnerID: 1}, post.ID{}, in, petpost.Parse(in))
	}
	for _, word := range petpost.Vocabulary() {
		capital := strings.ToUpper(word[:2]) + word[2:] // a Cyrillic letter is two bytes
		read(word)
		read(capital + " 6")
		read("6 " + word)
		read("Кот " + capital)
		read("у " + capital + ", д. 5 " + word)
	}
}
