package devstack

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"vestnik/internal/protocol"
)

// project is an empty project folder that shares the Temporal binary of this
// one.
func project(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	_, err = FindTemporal(t.Context(), root, func(step string) { fmt.Fprintln(os.Stderr, "devstack:", step) })
	require.NoError(t, err)
	dir := folder(t)
	require.NoError(t, os.Symlink(filepath.Join(root, ".bin"), filepath.Join(dir, ".bin")))
	return dir
}

// folder is a scratch folder that another user may enter, unlike t.TempDir:
// as root, Postgres runs as another.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vestnik-devstack-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

func start(t *testing.T, options Options) *Stack {
	t.Helper()
	stack, err := Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stack.Close(context.Background())) })
	return stack
}

func query[T any](t *testing.T, url, sql string) T {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer connection.Close(t.Context())
	var value T
	require.NoError(t, connection.QueryRow(t.Context(), sql).Scan(&value))
	return value
}

func TestAStackKeepsItsDataBetweenRuns(t *testing.T) {
	t.Parallel()
	dir := project(t)
	first := start(t, Options{Dir: dir, Namespace: "pets"})
	require.Equal(t, 1, query[int](t, first.DatabaseURL, "WITH kept AS (SELECT 1 AS n) SELECT n FROM kept"))
	connection, err := pgx.Connect(t.Context(), first.DatabaseURL)
	require.NoError(t, err)
	_, err = connection.Exec(t.Context(), "CREATE TABLE kept AS SELECT 'Барсик' AS name")
	require.NoError(t, err)
	require.NoError(t, connection.Close(t.Context()))
	service, err := client.Dial(client.Options{HostPort: first.TemporalAddress, Namespace: "pets", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	run, err := service.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "kept", TaskQueue: "nobody"}, "Waits")
	require.NoError(t, err)
	service.Close()
	require.NoError(t, first.Close(t.Context()))

	second := start(t, Options{Dir: dir, Namespace: "pets"})
	require.Equal(t, "барсик", query[string](t, second.DatabaseURL, "SELECT lower(name) FROM kept"))
	service, err = client.Dial(client.Options{HostPort: second.TemporalAddress, Namespace: "pets", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer service.Close()
	described, err := service.DescribeWorkflowExecution(t.Context(), "kept", run.GetRunID())
	require.NoError(t, err)
	require.Equal(t, "Waits", described.GetWorkflowExecutionInfo().GetType().GetName())
}

func TestANamespaceKeepsHistoriesForThirtyDaysAndHasTheSearchAttributes(t *testing.T) {
	t.Parallel()
	stack := start(t, Options{Dir: project(t)})
	service, err := client.Dial(client.Options{HostPort: stack.TemporalAddress, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer service.Close()
	described, err := service.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
	require.NoError(t, err)
	require.Equal(t, 720*time.Hour, described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())

	require.NoError(t, protocol.PrepareNamespace(t.Context(), service, "made-later"))
	require.NoError(t, protocol.PrepareNamespace(t.Context(), service, "made-later"), "it may be repeated")
	for _, name := range []string{"default", "made-later"} {
		known, err := service.OperatorService().ListSearchAttributes(t.Context(), &operatorservice.ListSearchAttributesRequest{Namespace: name})
		require.NoError(t, err)
		for _, name := range []string{"DeliveryState", "Destination", "PostType", "ParkReason"} {
			require.Contains(t, known.GetCustomAttributes(), name)
		}
	}
}

func TestASecondStackInTheSameFolderNamesTheFirst(t *testing.T) {
	t.Parallel()
	dir := project(t)
	stack := start(t, Options{Dir: dir})

	_, err := Start(t.Context(), Options{Dir: dir})
	var running *AlreadyRunning
	require.ErrorAs(t, err, &running)
	require.Equal(t, os.Getpid(), running.PID)
	require.Contains(t, err.Error(), strconv.Itoa(os.Getpid()))

	endpoints, ok := Find(dir)
	require.True(t, ok)
	require.Equal(t, stack.DatabaseURL, endpoints.DatabaseURL)
	require.Equal(t, stack.TemporalAddress, endpoints.TemporalAddress)
	require.NoError(t, stack.Close(t.Context()))
	_, ok = Find(dir)
	require.False(t, ok, "a closed stack is not found")
}

func TestServersThatAreThereAlreadyAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	stack := start(t, Options{Dir: dir, DatabaseURL: "postgres://db/x", TemporalAddress: "temporal:7233"})
	require.Equal(t, "postgres://db/x", stack.DatabaseURL)
	require.Equal(t, "temporal:7233", stack.TemporalAddress)
	require.NoDirExists(t, filepath.Join(dir, StateDir, "postgres"))
}

func TestAServerThatEndsByItselfIsReported(t *testing.T) {
	t.Parallel()
	stack := start(t, Options{Dir: project(t)})
	require.NoError(t, syscall.Kill(stack.temporal.PID, syscall.SIGKILL))
	select {
	case err := <-stack.Failed():
		require.ErrorContains(t, err, "Temporal")
		require.ErrorContains(t, err, "temporal.log")
	case <-time.After(30 * time.Second):
		t.Fatal("nobody was told")
	}
}

func TestABusyPortIsAvoided(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port

	chosen, err := choosePort("test", port)
	require.NoError(t, err)
	defer chosen.release()
	require.NotEqual(t, port, chosen.number, "a busy port that was only liked is avoided")

	other, err := choosePort("test", chosen.number)
	require.NoError(t, err)
	defer other.release()
	require.NotEqual(t, chosen.number, other.number, "two stacks that start at once take different ports")
}

func postgres(t *testing.T, dir string) *Postgres {
	t.Helper()
	server, err := StartPostgres(t.Context(), PostgresOptions{
		Dir: filepath.Join(dir, "postgres"), LogFile: filepath.Join(dir, "postgres.log"), Database: "vestnik",
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	return server
}

func TestPostgresComesBackAfterBeingKilled(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first := postgres(t, dir)
	connection, err := pgx.Connect(t.Context(), first.URL)
	require.NoError(t, err)
	_, err = connection.Exec(t.Context(), "CREATE TABLE kept AS SELECT 7 AS n")
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(first.PID, syscall.SIGKILL))
	<-first.process.done
	require.FileExists(t, filepath.Join(dir, "postgres", "postmaster.pid"))

	second := postgres(t, dir)
	require.Equal(t, 7, query[int](t, second.URL, "SELECT n FROM kept"))
}

func TestAPostgresThatAnEarlierRunLeftBehindIsStoppedFirst(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	survivor := postgres(t, dir)
	second := postgres(t, dir)
	require.True(t, survivor.process.ended())
	require.Equal(t, 1, query[int](t, second.URL, "SELECT 1"))
}

func TestAPidFileWhosePidIsAnotherProgramsByNowDoesNotMatter(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	require.NoError(t, postgres(t, dir).Stop(t.Context()))

	other := exec.Command("sleep", "60")
	require.NoError(t, other.Start())
	defer func() {
		require.NoError(t, other.Process.Kill())
		_ = other.Wait()
	}()
	pidFile := filepath.Join(dir, "postgres", "postmaster.pid")
	require.NoError(t, os.WriteFile(pidFile, []byte(strconv.Itoa(other.Process.Pid)+"\n/x\n"), 0o644))

	server := postgres(t, dir)
	require.Equal(t, 1, query[int](t, server.URL, "SELECT 1"))
	require.NoError(t, other.Process.Signal(syscall.Signal(0)), "the other program must be left alone")
}

func TestOnlyThePasswordOpensPostgres(t *testing.T) {
	t.Parallel()
	server := postgres(t, folder(t))
	config, err := pgx.ParseConfig(server.URL)
	require.NoError(t, err)
	config.Password = "guess"
	_, err = pgx.ConnectConfig(t.Context(), config)
	require.ErrorContains(t, err, "28P01")
}

func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	require.NoError(t, postgres(t, dir).Stop(t.Context()))
	configuration := filepath.Join(dir, "postgres", "postgresql.conf")
	require.NoError(t, os.WriteFile(configuration, []byte("no_such_setting = 1\n"), 0o644))
	_, err := StartPostgres(t.Context(), PostgresOptions{
		Dir: filepath.Join(dir, "postgres"), LogFile: filepath.Join(dir, "postgres.log"), Database: "vestnik",
	})
	require.ErrorContains(t, err, "no_such_setting")
}

func TestDataOfAnotherMajorVersionIsRefusedWithTheRemedy(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "postgres"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "postgres", "PG_VERSION"), []byte("7\n"), 0o644))
	_, err := StartPostgres(t.Context(), PostgresOptions{
		Dir: filepath.Join(dir, "postgres"), LogFile: filepath.Join(dir, "postgres.log"), Database: "vestnik",
	})
	require.ErrorContains(t, err, "postgresql-7")
	require.ErrorContains(t, err, dir)
}

