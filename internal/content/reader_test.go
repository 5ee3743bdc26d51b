package content_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"vestnik/internal/content"
)

func readAll(t *testing.T, batch string) ([]content.Object, *content.Reader, error) {
	t.Helper()
	reader := content.NewReader(strings.NewReader(batch), content.Rules{})
	var objects []content.Object
	for {
		object, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return objects, reader, nil
		}
		if err != nil {
			return objects, reader, err
		}
		objects = append(objects, object)
	}
}

func TestABatchIsReadObjectByObjectWhateverTheOrderOfItsParts(t *testing.T) {
	t.Parallel()
	objects, reader, err := readAll(t, "\uFEFF"+`{"places": [{"id": " p1 ", "name": "Кофейня «Ветер»", "photos": ["", null, "https://cdn.example.com/1.jpg"], "unknown": {"a": [1]}},
		{"id": "p2", "name": "Парк"}], "events": null, "districts": [], "mode": "snapshot"}`)
	require.NoError(t, err)
	require.Len(t, objects, 2)
	require.Equal(t, content.Snapshot, reader.Summary().Mode)
	require.Equal(t, []content.List{content.Places, content.Districts}, reader.Summary().Lists, "a null list is not there, an empty one is")
	require.Empty(t, objects[0].Refusals)
	require.Equal(t, "p1", objects[0].ID)
	require.JSONEq(t, `{"id":"p1","name":"Кофейня «Ветер»","photos":["https://cdn.example.com/1.jpg"]}`, string(objects[0].Payload))
	require.Equal(t, "places[1]", objects[1].Path)
}

func TestLayoutDoesNotChangeADigestAndMeaningDoes(t *testing.T) {
	t.Parallel()
	digest := func(event string) [32]byte {
		objects, _, err := readAll(t, `{"events": [`+event+`]}`)
		require.NoError(t, err)
		require.Empty(t, objects[0].Refusals)
		return objects[0].Digest
	}
	plain := digest(`{"id": "e1", "title": "Концерт", "starts_at": "2026-12-05T19:00:00+04:00"}`)
	require.Equal(t, plain, digest(`{"starts_at":"2026-12-05T15:00:00Z","title":"  Концерт ","ends_at":null,"id":"e1","extra":1}`))
	require.NotEqual(t, plain, digest(`{"id": "e1", "title": "Концерт", "starts_at": "2026-12-05T19:00:01+04:00"}`))
}

