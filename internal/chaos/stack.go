package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	"go.temporal.io/sdk/client"

	"vestnik/internal/devstack"
	"vestnik/worker"
)

// The links that a fault may hit, each from one kind of process to another.
const (
	telegramLink = "telegram"
	vkLink       = "vk"
	webhookLink  = "webhook"
)

var linkNames = []string{"worker-postgres", "worker-temporal", "api-postgres", "api-temporal", telegramLink, vkLink, webhookLink}

// operator is the role of what looks and steers from outside. Its links are
// never disturbed; they are there because a server comes back elsewhere.
const operator = "operator"

const (
	deployment   = "vestnik-chaos"
	rolloutTime  = 4 * time.Minute
	restartAfter = 500 * time.Millisecond // what a supervisor leaves between two lives of a process
)

// stack is Vestnik as it is run in production, with servers and processes of
// its own, on links that can be disturbed.
type stack struct {
	dir, bin string // bin is the build that new processes run
	world    *world
	links    map[string]*link
	hooks    []string      // where each api listens
	account  *url.Userinfo // at the database
	pool     *pgxpool.Pool // the operator's
	client   client.Client // the same

	postgres *devstack.Postgres
	temporal *devstack.Temporal
	cluster  *devstack.Cluster // in place of temporal, where the storm asks for one
	apis     []*service

	// One rollout at a time, as people do it, and one outage of a server.
	rolling, postgresDown, temporalDown sync.Mutex

	mu      sync.Mutex
	version int
	workers []*service // of the newest version
}

// openStack builds Vestnik, starts the servers and brings the schema up.
func openStack(ctx context.Context, dir string, w *world) (s *stack, err error) {
	s = &stack{dir: dir, world: w, links: map[string]*link{}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.bin, err = s.build(ctx, w.from); err != nil {
		return s, err
	}
	for range w.apis {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return s, err
		}
		s.hooks = append(s.hooks, listener.Addr().String())
		if err := listener.Close(); err != nil {
			return s, err
		}
	}
	far := map[string][]string{telegramLink: {w.Addr()}, vkLink: {w.Addr()}, webhookLink: s.hooks}
	for _, name := range append([]string{operator + "-postgres", operator + "-temporal"}, linkNames...) {
		if s.links[name], err = openLink(far[name]...); err != nil {
			return s, err
		}
	}
	if err := errors.Join(s.startPostgres(ctx), s.startTemporal(ctx), w.SetWebhook(guideToken, hook(s.links[webhookLink])),
		os.WriteFile(filepath.Join(dir, "routes.yaml"), []byte(w.routes()), 0o600)); err != nil {
		return s, err
	}
	if s.pool, err = pgxpool.New(ctx, s.databaseURL(operator)); err != nil {
		return s, err
	}
	silent := slog.New(slog.DiscardHandler) // it loses its server now and then
	if s.client, err = client.DialContext(ctx, client.Options{HostPort: s.links[operator+"-temporal"].address, Logger: silent}); err != nil {
		return s, err
	}
	_, err = s.vestnik(ctx, "migrate")
	return s, err
}

// build builds the binary of a commit; without one, of the code that is here.
func (s *stack) build(ctx context.Context, commit string) (string, error) {
	bin := filepath.Join(s.dir, "vestnik-"+commit)
	source := "."
	if commit != "" {
		source = filepath.Join(s.dir, "source")
		archive := exec.CommandContext(ctx, "sh", "-c", `cd "$(git rev-parse --show-toplevel)" && mkdir "$2" && git archive "$1" | tar -x -C "$2"`, "sh", commit, source)
		if said, err := archive.CombinedOutput(); err != nil {
			return "", fmt.Errorf("get the code of %s: %w: %s", commit, err, said)
		}
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, "vestnik/cmd/vestnik")
	build.Dir, build.Stderr = source, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("build vestnik %s: %w", commit, err)
	}
	return bin, nil
}

// startPostgres keeps the data of the server before. It is no throwaway: what
// is committed must survive kill -9.
func (s *stack) startPostgres(ctx context.Context) (err error) {
	s.postgres, err = devstack.StartPostgres(ctx, devstack.PostgresOptions{
		Dir: filepath.Join(s.dir, "postgres"), LogFile: filepath.Join(s.dir, "postgres.log"), Database: "vestnik",
	})
	if err != nil {
		return err
	}
	address, err := url.Parse(s.postgres.URL)
	if err != nil {
		return err
	}
	s.lead("-postgres", address.Host)
	s.account = cmp.Or(s.account, address.User)
	return nil
}

