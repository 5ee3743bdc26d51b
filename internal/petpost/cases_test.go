package petpost_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// prints are the fingerprints of posts of a wall, an hour apart.
func prints(texts ...string) []petpost.Fingerprint {
	list := make([]petpost.Fingerprint, len(texts))
	began := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for i, text := range texts {
		id := post.ID{OwnerID: -1, PostID: int64(i + 1)}
		in := petpost.Input{Text: text, PostedAt: began.Add(time.Duration(i) * time.Hour)}
		list[i] = petpost.NewFingerprint(id, id, in, petpost.Parse(in))
	}
	return list
}

func TestADozenAnimalsUnderAVolunteersPhoneStayApart(t *testing.T) {
	t.Parallel()
	animals := []struct{ kind, name, color, age string }{
		{"Кошечка", "Лиза", "белая", "1 год"}, {"Кошечка", "Фрося", "белая", "1 год"}, {"Кошечка", "Зина", "серая", "1 год"},
		{"Котик", "Пушок", "рыжий", "2 года"}, {"Котик", "Дымок", "серый", "2 года"}, {"Котик", "Ёжик", "рыжий", "2 года"},
		{"Кошечка", "Муся", "чёрная", "3 года"}, {"Кошечка", "Пуля", "чёрная", "3 года"}, {"Котик", "Кузя", "белый", "8 месяцев"},
		{"Котик", "Тиша", "белый", "8 месяцев"}, {"Кошечка", "Сима", "трёхцветная", "5 лет"}, {"Кошечка", "Нюра", "трёхцветная", "5 лет"},
	}
	for name, template := range map[string]string{
		"a short advert": "%[1]s %[2]s ищет дом! Окрас: %[3]s, возраст %[4]s, лоток на отлично. 8 900 000-44-01 Ирина",
		"a long advert": "%[1]s %[2]s ищет дом! Окрас: %[3]s, возраст %[4]s. Обработка от паразитов, прививки по возрасту, лоток знает, " +
			"ест сухой корм, дружит с кошками и собаками, к детям относится спокойно. Отдаётся в ответственные руки по договору, " +
			"с отслеживанием судьбы, без самовыгула, с сетками на окнах. Звоните Ирине 8 900 000-44-01",
		"the name further on": "В добрые руки! %[1]s, %[3]s, возраст %[4]s. Ласковый характер, лоток знает. Имя %[2]s. Волонтёр: 8 900 000-44-01",
		"a collection":        "Собираем на корм и лечение! %[1]s %[2]s (%[3]s, %[4]s) живёт на передержке, нужна ваша помощь, любая сумма. 8 900 000-44-01",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var texts []string
			for _, a := range animals {
				texts = append(texts, fmt.Sprintf(template, a.kind, a.name, a.color, a.age))
			}
			posts := prints(texts...)
			for i, first := range petpost.Group(posts) {
				require.Equal(t, i, first, "%s\n%s\n%s", texts[i], texts[first], petpost.SameCase(posts[i], posts[first]).Reason)
			}
		})
	}
}

func TestADozenSearchesUnderAVolunteersPhoneStayApart(t *testing.T) {
	t.Parallel()
	posts := prints(
		"Пропала собака! Рекс, овчарка, ул. Лесная, 12. Поисковый отряд: 8 900 000-44-02",
		"Пропала собака! Лада, овчарка, ул. Садовая, 3. Поисковый отряд: 8 900 000-44-02",
		"Пропал пёс, такса, рыжий, район Заречный. Поисковый отряд: 8 900 000-44-02",
		"Пропал пёс, рыжий, ул. Речная. Поисковый отряд: 8 900 000-44-02",
		"Пропала кошка Муся, серая, ул. Лесная, 12. Поисковый отряд: 8 900 000-44-02",
		"Пропал кот Кузя, серый, пр. Победы. Поисковый отряд: 8 900 000-44-02",
		"Пропала кошка, чёрная, ул. Короленко. Поисковый отряд: 8 900 000-44-02",
		"Пропала кошка, чёрная, ул. Советская. Поисковый отряд: 8 900 000-44-02",
		"Найдена собака, чёрная, ул. Мира. Поисковый отряд: 8 900 000-44-02",
		"Найдена собака, рыжая, ул. Труда. Поисковый отряд: 8 900 000-44-02",
		"Замечена собака с ошейником на ул. Полевой. Поисковый отряд: 8 900 000-44-02",
		"Улетел попугай, зелёный, ул. Степная. Поисковый отряд: 8 900 000-44-02",
	)
	for i, first := range petpost.Group(posts) {
		require.Equal(t, i, first, "%d and %d: %s", i, first, petpost.SameCase(posts[i], posts[first]).Reason)
	}
}

func TestOneAnimalInManyTextsIsOneCase(t *testing.T) {
	t.Parallel()
	posts := prints(
		"Пропал пёс Рекс, рыжий, бигль, убежал с ул. Лесная, 12. Тел. 8 900 000-71-71",
		"Помогите найти собаку! Зовут Рекс, бигль, рыжий с белым, видели у ул. Лесная. Звоните 8 900 000-71-71",
		"❗️❗️❗️ РЕПОСТ ❗️❗️❗️ Пропал пёс Рекс, рыжий, бигль, убежал с ул. Лесная, 12. Тел. 8 900 000-71-71",
		"Рекс всё ещё не дома. Четвёртый день ищем нашего бигля, обошли всю Лесную и гаражи. Если увидите, не гонитесь, звоните: +7 (900) 000-71-71",
		"Бигля Рекса вчера видели на Садовой! Хозяевам 89000007171",
		"Рекс дома! Нашёлся наш рыжий бигль с ул. Лесная, спасибо всем, кто искал. 8 900 000-71-71",
	)
	for i, first := range petpost.Group(posts) {
		require.Zero(t, first, "%d: %s", i, petpost.SameCase(posts[0], posts[i]).Reason)
	}
}

func TestADecisionTellsNoPhoneAndNoName(t *testing.T) {
	t.Parallel()
	posts := prints(
		"Пропал пёс Рекс, рыжий, бигль, ул. Лесная, 12. Тел. 8 900 000-71-71",
		"Помогите найти собаку! Зовут Рекс, бигль, рыжий, ул. Лесная. 8 900 000-71-71",
		"Пропал пёс Рекс, чёрный, такса, ул. Садовая, 3. Тел. 8 900 000-71-72",
	)
	for _, other := range posts[1:] {
		reason := petpost.SameCase(posts[0], other).Reason
		require.NotEmpty(t, reason)
		require.NotContains(t, strings.ToLower(reason), "рекс")
		require.NotContains(t, reason, "7171")
	}
}
