package devstack

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
)

const loopback = "127.0.0.1"

// portsToTry is how far choosePort looks beyond the port it would like best.
const portsToTry = 20

// PortBusy says that a port which the user asked for is taken.
type PortBusy struct {
	What string
	Port int
}

func (e *PortBusy) Error() string {
	return fmt.Sprintf("port %d for %s is taken by another program: stop that program, or ask for another port", e.Port, e.What)
}

// choosePort takes asked, if the user asked for one, else the first free port
// from liked on (0: none is liked), else any. Ports in taken are passed over.
func choosePort(what string, asked, liked int, taken ...int) (int, error) {
	if asked != 0 {
		if !free(asked) {
			return 0, &PortBusy{What: what, Port: asked}
		}
		return asked, nil
	}
	for port := liked; liked != 0 && port < liked+portsToTry; port++ {
		if !slices.Contains(taken, port) && free(port) {
			return port, nil
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, fmt.Errorf("find a free port for %s: %w", what, err)
	}
	address, ok := listener.Addr().(*net.TCPAddr)
	if err := listener.Close(); err != nil || !ok {
		return 0, errors.Join(fmt.Errorf("find a free port for %s", what), err)
	}
	return address.Port, nil
}

func free(port int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