func TestABadObjectIsRefusedWithItsPathValueAndReasonAndTheRestStays(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		list, object        string
		path, value, reason string
	}{
		"no id":                   {"places", `{"name": "Парк"}`, "places[0].id", "", "не указано"},
		"id of blanks":            {"places", `{"id": "  ", "name": "Парк"}`, "places[0].id", "", "не указано"},
		"numeric id":              {"places", `{"id": 7, "name": "Парк"}`, "places[0].id", "7", "должно быть текстом"},
		"null name":               {"places", `{"id": "p", "name": null}`, "places[0].name", "", "не указано"},
		"not an object":           {"places", `[1]`, "places[0]", "[1]", "должно быть объектом"},
		"null":                    {"places", `null`, "places[0]", "null", "должно быть объектом"},
		"rating as text":          {"places", `{"id": "p", "name": "Парк", "rating": "4.7"}`, "places[0].rating", `4.7`, "должно быть числом"},
		"rating too high":         {"places", `{"id": "p", "name": "Парк", "rating": 5.1}`, "places[0].rating", "5.1", "должно быть от 0 до 5"},
		"latitude alone":          {"places", `{"id": "p", "name": "Парк", "lat": 5.1}`, "places[0].lat", "", "широта и долгота указываются вместе или никак"},
		"types not a list":        {"places", `{"id": "p", "name": "Парк", "types": "cafe"}`, "places[0].types", `cafe`, "должно быть списком"},
		"empty reference":         {"places", `{"id": "p", "name": "Парк", "types": [" "]}`, "places[0].types[0]", "", "пусто; назовите id или уберите"},
		"NUL":                     {"places", `{"id": "p", "name": "Па\u0000рк"}`, "places[0].name", "Па\uFFFDрк", `содержит знак \u0000`},
		"photo over http":         {"places", `{"id": "p", "name": "П", "photos": ["https://a.example.com/1.jpg", "http://a.example.com/2.jpg"]}`, "places[0].photos[1]", "http://a.example.com/2.jpg", "должно начинаться с https://"},
		"photo on a private host": {"places", `{"id": "p", "name": "П", "photos": ["https://10.0.0.7/1.jpg"]}`, "places[0].photos[0]", "https://10.0.0.7/1.jpg", "должно вести на сервер, известный в интернете"},
		"photo with a password":   {"places", `{"id": "p", "name": "П", "photos": ["https://a:b@example.com/1.jpg"]}`, "places[0].photos[0]", "https://a:b@example.com/1.jpg", "не должно содержать имени и пароля"},
		"site without host":       {"places", `{"id": "p", "name": "П", "site": "https:///x"}`, "places[0].site", "https:///x", "не называет сервера"},
		"no start":                {"events", `{"id": "e", "title": "К"}`, "events[0].starts_at", "", "не указано; должно быть временем: 05.12.2026 19:00 или 2026-12-05T19:00:00+04:00"},
		"odd time":                {"events", `{"id": "e", "title": "К", "starts_at": "завтра"}`, "events[0].starts_at", `завтра`, "должно быть временем: 05.12.2026 19:00 или 2026-12-05T19:00:00+04:00"},
		"end before start":        {"events", `{"id": "e", "title": "К", "starts_at": "2026-12-05T19:00:00Z", "ends_at": "2026-12-05T18:00:00Z"}`, "events[0].ends_at", "2026-12-05T18:00:00Z", "раньше начала"},
		"item of neither":         {"collections", `{"id": "c", "title": "К", "items": [{"place": "p"}, {}]}`, "collections[0].items[1]", "", "должно назвать или место, или событие"},
		"item of both":            {"collections", `{"id": "c", "title": "К", "items": [{"place": "p", "event": "e"}]}`, "collections[0].items[0]", "", "должно назвать или место, или событие"},
		"name too long":           {"districts", `{"id": "d", "name": "` + strings.Repeat("ж", 129) + `"}`, "districts[0].name", strings.Repeat("ж", 119) + "…", "длиннее 128 знаков"},
		"not UTF-8":               {"districts", "{\"id\": \"d\", \"name\": \"\xcf\xe0\xf0\xea\"}", "districts[0]", "", "не в кодировке UTF-8"},
		"too large":               {"districts", `{"id": "d", "name": "x", "junk": "` + strings.Repeat("x", content.MaxObjectBytes) + `"}`, "districts[0]", "", "больше 256 КБ"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects, _, err := readAll(t, fmt.Sprintf(`{%q: [%s], "types": [{"id": "t", "name": "Тип"}]}`, test.list, test.object))
			require.NoError(t, err)
			require.Len(t, objects, 2)
			require.Len(t, objects[0].Refusals, 1)
			refusal := objects[0].Refusals[0]
			refusal.Name, refusal.Message, refusal.Args = "", "", nil
			require.Equal(t, content.Refusal{Path: test.path, Value: test.value, Why: content.Why{Reason: test.reason}}, refusal)
			require.Nil(t, objects[0].Payload)
			require.Empty(t, objects[1].Refusals)
		})
	}
}

func TestAllFaultsOfAnObjectAreNamedAtOnceWithWhatItIsCalled(t *testing.T) {
	t.Parallel()
	objects, _, err := readAll(t, `{"places": [{"id": "p", "name": "Кофейня", "rating": "высокий", "site": "ftp://x", "lat": 95, "lon": 1, "photos": ["http://a.example.com/1.jpg"]}]}`)
	require.NoError(t, err)
	var faults []string
	for _, refusal := range objects[0].Refusals {
		require.Equal(t, "Кофейня", refusal.Name)
		faults = append(faults, refusal.Path)
	}
	require.Equal(t, []string{"places[0].rating", "places[0].lat", "places[0].site"}, faults)
}

