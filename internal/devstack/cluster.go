package devstack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/template"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	clusterReady = 2 * time.Minute
	clusterStop  = 30 * time.Second

	// membershipPort is the first of those at which processes find each other.
	// Temporal keeps them as a smallint, so that none above 32767 will do.
	membershipPort = 6933
)

// clusterServices are the processes of a cluster and the service that each is.
// There are two histories, so that shards move when one of them goes.
var clusterServices = map[string]string{
	"frontend": "frontend", "history-1": "history", "history-2": "history", "matching": "matching", "worker": "worker",
}

// clusterConfiguration is what one process of a cluster is started with.
var clusterConfiguration = template.Must(template.New("").Parse(`
log: {stdout: true, level: warn}
persistence:
  defaultStore: default
  visibilityStore: visibility
  numHistoryShards: 512
  datastores:
    default:
      sql: {pluginName: postgres12, databaseName: temporal, connectAddr: "{{.Postgres}}", connectProtocol: tcp,
        user: "{{.User}}", password: "{{.Password}}", maxConns: 20, maxIdleConns: 20, maxConnLifetime: 1h}
    visibility:
      sql: {pluginName: postgres12, databaseName: temporal_visibility, connectAddr: "{{.Postgres}}", connectProtocol: tcp,
        user: "{{.User}}", password: "{{.Password}}", maxConns: 5, maxIdleConns: 5, maxConnLifetime: 1h}
global:
  membership: {maxJoinDuration: 30s, broadcastAddress: 127.0.0.1}
services:
{{- range $service, $ports := .Services}}
  {{$service}}:
    rpc: {grpcPort: {{$ports.GRPC}}, membershipPort: {{$ports.Membership}}, bindOnLocalHost: true}
{{- end}}
clusterMetadata:
  enableGlobalNamespace: false
  failoverVersionIncrement: 10
  masterClusterName: active
  currentClusterName: active
  clusterInformation:
    active: {enabled: true, initialFailoverVersion: 1, rpcName: frontend, rpcAddress: "{{.Frontend}}"}
publicClient: {hostPort: "{{.Frontend}}"}
dynamicConfigClient: {filepath: "{{.Dynamic}}", pollInterval: 10s}
`))

// ClusterOptions say how to run a Temporal cluster of our own.
type ClusterOptions struct {
	// Bin is the folder with the programs temporal-server and temporal-sql,
	// which the Makefile builds from deploy/cluster/temporal.mod.
	Bin        string
	Dir        string // for data, configuration and logs
	Namespaces []string
	Settings   []Setting
	Progress   func(step string)
}

// Cluster is a Temporal of separate processes on a Postgres of its own, with
// 512 shards.
type Cluster struct {
	Address string // host:port of the frontend
	// DatabaseURL is the maintenance database of the cluster's Postgres. It
	// holds a password.
	DatabaseURL string

	server    string
	dir       string
	postgres  *Postgres
	processes map[string]*process
	ports     []port
}

// StartCluster returns once the frontend answers and every namespace is
// prepared. What an earlier cluster has left in Dir is kept.
func StartCluster(ctx context.Context, options ClusterOptions) (_ *Cluster, err error) {
	say := newProgress(options.Progress).say
	c := &Cluster{server: filepath.Join(options.Bin, "temporal-server"), dir: options.Dir, processes: map[string]*process{}}
	defer func() {
		if err != nil {
			stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), clusterStop+postgresStop)
			defer cancel()
			_ = c.Stop(stopping)
		}
	}()
	// World-readable, because Postgres is another user when we are root.
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the cluster's folder: %w", err)
	}
	c.postgres, err = StartPostgres(ctx, PostgresOptions{
		Dir: c.file("postgres"), LogFile: c.file("postgres.log"), Database: "postgres", Progress: say,
	})
	if err != nil {
		return nil, fmt.Errorf("start the cluster's Postgres: %w", err)
	}
	c.DatabaseURL = c.postgres.URL
	database, err := url.Parse(c.DatabaseURL)
	if err != nil {
		return nil, errors.New("the URL of the cluster's Postgres does not parse") // the cause would print the password
	}
	say("making the Temporal cluster's tables")
	if err := clusterSchema(ctx, filepath.Join(options.Bin, "temporal-sql"), database); err != nil {
		return nil, err
	}
	say("starting the Temporal cluster")
	if err := c.configure(database, options.Settings); err != nil {
		return nil, err
	}
	ready, cancel := context.WithTimeout(ctx, clusterReady)
	defer cancel()
	// The frontend first, by itself: two that make the cluster's first record
	// at once fail.
	for _, names := range [][]string{{"frontend"}, {"history-1", "history-2", "matching", "worker"}} {
		for _, name := range names {
			if err := c.Start(name); err != nil {
				return nil, err
			}
		}
		if err := settle(ready, c.Address, nil, slices.Collect(maps.Values(c.processes))...); err != nil {
			return nil, err
		}
	}
	return c, settle(ready, c.Address, options.Namespaces, slices.Collect(maps.Values(c.processes))...)
}