// tightLimits make a cluster refuse calls as one does that has too many: at a
// ninetieth and a thirtieth of what a server allows by itself.
var tightLimits = []devstack.Setting{
	{Key: "history.persistenceMaxQPS", Value: "100"},
	{Key: "frontend.namespaceRPS", Value: "80"},
}

func (s *stack) startTemporal(ctx context.Context) error {
	output, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	root := strings.TrimSpace(string(output))
	if s.world.cluster {
		s.cluster, err = devstack.StartCluster(ctx, devstack.ClusterOptions{
			Bin: filepath.Join(root, ".bin"), Dir: filepath.Join(s.dir, "cluster"), Namespaces: []string{client.DefaultNamespace},
			Settings: append(tightLimits, devstack.Settings...),
		})
		if err != nil {
			return err
		}
		s.lead("-temporal", s.cluster.Address)
		return nil
	}
	binary, err := devstack.FindTemporal(ctx, root, nil)
	if err != nil {
		return err
	}
	s.temporal, err = devstack.StartTemporal(ctx, devstack.TemporalOptions{
		Binary: binary, Database: filepath.Join(s.dir, "temporal.db"), Home: s.dir, LogFile: filepath.Join(s.dir, "temporal.log"),
		Namespaces: []string{client.DefaultNamespace}, AnyPort: true, Settings: devstack.Settings,
	})
	if err != nil {
		return err
	}
	s.lead("-temporal", s.temporal.Address)
	return nil
}

// lead points the links to a server at where it is now.
func (s *stack) lead(suffix, far string) {
	for name, link := range s.links {
		if strings.HasSuffix(name, suffix) {
			link.lead(far)
		}
	}
}

// outage stops a server, leaves it down for a time and starts it again with
// its data. Of a cluster one history goes, without a word, and its shards move.
func (s *stack) outage(ctx context.Context, f fault) error {
	if f.kind == temporalDown && s.cluster != nil {
		if err := s.cluster.Kill("history-1"); err != nil {
			return err
		}
		sleep(ctx, f.lasting)
		return s.cluster.Start("history-1")
	}
	down := &s.postgresDown
	if f.kind == temporalDown {
		down = &s.temporalDown
	}
	down.Lock()
	defer down.Unlock()
	pid, stop, start := s.postgres.PID, s.postgres.Stop, s.startPostgres
	if f.kind == temporalDown {
		pid, stop, start = s.temporal.PID, s.temporal.Stop, s.startTemporal
	}
	if f.killed {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
	}
	_ = stop(ctx) // who takes too long is killed: down is down
	sleep(ctx, f.lasting)
	return start(ctx)
}

func (s *stack) databaseURL(role string) string {
	return (&url.URL{Scheme: "postgres", User: s.account, Host: s.links[role+"-postgres"].address, Path: "vestnik", RawQuery: "sslmode=disable"}).String()
}

// environ is the environment of a process in a role.
func (s *stack) environ(role string, more ...string) []string {
	return append(append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "DATABASE_URL=" + s.databaseURL(role),
		"TEMPORAL_ADDRESS=" + s.links[role+"-temporal"].address, "ROUTES_FILE=" + filepath.Join(s.dir, "routes.yaml"),
	}, s.world.environ(s.links[telegramLink], s.links[vkLink])...), more...)
}

// vestnik runs a command of an operator and returns what it printed.
func (s *stack) vestnik(ctx context.Context, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, s.bin, arguments...)
	command.Env, command.Dir = s.environ(operator), s.dir
	output, err := command.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("vestnik %s: %w: %s", strings.Join(arguments, " "), err, exit.Stderr)
	}
	return output, err
}

// run starts the apis and the first version of the workers.
func (s *stack) run(ctx context.Context) error {
	for i, hook := range s.hooks {
		api, err := s.service(fmt.Sprintf("api-%d", i+1), "api", "HTTP_ADDR="+hook)
		if err != nil {
			return err
		}
		s.apis = append(s.apis, api)
	}
	return s.rollout(ctx)
}

