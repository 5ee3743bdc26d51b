package conformance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/words"
)

const manyPlaces = 2000

// workbook is a city as editors keep it: a sheet for each list, references by
// name, times and prices as people write them.
func workbook(t *testing.T, now time.Time) io.Reader {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	sheet := func(name string, rows [][]any) {
		_, err := book.NewSheet(name)
		require.NoError(t, err)
		for n, row := range rows {
			require.NoError(t, book.SetSheetRow(name, fmt.Sprintf("A%d", n+1), &row))
		}
	}
	kinds := []struct{ type_, sub, noun string }{
		{"Кофейни", "Обжарщики", "Кофейня"}, {"Кофейни", "С завтраками", "Кофейня-завтракария"}, {"Музеи", "Краеведческие", "Музей"},
		{"Рестораны", "Русская кухня", "Ресторан"}, {"Рестораны", "Паназиатская кухня", "Лапшичная"}, {"Парки и скверы", "", "Сквер"},
		{"Магазины", "Книжные", "Книжная лавка"}, {"Бары", "Крафтовое пиво", "Бар"}, {"Гостиницы", "Хостелы", "Хостел"}, {"Театры", "", "Театр"},
	}
	names := []string{"Ветер", "Причал", "Ёлка", "У Матвея", "Старый маяк", "Рябина", "Тихий берег", "Якорь", "Облако № 9", "Полдень", "Дом на набережной с видом на старый мост"}
	streets := []string{"ул. Речная", "просп. Строителей", "наб. Ольховки", "пер. Кузнечный", "ул. 50-летия Октября", "пл. Искусств", "ул. Академика Ветрова", "Заозёрное шоссе"}
	districts := []string{"Центр", "Заречье", "Старый город", "Северный", "Заводской район", "Дачный посёлок Ольховка"}
	places := [][]any{{"Название", "Адрес", "Район", "Тип", "Подкатегория", "Рейтинг", "Описание", "Телефон", "Сайт", "Координаты", "Часы работы"}}
	for n := range manyPlaces {
		kind := kinds[n%len(kinds)]
		rating, phone, site, description, at := "", "", "", "", ""
		if n%7 != 0 {
			rating = strings.Replace(fmt.Sprintf("%.1f", 3+float64(n%21)/10), ".", ",", 1)
		}
		if n%3 != 0 {
			phone = fmt.Sprintf("8 (900) 000-%02d-%02d", n/100%100, n%100)
		}
		if n%4 == 0 {
			site = fmt.Sprintf("olkhovsk-%d.example.com", n)
		}
		if n%5 != 0 {
			description = strings.Repeat("Уютный зал, тихая музыка и вид на реку. ", 1+n%60)
		}
		if n%2 == 0 {
			at = fmt.Sprintf("%.5f, %.5f", 56.8+float64(n%97)/1000, 60.6+float64(n%89)/1000)
		}
		places = append(places, []any{
			fmt.Sprintf("%s «%s»", kind.noun, names[n%len(names)]), fmt.Sprintf("Ольховск, %s, %d", streets[n%len(streets)], 1+n/len(streets)),
			districts[n/10%len(districts)], kind.type_, kind.sub, rating, description, phone, site, at, "ежедневно 10:00–22:00",
		})
	}
	events := [][]any{{"Название", "Дата", "Время", "Окончание", "Место", "Категория", "Организатор", "Цена", "Описание"}}
	for n := range 150 {
		at, end := now.AddDate(0, 0, n%40), ""
		if n%9 == 0 {
			end = at.AddDate(0, 0, 3).Format("02.01.2006")
		}
		events = append(events, []any{
			[]string{"Концерт на набережной", "Лекция о птицах Ольховки", "Спектакль «Чайка»", "Ярмарка ремёсел"}[n%4] + fmt.Sprintf(" %d", n/4+1),
			at.Format("02.01.2006"), fmt.Sprintf("%d:30", 10+n%12), end, places[1+n*13%manyPlaces][0], []string{"Музыка", "Лекции", "Театр", "Ярмарки"}[n%4],
			[]string{"Филармония", "Библиотека им. Ветрова"}[n%2], []string{"от 300 руб.", "бесплатно", "500"}[n%3], "Вход с главной улицы.",
		})
	}
	promos := [][]any{{"Название", "Место", "Промокод", "Действует до", "Условия"}}
	for n := range 20 {
		promos = append(promos, []any{fmt.Sprintf("Скидка %d %%", 5+n), places[1+n][0], fmt.Sprintf("ОЛЬХА%d", n), now.AddDate(0, 1, n).Format("02.01.2006"), "Назовите промокод на кассе."})
	}
	sheet("Места", places)
	sheet("События", events)
	sheet("Акции", promos)
	sheet("Подборки", [][]any{{"Название", "Описание", "Места"}, {"Где согреться", "Тёплые места на берегу.", "Кофейня «Ветер»; Музей «Ёлка»"}})
	require.NoError(t, book.DeleteSheet("Sheet1"))
	var file bytes.Buffer
	require.NoError(t, book.Write(&file))
	return &file
}

