package devstack

import (
	"os"
	"strconv"
	"syscall"
)

func childAttributes(dying syscall.Signal, as *owner) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: dying, Credential: as}
}

// executable is the path of the program that pid runs, empty if there is no
// such process or it is not ours to look at.
func executable(pid int) string {
	path, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return ""
	}
	return path
}

// workingDir is where pid works, empty if that cannot be known.
func workingDir(pid int) string {
	path, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return ""
	}
	return path
}
