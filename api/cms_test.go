package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/text/encoding/charmap"

	"vestnik/activities"
	"vestnik/api"
	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/config"
	"vestnik/internal/content"
	"vestnik/internal/guide"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
	"vestnik/starter"
	"vestnik/workflows"
)

const cmsToken = "cms-token-of-the-test"

// cms is the CMS's side of a running guide.
type cms struct {
	server *httptest.Server
	store  *guidedb.Store
}

func setupCMS(t testing.TB) *cms {
	t.Helper()
	pool, err := db.Open(t.Context(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	temporal, imports := testenv.Temporal(t), guidedb.NewImports(pool)
	w := worker.New(temporal, protocol.TaskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(workflows.ImportContent, workflow.RegisterOptions{Name: protocol.ImportContentWorkflow})
	w.RegisterActivity(activities.NewContent(imports, temporal, photo.NewFetcher(photo.Options{AllowHTTP: true, AllowPrivate: true})))
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	handler, err := api.NewCMS(api.CMSConfig{
		Token: config.NewSecret(cmsToken), Imports: starter.NewContent(temporal, imports, content.Rules{AllowHTTP: true}, guide.DefaultTexts()), Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &cms{server: server, store: guidedb.New(pool)}
}

func (c *cms) call(t testing.TB, method, path string, body io.Reader, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.server.URL+path, body)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+cmsToken)
	for n := 0; n < len(headers); n += 2 {
		request.Header.Set(headers[n], headers[n+1])
	}
	response, err := c.server.Client().Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(text)
}

func (c *cms) send(t testing.TB, batch string, headers ...string) content.Accepted {
	t.Helper()
	response, text := c.call(t, http.MethodPost, content.ImportPath, strings.NewReader(batch), headers...)
	require.Equal(t, http.StatusAccepted, response.StatusCode, text)
	var accepted content.Accepted
	require.NoError(t, json.Unmarshal([]byte(text), &accepted))
	require.Equal(t, accepted.StatusURL, response.Header.Get("Location"))
	return accepted
}

func (c *cms) wait(t testing.TB, accepted content.Accepted, phase content.Phase) content.Status {
	t.Helper()
	var status content.Status
	require.Eventually(t, func() bool {
		response, text := c.call(t, http.MethodGet, accepted.StatusURL, nil)
		return response.StatusCode == http.StatusOK && json.Unmarshal([]byte(text), &status) == nil && status.Phase == phase
	}, time.Minute, 10*time.Millisecond)
	return status
}

func TestTheCMSSendsABatchAndFollowsItToItsEnd(t *testing.T) {
	t.Parallel()
	c := setupCMS(t)
	photos := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/good.png":
			_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 640, 480)))
		case "/narrow.png":
			_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 2100, 100)))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(photos.Close)
	accepted := c.send(t, `{"mode": "upsert", "types": [{"id": "cafe", "name": "Кофейни"}], "places": [
		{"id": "p1", "name": "Кофейня", "types": ["cafe"], "photos": ["`+photos.URL+`/good.png", "`+photos.URL+`/narrow.png"]},
		{"id": "p2", "name": "Парк", "photos": ["`+photos.URL+`/gone.png"]},
		{"id": "p3", "name": "Бар", "types": ["bar"]}, {"id": "p4"}]}`)
	status := c.wait(t, accepted, content.PhaseFinished)
	require.Equal(t, content.Done, status.State)
	require.Equal(t, 3, status.Created)
	require.Equal(t, 2, status.RefusedCount)
	require.Equal(t, []content.Refusal{
		{Path: "places[2].types[0]", Value: "bar", Name: "Бар", Why: content.UnknownReference(content.Types)},
		{Path: "places[3].name", Why: content.Because("не указано")},
	}, status.Refused)
	require.Equal(t, content.Photos{Good: 1, Bad: 2}, status.Photos)
	require.InDelta(t, 1, status.Progress, 0)

	_, text := c.call(t, http.MethodGet, content.PhotosPath, nil)
	var report content.PhotoReport
	require.NoError(t, json.Unmarshal([]byte(text), &report))
	require.Len(t, report.BadPhotos, 2)
	require.Contains(t, report.BadPhotos[0].Reason+report.BadPhotos[1].Reason, "2100×100 pixels")
	require.Contains(t, report.BadPhotos[0].Reason+report.BadPhotos[1].Reason, "HTTP 404")

	page, err := c.store.Places(t.Context(), guide.PlaceFilter{}, guidedb.Paging{Number: 1, Size: 8})
	require.NoError(t, err)
	require.Equal(t, 2, page.Total)
}

func TestAStatusHasTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	c := setupCMS(t)
	accepted := c.send(t, `{}`)
	c.wait(t, accepted, content.PhaseFinished)
	_, text := c.call(t, http.MethodGet, accepted.StatusURL, nil)
	var status map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &status))
	require.Equal(t, "done", status["state"])
	require.Equal(t, accepted.ID, status["id"])
	require.Equal(t, []any{}, status["refused"], "an empty list, not null")
	for _, count := range []string{"created", "changed", "unchanged", "unpublished"} {
		require.EqualValues(t, 0, status[count])
	}
}