func TestWhatMayBeASlipIsTakenAndWarnedOf(t *testing.T) {
	t.Parallel()
	batch := `{"places": [{"id": "a", "name": "Парк", "phonee": "+7 900 000-00-00", "description": "<b>Парк</b> у реки"},
		{"id": "b", "name": "Кофейня", "address": "ул. Речная, 4", "photos": ["https://a.example.com/1.jpg"]},
		{"id": "c", "name": "Кофейня", "address": "Ул. Речная 4", "photos": ["https://a.example.com/1.jpg"]},
		{"id": "d", "name": "Музей", "address": "Ольховск, ул. Речная, 5", "photos": ["https://a.example.com/1.jpg"]}],
		"events": [{"id": "e", "title": "Концерт", "starts_at": "2020-01-01T00:00:00Z", "photos": ["https://a.example.com/1.jpg"]}]}`
	objects, reader, err := readAll(t, batch)
	require.NoError(t, err)
	require.Len(t, objects, 5)
	warned := map[string]string{}
	for _, warning := range reader.Summary().Notes.Warnings {
		for _, about := range warning.Objects {
			warned[warning.Reason] += about.Path + " "
		}
	}
	require.Equal(t, map[string]string{
		`поле "phonee" не известно и пропущено; есть похожее: phone`: "places[0] ",
		"нет фото": "places[0] ",
		"в описании HTML-разметка, люди увидят её как есть":                       "places[0] ",
		"место с таким же названием и адресом в файле уже есть":                   "places[2] ",
		"в адресе нет города, а координат нет: карта может показать другой город": "places[1] places[2] ",
		"событие уже прошло, его не увидят":                                       "events[0] ",
	}, warned)
}

func TestWhatIsGoneIsNamedByItsList(t *testing.T) {
	t.Parallel()
	objects, reader, err := readAll(t, `{"unpublish": {"events": ["e"], "places": [" p "]}, "types": [{"id": "t", "name": "Тип"}]}`)
	require.NoError(t, err)
	require.Equal(t, 1, reader.Summary().Objects)
	require.Equal(t, content.Object{Seq: 2, List: content.Places, Path: "unpublish.places[0]", ID: "p", Gone: true}, objects[1])
	_, _, err = readAll(t, `{"unpublish": {"place": ["p"]}}`)
	require.ErrorAs(t, err, new(*content.BatchError))
}

func TestAnUnknownListIsReportedAndTheRestTaken(t *testing.T) {
	t.Parallel()
	objects, _, err := readAll(t, `{"place": [{"id": "p"}], "districts": [{"id": "d", "name": "Центр"}]}`)
	require.NoError(t, err)
	require.Equal(t, "place", objects[0].Refusals[0].Path)
	require.Empty(t, objects[1].Refusals)
}