// rollout starts workers of the next version, makes it current, and asks those
// of the version before to stop.
func (s *stack) rollout(ctx context.Context) error {
	s.rolling.Lock()
	defer s.rolling.Unlock()
	ctx, cancel := context.WithTimeout(ctx, rolloutTime)
	defer cancel()
	s.mu.Lock()
	s.version++
	version, old := fmt.Sprint(s.version), s.workers
	s.workers = nil
	for i := range s.world.workers {
		process, err := s.service(fmt.Sprintf("worker-%s-%d", version, i+1), "worker", "HTTP_ADDR=127.0.0.1:0",
			"TEMPORAL_DEPLOYMENT_NAME="+deployment, "TEMPORAL_WORKER_BUILD_ID="+version)
		if err != nil {
			s.mu.Unlock()
			return err
		}
		s.workers = append(s.workers, process)
	}
	s.mu.Unlock()
	replayer, err := worker.NewReplayer(client.Options{})
	if err != nil {
		return err
	}
	steered := &worker.Deployment{Temporal: s.client, Name: deployment, Replayer: replayer}
	var refusal error
	if err := until(ctx, "the new version to be current", func() bool {
		asking, cancel := context.WithTimeout(ctx, time.Minute) // hundreds of histories are replayed
		defer cancel()
		if refusal = steered.Promote(asking, version); refusal != nil {
			sleep(asking, time.Second) // the server takes ten such updates at once, and then none
		}
		return refusal == nil
	}); err != nil {
		return errors.Join(err, refusal) // the old ones go on
	}
	for _, worker := range old {
		go worker.stop()
	}
	return nil
}

// upgrade brings everything to the code that is here, in the order of
// docs/production.md: the schema under the workers and apis of the version
// before, then workers, which get the work if all that runs replays on them,
// then each api.
func (s *stack) upgrade(ctx context.Context) (err error) {
	if s.bin, err = s.build(ctx, ""); err != nil {
		return err
	}
	if _, err := s.vestnik(ctx, "migrate"); err != nil {
		return err
	}
	if err := s.rollout(ctx); err != nil {
		return err
	}
	for i, hook := range s.hooks {
		s.apis[i].stop()
		if s.apis[i], err = s.service(fmt.Sprintf("api-%d-upgraded", i+1), "api", "HTTP_ADDR="+hook); err != nil {
			return err
		}
	}
	return nil
}

// worker is one of those there are now.
func (s *stack) worker(which int) *service {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.workers[which%len(s.workers)]
}

func (s *stack) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for _, process := range append(s.workers, s.apis...) {
		all.Go(process.stop)
	}
	all.Wait()
	if s.client != nil {
		s.client.Close()
	}
	if s.pool != nil {
		s.pool.Close()
	}
	for _, link := range s.links {
		link.close()
	}
	if s.temporal != nil {
		_ = s.temporal.Stop(ctx)
	}
	if s.cluster != nil {
		_ = s.cluster.Stop(ctx)
	}
	if s.postgres != nil {
		_ = s.postgres.Stop(ctx)
	}
}

// service is a process that is started again whenever it ends, as a supervisor
// does.
type service struct {
	stopping chan struct{}
	ended    chan struct{}
	mu       sync.Mutex
	process  *os.Process // nil between two lives
}

func (s *stack) service(name, role string, more ...string) (*service, error) {
	log, err := os.OpenFile(filepath.Join(s.dir, name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	p := &service{stopping: make(chan struct{}), ended: make(chan struct{})}
	bin := s.bin
	go func() {
		defer close(p.ended)
		defer log.Close()
		for {
			command := exec.Command(bin, role)
			command.Env, command.Dir, command.Stdout, command.Stderr = s.environ(role, more...), s.dir, log, log
			command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
			fmt.Fprintln(log, "chaos: the process has ended:", p.live(command))
			select {
			case <-p.stopping:
				return
			case <-time.After(restartAfter):
			}
		}
	}()
	return p, nil
}

// live is one life of the process.
func (p *service) live(command *exec.Cmd) error {
	p.mu.Lock()
	err := command.Start()
	p.process = command.Process
	p.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case <-p.stopping: // stop may have found nobody to ask
		p.signal(syscall.SIGTERM)
	default:
	}
	err = command.Wait()
	p.mu.Lock()
	p.process = nil
	p.mu.Unlock()
	return err
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
	close(p.stopping)
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
