package petpost_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

func TestTypeIsWhatTheAuthorAsksForRatherThanAWordOfTheText(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text string
		want petpost.Type
	}{
		"a short notice is no link":                   {"Нашлась! Собака дома", petpost.Reunited},
		"subject first is home":                       {"Пёс найден ✅", petpost.Reunited},
		"verb first is a find":                        {"Найден пёс, Ленина 5", petpost.Found},
		"a question is no loss":                       {"Не пропала ли у кого такса? Бегает у школы", petpost.Sighting},
		"nobody lost":                                 {"Никто не терял кошку? Сидит у нас дома", petpost.Found},
		"a passport is no pet":                        {"Потерял паспорт, верните за вознаграждение", petpost.News},
		"a person is no pet":                          {"Пропала женщина, 70 лет, ушла из дома и не вернулась", petpost.News},
		"advice is no loss":                           {"Что делать, если потерялась собака? Читайте памятку", petpost.News},
		"a healed foundling looks for a home":         {"Кот найден в подвале, вылечен, кастрирован. Ищет дом!", petpost.Adoption},
		"card details at the end do not turn a story": {"Герда ищет дом! 2 года, стерилизована, привита, ладит с детьми. Помочь на корм: сбер 2202 2000 1111 2222", petpost.Adoption},
		"money first is a request for money":          {"Срочный сбор на операцию! Щенка сбила машина. Карта 2202 2000 1111 2222", petpost.Fundraising},
		"a closed collection is news":                 {"Сбор закрыт! Спасибо всем, кто помог", petpost.News},
		"an adopted cat is news":                      {"Мурка уехала домой, в новую семью! Спасибо куратору", petpost.News},
		"still looking":                               {"Собака так и не нашлась, продолжаем поиски", petpost.Lost},
		"letters apart":                               {"П Р О П А Л А  С О Б А К А", petpost.Lost},
		"Latin among Cyrillic":                        {"Пpoпaл кoт, чёpный", petpost.Lost},
		"a run-on hashtag":                            {"#пропаласобака #Ижевск рыжая, в ошейнике", petpost.Lost},
		"a form of short lines is no verse":           {"Пропала кошка\nУлица Лесная\nСерая, пушистая\nПомогите найти", petpost.Lost},
		"a form with emoji is no verse":               {"❗️ЧЬЯ ПРОПАЖА❗️\n🐶 Хаски, окрас серо-белый\n📍 видели на льду озера\n▪️ близко не подпускает", petpost.Sighting},
		"a search under the news of its end":          {"ВЕРНУЛСЯ!\n\nПотерялся пёс Тобик, чёрный, ул. Луговая 9. Кто видел, просим позвонить, вознаграждение 8 900 000-36-09", petpost.Reunited},
		"a title needs no more":                       {"Разыскивается шиншилла", petpost.Lost},
		"a town is no bicycle":                        {"Вчера в Ростове Великом с вокзала убежала собачка, такса. Если кто видел, напишите", petpost.Lost},
		"a breeder sells":                             {"Продаются щенки лабрадора, РКФ", petpost.News},
		"a tomcat for mating is not missing":          {"Ищу кота для вязки", petpost.News},
		"links alone":                                 {"[club1|Приют] https://vk.com/wall-1_2", petpost.Link},
		"a scrap":                                     {"Ап", petpost.Unknown},
		"nothing":                                     {" \n", petpost.Empty},
		"who did not come home is missing":            {"Кот Фунтик не пришёл домой. Ул. Свободы 133, одноглазый, серый", petpost.Lost},
		"a question of nothing":                       {"Кто видел?", petpost.Unknown},
		"a bump of nothing":                           {"Актуально!!!", petpost.Unknown},
		"a link that is pointed to":                   {"Подробности тут: https://vk.com/wall-1_2", petpost.Link},
		"a sledge is no pet":                          {"Верните санки! Стояли у лифта на пятом, ребёнок плачет", petpost.News},
		"a tail that is shown on the leash is a pet":  {"Упустили поводок у рынка, щенок хаски убежал. Кто видел?", petpost.Lost},
		"found stands above the old search":           {"(НАЙДЕНА) Пропала собака, рыжая, ошейник зелёный", petpost.Reunited},
		"thanks over a search that goes on":           {"Спасибо за репосты! Фросю так и не встретили, ищем дальше. Кошка трёхцветная", petpost.Lost},
		"a card and an empty store ask for money":     {"Корм закончился, кормить нечем. Хоть по сто рублей: 4276 6900 1111 2222", petpost.Fundraising},
		"found, and its owner is looked for":          {"Найден, ищем хозяев! Пёс, похож на ротвейлера, в строгом ошейнике", petpost.Found},
		"who came out to us is no runaway":            {"К нашей калитке вышла собака, гончая, ошейник жёлтый. Накормили, ночует у нас в сарае. Ваша?", petpost.Found},
		"advice to owners is no find":                 {"Если ваш питомец гуляет сам, закройте его дома: в районе отлов", petpost.News},
		"a loss that is called off":                   {"Пропажа отменяется! Кот дома", petpost.Reunited},
		"an owner asks whose yard it is in":           {"У кого во дворе чужая собака? Дик, рыжий, перегрыз верёвку. 8 900 000-12-34", petpost.Lost},
		"a passer-by's guess is no search":            {"Пёс крутится возле шаурмы, молодой, на шее обрывок цепи. Сорвался с привязи скорее всего", petpost.Sighting},
		"a guess of two ways is no search":            {"Ищу хозяев! Появилась кошка, забилась под крыльцо. Может быть выпала из окна или сбежала", petpost.Sighting},
		"whoever appeared was seen":                   {"По улице Гоголя появилась кошечка", petpost.Sighting},
		"who could not be kept was seen":              {"Обнаружена собачка, металась у дороги. Оставить её возможности не нашлось", petpost.Sighting},
		"they wait for parents":                       {"Смешная троица ждёт самых добрых родителей! Котята были найдены на чердаке, живут теперь на передержке", petpost.Adoption},
		"a phone alone":                               {"Тел: 8-900-000-03-21", petpost.Unknown},
		"a cable is no pet":                           {"Пропал кабель питания от станка, кто видел, верните", petpost.News},
		"a sofa is no pet":                            {"Отдам диван даром, самовывоз с 5 этажа", petpost.News},
		"a stairwell is no lost thing":                {"Зевс пропал из подъезда, лестница чёрный ход. Бенгал, золотой. Тел. 8 900 000-12-34", petpost.Lost},
		"an owner asks who found it":                  {"Никто кошку не находил? Шотландка, сбежала от курьера", petpost.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := petpost.Parse(petpost.Input{Text: row.text})
			require.Equal(t, row.want, got.Type, "%q\n%+v", row.text, got.Evidence)
		})
	}
}

