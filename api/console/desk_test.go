package console_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/text/encoding/charmap"

	"vestnik/activities"
	"vestnik/api/console"
	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/guide"
	"vestnik/internal/operators"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
	"vestnik/starter"
	"vestnik/workflows"
)

// calm steers a relay that has nothing to do.
type calm struct{ away }

func (calm) Problems(context.Context) ([]protocol.Problem, error) { return nil, nil }

// newDesk is a console whose guide runs.
func newDesk(t *testing.T) *deck {
	t.Helper()
	pool, err := db.Open(t.Context(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	temporal, imports := testenv.Temporal(t), guidedb.NewImports(pool)
	w := worker.New(temporal, protocol.TaskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(workflows.ImportContent, workflow.RegisterOptions{Name: protocol.ImportContentWorkflow})
	w.RegisterActivity(activities.NewContent(imports, temporal, photo.NewFetcher(photo.Options{})))
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	pages, err := console.New(console.Config{
		Operators: firstKey(t), Log: slog.New(slog.DiscardHandler), Ledger: db.NewLedger(pool), Steering: calm{},
		Guide: starter.NewContent(temporal, imports, content.Rules{Zone: time.FixedZone("", 4*3600)}, guide.DefaultTexts()),
	})
	require.NoError(t, err)
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	return &deck{pool: pool, url: server.URL}
}

// editor is a browser at a page of the desk.
type editor struct {
	*browser

	at string // the page that it shows
}

// editor reads Russian.
func (d *deck) editor(t *testing.T) *editor {
	e := &editor{d.operator(t), ""}
	require.Equal(t, http.StatusSeeOther, e.post("/console/language", url.Values{"language": {"ru"}}).status)
	return e
}

// show follows what a form answers to the page.
func (e *editor) show(page answer) answer {
	if page.status != http.StatusSeeOther {
		return page
	}
	e.at = page.header.Get("Location")
	return e.get(e.at)
}

func (e *editor) csrf() string {
	e.t.Helper()
	found := csrfField.FindStringSubmatch(e.get("/console/desk").body)
	require.NotNil(e.t, found)
	return found[1]
}

func (e *editor) press(path string, form url.Values) answer {
	e.t.Helper()
	form.Set("csrf", e.csrf())
	return e.show(e.post(path, form))
}

// drop uploads a file and shows the page of what it would do.
func (e *editor) drop(name, file string, fields url.Values) answer {
	e.t.Helper()
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	fields.Set("csrf", e.csrf())
	for field := range fields {
		require.NoError(e.t, writer.WriteField(field, fields.Get(field)))
	}
	part, err := writer.CreateFormFile("file", name)
	require.NoError(e.t, err)
	_, err = part.Write([]byte(file))
	require.NoError(e.t, err)
	require.NoError(e.t, writer.Close())
	return e.show(e.do(http.MethodPost, "/console/desk/upload", form.String(), http.Header{"Content-Type": {writer.FormDataContentType()}}))
}

// steer confirms or undoes the import that is shown.
func (e *editor) steer(action string, form url.Values) answer {
	e.t.Helper()
	return e.press(e.at+"/"+action, form)
}

// loaded shows the import until it is done.
func (e *editor) loaded() (page answer) {
	e.t.Helper()
	require.Eventually(e.t, func() bool {
		page = e.get(e.at)
		return strings.Contains(page.body, "загружено</span>")
	}, time.Minute, 20*time.Millisecond)
	return page
}

func said(page answer) string { return html.UnescapeString(plain(page.body)) }

func TestAnEditorUploadsATableLooksConfirmsAndTakesItBack(t *testing.T) {
	t.Parallel()
	e := newDesk(t).editor(t)
	ansi, err := charmap.Windows1251.NewEncoder().String("Название;Адрес;Район;Рейтинг;Телефон\nКофейня «Ветер»;Ольховск, ул. Речная, 4;Центр;4,7;8 900 000-00-00\nПарк;;;много;\n")
	require.NoError(t, err)
	page := e.drop("места города.csv", ansi, url.Values{})
	require.Contains(t, said(page), "Ещё ничего не изменилось")
	require.Contains(t, said(page), "Кофейня «Ветер»")
	require.Contains(t, said(page), "места города.csv, строка 3")
	require.Contains(t, said(page), "должно быть числом")
	require.Contains(t, said(page), "Адрес → Места: Адрес")
	require.Contains(t, said(e.get("/console/desk/objects?list=places")), "Ничего не нашлось")

	e.steer("confirm", url.Values{"unpublish": {"0"}})
	e.loaded()
	uploaded := e.at
	require.Contains(t, said(e.get("/console/desk/objects?list=places&q=ветер")), "Кофейня «Ветер»")
	history := said(e.get("/console/desk"))
	require.Contains(t, history, "места города.csv")
	require.Contains(t, history, operators.FirstKey)

	e.steer("undo", url.Values{})
	e.loaded()
	require.Contains(t, said(e.get("/console/desk/objects?list=places")), "скрыто")
	require.Contains(t, said(e.get(uploaded)), "отменена")
}

func TestAnEditorChoosesColumnsThatTheHeadingsDoNotShow(t *testing.T) {
	t.Parallel()
	e := newDesk(t).editor(t)
	page := e.drop("список.csv", "Как зовут;Куда идти;Заметка\nКофейня «Ветер»;Ольховск, ул. Речная, 4;Центр\n", url.Values{})
	require.Contains(t, said(page), "непонятно, что в таблице")
	require.Contains(t, said(page), "Кофейня «Ветер»", "the first rows are shown")

	form := url.Values{"list.0": {"places"}, "heading.0": {"1"}, "shown.0": {" 1"}, "action": {"look"}}
	page = e.press(e.at, form)
	require.Contains(t, said(page), "Куда идти")
	require.Contains(t, page.body, `value="address"`)
	form = url.Values{"list.0": {"places"}, "heading.0": {"1"}, "shown.0": {"places 1"}, "column.0": {"address", "address", ""}, "action": {"take"}}
	require.Contains(t, said(e.press(e.at, form)), "не выбран столбец «Название»")
	form["column.0"] = []string{"name", "name", ""}
	require.Contains(t, said(e.press(e.at, form)), "«Название» выбрано для двух столбцов")
	form["column.0"] = []string{"name", "description", "district"}
	page = e.press(e.at, form)
	require.Contains(t, said(page), "Куда идти → Места: Описание")
	require.Contains(t, said(page), "Ещё ничего не изменилось")

	first := e.at
	columns := strings.Replace(first, "/imports/", "/files/", 1)
	page = e.get(columns)
	require.Contains(t, page.body, `<option value="description" selected>`, "what was chosen is remembered")
	form["column.0"] = []string{"name", "address", "district"}
	page = e.press(columns, form)
	require.Contains(t, said(page), "Куда идти → Места: Адрес")
	require.Equal(t, http.StatusNotFound, e.get(first).status, "the import that was chosen wrongly is gone")

	e.steer("confirm", url.Values{"unpublish": {"0"}})
	e.loaded()
	page = e.get("/console/desk/objects?list=places&q=ветер")
	require.Contains(t, said(page), "Ольховск, ул. Речная, 4")
	require.Equal(t, http.StatusNotFound, e.get(strings.Replace(e.at, "/imports/", "/files/", 1)).status, "a confirmed import keeps no file")
}

func TestATableThatWouldHideTheCityWantsTheNumber(t *testing.T) {
	t.Parallel()
	e := newDesk(t).editor(t)
	city := "Название\n"
	for n := range 20 {
		city += fmt.Sprintf("Место %d\n", n)
	}
	e.drop("места.csv", city, url.Values{})
	e.steer("confirm", url.Values{"unpublish": {"0"}})
	e.loaded()
	page := e.drop("места.csv", "Название\nМесто 1\n", url.Values{"whole": {"1"}})
	require.Contains(t, said(page), "Исчезнет 19")
	require.Contains(t, said(page), "Место 7")
	page = e.steer("confirm", url.Values{"unpublish": {"0"}})
	require.Contains(t, said(page), "Не сделано: исчезнет 19")
	e.steer("confirm", url.Values{"unpublish": {"19"}})
	require.Contains(t, said(e.loaded()), "19 скрыто")
}

func TestAFileThatIsNoTableIsRefusedInRussian(t *testing.T) {
	t.Parallel()
	e := newDesk(t).editor(t)
	page := e.drop("фото.png", "\x89PNG\r\n\x00", url.Values{})
	require.Equal(t, http.StatusBadRequest, page.status)
	require.Contains(t, said(page), "это не текст")
}

func TestOneObjectIsAddedSeenAsACardEditedAndHidden(t *testing.T) {
	t.Parallel()
	e := newDesk(t).editor(t)
	form := url.Values{"list": {"places"}, "name": {"Кофейня «Ветер»"}, "address": {"Ольховск, ул. Речная, 4"}, "district": {"Центр"}, "types": {"Кофейни; Завтраки"}, "rating": {"47"}, "lat": {"56"}, "action": {"save"}}
	page := e.press("/console/desk/object", form)
	require.Equal(t, http.StatusUnprocessableEntity, page.status)
	require.Contains(t, said(page), "Рейтинг 47 : должно быть от 0 до 5")
	require.Contains(t, said(page), "Широта: широта и долгота")

	form.Set("rating", "4,7")
	form.Del("lat")
	form.Set("action", "look")
	page = e.press("/console/desk/object", form)
	require.Contains(t, said(page), "Так покажет Telegram (ещё не сохранено)")
	require.Contains(t, said(page), "Район: Центр")
	require.Contains(t, said(e.get("/console/desk/objects?list=places")), "Ничего не нашлось")

	form.Set("action", "save")
	e.press("/console/desk/object", form)
	e.loaded()
	page = e.get("/console/desk/object?list=places&id=kofeynya-veter")
	require.Contains(t, page.body, `value="Кофейни; Завтраки"`)
	form.Set("id", "kofeynya-veter")
	form.Set("version", versionOf(t, page))
	other := maps.Clone(form)
	form.Set("name", "Кофейня «Шторм»")
	e.press("/console/desk/object", form)
	e.loaded()

	other.Set("rating", "3")
	page = e.press("/console/desk/object", other)
	require.Equal(t, http.StatusConflict, page.status, "another editor began before that")
	require.Contains(t, said(page), "это изменил кто-то другой")
	require.Contains(t, page.body, `name="rating" value="3"`, "what they wrote stays in the form")
	require.Contains(t, said(e.get("/console/desk/object?list=places&id=kofeynya-veter")), "Кофейня «Шторм»")
	other.Set("version", versionOf(t, page))
	e.press("/console/desk/object", other)
	require.Contains(t, said(e.loaded()), "1 изменено")
	form.Set("version", versionOf(t, e.get("/console/desk/object?list=places&id=kofeynya-veter")))
	e.press("/console/desk/object", form)
	e.loaded()
	require.Contains(t, said(e.get("/console/desk/object?list=places&id=kofeynya-veter")), "Кофейня «Шторм»")
	form.Set("action", "hide")
	require.Equal(t, http.StatusConflict, e.press("/console/desk/object", form).status)
	form.Set("version", versionOf(t, e.get("/console/desk/object?list=places&id=kofeynya-veter")))
	e.press("/console/desk/object", form)
	e.loaded()
	require.Contains(t, said(e.get("/console/desk/object?list=places&id=kofeynya-veter")), "Сохранить и показать")
}

// versionOf is that of the object whose form a page has.
func versionOf(t *testing.T, page answer) string {
	t.Helper()
	found := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(page.body)
	require.NotNil(t, found)
	return found[1]
}

func TestTheTemplateIsWhatTheDeskTakes(t *testing.T) {
	t.Parallel()
	e := newDesk(t).editor(t)
	template := e.get("/console/desk/template.xlsx")
	require.Equal(t, http.StatusOK, template.status)
	page := e.drop("шаблон.xlsx", template.body, url.Values{"whole": {"1"}})
	require.Contains(t, said(page), "нет ни одной таблицы", "headings alone hide nothing")
}

func TestTheDeskSpeaksEnglishToo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := &editor{d.operator(t), ""}
	page := e.drop("places.csv", "Название;Рейтинг\nКофейня «Ветер»;много\n", url.Values{})
	require.Contains(t, said(page), "Nothing has changed yet")
	require.Contains(t, said(page), "Рейтинг → Places: Rating")
	require.Contains(t, page.body, `lang="en">want a number`, "why it was refused, too")
	e.steer("discard", url.Values{})
	for path, words := range map[string]string{
		"/console/desk": "Upload a table", "/console/desk/photos": "There is no photo that Telegram would not show",
		"/console/desk/objects?list=places": "Nothing was found", "/console/desk/object?list=places": "several: semicolons between them",
	} {
		page := e.get(path)
		require.Contains(t, page.body, words)
		require.NotRegexp(t, "[а-яё]", strings.ReplaceAll(page.body, "Русский", ""), path)
	}
}

func TestALongListIsPagedToItsEndAndSearchedWhole(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec(t, "INSERT INTO guide.districts (external_id, name, sort_key, digest) SELECT 'd' || n, 'Край ' || (1000 + n), 'край', '' FROM generate_series(1, 405) n")
	e := d.editor(t)
	shown := 0
	for at, pages := "/console/desk/objects?list=districts&q=край", 1; at != ""; pages++ {
		page := e.get(at).body
		shown += strings.Count(page, "<b>Край 1")
		at = ""
		if further := regexp.MustCompile(`class="button" href="([^"]+)">(?:Дальше|Further on)`).FindStringSubmatch(page); further != nil {
			at = html.UnescapeString(further[1])
		}
		require.LessOrEqual(t, pages, 3)
	}
	require.Equal(t, 405, shown)
	require.Contains(t, e.get("/console/desk/objects?list=districts").body, "Край 1001")
	require.Contains(t, e.get("/console/desk/objects?list=districts&q=d405").body, "Край 1405", "by its id, too")
	require.NotContains(t, e.get("/console/desk/objects?list=districts&q=край+1404").body, "Край 1405")
}
