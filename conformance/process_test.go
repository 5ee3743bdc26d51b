package conformance

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"

	"vestnik/activities"
	"vestnik/api"
	"vestnik/db/guidedb"
	"vestnik/db/inbox"
	"vestnik/internal/config"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/telegram"
	"vestnik/internal/telemetry"
	"vestnik/internal/testenv"
	"vestnik/starter"
	"vestnik/workflows"
)

// roleVariable makes the test binary a process of the guide, to be killed.
const roleVariable = "CONFORMANCE_ROLE"

// process is a worker or an api that runs as a process of its own.
type process struct {
	command *exec.Cmd
	address string // of an api
}

// startProcess runs the test binary in a role and waits until it is ready.
func (r *harness) startProcess(role string) *process {
	r.t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), roleVariable+"="+role,
		"CONFORMANCE_DATABASE="+r.database, "CONFORMANCE_TEMPORAL="+testenv.TemporalAddress(r.t),
		"CONFORMANCE_NAMESPACE="+testenv.Namespace(r.t), "CONFORMANCE_TELEGRAM="+r.sandbox.TelegramURL())
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	require.NoError(r.t, err)
	require.NoError(r.t, command.Start())
	p := &process{command: command}
	r.t.Cleanup(p.kill)
	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(output)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if address, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
				ready <- address
				continue
			}
			_, _ = r.journal.Write(append(lines.Bytes(), '\n'))
		}
		close(ready)
	}()
	select {
	case address, ok := <-ready:
		require.True(r.t, ok, "the %s process ended before it was ready", role)
		p.address = address
	case <-time.After(waitLimit):
		r.t.Fatalf("the %s process is not ready", role)
	}
	return p
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

// play is what the test binary does in a role.
func play(role string) int {
	if err := playRole(role); err != nil {
		fmt.Fprintln(os.Stderr, role+":", err)
		return 1
	}
	return 0
}

func playRole(role string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	voice, err := telemetry.Start(ctx, config.Log{Level: "info"}, role, os.Stdout)
	if err != nil {
		return err
	}
	options := client.Options{HostPort: os.Getenv("CONFORMANCE_TEMPORAL"), Namespace: os.Getenv("CONFORMANCE_NAMESPACE")}
	if err := voice.Equip(&options); err != nil {
		return err
	}
	temporal, err := client.DialContext(ctx, options)
	if err != nil {
		return err
	}
	bot, err := telegram.New(telegram.Config{Token: token, BaseURL: os.Getenv("CONFORMANCE_TELEGRAM"), Timeout: 5 * time.Second})
	if err != nil {
		return err
	}
	if role == "api" {
		return playAPI(ctx, temporal, bot, voice)
	}
	pool, err := pgxpool.New(ctx, os.Getenv("CONFORMANCE_DATABASE"))
	if err != nil {
		return err
	}
	seal, err := guide.NewSeal(func() string { return token })
	if err != nil {
		return err
	}
	w := worker.New(temporal, protocol.TaskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(workflows.BotSession, workflow.RegisterOptions{Name: protocol.BotSessionWorkflow})
	w.RegisterActivity(activities.NewGuide(activities.GuideConfig{
		Answers: bot, Screens: bot, Store: guidedb.New(pool), Inbox: inbox.New(pool),
		Channel: channel, ContactURL: contact, Zone: zone, Seal: seal, Log: voice.Logger,
	}))
	if err := w.Start(); err != nil {
		return err
	}
	fmt.Println("ready worker")
	<-ctx.Done()
	return nil
}

func playAPI(ctx context.Context, temporal client.Client, bot *telegram.Client, voice *telemetry.Telemetry) error {
	handler, err := api.NewWebhook(api.WebhookConfig{Secret: secret, Log: voice.Logger, Receiver: api.NewReceiver(api.ReceiverConfig{
		Sessions: starter.NewSessions(temporal, bot.BotID()), Log: voice.Logger,
	})})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(api.WebhookPath, handler)
	fmt.Println("ready http://" + listener.Addr().String())
	go func() { <-ctx.Done(); _ = listener.Close() }()
	return http.Serve(listener, mux)
}

// histories is every event of every workflow, as Temporal stores it.
func (r *harness) histories(t testing.TB) string {
	t.Helper()
	var all bytes.Buffer
	var next []byte
	for {
		page, err := r.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{NextPageToken: next})
		require.NoError(t, err)
		for _, execution := range page.Executions {
			history := r.temporal.GetWorkflowHistory(t.Context(), execution.Execution.WorkflowId, execution.Execution.RunId, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
			for history.HasNext() {
				event, err := history.Next()
				require.NoError(t, err)
				raw, err := proto.Marshal(event)
				require.NoError(t, err)
				all.Write(raw)
			}
		}
		if next = page.NextPageToken; len(next) == 0 {
			require.NotZero(t, all.Len())
			return all.String()
		}
	}
}

// dump is every row of every table of the database.
func (r *harness) dump(t testing.TB) string {
	t.Helper()
	rows, err := r.pool.Query(t.Context(), `SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables
		WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`)
	require.NoError(t, err)
	var tables []string
	for rows.Next() {
		var table string
		require.NoError(t, rows.Scan(&table))
		tables = append(tables, table)
	}
	require.NoError(t, rows.Err())
	var all strings.Builder
	for _, table := range tables {
		all.WriteString(query[string](r, "SELECT coalesce(string_agg(t::text, E'\\n'), '') FROM "+table+" t"))
	}
	return all.String()
}

func namespaceOf(r *harness) string { return testenv.Namespace(r.t) }