func TestASearchForAPersonIsNeverOneForAPet(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Дочь после школы не пришла домой, Пролетарская 14. 9 лет, синий пуховик, розовый рюкзак. Если видели, звоните 8 900 000 45 18",
		"Помогите найти сына! Ушёл гулять в 15:00, до сих пор нет. 7 лет, зелёная куртка, шапка с помпоном. 89000001122",
		"Кто видел мою племянницу? Ушла с подружкой на каток и пропала. Аня, 11 лет, жёлтый комбинезон",
		"Дед ушёл из дома утром, домой не пришёл. Кто видел на Лесной?",
		"Ищу отца. Пьющий, ушёл неделю назад, зовут Николай, в телогрейке. Может, кто подобрал",
		"Пропала бабушка! Вышла в магазин на Речной и не вернулась. Плохо помнит. Тел 8 900 000-33-44",
		"Потерялся ребёнок в торговом центре, мальчик 4 года, зовут Тимур, ищет маму",
		"Пропал мой брат, Иванов Сергей, 34 года. Уехал на белой Ниве 12 ноября, на связь не выходит",
	} {
		reading := petpost.Parse(petpost.Input{Text: text})
		require.Equal(t, petpost.News, reading.Type, text)
		require.Empty(t, reading.Alternatives, "nor is a person asked whether it is one: %s", text)
	}
	for _, text := range []string{
		"Джека нашего не видели? Метис лайки, рыжеватый, уши торчком. С утра калитка была открыта, он утек и пока не объявился",
		"Дочка плачет, Барсик не пришёл домой, ул. Школьная 5. Кто видел?",
		"Моя бабушка потеряла Мусю, вышла за ней во двор на Речной, а её нет. Серая, пушистая",
	} {
		require.Equal(t, petpost.Lost, petpost.Parse(petpost.Input{Text: text}).Type, text)
	}
}