func TestAFolderThatIsClosedToPostgresGetsItsDataElsewhere(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs Postgres as another user")
	}
	closed := folder(t)
	require.NoError(t, os.Chmod(closed, 0o700))
	as, err := serverUser(closed)
	require.NoError(t, err)
	dir, err := reachableDir(filepath.Join(closed, "postgres"), as)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(filepath.Dir(dir))) })
	require.Equal(t, "/var/tmp", filepath.Dir(filepath.Dir(dir)))

	again, err := reachableDir(filepath.Join(closed, "postgres"), as)
	require.NoError(t, err)
	require.Equal(t, dir, again, "the next run has to find it")

	open, err := reachableDir(filepath.Join(folder(t), "postgres"), as)
	require.NoError(t, err)
	require.NotContains(t, open, "/var/tmp")
}

func TestTheComposeFileGivesTemporalTheSameSettings(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../deploy/temporal-dynamicconfig.yaml")
	require.NoError(t, err)
	var written map[string][]struct{ Value any }
	require.NoError(t, yaml.Unmarshal(content, &written))
	compose := map[string]string{}
	for key, values := range written {
		require.Len(t, values, 1, key)
		compose[key] = strings.TrimSpace(fmt.Sprint(values[0].Value))
	}
	ours := map[string]string{}
	for _, setting := range Settings {
		ours[setting.Key] = setting.Value
	}
	require.Equal(t, ours, compose)
}

func TestGoBuildsTheServerWhereThereIsNoHome(t *testing.T) {
	for _, variable := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "GOCACHE", "GOPATH", "GOMODCACHE"} {
		t.Setenv(variable, "")
	}
	scratch := t.TempDir()
	command := exec.CommandContext(t.Context(), "go", "list", "-export", "internal/goos")
	command.Dir, command.Env = scratch, goEnvironment(scratch)
	said, err := command.CombinedOutput()
	require.NoError(t, err, string(said))
}
