package devstack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// logFileLimit is where a log file gives way to a new one at the next start.
const logFileLimit = 8 << 20

// process is a server that runs as our child until it is stopped.
type process struct {
	name     string
	logFile  string
	logFrom  int64 // where this run's output begins in logFile
	pid      int
	done     chan struct{} // closed when the process has ended
	stopping atomic.Bool
	err      error // how it ended; read after done
}

// owner is the user a process runs as; nil means the same as we.
type owner = syscall.Credential

// startProcess runs command with its output in logFile. The child gets a
// process group of its own, so that Ctrl-C reaches only us and we decide the
// order of stopping, and it gets dying from the kernel should we be killed.
func startProcess(name string, command *exec.Cmd, logFile string, dying syscall.Signal, as *owner) (*process, error) {
	output, err := OpenLog(logFile, 0o644)
	if err != nil {
		return nil, err
	}
	p := &process{name: name, logFile: logFile, done: make(chan struct{})}
	if p.logFrom, err = output.Seek(0, io.SeekEnd); err != nil {
		p.logFrom = 0
	}
	command.Stdout, command.Stderr = output, output
	command.SysProcAttr = childAttributes(dying, as)

	started := make(chan error, 1)
	go func() {
		defer close(p.done)
		defer output.Close()
		// The kernel ties the parent-death signal to the thread that forked,
		// not to the process: the thread has to live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := command.Start(); err != nil {
			started <- err
			return
		}
		p.pid = command.Process.Pid
		started <- nil
		p.err = command.Wait()
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("run %s: %w", command.Path, err)
	}
	return p, nil
}

// ended reports whether the process is gone.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// exit is how the process ended, never nil. Call it after done.
func (p *process) exit() error {
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
}

// stop sends gentle and, if the process has not ended in timeout or by the
// end of ctx, kills it.
func (p *process) stop(ctx context.Context, gentle syscall.Signal, timeout time.Duration) error {
	p.stopping.Store(true)
	if p.ended() {
		return nil
	}
	if err := syscall.Kill(p.pid, gentle); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop %s (pid %d): %w", p.name, p.pid, err)
	}
	reason := "in " + timeout.String()
	select {
	case <-p.done:
		return nil
	case <-time.After(timeout):
	case <-ctx.Done():
		reason = "in time (" + ctx.Err().Error() + ")"
	}
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill %s (pid %d): %w", p.name, p.pid, err)
	}
	<-p.done
	return fmt.Errorf("%s (pid %d) did not stop %s and was killed", p.name, p.pid, reason)
}

// said is the end of what this run of the process has written to its log.
func (p *process) said() string {
	file, err := os.Open(p.logFile)
	if err != nil {
		return ""
	}
	defer file.Close()
	if _, err := file.Seek(p.logFrom, io.SeekStart); err != nil {
		return ""
	}
	content, _ := io.ReadAll(io.LimitReader(file, 1<<20))
	return lastLines(content)
}

// lastLines are the last twelve.
func lastLines(text []byte) string {
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	return strings.Join(lines[max(len(lines)-12, 0):], "\n")
}

// OpenLog opens a log file to be written on, a new one in the place of one that is
// longer than 8 MB, which becomes path.old.
func OpenLog(path string, mode os.FileMode) (*os.File, error) {
	if stat, err := os.Stat(path); err == nil && stat.Size() > logFileLimit {
		_ = os.Rename(path, path+".old")
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, mode)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return file, nil
}

// progress passes steps on, one at a time.
type progress struct{ say func(step string) }

func newProgress(report func(string)) progress {
	if report == nil {
		return progress{say: func(string) {}}
	}
	var one sync.Mutex
	return progress{say: func(step string) {
		one.Lock()
		defer one.Unlock()
		report(step)
	}}
}

// tick repeats step with the time it has taken so far, every few seconds,
// until the returned function is called.
func tick(say func(string), step string) (stop func()) {
	if say == nil {
		return func() {}
	}
	begin := time.Now()
	ticker := time.NewTicker(5 * time.Second)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				say(fmt.Sprintf("%s (%d s so far)", step, int(time.Since(begin).Seconds())))
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}