func TestAnimalIsTheOneThePostIsAbout(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text string
		want petpost.Animal
	}{
		"Pskov is no dog":                   {"Бегает по псковской улице", ""},
		"companions do not count":           {"Собака ищет дом, ладит с кошками и детьми", petpost.Dog},
		"attackers do not count":            {"Нашли кота, его порвали собаки", petpost.Cat},
		"likeness does not count":           {"Пропал пёс, рыжий, похож на лису", petpost.Dog},
		"a breed is enough":                 {"Пропал йорк, район Буммаш", petpost.Dog},
		"another breed":                     {"Найден мейн-кун", petpost.Cat},
		"a typing slip":                     {"Потерялся кабель, рыжий, в ошейнике", petpost.Dog},
		"a tortoise":                        {"Уползла черепаха", petpost.Other},
		"a tortoiseshell":                   {"Пропала кошка, черепаховая", petpost.Cat},
		"a bird":                            {"Улетел попугай", petpost.Other},
		"a squirrel's name":                 {"Пропала собака, зовут Белка", petpost.Dog},
		"a fox's name":                      {"Лиса пропала! Собака похожа на лису, рыжая", petpost.Dog},
		"a prey does not count":             {"Пропала гончая, ушла за зайцем", petpost.Dog},
		"a coat is no tortoise":             {"Потеряшка Фрося, окрас черепаха, 3 года", petpost.Cat},
		"a cable":                           {"Продам кабель ВВГ 3х2,5, бухта 50 м", ""},
		"what it does outweighs a nickname": {"Серыш - весёлый парень, ищет дом! Знает команды, ходит на поводке. В частный дом без цепи", petpost.Dog},
		"what they do tells it":             {"Эти крошки ищут дом! Мурчат, едят сами, лоток знают", petpost.Cat},
		"a nurse is looked for":             {"Ищем кормящую кошку для щенка, 5 дней, остался без мамы", petpost.Dog},
		"a breed by its colour":             {"Ася пропала, русская голубая, 8 месяцев", petpost.Cat},
		"kinds in general do not count":     {"Ветклиника для кошек и собак открылась на Ленина", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := petpost.Parse(petpost.Input{Text: row.text})
			require.Equal(t, row.want, got.Animal, "%q\n%+v", row.text, got.Evidence)
		})
	}
}

func TestPhonesInEverySpellingAndNothingElse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"8 (912) 345-67-89":                 "+79123456789",
		"+7 912 345 67 89":                  "+79123456789",
		"+7(912)345-67-89":                  "+79123456789",
		"9123456789":                        "+79123456789",
		"912-345-67-89":                     "+79123456789",
		"8-912-345 67 89":                   "+79123456789",
		"8912 345 67 89 Анна":               "+79123456789",
		"8.912.345.67.89":                   "+79123456789",
		"8 912 345 67 89 / 8 950 111-22-33": "+79123456789 +79501112233",
		"89123456789 89501112233":           "+79123456789 +79501112233",
		"т.89123456789,звоните":             "+79123456789",
		"Viber89123456789":                  "+79123456789",
		"8️⃣9️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣9️⃣": "+79123456789",
		"https://wa.me/79123456789":               "+79123456789",
		"8 (3412) 55-00-11":                       "+73412550011",
		"тел. (342) 255-00-11":                    "+73422550011",
		"+375 29 123-45-67":                       "+375291234567",
		"карта 2202 2012 3456 7890":               "",
		"2202201234567890":                        "",
		"4276 8800 1234 5678 или 8 912 345 67 89": "+79123456789",
		"р/с 40703810100000000123":                "",
		"ИНН 9701234567":                          "",
		"паспорт 9405 123456":                     "",
		"чип 643094100012345":                     "",
		"12.03.2025 в 18:30":                      "",
		"35 000 руб.":                             "",
		"55-66-77":                                "",
		"vk.com/wall-9123456789_123":              "",
		"vk.com/id9123456789":                     "",
		"[id9123456789|Анна]":                     "",
	} {
		got := petpost.Parse(petpost.Input{Text: text})
		require.Equal(t, want, strings.Join(got.Phones, " "), text)
	}
}

func TestFieldsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	got := petpost.Parse(petpost.Input{Text: "Пропал кобель немецкой овчарки, 3 года, чёрный с рыжим подпалом, зовут Грей. " +
		"Вчера около 19:00, г. Ижевск, ул. Удмуртская, д. 255, испугался салюта. Был в ошейнике, чипирован. " +
		"Звоните 8 912 345-67-89 (Ольга) или пишите @olga_izh"})
	require.Equal(t, petpost.Lost, got.Type)
	require.Equal(t, petpost.Dog, got.Animal)
	require.Equal(t, petpost.Male, got.Sex)
	require.Equal(t, "Грей", got.Name)
	require.Equal(t, "немецкой овчарки", got.Breed)
	require.Equal(t, "3 года", got.Age)
	require.Equal(t, "чёрный с рыжим подпалом", got.Color)
	require.Equal(t, "Вчера около 19:00", got.When)
	require.Equal(t, "г. Ижевск, ул. Удмуртская, д. 255", got.Location)
	require.Equal(t, []string{"@olga_izh", "Ольга"}, got.Contacts)
	require.Equal(t, []string{"chipped", "collar"}, got.Traits)
}

