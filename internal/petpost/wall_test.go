package petpost_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
)

// wall gives n posts, every one with what the wall repeats around it.
func wall(n int, post func(i int) string) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = post(i)
	}
	return texts
}

func textsOf(units []petpost.Boilerplate) (texts []string) {
	for _, unit := range units {
		texts = append(texts, unit.Text)
	}
	return texts
}

func TestAWallsContextIsWhatItsPostsRepeat(t *testing.T) {
	t.Parallel()
	context := petpost.LearnWall(wall(20, func(i int) string {
		text := fmt.Sprintf("Пост номер %d о том и о сём. Звоните: 8 900 000-00-11", i)
		if i%2 == 0 {
			text += "\nСбор на корм: карта 2200 0000 0000 0000"
		}
		if i < 3 {
			text += "\nДоброе утро, соседи!"
		}
		return text + "\n#потеряшки #найденкот"
	}))
	require.Equal(t, []string{"#найденкот", "#потеряшки", "Звоните: 8 900 000-00-11", "Сбор на корм: карта 2200 0000 0000 0000"}, textsOf(context.Units),
		"three of twenty are no fifth")
	require.Equal(t, 20, context.Units[0].Posts)
	require.Equal(t, 10, context.Units[3].Posts)

	stored, err := json.Marshal(context)
	require.NoError(t, err)
	var again petpost.WallContext
	require.NoError(t, json.Unmarshal(stored, &again))
	require.Equal(t, context, again)
}

func TestTitlesOfManyPostsAreNoBoilerplate(t *testing.T) {
	t.Parallel()
	context := petpost.LearnWall(wall(20, func(i int) string {
		title := "Пропала собака!"
		if i%2 == 0 {
			title = "Найден кот"
		}
		return fmt.Sprintf("%s\nУлица %d-я Садовая. Приметы в комментариях к посту %d", title, i, i)
	}))
	require.Empty(t, context.Units)

	context = petpost.LearnWall(wall(20, func(i int) string {
		return fmt.Sprintf("ПРОПАЛА СОБАКА!\nУлица %d-я Садовая, приметы под номером %d", i, i)
	}))
	require.Empty(t, context.Units, "not even where all are searches")
}

func TestFewPostsTellNothingOfAWall(t *testing.T) {
	t.Parallel()
	require.Empty(t, petpost.LearnWall(wall(7, func(int) string { return "Правила группы в закрепе" })).Units)
	require.NotEmpty(t, petpost.LearnWall(wall(8, func(int) string { return "Правила группы в закрепе" })).Units)
	require.Equal(t, petpost.WallPosts, petpost.LearnWall(wall(300, func(int) string { return "Всем привет, соседи" })).Posts)
}

func TestWhatAWallRepeatsIsSetAsideWhereverItStands(t *testing.T) {
	t.Parallel()
	context := petpost.LearnWall(wall(10, func(i int) string {
		return fmt.Sprintf("Приют «Лапа» сообщает.\nНовость номер %d.\nНаши котики ждут вас! #приют", i)
	}))
	rest, aside := context.Strip("Приют «Лапа» сообщает. Пропала собака Рекс, ул. Мира 5\n\nНАШИ КОТИКИ ЖДУТ ВАС ❤ #приют #рекс")
	require.Equal(t, []string{"Приют «Лапа» сообщает.", "НАШИ КОТИКИ ЖДУТ ВАС ❤", "#приют"}, aside)
	require.Equal(t, []string{"Пропала", "собака", "Рекс,", "ул.", "Мира", "5", "#рекс"}, strings.Fields(rest))

	bare := "Наши котики ждут вас! #приют"
	rest, aside = context.Strip(bare)
	require.Equal(t, bare, rest, "a post of nothing else is read as it is")
	require.Empty(t, aside)

	context.Version++
	_, aside = context.Strip("Пропала собака\nНаши котики ждут вас!")
	require.Empty(t, aside, "a context of another version is learned anew first")
}

func TestThePhonesOfWhatIsSetAsideAreRead(t *testing.T) {
	t.Parallel()
	context := petpost.LearnWall(wall(10, func(i int) string {
		return fmt.Sprintf("Новость %d\nФонд «Лапа». Помочь: карта 2200 0000 0000 0000, сбор на СБП 8 900 000-00-12", i)
	}))
	got := petpost.Parse(petpost.Input{
		Text: "Пропала собака Рекс, ул. Мира 5, 8 900 000-00-13\nФонд «Лапа». Помочь: карта 2200 0000 0000 0000, сбор на СБП 8 900 000-00-12", Wall: &context,
	})
	require.Equal(t, []string{"+79000000013", "+79000000012"}, got.Phones)
	require.Equal(t, []string{"+79000000012"}, got.Accounts)
	require.Equal(t, petpost.Lost, got.Type)
	for _, e := range got.Evidence {
		require.NotContains(t, e.Words, "карта", "a fund's card is no plea of this post")
	}
}

func TestAPileOfHashtagsSaysNothingOnAnyWall(t *testing.T) {
	t.Parallel()
	pile := "\n#потерялсякот #найденкот #кошка #котик #химки #клин #истра #руза"
	got := petpost.Parse(petpost.Input{Text: "Замечен пёс, ул. Мира 5, бегает у школы" + pile})
	require.Equal(t, []any{petpost.Sighting, petpost.Dog}, []any{got.Type, got.Animal})
	require.Len(t, got.SetAside, 8)
	few := petpost.Parse(petpost.Input{Text: "Рыжий, пушистый, ул. Мира 5 #пропалкот #химки"})
	require.Equal(t, []any{petpost.Lost, petpost.Cat}, []any{few.Type, few.Animal})
}

func TestAReadingWithoutWhatWasSetAsideIsTheSameReading(t *testing.T) {
	t.Parallel()
	context := petpost.LearnWall(wall(10, func(i int) string { return fmt.Sprintf("Новость %d\nНаши котики ждут вас!", i) }))
	in := petpost.Input{Text: "Пропала собака Рекс, ул. Мира 5\nНаши котики ждут вас!", Wall: &context}
	got := petpost.Parse(in)
	require.Equal(t, petpost.Dog, got.Animal)
	in.Wall = petpost.ContextOf(got.SetAside)
	require.Equal(t, got, petpost.Parse(in), "it can be repeated from what it has set aside")

	text := in.Text
	for _, unit := range got.SetAside {
		text = strings.Replace(text, unit, "", 1)
	}
	again := petpost.Parse(petpost.Input{Text: text})
	got.SetAside = nil
	require.Equal(t, again, got)
}

func TestHowPeopleBeginIsNoBoilerplateHoweverLong(t *testing.T) {
	t.Parallel()
	var texts []string
	for n := range 20 {
		texts = append(texts, fmt.Sprintf("Пропала кошка, выпала из окна на ул. Речная, дом %d. Звоните! Подписывайтесь на нашу группу помощи.", n+1))
	}
	context := petpost.LearnWall(texts)
	rest, aside := context.Strip(texts[0])
	require.Contains(t, rest, "Пропала кошка")
	require.Contains(t, aside, "Подписывайтесь на нашу группу помощи.")
}
