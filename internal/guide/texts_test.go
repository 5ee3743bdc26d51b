package guide

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryTextOfTheGuideIsInItsFile(t *testing.T) {
	t.Parallel()
	for section, named := range DefaultTexts().named() {
		require.Contains(t, textLimits, section)
		for name, text := range named {
			require.NotEmpty(t, *text, "%s.%s", section, name)
		}
	}
}

func TestACityReplacesSomeTextsAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	city, faults := ReadTexts([]byte(`
screens:
  gate: |
    Добро пожаловать в Ольховск!
    Подпишитесь и возвращайтесь.
lists: {page: "{page} / {pages}", places_count: адрес | адреса | адресов}
buttons:
  help:  Справка # a comment
`))
	require.Empty(t, faults)
	gate := city.GateScreen("", OpenMenu(Main), false)
	require.Equal(t, "Добро пожаловать в Ольховск!\nПодпишитесь и возвращайтесь.", gate.Text)
	require.Equal(t, "Справка", gate.Keyboard[1][0].Text)
	require.Equal(t, "Проверить подписку", gate.Keyboard[0][0].Text)
	list := city.PlaceList(PlaceQuery{Page: 1}, PlaceFilterNames{}, Listing[PlaceLine]{Items: []PlaceLine{{ID: 1, Name: "Парк"}}, Page: 2, Pages: 3, Total: 22}, "")
	require.Contains(t, list.Text, "Места · 22 адреса\n")
	require.Contains(t, list.Text, "2 / 3")
	require.Equal(t, "Помощь", DefaultTexts().Buttons.Help)
}

func TestEveryFaultInACitysTextsIsNamedWithItsLineAndRemedy(t *testing.T) {
	t.Parallel()
	_, faults := ReadTexts([]byte("buttons:\n  bak: Назад\n  help: " + strings.Repeat("а", 65) + "\n  map: |\n    Карта\n    города\n  more: ''\n  near: 5\n" +
		"lists:\n  page: Страница {page}\n  places_count: место | места\n  found: Нашлось {count}\ntoast:\n  stale: Ой\ntimes: никогда\n"))
	require.Equal(t, []TextFault{
		{2, "buttons.bak is not known", "did you mean back? " + allTexts},
		{3, "buttons.help has 65 letters", "at most 64 fit"},
		{4, "buttons.map has several lines", "write it in one"},
		{7, "buttons.more is empty", "write a text, or leave the name out"},
		{8, "buttons.near is no text", "write it in quotes"},
		{10, "lists.page lacks {pages}", "write it where it belongs, as in: Страница {page} из {pages}"},
		{11, "lists.places_count has 2 forms", "write 3, with | between them, as in: место | места | мест"},
		{12, "lists.found has {count}, which nothing fills", "write it without, as in: Вот что нашлось"},
		{13, "toast is no section", "did you mean toasts? " + allTexts},
		{15, "there should be names with texts here", allTexts},
	}, faults)
	for file, line := range map[string]int{"buttons:\n\thelp: [": 2, "buttons:\n  help: Раз\n  help: Два\n": 3} {
		_, faults := ReadTexts([]byte(file))
		require.Len(t, faults, 1, file)
		require.Equal(t, line, faults[0].Line, file)
		require.Contains(t, faults[0].Problem, "is no YAML")
	}
	for _, file := range []string{"", "# nothing\n", "buttons:\n"} {
		same, faults := ReadTexts([]byte(file))
		require.Empty(t, faults)
		require.Equal(t, DefaultTexts(), same)
	}
}

func FuzzReadTexts(f *testing.F) {
	f.Add([]byte(TextsFile))
	f.Add([]byte("buttons: &a\n  help: *a\n<<: *a\n? [x]\n: y\n--- \n- 1"))
	f.Fuzz(func(t *testing.T, file []byte) {
		texts, faults := ReadTexts(file)
		for _, fault := range faults {
			require.NotEmpty(t, fault.Problem)
			require.NotEmpty(t, fault.Remedy)
		}
		if faults == nil {
			for _, named := range texts.named() {
				for _, text := range named {
					require.NotEmpty(t, *text)
				}
			}
		}
	})
}