func TestANameIsWrittenAsNamesAre(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"потерялся йорк чарли, центр":                                 "Чарли",
		"УБЕЖАЛА КОШКА МУСЯ, ОЧЕНЬ ПУГЛИВАЯ":                          "Муся",
		"Бублик зовут, корги, сбежал из двора":                        "Бублик",
		"Пропал пёс, зовут РЕКС, ушёл с Кирова 1":                     "Рекс",
		"Ищем кота, отзывается на Ваську":                             "Васька",
		"Рольф- воспитанный пёс в дар! Рольф хорошо ходит на поводке": "Рольф",
		"Кошечка Глафира, 1-2 года. Характер золотой":                 "Глафира",
		"Чуча ушла гулять и не пришла, дворняга":                      "Чуча",
		"Сбор на корм. Карта на имя Галины Петровны К.":               "",
	} {
		require.Equal(t, want, petpost.Parse(petpost.Input{Text: text}).Name, text)
	}
}

func TestAPlaceNeedsNoWordForIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Брагино, ул. Труда. Пропала кошка, серая":                   "Брагино, ул. Труда",
		"Норское, у церкви. Чёрная собака со шлейкой":                "Норское, у церкви",
		"Потерялся кот, откликается на Сему, белый":                  "",
		"Пропал кобель овчарки, 5 лет. Испугался петард":             "",
		"ПРОПАЛА СОБАКА, г.Киров ул. Труда. Девочка, 11 лет":         "г.Киров ул. Труда",
		"Подобрали вечером в парке Берёзовая роща, сидела и дрожала": "в парке Берёзовая роща",
	} {
		require.Equal(t, want, petpost.Parse(petpost.Input{Text: text}).Location, text)
	}
}

func TestSexIsToldByAgreementWhereNoNounForcesIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]petpost.Sex{
		"Рыжая, ушла через форточку, кто видел?":      petpost.Female,
		"Доберман вырвался и убежал в сторону рынка":  petpost.Male,
		"Пропала собака, рыжая, пугливая":             "",
		"Пропал котёнок, чёрный, выскочил в подъезд":  "",
		"Улетел попугай, зелёный":                     "",
		"Джесси выскочила из машины, лабрадор, белый": petpost.Female,
	} {
		require.Equal(t, want, petpost.Parse(petpost.Input{Text: text}).Sex, text)
	}
}

func TestARepostIsReadWithItsOriginal(t *testing.T) {
	t.Parallel()
	const lost = "Пропала собака, такса, рыжая. Ленина 5. 8 912 345 67 89"
	for comment, want := range map[string]petpost.Type{
		"":                        petpost.Lost,
		"Максимальный репост!":    petpost.Lost,
		"https://vk.com/wall-1_2": petpost.Lost,
		"Всё ещё ищем":            petpost.Lost,
		"Нашлась! Собака дома":    petpost.Reunited,
		"Нашли, всем спасибо":     petpost.Reunited,
	} {
		got := petpost.Parse(petpost.Input{Text: comment, Reposts: []string{lost}})
		require.Equal(t, want, got.Type, comment)
		require.Equal(t, petpost.Dog, got.Animal, comment)
		require.Equal(t, []string{"+79123456789"}, got.Phones, comment)
	}
}

// everyday are comments that leave what stands under them what it is.
var everyday = []string{
	"", "Репост, пожалуйста!", "Помогите найти", "Максимальный репост!!!", "Поднимем", "Ап", "Друзья, помогите с репостом!", "Наш район!",
	"Девочки, посмотрите", "🙏🙏🙏", "Вдруг кто видел", "Всё ещё ищем", "Ищем до сих пор", "Очень нужна помощь", "Сделайте репост, вам не сложно",
	"Смотрите внимательно по сторонам", "Это рядом с нами", "Соседи, отзовитесь", "Не проходите мимо", "Добрый день! Разместите, пожалуйста",
	"Актуально!", "Важно!", "Повтор", "Ижевск, репост", "Пожалуйста, распространите", "Поделитесь с друзьями", "Кто может помочь?",
	"Может кто узнает", "https://vk.com/wall-1_2",
}

