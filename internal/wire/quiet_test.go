package wire_test

import (
	"errors"
	"io"
	"log"
)

// quiet keeps the test server's complaints about bad handshakes out of the test output.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// broken is a body that fails.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("диск умер") }
