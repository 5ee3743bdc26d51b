package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// restTime is how long a process is left alone before its memory is read.
const restTime = 5 * time.Second

// memory starts a role of the binary and returns its resident memory at rest,
// in bytes.
func (h *harness) memory(ctx context.Context, binary, role string) (int64, error) {
	addr, err := freeAddr(ctx)
	if err != nil {
		return 0, err
	}
	var output bytes.Buffer
	command := exec.CommandContext(ctx, binary, role)
	command.Env = append(os.Environ(), "HTTP_ADDR="+addr)
	for name, value := range h.environ {
		command.Env = append(command.Env, name+"="+value)
	}
	command.Stdout, command.Stderr = &output, &output
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 30 * time.Second
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("start %s: %w; `make build` makes it", binary, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	if err := ready(ctx, addr, ended); err != nil {
		return 0, fmt.Errorf("%s %s: %w\n%s", binary, role, err, output.String())
	}
	resident, err := resident(command.Process.Pid)
	_ = command.Process.Signal(syscall.SIGTERM)
	return resident, errors.Join(err, <-ended)
}

func freeAddr(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// ready waits until the process answers /readyz and has then been at rest.
func ready(ctx context.Context, addr string, ended chan error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ask := time.NewTicker(100 * time.Millisecond)
	defer ask.Stop()
	var rest <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return errors.New("it did not become ready")
		case err := <-ended:
			return fmt.Errorf("it ended: %w", err)
		case <-rest:
			return nil
		case <-ask.C:
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
			if err != nil {
				return err
			}
			if response, err := http.DefaultClient.Do(request); err == nil {
				_ = response.Body.Close()
				if response.StatusCode == http.StatusOK {
					ask.Stop()
					rest = time.After(restTime)
				}
			}
		}
	}
}

// resident is VmRSS of a process (proc(5)).
func resident(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, errors.New("no VmRSS in /proc: memory is measured on Linux only")
}