func TestTheSameBatchAgainIsTheSameImport(t *testing.T) {
	t.Parallel()
	c := setupCMS(t)
	batch := `{"districts": [{"id": "d", "name": "Центр"}]}`
	first := c.send(t, batch, "Idempotency-Key", `"night-7"`)
	require.Equal(t, content.ImportPath+"/night-7", first.StatusURL)
	require.Equal(t, first, c.send(t, batch))
	require.Equal(t, first, c.send(t, batch, "Idempotency-Key", "night-7"))
	c.wait(t, first, content.PhaseFinished)
	require.Equal(t, first, c.send(t, batch))
	response, text := c.call(t, http.MethodPost, content.ImportPath, strings.NewReader(`{}`), "Idempotency-Key", "night-7")
	require.Equal(t, http.StatusUnprocessableEntity, response.StatusCode, "another batch is not swallowed")
	require.Contains(t, text, first.StatusURL)
}

func TestASnapshotThatTakesTooMuchIsAnsweredWithWhatGoesAndWaitsForTheNumber(t *testing.T) {
	t.Parallel()
	c := setupCMS(t)
	city := `{"types": [` + strings.Repeat(`{"id": "t#", "name": "Тип"},`, 9) + `{"id": "last", "name": "Последний"}]}`
	for n := range 9 {
		city = strings.Replace(city, "t#", fmt.Sprintf("t%d", n), 1)
	}
	before := c.wait(t, c.send(t, city), content.PhaseFinished)
	require.Equal(t, 10, before.Created)

	var report content.Status
	response, text := c.call(t, http.MethodPost, content.ImportPath+"?check=true", strings.NewReader(`{"mode": "snapshot", "types": []}`))
	require.Equal(t, http.StatusOK, response.StatusCode, text)
	require.NoError(t, json.Unmarshal([]byte(text), &report))
	require.Equal(t, 10, report.Unpublished)
	require.Equal(t, "Последний", report.Difference[0].Objects[0].Name)

	response, text = c.call(t, http.MethodPost, content.ImportPath, strings.NewReader(`{"mode": "snapshot", "types": []}`))
	require.Equal(t, http.StatusConflict, response.StatusCode, text)
	var held content.Fault
	require.NoError(t, json.Unmarshal([]byte(text), &held))
	require.Equal(t, 10, held.Unpublishes)
	response, _ = c.call(t, http.MethodPost, held.StatusURL+"/confirm", strings.NewReader(`{"unpublish": 1}`))
	require.Equal(t, http.StatusConflict, response.StatusCode)
	response, text = c.call(t, http.MethodPost, held.StatusURL+"/confirm", strings.NewReader(`{"unpublish": 10}`))
	require.Equal(t, http.StatusAccepted, response.StatusCode, text)
	require.Equal(t, 10, c.wait(t, held.Accepted, content.PhaseFinished).Unpublished)

	response, text = c.call(t, http.MethodPost, held.StatusURL+"/undo", nil)
	require.Equal(t, http.StatusAccepted, response.StatusCode, text)
	var undo content.Accepted
	require.NoError(t, json.Unmarshal([]byte(text), &undo))
	require.Equal(t, 10, c.wait(t, undo, content.PhaseFinished).Changed)
	var history []content.Status
	_, text = c.call(t, http.MethodGet, content.ImportPath, nil)
	require.NoError(t, json.Unmarshal([]byte(text), &history))
	require.Equal(t, []string{held.ID, ""}, []string{history[0].Undoes, history[1].Undoes})

	response, _ = c.call(t, http.MethodPost, content.ImportPath, strings.NewReader(`{"mode": "snapshot", "types": []}`))
	require.Equal(t, http.StatusConflict, response.StatusCode)
	response, _ = c.call(t, http.MethodPost, content.ImportPath+"?unpublish=10", strings.NewReader(`{"mode": "snapshot", "types": [ ]}`))
	require.Equal(t, http.StatusAccepted, response.StatusCode, "confirmed in advance")
}

func TestTablesAreTakenAsTheyAre(t *testing.T) {
	t.Parallel()
	c := setupCMS(t)
	ansi, err := charmap.Windows1251.NewEncoder().String("Название;Адрес;Рейтинг\nКофейня;Ольховск, ул. Речная, 4;4,7\nПарк;;много\n")
	require.NoError(t, err)
	status := c.wait(t, c.send(t, ansi, "Content-Type", "text/csv"), content.PhaseFinished)
	require.Equal(t, 1, status.Created)
	require.Equal(t, "Парк", status.Refused[0].Name)
	require.Equal(t, 3, status.Refused[0].Row)
	page, err := c.store.Places(t.Context(), guide.PlaceFilter{}, guidedb.Paging{Number: 1, Size: 8})
	require.NoError(t, err)
	require.Equal(t, "Кофейня", page.Items[0].Name)

	response, text := c.call(t, http.MethodPost, content.ImportPath, strings.NewReader("\x89PNG\r\n\x00"))
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.Contains(t, text, "это не текст")
}