// importTables takes a file in as the desk does.
func importTables(t *testing.T, r *harness, name string, file io.Reader) content.Status {
	t.Helper()
	ctx := context.Background()
	imports := guidedb.NewImports(r.pool)
	known := func(list content.List) ([]content.Named, error) { return imports.Named(ctx, list) }
	batch, err := content.Open(name, file, content.Rules{Zone: zone, Known: known}, content.TableOptions{})
	require.NoError(t, err)
	accepted, err := imports.Accept(ctx, guidedb.Upload{Batch: batch, Origin: name})
	require.NoError(t, err)
	nobody := func(guidedb.Progress) {}
	require.NoError(t, imports.Apply(ctx, accepted.ID, nobody))
	require.NoError(t, imports.Finish(ctx, accepted.ID, time.Now()))
	require.NoError(t, imports.Tidy(ctx))
	status, err := imports.Status(ctx, accepted.ID)
	require.NoError(t, err)
	return status
}

// walker goes through the guide and looks at every screen.
type walker struct{ *person }

var awkward = regexp.MustCompile(`%!|  |\n\n\n| ,|, ,|: \n| · ·| — (\n|$)|\{[a-z]+\}|<nil>|0001`)

func (w walker) look(tr trail) screen {
	w.t.Helper()
	s := tr.screen(w.t)
	require.Equal(w.t, "ok", tr.line.text("result"))
	require.NotRegexp(w.t, awkward, s.text)
	require.LessOrEqual(w.t, utf8.RuneCountInString(s.text), words.MessageLimit)
	shown := s.text
	for _, row := range s.rows {
		shown += "\n  "
		for _, b := range row {
			require.NotRegexp(w.t, awkward, b.Text)
			require.NotEmpty(w.t, b.Text)
			shown += "[" + b.Text + "] "
		}
	}
	w.t.Logf("\n%s", shown)
	return s
}

func (w walker) open(s screen, label string) screen {
	w.t.Helper()
	return w.look(w.press(s.button(w.t, label).Data))
}

func TestACityOfTwoThousandPlacesIsImportedFromAWorkbookAndWalkedThrough(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{share: true})
	status := importTables(t, r, "Ольховск.xlsx", workbook(t, time.Now().In(zone)))
	require.Empty(t, status.Refused)
	w := walker{r.person(t)}

	menu := w.look(w.say("/start"))
	places := w.open(menu, "Места")
	require.Contains(t, places.text, "Места · 2023 места")
	next := w.open(places, "Показать ещё")
	w.open(next, "Сначала лучшие")
	last := regexp.MustCompile(`^(\d+) →$`)
	furthest := ""
	for _, row := range places.rows {
		for _, b := range row {
			if last.MatchString(b.Text) {
				furthest = b.Data
			}
		}
	}
	require.NotContains(t, w.look(w.press(furthest)).text, "Показать ещё", "the last page is a tap away")
	district := w.open(w.open(places, "Район"), "Заводской район")
	kind := w.open(w.open(district, "Тип"), "Рестораны")
	narrow := w.open(w.open(kind, "Подкатегория"), "Паназиатская кухня")
	require.Contains(t, narrow.text, "Район: Заводской район\nТип: Рестораны\nПодкатегория: ")

	card := w.look(w.press(narrow.rows[0][0].Data))
	added := w.open(card, "В избранное")
	favourites := w.open(added, "Избранное")
	require.Contains(t, favourites.text, "1. ")
	w.open(w.look(w.press(favourites.rows[0][0].Data)), "Назад")

	events := w.open(menu, "Афиша")
	for _, label := range []string{"Сегодня", "Завтра", "Выходные", "Категория", "Источник", "Дата", "Показать ещё"} {
		w.open(events, label)
	}
	concert := w.look(w.press(events.rows[0][0].Data))
	w.open(concert, "Назад")
	promos := w.open(menu, "Промокоды")
	w.open(w.look(w.press(promos.rows[0][0].Data)), "Назад")
	w.look(w.press(w.open(menu, "Подборки").rows[0][0].Data))
	w.open(menu, "Помощь")

	for words, found := range map[string]string{"лапшичная у матвея": "Лапшичная", "кофе": "Кофейня", "рибина": "Рябина", "книжные": "Книжная лавка", "речная 5": "ул. Речная, 5"} {
		w.say("/menu")
		hits := w.look(w.say(words))
		require.Contains(t, hits.text, found, words)
		if hits.has("Показать ещё") {
			w.open(hits, "Показать ещё")
		}
	}
	near := w.look(w.send(`"location":{"latitude":56.81,"longitude":60.61}`))
	require.Contains(t, near.text, " м, Ольховск, ")
	w.open(w.open(near, "Тип"), "Музеи")
}
