package devstack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"vestnik/internal/config"
)

// Endpoints are where a running stack is to be reached. They let a command
// such as `vestnik deliveries` find the stack that `vestnik dev` started in
// the same folder.
type Endpoints struct {
	PID             int    `json:"pid"`
	DatabaseURL     string `json:"database_url"` // holds a password; do not print it
	TemporalAddress string `json:"temporal_address"`
	TemporalUIURL   string `json:"temporal_ui_url"`
	Namespace       string `json:"namespace"`
}

const endpointsFile = "stack.json"

// Find returns the endpoints of the stack that runs in dir, and false if none
// does. dir is the project's folder; empty means the working directory.
func Find(dir string) (Endpoints, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Endpoints{}, false
	}
	state := filepath.Join(dir, StateDir)
	content, err := os.ReadFile(filepath.Join(state, endpointsFile))
	if err != nil {
		return Endpoints{}, false
	}
	var endpoints Endpoints
	if err := json.Unmarshal(content, &endpoints); err != nil {
		return Endpoints{}, false
	}
	// A process that was killed leaves its file behind, but not its lock.
	if !locked(filepath.Join(state, "lock")) {
		return Endpoints{}, false
	}
	return endpoints, true
}

// lock keeps a second stack out of a folder. The kernel gives it back when
// the process ends, however it ends.
type lock struct {
	state string
	file  *os.File
}

func takeLock(state, dir string) (*lock, error) {
	path := filepath.Join(state, "lock")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("%s belongs to another user, perhaps from a run as root: run as that user again, or delete it: %w", state, err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer file.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		content, _ := io.ReadAll(io.LimitReader(file, 32))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(content)))
		return nil, &AlreadyRunning{Dir: dir, PID: pid}
	}
	if err := file.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(file, "%d\n", os.Getpid())
	}
	return &lock{state: state, file: file}, nil
}

func locked(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return errors.Is(err, syscall.EWOULDBLOCK)
	}
	return false
}

func (l *lock) publish(endpoints Endpoints) error {
	content, err := json.MarshalIndent(endpoints, "", "  ")
	if err != nil {
		return fmt.Errorf("write down where the stack runs: %w", err)
	}
	return config.WriteSecret(filepath.Join(l.state, endpointsFile), append(content, '\n'))
}

func (l *lock) release() error {
	_ = os.Remove(filepath.Join(l.state, endpointsFile))
	return l.file.Close()
}
