//go:build cluster

package deploy

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"vestnik/internal/protocol"
)

// TestComposesTemporalStartsFromItsOwnFiles runs what the containers of Temporal
// run, in their order: their entrypoints, environment, scripts, dynamic settings
// and health check, as processes. In the images' place are the same programs of
// .bin, the image's own start and its schema, from the server's module.
func TestComposesTemporalStartsFromItsOwnFiles(t *testing.T) {
	t.Parallel()
	services := project(t).Services
	secrets := makeSecrets(t)
	_, host, port := initialisedPostgres(t, secrets)
	module := strings.TrimSpace(run(t, []string{"GOFLAGS=-mod=mod"}, "go", "list", "-modfile=cluster/temporal.mod", "-m", "-f", "{{.Dir}}", "go.temporal.io/server"))
	programs := t.TempDir()
	for name, built := range map[string]string{"temporal-sql-tool": "temporal-sql", "temporal-server": "temporal-server", "temporal": "temporal"} {
		built, err := filepath.Abs("../.bin/" + built)
		require.NoError(t, err)
		require.FileExists(t, built, "`make test-cluster` builds it")
		require.NoError(t, os.Symlink(built, filepath.Join(programs, name)))
	}
	frontend := freePort(t)
	// What compose's network and the images give, here.
	machine := []string{
		"PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + programs, "POSTGRES_SEEDS=" + host, "DB_PORT=" + strconv.Itoa(int(port)),
		"TEMPORAL_ADDRESS=127.0.0.1:" + frontend, "TEMPORAL_BROADCAST_ADDRESS=127.0.0.1", "FRONTEND_GRPC_PORT=" + frontend, "FRONTEND_HTTP_PORT=" + freePort(t),
		"LOG_LEVEL=warn", "SCHEMA_DIR=" + filepath.Join(module, "schema/postgresql/v12"), "TEMPORAL_ENTRYPOINT=" + filepath.Join(programs, "entrypoint.sh"),
	}
	for _, service := range []string{"FRONTEND", "HISTORY", "MATCHING", "WORKER"} {
		machine = append(machine, service+"_MEMBERSHIP_PORT="+freePort(t))
		if service != "FRONTEND" {
			machine = append(machine, service+"_GRPC_PORT="+freePort(t))
		}
	}
	entrypoint, err := os.ReadFile(filepath.Join(module, "docker/scripts/sh/entrypoint.sh"))
	require.NoError(t, err)
	own := strings.Replace(string(entrypoint), "#!/bin/sh", "#!/bin/bash", 1) // Alpine's sh knows pipefail, Debian's does not
	require.NoError(t, os.WriteFile(filepath.Join(programs, "entrypoint.sh"), []byte(own), 0o755))

	container := func(name string) *exec.Cmd {
		service := services[name]
		here := func(text string) string {
			for _, volume := range service.Volumes {
				if volume.Type == types.VolumeTypeBind && text == volume.Target {
					return volume.Source
				}
			}
			return strings.ReplaceAll(text, "/run/secrets", secrets)
		}
		var arguments, environ []string
		for _, argument := range append(service.Entrypoint, service.Command...) {
			arguments = append(arguments, here(argument))
		}
		for variable, value := range service.Environment {
			environ = append(environ, variable+"="+here(*value))
		}
		command := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
		command.Env = append(environ, machine...) // of two with one name the last counts
		command.Stdout, command.Stderr = &testLog{t}, &testLog{t}
		return command
	}

	require.Equal(t, types.ServiceConditionHealthy, services["temporal-schema"].DependsOn["postgres"].Condition)
	require.NoError(t, container("temporal-schema").Run())
	require.NoError(t, container("temporal-schema").Run(), "safe to run again")

	require.Equal(t, types.ServiceConditionCompletedSuccessfully, services["temporal"].DependsOn["temporal-schema"].Condition)
	server := container("temporal")
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	require.NoError(t, server.Start())
	t.Cleanup(func() { _ = server.Wait() }) // the test's context has ended it
	require.Equal(t, types.HealthCheckTest{"CMD", "nc", "-z", "127.0.0.1", "7233"}, services["temporal"].HealthCheck.Test)
	require.Eventually(t, func() bool {
		connection, err := net.Dial("tcp", "127.0.0.1:"+frontend)
		return err == nil && connection.Close() == nil
	}, 3*time.Minute, 100*time.Millisecond)

	require.Equal(t, types.ServiceConditionHealthy, services["temporal-namespace"].DependsOn["temporal"].Condition)
	require.NoError(t, container("temporal-namespace").Run())
	temporal, err := client.DialContext(t.Context(), client.Options{HostPort: "127.0.0.1:" + frontend})
	require.NoError(t, err)
	t.Cleanup(temporal.Close)
	cluster, err := temporal.WorkflowService().GetClusterInfo(t.Context(), &workflowservice.GetClusterInfoRequest{})
	require.NoError(t, err)
	require.EqualValues(t, 512, cluster.GetHistoryShardCount())
	described, err := temporal.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: client.DefaultNamespace})
	require.NoError(t, err)
	require.Equal(t, protocol.NamespaceRetention, described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())
	missing, err := protocol.MissingSearchAttributes(t.Context(), temporal, client.DefaultNamespace)
	require.NoError(t, err)
	require.Empty(t, missing)
	for _, name := range []string{"schedule", "api", "worker"} {
		require.Equal(t, types.ServiceConditionCompletedSuccessfully, services[name].DependsOn["temporal-namespace"].Condition, name)
		require.Equal(t, types.ServiceConditionCompletedSuccessfully, services[name].DependsOn["migrate"].Condition, name)
	}
}

// freePort is one that Temporal can remember: it keeps them as a smallint.
func freePort(t *testing.T) string {
	t.Helper()
	for port := 15_000 + rand.IntN(10_000); ; port++ {
		if listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			require.NoError(t, listener.Close())
			return strconv.Itoa(port)
		}
	}
}
