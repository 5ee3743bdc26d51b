// Package deploy holds no code: these tests read what is deployed and run the
// scripts that containers run, against real servers.
package deploy

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/goccy/go-yaml"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/devstack"
	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
)

func project(t *testing.T) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{"../docker-compose.yml"}, cli.WithProfiles([]string{"sandbox"}),
		cli.WithEnv([]string{"ENV_FILE=deploy/sandbox.env"}))
	require.NoError(t, err)
	loaded, err := options.LoadProject(t.Context())
	require.NoError(t, err)
	return loaded
}

func TestComposeRunsPinnedImagesWithoutPrivilegesAndWithSecretsAsFiles(t *testing.T) {
	t.Parallel()
	exact := regexp.MustCompile(`^[a-z/-]+:\d+\.\d+(\.\d+)?(-bookworm)?$`)
	secretName := regexp.MustCompile(`(?i)(password|pwd|token|secret|key)$`)
	for name, service := range project(t).Services {
		if service.Build == nil {
			require.Regexp(t, exact, service.Image, "%s: an exact version", name)
			require.NotContains(t, service.Image, "auto-setup", "%s: deprecated, with known faults", name)
		} else {
			require.True(t, service.ReadOnly, name)
		}
		require.Contains(t, service.SecurityOpt, "no-new-privileges:true", name)
		if name != "postgres" { // its entrypoint changes its user
			require.Equal(t, []string{"ALL"}, service.CapDrop, name)
		}
		require.False(t, service.Privileged, name)
		require.NotEmpty(t, service.Logging.Options["max-size"], "%s: its log is rotated", name)
		for _, port := range service.Ports {
			require.Equal(t, "127.0.0.1", port.HostIP, "%s: nothing is open to the network by itself", name)
		}
		for variable, value := range service.Environment {
			if value == nil || !secretName.MatchString(variable) || strings.HasPrefix(*value, "sandbox-") || strings.Contains(*value, ":AAsandbox") {
				continue
			}
			require.Fail(t, "a secret in the environment", "%s: %s", name, variable)
		}
	}
}

func TestTheSuperuserIsForPostgresAlone(t *testing.T) {
	t.Parallel()
	for name, service := range project(t).Services {
		for _, secret := range service.Secrets {
			if name != "postgres" {
				require.NotEqual(t, "postgres_password", secret.Source, name)
			}
		}
	}
}

func TestWhatComposeSetsStartsVestnik(t *testing.T) {
	t.Parallel()
	secrets := makeSecrets(t)
	for name, service := range project(t).Services {
		if service.Build == nil || name == "sandbox" {
			continue
		}
		environ := map[string]string{}
		for variable, value := range service.Environment {
			if value != nil {
				environ[variable] = strings.ReplaceAll(*value, "/run/secrets", secrets)
			}
		}
		cfg, err := config.Load(environ, config.NeedDatabase, config.NeedTemporal)
		require.NoError(t, err, name)
		require.Equal(t, "vestnik@postgres/vestnik", cfg.Database.Target())
		require.Equal(t, name == "api", cfg.HTTP.OpsToken.IsSet(), "%s: who needs no token has none", name)
	}
}

