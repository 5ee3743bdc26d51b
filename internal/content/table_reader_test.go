package content_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"vestnik/internal/content"
)

// izhevsk is the editors' zone, and the moment at which they work.
var rulesOfDesk = content.Rules{
	Zone: time.FixedZone("", 4*3600), Now: func() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) },
}

const cafes = "id;Название;Адрес;Рейтинг\r\np1;Кофейня «Ветер»;Ольховск, ул. Речная, 4;4,7\r\np2;Ёлочный базар — лучший;;\r\n"

func TestATableIsTakenInEveryEncodingThatEditorsHave(t *testing.T) {
	t.Parallel()
	want := opened(t, "места.csv", strings.NewReader(cafes), rulesOfDesk, content.TableOptions{})
	require.JSONEq(t, `{"id":"p1","name":"Кофейня «Ветер»","address":"Ольховск, ул. Речная, 4","rating":4.7}`, string(want[0].Payload))
	ansi, err := charmap.Windows1251.NewEncoder().String(cafes)
	require.NoError(t, err)
	little, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(cafes)
	require.NoError(t, err)
	big, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(cafes)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"UTF-8 with a mark": "\uFEFF" + cafes, "Windows-1251": ansi, "UTF-16 LE": little, "UTF-16 BE": big,
		"tabs": strings.ReplaceAll(cafes, ";", "\t"), "Excel's hint": "sep=;\r\n" + cafes,
	} {
		require.Equal(t, want[0].Digest, opened(t, "места.csv", strings.NewReader(text), rulesOfDesk, content.TableOptions{})[0].Digest, name)
	}
}

func TestAFileThatIsNoTableIsRefusedWholeWithWhatWouldDo(t *testing.T) {
	t.Parallel()
	russian := strings.Repeat("Кофейня на набережной у старого моста; музыка и живые вечера\n", 5)
	koi, err := charmap.KOI8R.NewEncoder().String(russian)
	require.NoError(t, err)
	dos, err := charmap.CodePage866.NewEncoder().String(russian)
	require.NoError(t, err)
	for name, test := range map[string]struct{ text, reason string }{
		"KOI8-R":          {koi, "кодировка не распознана"},
		"DOS":             {dos, "кодировка не распознана"},
		"Latin-1":         {"id;name\np1;Caf\xe9 de Paris\n", "кодировка не распознана"},
		"a picture":       {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "это не текст"},
		"old Excel":       {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "старый формат Excel"},
		"a broken zip":    {"PK\x03\x04 and nothing", "архив повреждён"},
		"no heading":      {"Кофейня;ул. Речная, 4\n", "непонятно, что в таблице"},
		"heading alone":   {"привет", "непонятно, что в таблице"},
		"open quotes":     {"Название;Адрес\n\"Уют;ул. Речная\n", "строка 2: кавычки"},
		"nothing but air": {"\n\n;;\n", "нет ни одной таблицы"},
	} {
		_, err := content.Open("файл", strings.NewReader(test.text), rulesOfDesk, content.TableOptions{})
		var refused *content.BatchError
		require.ErrorAs(t, err, &refused, name)
		require.Contains(t, refused.Error(), test.reason, name)
	}
}

func TestATableIsTakenAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	batch := zipped(t, map[string]string{
		"Город/Места.csv": "Места нашего города;;;;;;\n\n№;Название;Адрес;Район;Категории;Координаты;Телефон;Сайт;Фото;Рейтигн\n" +
			"1;Кофейня;Ольховск, ул. Речная, 4;Центр;Кофейни, Завтраки;56,85 53,2;8 (900) 000-00-00;coffee.example.com;https://a.example.com/1.jpg, https://a.example.com/2.jpg;5\n\n" +
			"2;Кофейня;Ольховск, ул. Лесная, 1\n",
		"Город/Афиша.csv":            "Событие,Дата,Время,Место,Цена,Категория,Окончание\nКонцерт,05.12.2026,19:00,Кофейня,500,Музыка,\nЯрмарка,5 декабря,,,от 300 руб.,Ярмарки,07.12.2026\n",
		"Город/Акции.csv":            "Акция,Промокод,До,Место\nСкидка,РЕКА10,25.11.2026,Кофейня\n",
		"__MACOSX/Город/._Места.csv": "\x00\x05", "Город/.DS_Store": "\x00", "Город/фото.jpg": "\xff\xd8",
	})
	source, err := content.Open("город.zip", batch, rulesOfDesk, content.TableOptions{})
	require.NoError(t, err)
	objects := map[string]string{}
	for range source.Summary().Objects {
		object, err := source.Next()
		require.NoError(t, err)
		require.Empty(t, object.Refusals)
		objects[object.ID] = string(object.Payload)
	}
	require.JSONEq(t, `{"id":"kofeynya","name":"Кофейня","address":"Ольховск, ул. Речная, 4","district":"tsentr","types":["kofeyni","zavtraki"],"lat":56.85,"lon":53.2,
		"phone":"+7 900 000-00-00","site":"https://coffee.example.com","photos":["https://a.example.com/1.jpg","https://a.example.com/2.jpg"]}`, objects["kofeynya"])
	require.JSONEq(t, `{"id":"kofeynya-2","name":"Кофейня","address":"Ольховск, ул. Лесная, 1"}`, objects["kofeynya-2"])
	require.JSONEq(t, `{"id":"tsentr","name":"Центр"}`, objects["tsentr"])
	require.JSONEq(t, `{"id":"kontsert","title":"Концерт","starts_at":"2026-12-05T15:00:00Z","place":"kofeynya","price":"500 ₽","categories":["muzyka"]}`, objects["kontsert"])
	require.JSONEq(t, `{"id":"yarmarka","title":"Ярмарка","starts_at":"2026-12-04T20:00:00Z","ends_at":"2026-12-07T19:59:59Z","price":"от 300 ₽","categories":["yarmarki"]}`, objects["yarmarka"])
	require.JSONEq(t, `{"id":"skidka","title":"Скидка","code":"РЕКА10","place":"kofeynya","ends_at":"2026-11-25T19:59:59Z"}`, objects["skidka"])
	require.Equal(t, []content.List{content.Places, content.Events, content.Promos}, sorted(source.Summary().Lists), "what is created along is not all there is")

	columns := map[string]content.Column{}
	for _, column := range source.Summary().Notes.Columns {
		columns[column.Heading] = column
	}
	require.Equal(t, "types", columns["Категории"].Field)
	require.Equal(t, "categories", columns["Категория"].Field)
	require.Empty(t, columns["Рейтигн"].Field)
	require.Equal(t, "Рейтинг", columns["Рейтигн"].Nearest)
}

