package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopSurvivor clears the way after a run that was killed. Its Postgres may
// still run on the data directory, and then it is shut down cleanly; or only
// its pid file may be left, and by now the pid may be another program's, which
// Postgres itself would take for a running server.
func (c *cluster) stopSurvivor(ctx context.Context, say func(string)) error {
	pidFile := filepath.Join(c.dir, "postmaster.pid")
	content, err := os.ReadFile(pidFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", pidFile, err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 0 || !c.runsOn(pid) {
		if err := os.Remove(pidFile); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the pid file that a killed Postgres left: %w", err)
		}
		return nil
	}
	say(fmt.Sprintf("stopping the Postgres (pid %d) that an earlier run left behind", pid))
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the Postgres (pid %d) of an earlier run: %w", pid, err)
		}
		for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); {
			if !c.runsOn(pid) {
				return nil
			}
			if err := wait(ctx, 20*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("the Postgres (pid %d) of an earlier run does not stop", pid)
}

// runsOn reports whether pid is a Postgres on this data directory.
func (c *cluster) runsOn(pid int) bool {
	if !strings.HasPrefix(filepath.Base(executable(pid)), "postgres") {
		return false
	}
	dir := workingDir(pid)
	return dir == "" || dir == resolved(c.dir)
}

func resolved(dir string) string {
	if path, err := filepath.EvalSymlinks(dir); err == nil {
		return path
	}
	return dir
}