// deploy/k8s is a module of its own, whose tests know Kubernetes; what its pods
// are given as settings is read here.
func TestWhatKubernetesSetsStartsVestnik(t *testing.T) {
	t.Parallel()
	secrets := makeSecrets(t)
	settings, err := os.ReadFile("k8s/base/settings.env")
	require.NoError(t, err)
	for role, file := range map[string]string{"api": "k8s/base/api.yaml", "worker": "k8s/worker/worker.yaml"} {
		environ := map[string]string{}
		for line := range strings.Lines(string(settings)) {
			if name, value, is := strings.Cut(strings.TrimSpace(line), "="); is && !strings.HasPrefix(name, "#") {
				environ[name] = strings.ReplaceAll(value, "/run/secrets", secrets)
			}
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var deployment struct {
			Spec struct {
				Template struct {
					Spec struct {
						Containers []struct {
							Args []string
							Env  []struct{ Name, Value string }
						}
					}
				}
			}
		}
		require.NoError(t, yaml.NewDecoder(bytes.NewReader(text)).Decode(&deployment)) // the first of the file
		container := deployment.Spec.Template.Spec.Containers[0]
		require.Equal(t, []string{role}, container.Args)
		for _, variable := range container.Env {
			environ[variable.Name] = strings.ReplaceAll(variable.Value, "/run/secrets", secrets)
		}
		cfg, err := config.Load(environ, config.NeedDatabase, config.NeedTemporal)
		require.NoError(t, err, role)
		require.True(t, cfg.Worker.Versioned(), role)
		require.Equal(t, role == "api", cfg.HTTP.OpsToken.IsSet(), "%s: who needs no token has none", role)
	}
}

// makeSecrets runs secrets.sh in a folder of the test's own.
func makeSecrets(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vestnik-deploy-") // Postgres's user must reach it
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	script, err := os.ReadFile("secrets.sh")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secrets.sh"), script, 0o755))
	run(t, nil, filepath.Join(dir, "secrets.sh"))
	return filepath.Join(dir, "secrets")
}

func run(t *testing.T, environ []string, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Env = append(os.Environ(), environ...)
	said, err := command.CombinedOutput()
	require.NoError(t, err, "%s: %s", program, said)
	return string(said)
}

func TestSecretsAreRandomAndKept(t *testing.T) {
	t.Parallel()
	dir := makeSecrets(t)
	read := func() map[string]string {
		contents := map[string]string{}
		for _, name := range []string{"postgres_password", "vestnik_password", "temporal_password", "database_url", "ops_token", "cms_token", "webhook_secret"} {
			content, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			contents[name] = string(content)
		}
		return contents
	}
	made, values := read(), map[string]bool{}
	for name, value := range made {
		require.False(t, values[value], name)
		values[value] = true
		require.GreaterOrEqual(t, len(value), 64, name)
	}
	require.Contains(t, made["database_url"], made["vestnik_password"])
	run(t, nil, filepath.Join(filepath.Dir(dir), "secrets.sh"))
	require.Equal(t, made, read(), "a database keeps the password that it was made with")
	stat, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), stat.Mode().Perm())
	stat, err = os.Stat(filepath.Join(filepath.Dir(dir), "tokens"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o711), stat.Mode().Perm(), "the containers' user passes through it to a token of its own; nobody lists it")
}

// initialisedPostgres is a server on which postgres-init.sh has run, and a way to
// connect to it. It asks for no password.
func initialisedPostgres(t *testing.T, secrets string) (as func(role, database string) (*pgx.Conn, error), host string, port uint16) {
	t.Helper()
	dir, err := os.MkdirTemp("", "vestnik-deploy-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	// Its superuser is called vestnik, as the role is that the script makes.
	server, err := devstack.StartPostgres(t.Context(), devstack.PostgresOptions{
		Dir: filepath.Join(dir, "data"), LogFile: filepath.Join(dir, "log"), Database: "bootstrap", Throwaway: true,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.WithoutCancel(t.Context()))) })
	bootstrap, err := pgx.Connect(t.Context(), server.URL)
	require.NoError(t, err)
	_, err = bootstrap.Exec(t.Context(), "CREATE ROLE postgres SUPERUSER LOGIN")
	require.NoError(t, err)
	host, port = bootstrap.Config().Host, bootstrap.Config().Port
	require.NoError(t, bootstrap.Close(t.Context()))
	as = func(role, database string) (*pgx.Conn, error) {
		config, err := pgx.ParseConfig("")
		require.NoError(t, err)
		config.Host, config.Port, config.User, config.Database = host, port, role, database
		config.TLSConfig = nil
		return pgx.ConnectConfig(t.Context(), config)
	}
	admin, err := as("postgres", "postgres")
	require.NoError(t, err)
	_, err = admin.Exec(t.Context(), "ALTER ROLE vestnik RENAME TO bootstrap")
	require.NoError(t, err)
	require.NoError(t, admin.Close(t.Context()))

	run(t, []string{"SECRETS_DIR=" + secrets, "PGHOST=" + host, "PGPORT=" + strconv.Itoa(int(port))}, "/bin/sh", "postgres-init.sh")
	return as, host, port
}

func TestEachProgramHasARoleOfItsOwnWithoutSuperuser(t *testing.T) {
	t.Parallel()
	as, host, port := initialisedPostgres(t, makeSecrets(t))

	own, err := as("vestnik", "vestnik")
	require.NoError(t, err)
	var powers int
	require.NoError(t, own.QueryRow(t.Context(), `SELECT count(*) FROM pg_roles WHERE rolname IN ('vestnik', 'temporal')
		AND (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls)`).Scan(&powers))
	require.Zero(t, powers)
	var secret string
	require.Error(t, own.QueryRow(t.Context(), "SELECT passwd FROM pg_shadow LIMIT 1").Scan(&secret))
	require.NoError(t, own.Close(t.Context()))
	_, err = as("vestnik", "temporal")
	require.ErrorContains(t, err, "permission denied for database")
	_, err = as("temporal", "vestnik")
	require.ErrorContains(t, err, "permission denied for database")
	other, err := as("temporal", "temporal_visibility")
	require.NoError(t, err)
	_, err = other.Exec(t.Context(), "CREATE EXTENSION btree_gin") // as its visibility schema does
	require.NoError(t, err)
	require.NoError(t, other.Close(t.Context()))

	// What a database's owner may is enough for our own schema.
	address := url.URL{Scheme: "postgres", User: url.User("vestnik"), Host: "x", Path: "/vestnik",
		RawQuery: url.Values{"host": {host}, "port": {strconv.Itoa(int(port))}, "sslmode": {"disable"}}.Encode()}
	pool, err := db.Open(t.Context(), address.String())
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, db.Migrate(t.Context(), pool))
}

func TestTheNamespaceScriptMakesWhatTheWorkflowsNeedAndMayRunAgain(t *testing.T) {
	t.Parallel()
	binaries, err := filepath.Abs("../.bin")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(binaries, "temporal"), "`make temporal` builds it")
	temporal := testenv.Temporal(t)
	name := "deploy-" + strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-"))[:20]
	environ := []string{"PATH=" + binaries + ":" + os.Getenv("PATH"), "TEMPORAL_ADDRESS=" + testenv.TemporalAddress(t), "TEMPORAL_NAMESPACE=" + name,
		"HOME=", "XDG_CONFIG_HOME="} // as in a unit of systemd
	for range 2 {
		run(t, environ, "/bin/sh", "temporal-namespace.sh")
	}
	described, err := temporal.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: name})
	require.NoError(t, err)
	require.Equal(t, protocol.NamespaceRetention, described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())
	attributes, err := temporal.OperatorService().ListSearchAttributes(t.Context(), &operatorservice.ListSearchAttributesRequest{Namespace: name})
	require.NoError(t, err)
	for _, attribute := range protocol.SearchAttributes {
		require.Contains(t, attributes.GetCustomAttributes(), attribute)
	}
}

func TestVulncheckIsNeverSilentlyGreen(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		program, required string
		code              int
		says              string
	}{
		"nothing found":        {"echo No vulnerabilities found.", "", 0, "No vulnerabilities found."},
		"something found":      {"echo Vulnerability 1; exit 3", "", 3, "Vulnerability 1"},
		"no database":          {`echo 'govulncheck: fetching vulnerabilities: Get "https://vuln.go.dev/index/modules.json.gz": no such host' >&2; exit 1`, "", 0, "NOT CHECKED"},
		"no database, and due": {`echo 'govulncheck: fetching vulnerabilities: no such host' >&2; exit 1`, "required", 1, "NOT CHECKED"},
		"another fault":        {"echo 'no go.mod' >&2; exit 1", "", 1, "no go.mod"},
	} {
		command := exec.CommandContext(t.Context(), "./vulncheck.sh", "/bin/sh", "-c", row.program)
		command.Env = append(os.Environ(), "VULNCHECK="+row.required)
		said, _ := command.CombinedOutput()
		require.Equal(t, row.code, command.ProcessState.ExitCode(), name)
		require.Contains(t, string(said), row.says, name)
	}
}
