package devstack

import (
	"bytes"
	"context"
	"debug/buildinfo"
	_ "embed" // temporal.mod and temporal.sum
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"
)

// temporalPackage is the Temporal CLI with its dev server.
const temporalPackage = "github.com/temporalio/cli/cmd/temporal"

// temporalModule and temporalSums are the go.mod and go.sum that it is built
// with, here and by the Makefile: CLI v1.5.1 (server 1.29.1, Web UI 2.42.1)
// with a newer modernc.org/sqlite. With the one of its own (v1.34.1) a request
// that is given up at the wrong moment breaks the server's only connection, and
// everything after it fails with "interrupted (9)"; see
// https://github.com/temporalio/temporal/pull/10427. So the release of v1.5.1 is not
// downloaded, though that would be faster. The first release with the newer one,
// v1.9.1 (server 1.32.0), can't be built from the Go module proxy (its module
// cliext has no version there): a machine that must build would run another server
// than one that may download.
var (
	//go:embed temporal.mod
	temporalModule []byte
	//go:embed temporal.sum
	temporalSums []byte
)

// temporalPins are the modules whose versions tell our build from another.
var temporalPins = []string{"github.com/temporalio/cli", "modernc.org/sqlite"}

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
	if err != nil {
		return false
	}
	modules := append([]*debug.Module{&build.Main}, build.Deps...)
	for _, pin := range temporalPins {
		if !slices.ContainsFunc(modules, func(module *debug.Module) bool {
			return module.Path == pin && bytes.Contains(temporalModule, []byte("\t"+pin+" "+module.Version+" "))
		}) {
			return false
		}
	}
	return true
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
	for name, content := range map[string][]byte{"go.mod": temporalModule, "go.sum": temporalSums} {
		if err := os.WriteFile(filepath.Join(scratch, name), content, 0o644); err != nil {
			return fmt.Errorf("write what Temporal is built with: %w", err)
		}
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", "temporal", temporalPackage)
	build.Dir = scratch
	build.Env = goEnvironment(scratch)
	build.SysProcAttr = childAttributes(syscall.SIGKILL, nil)
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w; it said:\n%s", temporalPackage, err, lastLines(output))
	}
	return os.Rename(filepath.Join(scratch, "temporal"), path)
}

// goEnvironment is what Go builds Temporal with. Without a home, as under systemd
// or in a container, Go keeps what it needs in scratch.
func goEnvironment(scratch string) []string {
	environment := append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if os.Getenv("HOME") == "" {
		environment = append(environment, "HOME="+scratch, "GOFLAGS=-modcacherw") // scratch is removed
	}
	return environment
}
