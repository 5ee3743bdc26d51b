package petpost_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
)

// A wall is open to everybody: no text may hold the reader up. The bound is
// generous, for slow machines; an ordinary post takes about 50 µs.
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
		require.Less(t, took, 2*time.Second, "%q", word)
	}
}
