package petpost_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
	"vestnik/internal/petpost/corpus"
	"vestnik/internal/post"
)

var e164 = regexp.MustCompile(`^\+[1-9]\d{9,14}$`)

// FuzzParse holds what is true of every input: nothing panics, the type is one
// of ten, phones are E.164, and no field is longer than the post.
func FuzzParse(f *testing.F) {
	posts, err := corpus.Load("testdata/train.jsonl")
	require.NoError(f, err)
	for i := 0; i < len(posts); i += 7 {
		f.Add(posts[i].Text, "")
	}
	for _, text := range []string{
		"[", "[id1|", "[id1|A]", "#", "#_", "@", "@a", "*id1 (", "8", "+7", "+7 (", "8 912 345 67 8", "п\u0306", "п-р-о-п-а-л-а",
		"\xff\xfe", "ё\u0301ё", "🐾п🐾р🐾о🐾п🐾а🐾л🐾", "#пропаласобакапропаласобакапропаласобака", "http://", "a.b.c/д", "8️⃣9️⃣",
		strings.Repeat("не пропала ли у кого ", 200), strings.Repeat("ищем ", 500), strings.Repeat("а", 3000), strings.Repeat("1 ", 800),
		"Пропала моя", "ул. ул. ул. д. д. 5", "на углу", "между Ленина и", "район", "д. 5 по", "12 км", "у", "№", "с/т", "в ночь на 17-", "ул. А.", "Мира/", "22",
		"Адрес: ", "СНТ «", "м-н, р-н, б-р", "в районе улицы деревни города", "в ночь с 3 на 4 июня", "кличка", "зовут «", "г. Ижевск, ул. Удмуртская, д. 255 к. 2",
	} {
		f.Add(text, "Пропала собака")
	}
	f.Fuzz(func(t *testing.T, text, original string) {
		in := petpost.Input{Text: text, PostedAt: time.Unix(1756000000, 0)}
		if original != "" {
			in.Reposts = []string{original}
		}
		got := petpost.Parse(in)
		wall := petpost.LearnWall(slices.Repeat([]string{text}, 8))
		rest, aside := wall.Strip(text)
		require.LessOrEqual(t, len(rest), len(text)+2*len(aside), "what is set aside is gone")
		for _, unit := range aside {
			require.Contains(t, text, unit)
		}
		limit := len(text) + len(original)
		require.Contains(t, petpost.Types, got.Type)
		require.Contains(t, []petpost.Animal{"", petpost.Dog, petpost.Cat, petpost.Other}, got.Animal)
		for _, phone := range got.Phones {
			require.Regexp(t, e164, phone)
		}
		for _, field := range append([]string{got.Name, got.Location, got.When, got.Breed, got.Age, got.Color}, got.Contacts...) {
			require.LessOrEqual(t, len(field), limit)
		}
		for _, e := range got.Evidence {
			require.NotEmpty(t, e.Rule)
			require.LessOrEqual(t, len(e.Words), limit)
		}
		require.Equal(t, got, petpost.Parse(in), "reading is not deterministic")
	})
}

// FuzzFingerprint holds that a post is always of its own case and that the
// rule does not depend on the order of its arguments.
func FuzzFingerprint(f *testing.F) {
	f.Add("Пропала собака, рыжая, Ленина 5. 89001112233", "Найден пёс, Ленина 5")
	f.Add("", "🐕")
	f.Fuzz(func(t *testing.T, a, b string) {
		make := func(id int64, text string) petpost.Fingerprint {
			in := petpost.Input{Text: text, PostedAt: time.Unix(1756000000, 0)}
			ref := post.ID{OwnerID: -1, PostID: id}
			return petpost.NewFingerprint(ref, ref, in, petpost.Parse(in))
		}
		x, y := make(1, a), make(2, b)
		require.True(t, petpost.SameCase(x, x).Same)
		require.Equal(t, petpost.SameCase(x, y).Same, petpost.SameCase(y, x).Same)
		require.NotEmpty(t, petpost.SameCase(x, y).Reason)
		require.Len(t, petpost.Group([]petpost.Fingerprint{x, y, x}), 3)
	})
}
