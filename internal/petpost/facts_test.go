package petpost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// read is a post of a case, each a minute after the one before it.
func read(id int64, text string) petpost.Post {
	return petpost.ReadPost(post.Post{ID: post.ID{OwnerID: -1, PostID: id}, Text: text, PostedAt: time.Unix(1796000000+60*id, 0)})
}

func TestWhatACopyAddsIsToldOnce(t *testing.T) {
	t.Parallel()
	const ad = "Пропала собака Рекс, бигль, рыжий, ул. Лесная, 12. Тел. 8 900 000-71-71. "
	posts := []petpost.Post{
		read(1, ad),
		read(2, "Помогите найти! "+ad),
		read(3, ad+"Или 8 900 000-71-72, вознаграждение!"),
		read(4, ad+"Звоните и 8 900 000-71-72. Вознаграждение гарантируем"),
		read(5, "Пропала собака Рекс, бигль. Могла уйти на ул. Речную. 8 900 000-71-71"),
		read(6, ad+"Видели сегодня у ТЦ Парус, бежал к мосту."),
		read(7, ad+"Сегодня видели у ТЦ «Парус»"),
		read(8, "Собаку, бигль, видели вчера в парке Победы"),
		read(9, "И по номеру 8 900 000-71-73"),
	}
	var got []petpost.Addition
	for _, addition := range petpost.CaseNews(posts) {
		if addition.Seen || len(addition.Facts) > 0 {
			got = append(got, addition)
		}
	}
	at := func(id int64) post.ID { return post.ID{OwnerID: -1, PostID: id} }
	require.Equal(t, []petpost.Addition{
		{Post: at(3), Facts: []petpost.Fact{{Kind: petpost.FactPhone, Text: "+79000007172"}, {Kind: petpost.FactReward}}},
		{Post: at(5), Facts: []petpost.Fact{{Kind: petpost.FactPlace, Text: "ул. Речную"}}},
		{Post: at(6), Seen: true},
		{Post: at(8), Seen: true},
		{Post: at(9), Facts: []petpost.Fact{{Kind: petpost.FactPhone, Text: "+79000007173"}}},
	}, got)
	require.Len(t, petpost.Additions(posts[0], posts[1:]), 3, "sightings are told by themselves")
	require.Empty(t, petpost.Additions(posts[2], posts[:2]), "it says all that the others do")
}

func TestAPostThatGoesOnWithTheOneBeforeIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"И по номеру 8 900 000-71-72": true, "Ещё телефон 8 900 000-71-72": true, "8 900 000-71-72": true,
		"Забыла написать: 8 900 000-71-72 Ольга": true, "Номер мужа 89000007172": true, "И вознаграждение гарантируем!": true,
		"Вчера видели у моста": true, "Можно звонить 8 900 000-71-72 в любое время": true,
		"Продам диван 8 900 000-71-72": false, "Сдам квартиру 89000007172": false, "Такси 89000007172": false,
		"Ремонт окон 89000007172": false, "И потерял ключи 89000007172": false, "И кошка пропала 89000007172": false,
		"И спасибо всем": false, "": false, "Ещё одна собака, Рекс, 89000007172": false,
	} {
		require.Equal(t, want, read(1, text).Continues(), text)
	}
}

func TestAPhoneThatMoneyIsSentToIsNoneToCall(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Сбор на корм! На карту Сбербанка по номеру 8 900 000-11-22, Ольга К. Вопросы 8 900 000-33-44": {"+79000003344"},
		"Пропал кот. 8 900 000-33-44. Помощь: Сбер 8 900 000-11-22":                                    {"+79000003344"},
		"Нужна операция. Реквизиты: 8-900-000-11-22 сбер\nТелефон куратора 8 900 000-33-44":            {"+79000003344"},
		"Сбор на лечение: карта у Анны, тел. 8 900 000-33-44":                                          {"+79000003344"},
		"Сбор! Карта Сбербанк 2202 2000 0000 0001 (Ирина В.), по номеру 8 900 000-11-22":               nil,
		"Пропал кот. СБП 89000001122 Альфа":                                                            nil,
		"Пропала кошка, 8 900 000-33-44, карта поисков в группе":                                       {"+79000003344"},
	} {
		reading := petpost.Parse(petpost.Input{Text: text})
		require.Equal(t, want, reading.Callable(), text)
	}
}

func TestNoPlaceRatherThanAWrongOne(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Пропал кот, ул. Ленина 5":                                          "ул. Ленина 5",
		"Малая Пурга. Собака бегает вдоль дороги, рыжая":                    "Малая Пурга",
		"Собака бегает вдоль дороги, рыжая. Верхние Юри, сегодня утром":     "Верхние Юри",
		"Малая Пурга. Пропала собака, бежала вдоль дороги, рыжая":           "Малая Пурга",
		"Ребят, у нас беда! Из приюта сбежали собаки: Лада и Бим":           "",
		"#пропаласобака #ижевск Маламут, девочка, ушла 17 числа":            "Ижевск",
		"Собака бегает вдоль дороги, рыжая":                                 "",
		"Большая Просьба! Собака бегает вдоль дороги, рыжая":                "",
		"У кофейни живёт рыжий кот, явно чей-то. Похож на Рыжика с Полевой": "У кофейни",
		"Найдена кошка у школы № 5, ищем хозяев":                            "у школы № 5",
		"Щенки ищут дом. По Удмуртии привозим. 89000001234":                 "",
		"Отдам щенка в добрые руки, с. Молочное":                            "с. Молочное",
		"Отдам котят в добрые руки, Речная 4":                               "Речная 4",
		"Котик ищет дом. В конце августа его нашли в подвале на Петина":     "",
		"Выставка бездомных животных пройдёт 1 декабря в ТЦ Талисман":       "",
		"Изюм дома! Спасибо всем, Пермь, Вышка-2":                           "",
	} {
		require.Equal(t, want, read(1, text).Place(), text)
	}
}

func TestAgesAreComparedAsOfTheDaysOfTheirPosts(t *testing.T) {
	t.Parallel()
	same := func(age, later string, days int) bool {
		const text = "Кошечка Нюша ищет дом, %s, трёхцветная, к лотку приучена. Тел. 8 900 000-71-71"
		one := read(1, fmt.Sprintf(text, age))
		other := petpost.ReadPost(post.Post{ID: post.ID{OwnerID: -2, PostID: 1}, Text: fmt.Sprintf(text, later), PostedAt: one.PostedAt.AddDate(0, 0, days)})
		return petpost.SameCase(one.Fingerprint, other.Fingerprint).Same
	}
	require.True(t, same("6 мес.", "7 мес.", 31))
	require.True(t, same("7 месяцев", "8 месяцев", 25))
	require.False(t, same("6 мес.", "7 мес.", 0))
	require.False(t, same("6 мес.", "2 мес.", 31))
	require.True(t, same("1,5 года", "2 года", 150))
	require.False(t, same("2 года", "5 лет", 31))
	require.True(t, same("11 месяцев", "1 год", 31))
}