func TestACommentAnywhereInAChainLeavesTheAdWhatItIs(t *testing.T) {
	t.Parallel()
	for original, want := range map[string]petpost.Type{
		"Пропала собака, такса, рыжая. Ленина 5. 8 912 345 67 89":                               petpost.Lost,
		"Потерялся кот Барсик, серый, ул. Мира 12, просим вернуть":                              petpost.Lost,
		"Найдена кошка, трёхцветная, ул. Речная 4, на передержке. Ищем хозяев. 8 912 345 67 89": petpost.Found,
		"Отдам котят в добрые руки, 2 месяца, к лотку приучены. 8 912 345 67 89":                petpost.Adoption,
	} {
		for _, comment := range everyday {
			for _, chain := range [][]string{{comment, original}, {"", comment, original}, {comment, "", original}, {"Ап", comment, original}} {
				got := petpost.Parse(petpost.Input{Reposts: chain})
				require.Equal(t, want, got.Type, "%q", chain)
			}
			got := petpost.Parse(petpost.Input{Text: "Помогите!", Reposts: []string{comment, original}})
			require.Equal(t, want, got.Type, "%q over %q", comment, original)
		}
	}
	for comment, want := range map[string]petpost.Type{"Видели вчера у моста!": petpost.Lost, "Видели вчера вечером похожую на неё собаку у моста, бежала к вокзалу": petpost.Sighting} {
		seen := petpost.Parse(petpost.Input{Text: "Репост", Reposts: []string{comment, "Пропала собака Веста, такса. Набережная 40"}})
		require.Equal(t, want, seen.Type, comment)
		require.NotEmpty(t, seen.Seen)
	}
	home := petpost.Parse(petpost.Input{Reposts: []string{"Нашлась! Собака дома", "Пропала собака, такса"}})
	require.Equal(t, petpost.Reunited, home.Type, "a comment that says something is heard")
	require.Equal(t, petpost.Lost, petpost.Parse(petpost.Input{Reposts: []string{"", "Пропала собака, такса"}}).Type)
}

func TestEveryDecisionShowsItsEvidence(t *testing.T) {
	t.Parallel()
	got := petpost.Parse(petpost.Input{Text: "Пропала кошка", Reposts: nil})
	shown := map[string]string{}
	for _, e := range got.Evidence {
		shown[e.Field+" "+e.Rule+" "+e.Words] = e.Points
	}
	require.Equal(t, "lost", shown["type lost.title Пропала кошка"])
	require.Equal(t, "cat", shown["animal animal.cat кошка"])
	require.Greater(t, got.Confidence, 0.9)
}

func TestAVolunteersPhoneDoesNotJoinCases(t *testing.T) {
	t.Parallel()
	fingerprint := func(id int64, text string) petpost.Fingerprint {
		in := petpost.Input{Text: text}
		ref := post.ID{OwnerID: -1, PostID: id}
		return petpost.NewFingerprint(ref, ref, in, petpost.Parse(in))
	}
	posts := []petpost.Fingerprint{
		fingerprint(1, "Кошечка Сима ищет дом! 1 год, серая, стерилизована, лоток знает. 8 912 345 67 89"),
		fingerprint(2, "Котик Персик ищет дом! 2 года, рыжий, кастрирован, лоток знает. 8 912 345 67 89"),
		fingerprint(3, "Пропала такса Марта, рыжая, Ленина 5. 8 950 111 22 33"),
		fingerprint(4, "Ищем Марту! Такса, убежала с Ленина. 8 950 111 22 33"),
	}
	require.Equal(t, []int{0, 1, 2, 2}, petpost.Group(posts))
	require.Equal(t, "same phone, dog, name, place, breed", petpost.SameCase(posts[2], posts[3]).Reason)
}

func TestWhoStillLooksForTheOwnerHasNoHappyEndToTell(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"йорк ищет хозяина, нашли вчера на Ленина", "Собака ищет своих хозяев, нашли сегодня у магазина", "Кот, нашли вчера на Речной, ищем хозяев",
	} {
		require.Contains(t, []petpost.Type{petpost.Found, petpost.Sighting}, petpost.Parse(petpost.Input{Text: text}).Type, text)
	}
	for _, text := range []string{"Хозяина нашли, спасибо всем!", "Ищем хозяина! Нашли! Собака дома", "Искали хозяина, нашли! Всем спасибо"} {
		require.Equal(t, petpost.Reunited, petpost.Parse(petpost.Input{Text: text}).Type, text)
	}
}
