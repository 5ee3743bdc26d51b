package devstack

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

const loopback = "127.0.0.1"

// portsToTry is how far choosePort looks beyond the port it would like best.
const portsToTry = 20

// port is a port that was free when it was chosen and that no other stack on
// this machine will choose until it is released. Without that, two stacks that
// start at once would choose the same one, and the loser would take the
// winner's server for its own.
type port struct {
	number int
	lock   *os.File // nil if the kernel chose, which does not repeat itself
}

// choosePort takes the first free port from liked on (0: none is liked), else any.
func choosePort(what string, liked int) (port, error) {
	for number := liked; liked != 0 && number < liked+portsToTry; number++ {
		if chosen, ok := reserve(number); ok {
			return chosen, nil
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return port{}, fmt.Errorf("find a free port for %s: %w", what, err)
	}
	address, ok := listener.Addr().(*net.TCPAddr)
	if err := listener.Close(); err != nil || !ok {
		return port{}, errors.Join(fmt.Errorf("find a free port for %s", what), err)
	}
	return port{number: address.Port}, nil
}

func reserve(number int) (port, bool) {
	path := filepath.Join(os.TempDir(), "vestnik-port-"+strconv.Itoa(number)+".lock")
	// Without O_CREATE first: in a folder open to all, Linux lets nobody, not
	// even root, open another user's file with that flag.
	lock, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		lock, err = os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o644)
	}
	if err != nil {
		return port{number: number}, free(number)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil || !free(number) {
		_ = lock.Close()
		return port{}, false
	}
	return port{number: number, lock: lock}, true
}

func (p port) String() string { return strconv.Itoa(p.number) }

// address is host:port.
func (p port) address() string { return net.JoinHostPort(loopback, p.String()) }

func (p port) release() {
	if p.lock != nil {
		_ = p.lock.Close()
	}
}

func free(number int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(number)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
