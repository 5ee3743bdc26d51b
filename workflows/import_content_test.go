package workflows_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/guide"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
	"vestnik/starter"
	"vestnik/workflows"
)

// importing is what imports need, without a worker.
type importing struct {
	url      string
	pool     *pgxpool.Pool
	temporal client.Client
	imports  *guidedb.Imports
	starter  *starter.Content
}

func setupImporting(t *testing.T) *importing {
	t.Helper()
	url := testenv.Database(t)
	pool, err := db.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	i := &importing{url: url, pool: pool, temporal: testenv.Temporal(t), imports: guidedb.NewImports(pool)}
	i.starter = starter.NewContent(i.temporal, i.imports, content.Rules{AllowHTTP: true}, guide.DefaultTexts())
	return i
}

func contentWorker(temporal client.Client, imports *guidedb.Imports) worker.Worker {
	w := worker.New(temporal, protocol.TaskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(workflows.ImportContent, workflow.RegisterOptions{Name: protocol.ImportContentWorkflow})
	w.RegisterWorkflowWithOptions(workflows.CheckPhotos, workflow.RegisterOptions{Name: protocol.CheckPhotosWorkflow})
	w.RegisterActivity(activities.NewContent(imports, temporal, photo.NewFetcher(photo.Options{AllowHTTP: true, AllowPrivate: true})))
	return w
}

func (i *importing) startWorker(t *testing.T) {
	t.Helper()
	w := contentWorker(i.temporal, i.imports)
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
}

func (i *importing) send(t *testing.T, key string, batch content.Batch) string {
	t.Helper()
	text, err := json.Marshal(batch)
	require.NoError(t, err)
	accepted, err := i.starter.Import(t.Context(), guidedb.Upload{Key: key, Batch: content.NewReader(strings.NewReader(string(text)), content.Rules{AllowHTTP: true})})
	require.NoError(t, err)
	return accepted.ID
}

// wait looks at an import until its status is as wanted.
func (i *importing) wait(t *testing.T, id string, wanted func(content.Status) bool) content.Status {
	t.Helper()
	var status content.Status
	require.Eventually(t, func() bool {
		var err error
		status, err = i.imports.Status(t.Context(), id)
		return err == nil && wanted(status)
	}, 2*time.Minute, 5*time.Millisecond)
	return status
}

func ended(status content.Status) bool { return status.State != content.Running }

func manyPlaces(count int, word string) content.Batch {
	batch := content.Batch{Types: []content.Type{{ID: "t", Name: "Тип"}}}
	for n := range count {
		batch.Places = append(batch.Places, content.Place{
			ID: fmt.Sprintf("p%d", n), Name: fmt.Sprintf("Место %05d", n), Description: word, Types: []string{"t"},
		})
	}
	return batch
}

// export is the guide's whole content.
func (i *importing) export(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	writer := content.NewWriter(&out, content.Upsert)
	require.NoError(t, i.imports.Export(t.Context(), writer.Write))
	require.NoError(t, writer.Close())
	return out.String()
}

func TestABatchIsTakenIntoTheGuideAndCounted(t *testing.T) {
	t.Parallel()
	i := setupImporting(t)
	i.startWorker(t)
	city := content.SampleCity(time.Now(), "http://127.0.0.1:1/photos")
	city.Places = append(city.Places, content.Place{ID: "lost", Name: "Нигде", District: "nowhere"})
	id := i.send(t, "", city)
	var result protocol.ImportContentResult
	require.NoError(t, i.temporal.GetWorkflow(t.Context(), protocol.ImportWorkflowID(id), "").Get(t.Context(), &result))
	require.Equal(t, 130, result.Objects)
	require.Equal(t, 129, result.Created)
	require.Equal(t, 1, result.Refused)
	require.Positive(t, result.PhotosChecked)
	require.Equal(t, result.PhotosChecked, result.PhotosBad, "nobody serves these photos")
	status := i.wait(t, id, ended)
	require.Equal(t, content.Done, status.State)
	require.Equal(t, content.PhaseFinished, status.Phase)
	require.Equal(t, "places[40].district", status.Refused[0].Path)
	i.keepHistory(t, "ImportContent/taken_in", protocol.ImportWorkflowID(id))
}

func TestImportsSentTogetherAreWorkedOffInTheOrderOfTheirAcceptance(t *testing.T) {
	t.Parallel()
	i := setupImporting(t)
	var ids []string
	for n := range 5 {
		ids = append(ids, i.send(t, fmt.Sprintf("batch-%d", n), manyPlaces(50, fmt.Sprintf("v%d", n))))
	}
	i.startWorker(t)
	var before time.Time
	for n, id := range ids {
		status := i.wait(t, id, ended)
		require.Equal(t, content.Done, status.State)
		if n > 0 {
			require.Equal(t, 50, status.Changed)
		}
		require.False(t, status.FinishedAt.Before(before))
		before = *status.FinishedAt
	}
	require.Equal(t, 50, strings.Count(i.export(t), `"v4"`))
	i.keepHistory(t, "ImportContent/waited_for_its_turn", protocol.ImportWorkflowID(ids[4]))
}

func TestAnImportWhoseWorkflowWasTerminatedIsStartedAgain(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(t *testing.T, i *importing){
		"by the next in turn": func(t *testing.T, i *importing) { i.send(t, "second", manyPlaces(10, "b")) },
		"by recovery":         func(t *testing.T, i *importing) { require.NoError(t, i.starter.Sweep(t.Context())) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := setupImporting(t)
			first := i.send(t, "first", manyPlaces(10, "a"))
			require.NoError(t, i.temporal.TerminateWorkflow(t.Context(), protocol.ImportWorkflowID(first), "", "by the test"))
			i.startWorker(t)
			again(t, i)
			require.Equal(t, content.Done, i.wait(t, first, ended).State)
		})
	}
}

