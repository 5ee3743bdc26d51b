package petpost_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
	"vestnik/internal/petpost/corpus"
)

func TestEveryTypeIsShownByWordsOfTheText(t *testing.T) {
	t.Parallel()
	posts, err := corpus.Load("testdata/wide.jsonl")
	require.NoError(t, err)
	for _, post := range posts {
		reading := petpost.Parse(petpost.Input{Text: post.Text})
		for _, e := range reading.Evidence {
			require.Positive(t, e.Weight, post.Text)
			require.NotEmpty(t, e.Points, post.Text)
			require.Contains(t, post.Text, e.Words)
		}
	}
}

func TestAVetoSaysWhatItRulesOut(t *testing.T) {
	t.Parallel()
	for text, rule := range map[string]string{
		"Разыскивается Петрова Зинаида Ильинична, 80 лет. Ушла 3 мая, была в сером пальто":           "veto: a thing or a person is missing",
		"Пропала рыжая моя,\nищу кошку по дворам я.\nКто видел рыжую мою,\nпускай мне песенку споют": "veto: a verse",
	} {
		reading := petpost.Parse(petpost.Input{Text: text})
		require.Equal(t, petpost.News, reading.Type, text)
		require.Contains(t, rulesOf(reading), rule, text)
	}
}

func rulesOf(reading petpost.Reading) (rules []string) {
	for _, e := range reading.Evidence {
		rules = append(rules, e.Rule)
	}
	return rules
}

func TestAShortCommentLeavesARepostWhatItIs(t *testing.T) {
	t.Parallel()
	reading := petpost.Parse(petpost.Input{
		Text:    "Наша соседка, помогите!",
		Reposts: []string{"Пропал кот Гоша, экзот, рыжий. Ул. Свободы 173. Телефон 8 900 000-22-33"},
	})
	require.Equal(t, petpost.Lost, reading.Type)
	require.Equal(t, []string{"+79000002233"}, reading.Phones)
}

// A rule or class that is no more leaves dead rows behind: the table is made
// anew with every change of the vocabulary.
func TestTheModelWasMadeOfThisVocabulary(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("model.tsv")
	require.NoError(t, err)
	known := map[string]bool{}
	for _, rule := range petpost.RuleNames() {
		known[rule] = true
	}
	for line := range strings.Lines(string(table)) {
		name, _, isRow := strings.Cut(line, "\t")
		if kind, rule, isRule := strings.Cut(name, " "); isRow && isRule && (kind == "r" || kind == "rt") {
			require.True(t, known[rule], "rule %q is no more: run make model", rule)
		}
	}
}

func TestAWordForTheAnimalInTheRepostOutweighsANameInTheComment(t *testing.T) {
	t.Parallel()
	reading := petpost.Parse(petpost.Input{
		Text:    "Рекс, родной, вернись",
		Reposts: []string{"Пропал кот Рекс, белый, пушистый. Ул. Свободы 173"},
	})
	require.Equal(t, petpost.Cat, reading.Animal)
}
