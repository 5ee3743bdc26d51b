package devstack

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// TemporalModule and TemporalVersion pin the Temporal CLI with its dev server
// (server 1.29.1, Web UI 2.42.1); the Makefile installs the same.
const (
	TemporalModule  = "github.com/temporalio/cli/cmd/temporal"
	TemporalVersion = "v1.5.1"
)

// FindTemporal is the path of the Temporal CLI: dir/.bin/temporal of the
// pinned version, else one from PATH, else one built into dir/.bin, which
// needs Go and takes about two minutes, once.
func FindTemporal(ctx context.Context, dir string, say func(step string)) (string, error) {
	say = newProgress(say).say
	pinned := filepath.Join(dir, ".bin", "temporal")
	if pinnedTemporal(pinned) {
		return pinned, nil
	}
	if path, err := exec.LookPath("temporal"); err == nil {
		return path, nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		return "", errors.New("there is no temporal program on this machine and no Go to build it with: " +
			"install the Temporal CLI, or set TEMPORAL_ADDRESS to a server that runs already")
	}
	if err := buildTemporal(ctx, pinned, say); err != nil {
		return "", err
	}
	return pinned, nil
}

func pinnedTemporal(path string) bool {
	build, err := buildinfo.ReadFile(path)
	return err == nil && build.Main.Version == TemporalVersion
}

func buildTemporal(ctx context.Context, path string, say func(string)) error {
	bin := filepath.Dir(path)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", bin, err)
	}
	const step = "building the Temporal server, once; about two minutes"
	say(step)
	defer tick(say, step)()

	// Test processes may want it at the same time; one builds for all.
	turn, err := os.OpenFile(filepath.Join(bin, ".building"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return fmt.Errorf("lock %s: %w", bin, err)
	}
	defer turn.Close()
	if err := syscall.Flock(int(turn.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", bin, err)
	}
	if pinnedTemporal(path) {
		return nil
	}
	scratch, err := os.MkdirTemp(bin, ".temporal-")
	if err != nil {
		return fmt.Errorf("make a scratch folder: %w", err)
	}
	defer os.RemoveAll(scratch)
	install := exec.CommandContext(ctx, "go", "install", TemporalModule+"@"+TemporalVersion)
	install.Env = append(os.Environ(), "GOBIN="+scratch, "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	install.SysProcAttr = childAttributes(syscall.SIGKILL, nil)
	if output, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("go install %s@%s: %w; it said:\n%s", TemporalModule, TemporalVersion, err, lastLines(output, 12))
	}
	return os.Rename(filepath.Join(scratch, "temporal"), path)
}
