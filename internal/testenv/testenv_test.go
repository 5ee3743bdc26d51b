package testenv_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
)

func TestEachTestHasAMigratedDatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	first, second := testenv.Database(t), testenv.Database(t)
	require.NotEqual(t, first, second)

	for _, url := range []string{first, second} {
		connection, err := pgx.Connect(ctx, url)
		require.NoError(t, err)
		defer connection.Close(context.WithoutCancel(ctx))
		var version int
		require.NoError(t, connection.QueryRow(ctx, "SELECT max(version_id) FROM goose_db_version").Scan(&version))
		require.Positive(t, version)
		_, err = connection.Exec(ctx, "CREATE TABLE mine ()")
		require.NoError(t, err, "the other database must not have this table")
	}
}

func TestAnEmptyDatabaseHasNoTables(t *testing.T) {
	t.Parallel()
	connection, err := pgx.Connect(t.Context(), testenv.EmptyDatabase(t))
	require.NoError(t, err)
	defer connection.Close(context.WithoutCancel(t.Context()))
	var tables int
	require.NoError(t, connection.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&tables))
	require.Zero(t, tables)
}

func TestADatabaseIsGoneWhenItsTestHasEnded(t *testing.T) {
	t.Parallel()
	var url string
	t.Run("uses it", func(t *testing.T) { url = testenv.Database(t) })
	_, err := pgx.Connect(t.Context(), url)
	require.ErrorContains(t, err, "3D000")
}

// setState is a workflow that marks itself the way an operator looks for it.
func setState(ctx workflow.Context, state string) error {
	return workflow.UpsertTypedSearchAttributes(ctx, protocol.DeliveryState.ValueSet(state))
}

func TestWorkersOnOneTaskQueueDoNotSeeTheWorkOfAnotherTest(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	start := func(t *testing.T, state string) client.Client {
		service := testenv.Temporal(t)
		w := worker.New(service, protocol.TaskQueue, worker.Options{})
		w.RegisterWorkflow(setState)
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
		run, err := service.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: "deliver/one", TaskQueue: protocol.TaskQueue,
			TypedSearchAttributes: temporal.NewSearchAttributes(protocol.Destination.ValueSet("telegram:-1")),
		}, setState, state)
		require.NoError(t, err)
		require.NoError(t, run.Get(ctx, nil))
		return service
	}
	var both sync.WaitGroup
	for _, state := range []string{"parked", "sent"} {
		both.Add(1)
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			defer both.Done()
			service := start(t, state)
			require.Eventually(t, func() bool {
				counted, err := service.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
					Namespace: testenv.Namespace(t),
					Query:     "DeliveryState = '" + state + "' AND Destination = 'telegram:-1'",
				})
				return err == nil && counted.GetCount() == 1
			}, 10*time.Second, 20*time.Millisecond)
			all, err := service.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: testenv.Namespace(t)})
			require.NoError(t, err)
			require.EqualValues(t, 1, all.GetCount())
		})
	}
}

func TestAScheduleInAFreshNamespaceFiresAtOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	service := testenv.Temporal(t)
	fired := make(chan struct{}, 1)
	w := worker.New(service, protocol.TaskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(func(workflow.Context) error { fired <- struct{}{}; return nil }, workflow.RegisterOptions{Name: "Scan"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	_, err := service.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: protocol.ScanWallsID, TriggerImmediately: true,
		Spec:   client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: time.Hour}}},
		Action: &client.ScheduleWorkflowAction{ID: protocol.ScanWallsID, Workflow: "Scan", TaskQueue: protocol.TaskQueue},
	})
	require.NoError(t, err)
	select {
	case <-fired:
	case <-time.After(30 * time.Second):
		t.Fatal("the schedule did not fire")
	}
}

// bareVariable turns the test below into the process that is killed.
const bareVariable = "VESTNIK_TEST_BARE"

func TestServersOfABareTestRunEndWithItsProcess(t *testing.T) {
	if os.Getenv(bareVariable) != "" {
		connection, err := pgx.Connect(t.Context(), testenv.Database(t))
		require.NoError(t, err)
		var dir string
		require.NoError(t, connection.QueryRow(t.Context(), "SELECT current_setting('data_directory')").Scan(&dir))
		_, _ = os.Stdout.WriteString("\nready " + dir + "\n")
		select {} // until it is killed
	}
	t.Parallel()
	bare := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	bare.Env = append(environWithout(testenv.DatabaseVariable, testenv.TemporalVariable), bareVariable+"=1")
	output, err := bare.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, bare.Start())

	var said strings.Builder
	dir := ""
	for dir == "" {
		chunk := make([]byte, 4096)
		n, err := output.Read(chunk)
		require.NoError(t, err, said.String())
		said.Write(chunk[:n])
		if _, rest, ok := strings.Cut(said.String(), "\nready "); ok {
			if line, _, whole := strings.Cut(rest, "\n"); whole {
				dir = line
			}
		}
	}
	require.FileExists(t, dir+"/postmaster.pid")
	require.NoError(t, bare.Process.Kill())
	_ = bare.Wait()
	require.Eventually(t, func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	}, 30*time.Second, 50*time.Millisecond, "the servers and their files must be gone")
}

// BenchmarkDatabase tells what a test pays for a database of its own.
func BenchmarkDatabase(b *testing.B) {
	testenv.Database(b)
	for b.Loop() {
		testenv.Database(b)
	}
}

func environWithout(names ...string) []string {
	var environ []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		keep := true
		for _, without := range names {
			keep = keep && name != without
		}
		if keep {
			environ = append(environ, pair)
		}
	}
	return environ
}

// A cluster's caches know a new namespace's search attributes some seconds
// late: `make cluster ARGS='go test ./internal/testenv'`.
func TestANamespaceMadeAMomentAgoTakesWorkflowsWithItsSearchAttributes(t *testing.T) {
	t.Parallel()
	options := client.StartWorkflowOptions{ID: "first", TaskQueue: "nobody", TypedSearchAttributes: temporal.NewSearchAttributes(
		protocol.DeliveryState.ValueSet("open"), protocol.Destination.ValueSet("telegram:-1"),
		protocol.PostType.ValueSet("lost"), protocol.ParkReason.ValueSet("captcha"))}
	_, err := testenv.Temporal(t).ExecuteWorkflow(t.Context(), options, "Nothing")
	require.NoError(t, err)
}