func sorted(lists []content.List) (inOrder []content.List) {
	for _, list := range content.Lists {
		for _, given := range lists {
			if given == list {
				inOrder = append(inOrder, list)
			}
		}
	}
	return inOrder
}

func TestFaultsOfATableNameItsRow(t *testing.T) {
	t.Parallel()
	table := "Название;Рейтинг;Сайт\nПарк;5;\n\n\"Кофейня\nу реки\";много;ftp://x\n;3;\n"
	objects := opened(t, "Места.csv", strings.NewReader(table), rulesOfDesk, content.TableOptions{})
	require.Equal(t, []content.Refusal{
		{Path: "places[1].rating", Value: "много", Name: "Кофейня\nу реки", Table: "Места.csv", Row: 4, Why: content.Because("должно быть числом")},
		{Path: "places[1].site", Value: "ftp://x", Name: "Кофейня\nу реки", Table: "Места.csv", Row: 4, Why: content.Because("должно начинаться с https:// или http://")},
	}, objects[1].Refusals)
	require.Equal(t, 5, objects[2].Refusals[0].Row)
}

func TestWhatTheGuideHasKeepsItsIDWhenATableNamesIt(t *testing.T) {
	t.Parallel()
	rules := rulesOfDesk
	rules.Known = func(list content.List) ([]content.Named, error) {
		return map[content.List][]content.Named{
			content.Districts: {{ID: "center", Title: "Центр", Published: true}},
			content.Places: {
				{ID: "p1", Title: "Кофейня", Detail: "ул. Речная, 4", Published: true}, {ID: "p2", Title: "Кофейня", Detail: "ул. Лесная, 1", Published: true},
				{ID: "p3", Title: "Парк", Detail: "ул. Садовая", Published: true},
			},
		}[list], nil
	}
	objects := opened(t, "Места.csv", strings.NewReader("Название;Адрес;Район\nКофейня;ул. Лесная, 1;центр\nПАРК;ул. Новая;\nКофейня;ул. Новая, 7;\n"), rules, content.TableOptions{})
	var ids []string
	for _, object := range objects {
		ids = append(ids, object.ID)
	}
	require.Equal(t, []string{"p2", "p3", "kofeynya"}, ids)
	require.Contains(t, string(objects[0].Payload), `"district":"center"`)
}

func TestAllFaultsOfARowAreNamedAtOnceUnknownReferencesToo(t *testing.T) {
	t.Parallel()
	rules := rulesOfDesk
	rules.Known = func(content.List) ([]content.Named, error) { return nil, nil }
	objects := opened(t, "Акции.csv", strings.NewReader("Акция;Код;Место;До;Сайт\nСкидка;РЕКА10;Кофейня;никогда;\n"), rules, content.TableOptions{})
	var faults []string
	for _, refusal := range objects[0].Refusals {
		faults = append(faults, content.FieldLabel(content.PathField(refusal.Path))+" "+refusal.Value)
	}
	require.Equal(t, []string{"Окончание никогда", "Место Кофейня"}, faults)

	objects = opened(t, "Афиша.csv", strings.NewReader("Событие;Дата;Место\nЯрмарка;05.12.2026;Площадь у моста\n"), rules, content.TableOptions{})
	require.JSONEq(t, `{"id":"yarmarka","title":"Ярмарка","starts_at":"2026-12-04T20:00:00Z","address":"Площадь у моста"}`, string(objects[0].Payload))
}

func TestAWorkbookIsTakenSheetBySheetWithItsDates(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	require.NoError(t, book.SetSheetName("Sheet1", "События"))
	require.NoError(t, book.SetSheetRow("События", "A1", &[]any{"Название", "Начало", "Цена", "Лишний столбец"}))
	require.NoError(t, book.SetSheetRow("События", "A2", &[]any{"Концерт", time.Date(2026, 12, 5, 19, 0, 0, 0, time.UTC), 500}))
	_, err := book.NewSheet("Районы")
	require.NoError(t, err)
	require.NoError(t, book.SetSheetRow("Районы", "A1", &[]any{"Район"}))
	require.NoError(t, book.SetSheetRow("Районы", "A2", &[]any{"Заречье"}))
	var file bytes.Buffer
	require.NoError(t, book.Write(&file))
	objects := opened(t, "город.xlsx", &file, rulesOfDesk, content.TableOptions{})
	require.JSONEq(t, `{"id":"zareche","name":"Заречье"}`, string(objects[0].Payload))
	require.JSONEq(t, `{"id":"kontsert","title":"Концерт","starts_at":"2026-12-05T15:00:00Z","price":"500 ₽"}`, string(objects[1].Payload))
}