func TestWithoutTheTokenNothingIsReadAndNothingTold(t *testing.T) {
	t.Parallel()
	c := setupCMS(t)
	for name, header := range map[string]string{
		"none": "", "wrong": "Bearer wrong", "prefix": "Bearer " + cmsToken[:5], "longer": "Bearer " + cmsToken + "x", "basic": "Basic " + cmsToken, "bare": cmsToken,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{content.ImportPath, content.ImportPath + "/x", content.PhotosPath} {
				method := http.MethodGet
				if path == content.ImportPath {
					method = http.MethodPost
				}
				request := httptest.NewRequestWithContext(t.Context(), method, path, unreadable{t})
				request.Header.Set("Authorization", header)
				recorder := httptest.NewRecorder()
				c.server.Config.Handler.ServeHTTP(recorder, request)
				require.Equal(t, http.StatusUnauthorized, recorder.Code)
				require.Equal(t, "Bearer", recorder.Header().Get("WWW-Authenticate"))
				require.NotContains(t, recorder.Body.String(), cmsToken)
			}
		})
	}
	_, err := api.NewCMS(api.CMSConfig{})
	require.ErrorIs(t, err, api.ErrCMSToken)
}

// unreadable fails the test of whoever reads it.
type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, errors.New("not to be read")
}

func TestABatchThatIsNotOneIsRefusedWithThePosition(t *testing.T) {
	t.Parallel()
	c := setupCMS(t)
	response, text := c.call(t, http.MethodPost, content.ImportPath, strings.NewReader("{\"places\": [\n{\"id\": \"p\", \"name\": \"П\"},\n{\"id\" \"q\"}]}"))
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	var fault content.Fault
	require.NoError(t, json.Unmarshal([]byte(text), &fault))
	require.Equal(t, "places[1]", fault.Path)
	require.Equal(t, []int{3, 7}, []int{fault.Line, fault.Column})
	require.EqualValues(t, 46, *fault.Offset)

	large := `{"id": "p", "name": "П", "note": "` + strings.Repeat("x", 200_000) + `"},`
	response, text = c.call(t, http.MethodPost, content.ImportPath, io.MultiReader(
		strings.NewReader(`{"places": [`), strings.NewReader(strings.Repeat(large, (content.MaxBatchBytes+5<<20)/len(large)))))
	require.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode)
	require.Contains(t, text, "larger than 50 MiB")
	page, err := c.store.Places(t.Context(), guide.PlaceFilter{}, guidedb.Paging{Number: 1, Size: 8})
	require.NoError(t, err)
	require.Zero(t, page.Total)
}

func TestOtherMethodsAndUnknownImportsAreNamedSo(t *testing.T) {
	t.Parallel()
	c := setupCMS(t)
	for path, want := range map[string]int{
		"PUT " + content.ImportPath:           http.StatusMethodNotAllowed,
		"DELETE " + content.ImportPath + "/x": http.StatusNotFound,
		"GET " + content.ImportPath + "/x":    http.StatusNotFound,
		"GET /api/v1/cms/other":               http.StatusNotFound,
		"GET " + api.OpenAPIPath:              http.StatusOK,
	} {
		method, path, _ := strings.Cut(path, " ")
		response, _ := c.call(t, method, path, nil)
		require.Equal(t, want, response.StatusCode, "%s %s", method, path)
	}
}

func FuzzNoBatchIsAnsweredByAFaultOfOurs(f *testing.F) {
	f.Add([]byte(`{"places":[{"id":"p1","name":"Кофейня","rating":4.7}]}`), "key")
	f.Add([]byte(`{"places":[{"id":"\u0000"}],"mode":"snapshot"}`), "ключ \x00 \xff")
	f.Add([]byte(`{"events":[{"id":"e","title":"Е","starts_at":"0000-01-01T00:00:00Z"}]}`), "")
	f.Add([]byte("\x00\xff{{{"), "../../etc")
	c := setupCMS(f)
	f.Fuzz(func(t *testing.T, batch []byte, key string) {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, content.ImportPath, strings.NewReader(string(batch)))
		request.Header["Authorization"] = []string{"Bearer " + cmsToken}
		request.Header["Idempotency-Key"] = []string{key}
		recorder := httptest.NewRecorder()
		c.server.Config.Handler.ServeHTTP(recorder, request)
		require.Less(t, recorder.Code, 500, recorder.Body.String())
		require.True(t, json.Valid(recorder.Body.Bytes()))
	})
}
