//go:build unix && !linux

package devstack

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// childAttributes: other kernels have no parent-death signal. A survivor of a
// kill -9 is found by its pid file and stopped at the next start.
func childAttributes(_ syscall.Signal, as *owner) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: as}
}

func executable(pid int) string {
	output, err := exec.Command("ps", "-p", strconv.Itoa(pid), "-o", "comm=").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(output))
}

func workingDir(int) string { return "" }