func TestABatchThatIsNotOneIsRefusedWholeWithThePosition(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		batch, path string
		offset      int64
		line        int
		column      int
		reason      string
	}{
		"empty":                {"", "", 0, 1, 1, "not valid JSON: it breaks off"},
		"a list":               {`[]`, "", 1, 1, 2, "a batch is a JSON object"},
		"null":                 {`null`, "", 4, 1, 5, "a batch is a JSON object"},
		"text":                 {"привет", "", 0, 1, 1, "not valid JSON: invalid character 'п' looking for beginning of value"},
		"breaks off":           {"{\"places\": [\n{\"id\": \"p1\", ", "places[0]", 26, 2, 14, "not valid JSON: it breaks off"},
		"breaks off in a key":  {`{"pla`, "", 5, 1, 6, "not valid JSON: it breaks off"},
		"bad object":           {"{\"places\": [\n{\"id\": \"p1\"},\n{\"id\": nope}\n]}", "places[1]", 35, 3, 9, "not valid JSON: invalid character 'o' in literal null (expecting 'u')"},
		"comma missing":        {"{\"places\": [\n{\"id\": \"p1\"}\n{\"id\": \"p2\"}]}", "places[1]", 26, 3, 1, "not valid JSON: expected comma after array element"},
		"something follows":    {`{} {}`, "", 4, 1, 5, "something follows the batch: {"},
		"garbage follows":      {`{} x`, "", 3, 1, 4, "not valid JSON: invalid character 'x' looking for beginning of value"},
		"list is an object":    {`{"places": {}}`, "places", 12, 1, 13, "must be a list"},
		"list twice":           {`{"places": [], "places": []}`, "places", 23, 1, 24, "the list is given twice"},
		"unknown mode":         {`{"mode": "replace"}`, "mode", 18, 1, 19, `mode must be "upsert" or "snapshot"`},
		"in a line of Russian": {"{\"places\": [\n{\"id\": \"p\", \"name\": \"Ёж\" \"q\"}]}", "places[0]", 40, 2, 26, "not valid JSON: invalid character '\"' after object key:value pair"},
		"mode of another kind": {`{"mode": 5}`, "mode", 10, 1, 11, `mode must be "upsert" or "snapshot"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := readAll(t, test.batch)
			var refused *content.BatchError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, content.BatchError{Why: content.Why{Reason: test.reason}, Path: test.path, Offset: test.offset, Line: test.line, Column: test.column}, *refused)
		})
	}
}

func TestAFaultFarDownABatchIsFoundInItsLine(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("  {\"id\": \"p\", \"name\": \"Кофейня\",\n   \"address\": \"ул. Речная, 4\"},\n", 20_000)
	_, _, err := readAll(t, "{\"places\": [\n"+good+"  {\"id\": \"q\", \"name\": Кофейня}\n]}\n"+good)
	var refused *content.BatchError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "places[20000]", refused.Path)
	require.Equal(t, 40_002, refused.Line)
	require.Equal(t, len(`  {"id": "q", "name": `)+1, refused.Column)
}

func TestABatchTooLargeIsRefusedWhole(t *testing.T) {
	t.Parallel()
	t.Run("by bytes", func(t *testing.T) {
		t.Parallel()
		large := `{"id": "d", "name": "` + strings.Repeat("x", 1000) + `"},`
		_, _, err := readAll(t, `{"districts": [`+strings.Repeat(large, content.MaxBatchBytes/len(large)+1))
		var refused *content.BatchError
		require.ErrorAs(t, err, &refused)
		require.True(t, refused.TooLarge)
		require.EqualValues(t, content.MaxBatchBytes, refused.Offset)
	})
	t.Run("by objects", func(t *testing.T) {
		t.Parallel()
		many := `{"types": [` + strings.Repeat("0,", content.MaxObjects) + "0]}"
		objects, _, err := readAll(t, many)
		var refused *content.BatchError
		require.ErrorAs(t, err, &refused)
		require.True(t, refused.TooLarge)
		require.Equal(t, fmt.Sprintf("types[%d]", content.MaxObjects), refused.Path)
		require.Len(t, objects, content.MaxObjects)
	})
}

func TestAFaultOfTheConnectionIsNotBlamedOnTheBatch(t *testing.T) {
	t.Parallel()
	broken := io.MultiReader(strings.NewReader(`{"places": [`), iotest.ErrReader(io.ErrClosedPipe))
	_, err := content.NewReader(broken, content.Rules{}).Next()
	require.ErrorIs(t, err, io.ErrClosedPipe)
	var refused *content.BatchError
	require.False(t, errors.As(err, &refused))
}

func FuzzAnyBatchIsReadOrRefused(f *testing.F) {
	for _, seed := range []string{
		`{"mode":"upsert","places":[{"id":"p1","name":"Кофейня","rating":4.7,"types":["cafe"],"photos":["https://a.example.com/1.jpg"]}]}`,
		`{"events":[{"id":"e1","title":"К","starts_at":"2026-12-05T19:00:00+04:00","ends_at":null}],"promos":[{}],"collections":[{"items":[{}]}]}`,
		`{"places":{}}`, `[`, `{"a":`, `{"places":[{"id":"\u0000"}]}`, "{\"places\":[\xff]}", `{"mode":null,"districts":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, batch []byte) {
		reader := content.NewReader(strings.NewReader(string(batch)), content.Rules{})
		for {
			object, err := reader.Next()
			if err != nil {
				var refused *content.BatchError
				require.True(t, errors.Is(err, io.EOF) || errors.As(err, &refused), "%v", err)
				return
			}
			require.True(t, (len(object.Refusals) == 0) == (object.Payload != nil || object.Gone))
		}
	})
}
