package e2e

import (
	"io"
	"os"
	"os/exec"

	"github.com/stretchr/testify/require"
)

// process is a role in an operating system process of its own.
type process struct {
	command *exec.Cmd
	leash   io.Closer
	ended   chan struct{}
}

// spawn starts a worker process; moments are where it is to die by itself.
func (s *harness) spawn(moments ...string) *process {
	s.t.Helper()
	return s.spawnAs(workerRole, moments...)
}

func (s *harness) spawnAs(role string, moments ...string) *process {
	s.t.Helper()
	executable, err := os.Executable()
	require.NoError(s.t, err)
	command := exec.Command(executable)
	command.Env = append(os.Environ(), roleVariable+"="+role)
	for name, value := range s.environ {
		command.Env = append(command.Env, name+"="+value)
	}
	for _, moment := range moments {
		command.Env = append(command.Env, dieVariable+"="+moment)
	}
	command.Stdout, command.Stderr = s.logs, s.logs
	leash, err := command.StdinPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, command.Start())
	p := &process{command: command, leash: leash, ended: make(chan struct{})}
	go func() {
		_ = command.Wait() // how it ended is what the test is about
		close(p.ended)
	}()
	s.t.Cleanup(p.kill)
	return p
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	<-p.ended
}

// dies waits for the process to die by itself.
func (s *harness) dies(p *process) {
	s.t.Helper()
	select {
	case <-p.ended:
	case <-s.ctx.Done():
		require.Fail(s.t, "the worker did not come to the moment at which it was to die")
	}
}