// Start starts a process of the cluster that does not run; names are
// history-1, history-2, matching, frontend and worker.
func (c *Cluster) Start(name string) error {
	command := exec.Command(c.server, "--config-file", c.file(name+".yaml"), "--allow-no-auth", "start", "--service", clusterServices[name])
	command.Dir = c.dir
	command.Env = temporalEnvironment(c.dir)
	process, err := startProcess("Temporal's "+name, command, c.file(name+".log"), syscall.SIGTERM, nil)
	if err != nil {
		return err
	}
	c.processes[name] = process
	return nil
}

// Kill is kill -9 of one process.
func (c *Cluster) Kill(name string) error {
	process := c.processes[name]
	process.stopping.Store(true)
	if err := syscall.Kill(process.pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill %s: %w", name, err)
	}
	<-process.done
	return nil
}

// Stop ends every process, and Postgres after them.
func (c *Cluster) Stop(ctx context.Context) error {
	defer release(c.ports)
	var all errgroup.Group
	for _, process := range c.processes {
		all.Go(func() error { return process.stop(ctx, syscall.SIGTERM, clusterStop) })
	}
	failure := all.Wait()
	if c.postgres != nil {
		failure = errors.Join(failure, c.postgres.Stop(ctx))
	}
	return failure
}

// clusterSchema makes the two databases and brings their tables up to the
// version of the program.
func clusterSchema(ctx context.Context, tool string, database *url.URL) error {
	password, _ := database.User.Password()
	for _, part := range []struct{ name, schema string }{
		{"temporal", "postgresql/v12/temporal"},
		{"temporal_visibility", "postgresql/v12/visibility"},
	} {
		for _, step := range [][]string{
			{"create-database", "--defaultdb", strings.TrimPrefix(database.Path, "/")},
			{"setup-schema", "-v", "0.0"},
			{"update-schema", "--schema-name", part.schema},
		} {
			command := exec.CommandContext(ctx, tool, append([]string{
				"--plugin", "postgres12", "--ep", database.Hostname(), "-p", database.Port(),
				"-u", database.User.Username(), "--db", part.name,
			}, step...)...)
			command.Env = append(os.Environ(), "SQL_PASSWORD="+password)
			if output, err := command.CombinedOutput(); err != nil {
				return fmt.Errorf("%s of %s: %w; it said:\n%s", step[0], part.name, err, lastLines(output))
			}
		}
	}
	return nil
}

// configure chooses the ports and writes each process's configuration, which
// holds the password of Postgres.
func (c *Cluster) configure(database *url.URL, settings []Setting) error {
	frontend, err := c.port("frontend", temporalPort)
	if err != nil {
		return err
	}
	c.Address = frontend.address()
	var dynamic strings.Builder
	for _, setting := range settings {
		fmt.Fprintf(&dynamic, "%s:\n  - value: %s\n", setting.Key, setting.Value)
	}
	dynamicFile := c.file("dynamic.yaml")
	if err := os.WriteFile(dynamicFile, []byte(dynamic.String()), 0o600); err != nil {
		return fmt.Errorf("write the cluster's configuration: %w", err)
	}
	type rpc struct{ GRPC, Membership string }
	ports := map[string]rpc{}
	for name := range clusterServices {
		grpc := frontend
		if name != "frontend" {
			if grpc, err = c.port(name, 0); err != nil {
				return err
			}
		}
		membership, err := c.port(name, membershipPort)
		if err != nil {
			return err
		}
		ports[name] = rpc{grpc.String(), membership.String()}
	}
	password, _ := database.User.Password()
	for name, service := range clusterServices {
		// Every service must be there, though a process listens only on the
		// ports of its own; where the others listen, they tell each other.
		services := map[string]rpc{"frontend": ports["frontend"], "history": ports["history-1"], "matching": ports["matching"], "worker": ports["worker"]}
		services[service] = ports[name]
		var configuration strings.Builder
		if err := clusterConfiguration.Execute(&configuration, map[string]any{
			"Postgres": database.Host, "User": database.User.Username(), "Password": password,
			"Services": services, "Frontend": c.Address, "Dynamic": dynamicFile,
		}); err != nil {
			return fmt.Errorf("write the cluster's configuration: %w", err)
		}
		if err := os.WriteFile(c.file(name+".yaml"), []byte(configuration.String()), 0o600); err != nil {
			return fmt.Errorf("write the cluster's configuration: %w", err)
		}
	}
	return nil
}

func (c *Cluster) port(name string, liked int) (port, error) {
	chosen, err := choosePort("Temporal's "+name, liked)
	if err == nil {
		c.ports = append(c.ports, chosen)
	}
	return chosen, err
}

func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }
