package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"vestnik/api"
	"vestnik/internal/devstack"
)

// The links, each between two kinds of processes. What the storm itself asks
// goes past them.
const (
	telegramLink = "telegram"
	vkLink       = "vk"
	webhookLink  = "webhook"
)

var linkNames = []string{"worker-postgres", "worker-temporal", "api-postgres", "api-temporal", telegramLink, vkLink, webhookLink}

const (
	namespaceName = "default"
	deployment    = "vestnik-chaos"
	restartAfter  = 500 * time.Millisecond // what a supervisor leaves between two lives of a process
)

// stack is Vestnik as it is run in production, with servers and processes of
// its own, on links that can be disturbed.
type stack struct {
	dir, bin, temporalBinary string
	world                    *world
	links                    map[string]*link
	logger                   func(string, ...any)

	mu       sync.Mutex // for what a fault exchanges
	postgres *devstack.Postgres
	temporal *devstack.Temporal
	workers  []*service
	api      *service
	version  int

	pool   *pgxpool.Pool // the storm's own
	client client.Client // the same
}

// openStack starts everything but workers and api, and brings the schema up.
func openStack(ctx context.Context, dir string, w *world) (s *stack, err error) {
	s = &stack{dir: dir, bin: filepath.Join(dir, "vestnik"), world: w, links: map[string]*link{}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	root, err := moduleRoot()
	if err != nil {
		return s, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", s.bin, "./cmd/vestnik")
	build.Dir, build.Stderr = root, os.Stderr
	if err := build.Run(); err != nil {
		return s, fmt.Errorf("build vestnik: %w", err)
	}
	if s.temporalBinary, err = devstack.FindTemporal(ctx, root, func(string) {}); err != nil {
		return s, err
	}
	if err := errors.Join(s.startPostgres(ctx), s.startTemporal(ctx)); err != nil {
		return s, err
	}
	if s.pool, err = pgxpool.New(ctx, s.postgres.URL); err != nil {
		return s, err
	}
	if s.client, err = client.DialContext(ctx, client.Options{HostPort: s.temporal.Address, Namespace: namespaceName, Logger: silent{}}); err != nil {
		return s, err
	}
	hook, err := freeAddress()
	if err != nil {
		return s, err
	}
	for _, name := range linkNames {
		upstream := map[string]string{telegramLink: w.Addr(), vkLink: w.Addr(), webhookLink: hook}[name]
		if strings.HasSuffix(name, "postgres") {
			upstream = hostOf(s.postgres.URL)
		} else if upstream == "" {
			upstream = s.temporal.Address
		}
		if s.links[name], err = openLink(name, upstream); err != nil {
			return s, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "routes.yaml"), []byte(w.routes()), 0o600); err != nil {
		return s, err
	}
	if _, err := s.vestnik(ctx, "migrate"); err != nil {
		return s, err
	}
	return s, w.SetWebhook(guideToken, webhookAt("http://"+s.links[webhookLink].address()+api.WebhookPath))
}

func moduleRoot() (string, error) {
	path, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(path)), err
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// startPostgres keeps the data of the server before. It is no throwaway: what
// is committed must survive kill -9.
func (s *stack) startPostgres(ctx context.Context) (err error) {
	s.postgres, err = devstack.StartPostgres(ctx, devstack.PostgresOptions{
		Dir: filepath.Join(s.dir, "postgres"), LogFile: filepath.Join(s.dir, "postgres.log"), Database: "vestnik", Port: s.port(s.postgres),
	})
	return err
}

func (s *stack) port(before *devstack.Postgres) int {
	if before == nil {
		return 0
	}
	port, _ := net.LookupPort("tcp", hostOf(before.URL)[strings.LastIndex(hostOf(before.URL), ":")+1:])
	return port
}

func (s *stack) startTemporal(ctx context.Context) (err error) {
	options := devstack.TemporalOptions{
		Binary: s.temporalBinary, Database: filepath.Join(s.dir, "temporal.db"), Home: s.dir, LogFile: filepath.Join(s.dir, "temporal.log"),
		Namespaces: []string{namespaceName}, AnyPort: true, Settings: devstack.Settings,
	}
	if s.temporal != nil {
		options.Port, _ = net.LookupPort("tcp", s.temporal.Address[strings.LastIndex(s.temporal.Address, ":")+1:])
	}
	s.temporal, err = devstack.StartTemporal(ctx, options)
	return err
}

// outage stops a server, leaves it down for a time and starts it again with
// its data, where it was.
func (s *stack) outage(ctx context.Context, f fault) error {
	pid, stop, start := s.postgres.PID, s.postgres.Stop, s.startPostgres
	if f.kind == temporalDown {
		pid, stop, start = s.temporal.PID, s.temporal.Stop, s.startTemporal
	}
	if f.killed {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
	}
	if err := stop(context.WithoutCancel(ctx)); err != nil { // of a killed one: its port is free again
		return err
	}
	sleep(ctx, f.lasting)
	return start(context.WithoutCancel(ctx))
}

// environ is the environment of a process in a role: worker, api, or "" for
// the commands of operators, which use no links.
func (s *stack) environ(role string) []string {
	database, temporal := s.postgres.URL, s.temporal.Address
	if role != "" {
		database = strings.Replace(database, hostOf(database), s.links[role+"-postgres"].address(), 1)
		temporal = s.links[role+"-temporal"].address()
	}
	environ := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "DATABASE_URL=" + database, "TEMPORAL_ADDRESS=" + temporal,
		"TEMPORAL_NAMESPACE=" + namespaceName, "ROUTES_FILE=" + filepath.Join(s.dir, "routes.yaml"), "OPS_TOKEN=chaos-operator-000000000000",
	}
	return append(environ, s.world.environ(s.links[telegramLink], s.links[vkLink])...)
}

// vestnik runs a command of an operator and returns what it printed.
func (s *stack) vestnik(ctx context.Context, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, s.bin, arguments...)
	command.Env, command.Dir = s.environ(""), s.dir
	output, err := command.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("vestnik %s: %w: %s", strings.Join(arguments, " "), err, exit.Stderr)
	}
	return output, err
}

// run starts the api and the first version of the workers.
func (s *stack) run(ctx context.Context) error {
	var err error
	s.api, err = s.service("api", append(s.environ("api"), "HTTP_ADDR="+s.links[webhookLink].proxy.Upstream), "api")
	if err != nil {
		return err
	}
	return s.rollout(ctx)
}

// rollout starts workers of the next version, makes it current, and asks those
// of the version before to stop.
func (s *stack) rollout(ctx context.Context) error {
	s.mu.Lock()
	s.version++
	version, old := s.version, s.workers
	s.workers = nil
	for i := range s.world.workers {
		worker, err := s.service(fmt.Sprintf("worker-%d-%d", version, i+1), append(s.environ("worker"), "HTTP_ADDR=127.0.0.1:0",
			"TEMPORAL_DEPLOYMENT_NAME="+deployment, fmt.Sprintf("TEMPORAL_WORKER_BUILD_ID=%d", version)), "worker")
		if err != nil {
			s.mu.Unlock()
			return err
		}
		s.workers = append(s.workers, worker)
	}
	s.mu.Unlock()
	handle := s.client.WorkerDeploymentClient().GetHandle(deployment)
	err := until(ctx, "the new version to be current", func() bool {
		asking, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		_, err := handle.SetCurrentVersion(asking, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: fmt.Sprint(version)})
		return err == nil
	})
	for _, worker := range old {
		go worker.stop()
	}
	return err
}

func (s *stack) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for _, process := range append(s.workers, s.api) {
		if process != nil {
			all.Go(process.stop)
		}
	}
	all.Wait()
	if s.client != nil {
		s.client.Close()
	}
	if s.pool != nil {
		s.pool.Close()
	}
	for _, link := range s.links {
		link.proxy.Stop()
	}
	if s.temporal != nil {
		_ = s.temporal.Stop(ctx)
	}
	if s.postgres != nil {
		_ = s.postgres.Stop(ctx)
	}
}

// service is a process that is started again whenever it ends, as a supervisor
// does.
type service struct {
	mu      sync.Mutex
	process *os.Process // nil between two lives
	stopped chan struct{}
	ended   chan struct{}
}

func (s *stack) service(name string, environ []string, arguments ...string) (*service, error) {
	log, err := os.OpenFile(filepath.Join(s.dir, name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	p := &service{stopped: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		defer log.Close()
		for {
			command := exec.Command(s.bin, arguments...)
			command.Env, command.Dir, command.Stdout, command.Stderr = environ, s.dir, log, log
			command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
			p.live(command, log)
			select {
			case <-p.stopped:
				return
			case <-time.After(restartAfter):
			}
		}
	}()
	return p, nil
}

// live is one life of the process.
func (p *service) live(command *exec.Cmd, log *os.File) {
	p.mu.Lock()
	select {
	case <-p.stopped:
		p.mu.Unlock()
		return
	default:
	}
	if err := command.Start(); err != nil {
		p.mu.Unlock()
		fmt.Fprintln(log, "not started:", err)
		return
	}
	p.process = command.Process
	p.mu.Unlock()
	err := command.Wait()
	fmt.Fprintf(log, "chaos: the process has ended: %v\n", err)
	p.mu.Lock()
	p.process = nil
	p.mu.Unlock()
}

// signal reaches the process if it lives.
func (p *service) signal(signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process != nil {
		_ = p.process.Signal(signal) // it may have ended this moment
	}
}

// stop asks the process to end, for good, and kills it if that takes longer
// than half a minute.
func (p *service) stop() {
	p.mu.Lock()
	close(p.stopped)
	p.mu.Unlock()
	p.signal(syscall.SIGCONT)
	p.signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(30 * time.Second):
		p.signal(syscall.SIGKILL)
		<-p.ended
	}
}

// until waits for a condition that nobody announces.
func until(ctx context.Context, what string, condition func() bool) error {
	for !condition() {
		sleep(ctx, 100*time.Millisecond)
		if ctx.Err() != nil {
			return fmt.Errorf("waited in vain for %s: %w", what, ctx.Err())
		}
	}
	return nil
}

// silent drops the SDK's log lines: the storm's own client loses its server
// now and then.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}

func isNotFound(err error) bool {
	var notFound *serviceerror.NotFound
	return errors.As(err, &notFound)
}