func TestAnImportThatIsHeldWhenItsTurnComesIsAppliedAsSoonAsItIsConfirmed(t *testing.T) {
	t.Parallel()
	i := setupImporting(t)
	fetched := make(chan struct{}, 100)
	photos := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fetched <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(photos.Close)
	waiting := manyPlaces(10, "a")
	waiting.Mode = content.Snapshot
	id := i.send(t, "waiting", waiting)
	meanwhile := manyPlaces(60, "b")
	meanwhile.Places[0].Photos = []string{photos.URL}
	ahead := i.send(t, "meanwhile", meanwhile)
	require.NoError(t, i.imports.Apply(t.Context(), ahead, func(guidedb.Progress) {}))
	require.NoError(t, i.imports.Finish(t.Context(), ahead, time.Now()))
	require.NoError(t, i.temporal.TerminateWorkflow(t.Context(), protocol.ImportWorkflowID(ahead), "", "its work is done"))

	i.startWorker(t)
	i.wait(t, id, func(status content.Status) bool { return status.State == content.Held })
	require.NoError(t, i.temporal.GetWorkflow(t.Context(), protocol.ImportWorkflowID(id), "").Get(t.Context(), nil))
	require.Empty(t, fetched, "nothing of it is in place yet")
	i.keepHistory(t, "ImportContent/held", protocol.ImportWorkflowID(id))
	require.NoError(t, i.starter.Confirm(t.Context(), id, 50))
	require.Equal(t, content.Done, i.wait(t, id, ended).State)
}

func TestAnImportThatWasCancelledIsGivenUp(t *testing.T) {
	t.Parallel()
	i := setupImporting(t)
	id := i.send(t, "", manyPlaces(10, "a"))
	require.NoError(t, i.temporal.CancelWorkflow(t.Context(), protocol.ImportWorkflowID(id), ""))
	i.startWorker(t)
	require.Equal(t, content.Failed, i.wait(t, id, ended).State)
	i.keepHistory(t, "ImportContent/cancelled", protocol.ImportWorkflowID(id))
}

func TestAnImportThatWasNeverStartedIsSweptUp(t *testing.T) {
	t.Parallel()
	i := setupImporting(t)
	accepted, err := i.imports.Accept(t.Context(), guidedb.Upload{Key: "forgotten", Batch: content.NewReader(strings.NewReader(`{"types": [{"id": "t", "name": "Тип"}]}`), content.Rules{})})
	require.NoError(t, err)
	i.startWorker(t)
	require.NoError(t, i.starter.Sweep(t.Context()))
	require.Equal(t, content.Done, i.wait(t, accepted.ID, ended).State)
}

// workerVariable tells a copy of the test program to be a worker on the
// servers it names.
const workerVariable = "VESTNIK_TEST_CONTENT_WORKER"

func TestMain(m *testing.M) {
	settings, isWorker := os.LookupEnv(workerVariable)
	if !isWorker {
		os.Exit(m.Run())
	}
	if err := runContentWorker(context.Background(), settings); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runContentWorker(ctx context.Context, settings string) error {
	parts := strings.SplitN(settings, " ", 3)
	pool, err := db.Open(ctx, parts[2])
	if err != nil {
		return err
	}
	temporal, err := client.Dial(client.Options{HostPort: parts[0], Namespace: parts[1]})
	if err != nil {
		return err
	}
	return contentWorker(temporal, guidedb.NewImports(pool)).Run(nil)
}

func (i *importing) startWorkerProcess(t *testing.T) *os.Process {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s", workerVariable, testenv.TemporalAddress(t), testenv.Namespace(t), i.url))
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill() // may have ended already
		_ = command.Wait()
	})
	return command.Process
}

func TestAWorkerKilledInTheMiddleLeavesAnImportThatEndsAsIfUndisturbed(t *testing.T) {
	t.Parallel()
	i := setupImporting(t)
	first := i.startWorkerProcess(t)
	snapshot := manyPlaces(12_000, "v")
	snapshot.Mode = content.Snapshot
	id := i.send(t, "", snapshot)
	i.wait(t, id, func(status content.Status) bool { return status.Created > 0 })
	require.NoError(t, first.Kill()) // SIGKILL
	_, err := first.Wait()
	require.NoError(t, err)
	half, err := i.imports.Status(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, content.Running, half.State)
	require.Less(t, half.Progress, 1.0)

	i.startWorkerProcess(t)
	status := i.wait(t, id, ended)
	require.Equal(t, content.Done, status.State)
	require.Equal(t, 12_001, status.Created)
	require.Zero(t, status.Changed+status.Unchanged+status.Unpublished+status.RefusedCount)

	undisturbed := setupGuide(t, snapshot)
	require.Equal(t, undisturbed, i.export(t))
	i.keepHistory(t, "ImportContent/worker_killed", protocol.ImportWorkflowID(id))
}

// setupGuide gives what a guide of its own holds after batch alone.
func setupGuide(t *testing.T, batch content.Batch) string {
	t.Helper()
	pool, err := db.Open(context.Background(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	i := &importing{imports: guidedb.NewImports(pool)}
	text, err := json.Marshal(batch)
	require.NoError(t, err)
	accepted, err := i.imports.Accept(t.Context(), guidedb.Upload{Batch: content.NewReader(strings.NewReader(string(text)), content.Rules{})})
	require.NoError(t, err)
	require.NoError(t, i.imports.Apply(t.Context(), accepted.ID, func(guidedb.Progress) {}))
	return i.export(t)
}
