package devstack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"

	"vestnik/internal/protocol"
)

const (
	temporalPort   = 7233
	temporalUIPort = 8233
	temporalStarts = 3
	temporalReady  = time.Minute
	temporalStop   = 15 * time.Second
)

// Setting is one value of Temporal's dynamic configuration, as JSON.
type Setting struct{ Key, Value string }

// Settings are the dynamic settings that Vestnik runs best with;
// deploy/temporal-dynamicconfig.yaml holds the same for docker-compose.
var Settings = []Setting{
	// 20 polls a second and shard, the default, cost 50 ms at every hop.
	{"history.transferProcessorMaxPollRPS", "2000"},
	{"history.timerProcessorMaxPollRPS", "2000"},
	{"system.enableActivityEagerExecution", "true"},
	// With the default of four partitions a task now and then waits 2 s for
	// a poller of another partition. On a real cluster raise both again.
	{"matching.numTaskqueueReadPartitions", "1"},
	{"matching.numTaskqueueWritePartitions", "1"},
}

// TemporalOptions say how to run a Temporal dev server of our own.
type TemporalOptions struct {
	Binary     string
	Database   string // SQLite file; empty keeps everything in memory
	Home       string // where the CLI keeps what it writes on its own
	LogFile    string
	Namespaces []string
	// AnyPort takes any free ports instead of the usual ones or the next free: for
	// tests.
	AnyPort  bool
	UI       bool
	Settings []Setting
	Progress func(step string)
}

// Temporal is a running dev server that is our child.
type Temporal struct {
	Address string // host:port of the frontend
	UIURL   string // empty without UI
	PID     int

	process *process
	ports   []port
}

// StartTemporal returns once the server answers and every namespace has its
// search attributes and [protocol.NamespaceRetention].
func StartTemporal(ctx context.Context, options TemporalOptions) (*Temporal, error) {
	say := newProgress(options.Progress).say
	say("starting the Temporal server")
	var failure error
	for range temporalStarts {
		temporal, err := startTemporal(ctx, options)
		if err == nil {
			return temporal, nil
		}
		failure = err
		// Another program may have taken a port between choosing and binding.
		var soon *endedEarly
		if !errors.As(err, &soon) || wait(ctx, 300*time.Millisecond) != nil {
			break
		}
	}
	return nil, failure
}

// Stop ends the server; it has written down everything it acknowledged.
func (t *Temporal) Stop(ctx context.Context) error {
	defer release(t.ports)
	return t.process.stop(ctx, syscall.SIGTERM, temporalStop)
}

func startTemporal(ctx context.Context, options TemporalOptions) (*Temporal, error) {
	liked, likedUI := temporalPort, temporalUIPort
	if options.AnyPort {
		liked, likedUI = 0, 0
	}
	frontend, err := choosePort("Temporal", liked)
	if err != nil {
		return nil, err
	}
	ports := []port{frontend}
	arguments := []string{
		"server", "start-dev", "--ip", loopback, "--port", frontend.String(),
		"--log-level", "warn", "--log-format", "json", "--color", "never",
		"--disable-config-file", "--disable-config-env",
	}
	uiURL := ""
	if options.UI {
		ui, err := choosePort("the Temporal Web UI", likedUI)
		if err != nil {
			release(ports)
			return nil, err
		}
		ports = append(ports, ui)
		arguments = append(arguments, "--ui-port", ui.String())
		uiURL = "http://" + ui.address()
	} else {
		arguments = append(arguments, "--headless")
	}
	if options.Database != "" {
		// A write-ahead log outlives a kill -9 as well and is much faster.
		arguments = append(arguments, "--db-filename", options.Database,
			"--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal")
	}
	for _, name := range options.Namespaces {
		arguments = append(arguments, "--namespace", name)
	}
	for _, attribute := range protocol.SearchAttributes {
		arguments = append(arguments, "--search-attribute", attribute+"=Keyword")
	}
	for _, setting := range options.Settings {
		arguments = append(arguments, "--dynamic-config-value", setting.Key+"="+setting.Value)
	}
	command := exec.Command(options.Binary, arguments...)
	command.Dir = options.Home
	command.Env = temporalEnvironment(options.Home)
	process, err := startProcess("Temporal", command, options.LogFile, syscall.SIGTERM, nil)
	if err != nil {
		release(ports)
		return nil, err
	}
	temporal := &Temporal{
		Address: frontend.address(),
		UIURL:   uiURL,
		PID:     process.pid,
		process: process,
		ports:   ports,
	}
	ready, cancel := context.WithTimeout(ctx, temporalReady)
	defer cancel()
	if err := settle(ready, temporal.Address, options.Namespaces, process); err != nil {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), temporalStop)
		defer cancel()
		_ = temporal.Stop(stopping)
		return nil, err
	}
	return temporal, nil
}

// settle waits for the first answer at address, then settles the namespaces.
// It fails once one of the processes that are to answer has ended.
func settle(ctx context.Context, address string, namespaces []string, processes ...*process) error {
	ended := func() error {
		for _, process := range processes {
			if process.ended() {
				return &endedEarly{said: process.said()}
			}
		}
		return nil
	}
	silent := slog.New(slog.DiscardHandler) // connections come and go while a server starts
	for {
		service, err := client.DialContext(ctx, client.Options{HostPort: address, Logger: silent})
		if err == nil {
			defer service.Close()
			for _, name := range namespaces {
				if err := protocol.PrepareNamespace(ctx, service, name); err != nil {
					return err
				}
			}
			return ended()
		}
		if err := ended(); err != nil {
			return err
		}
		if wait(ctx, 50*time.Millisecond) != nil {
			return fmt.Errorf("the server does not answer: %w; it said:\n%s", ctx.Err(), processes[0].said())
		}
	}
}

func release(ports []port) {
	for _, port := range ports {
		port.release()
	}
}

// temporalEnvironment keeps the user's TEMPORAL_… variables and home away
// from the server.
func temporalEnvironment(home string) []string {
	var environment []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TEMPORAL_") && !strings.HasPrefix(variable, "HOME=") {
			environment = append(environment, variable)
		}
	}
	return append(environment, "HOME="+home)
}
