package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAShortStormFindsNothing(t *testing.T) {
	t.Parallel()
	dir, err := makeDir()
	require.NoError(t, err)
	var said bytes.Buffer
	found, err := run(t.Context(), newPlan(1, shortScale()), dir, &said)
	if err != nil || len(found.findings) > 0 {
		t.Fatalf("%s\n%v\nerror: %v\nlogs and data: %s", &said, found, err, dir)
	}
	require.NoError(t, os.RemoveAll(dir))
}

// Three workers and three apis do what one of each does: the audit counts what
// came twice, out of order or faster than a destination allows, and clicks
// that nobody has answered.
func TestThreeWorkersAndThreeApisKeepPaceOrderAndUniqueness(t *testing.T) {
	t.Parallel()
	dir, err := makeDir()
	require.NoError(t, err)
	calm := shortScale()
	calm.workers, calm.apis, calm.lasting = 3, 3, 20*time.Second
	calm.without = "all"
	var said bytes.Buffer
	found, err := run(t.Context(), newPlan(1, calm), dir, &said)
	if err != nil || len(found.findings) > 0 {
		t.Fatalf("%s\n%v\nerror: %v\nlogs and data: %s", &said, found, err, dir)
	}
	require.NoError(t, os.RemoveAll(dir))
}

func TestALinkStallsAndDrops(t *testing.T) {
	t.Parallel()
	far, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer far.Close()
	go func() {
		for {
			connection, err := far.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(connection, connection) }()
		}
	}()
	link, err := openLink(far.Addr().String())
	require.NoError(t, err)
	near, err := net.Dial("tcp", link.address)
	require.NoError(t, err)
	defer near.Close()
	echo := func() error {
		if _, err := near.Write([]byte("x")); err != nil {
			return err
		}
		_, err := io.ReadFull(near, make([]byte, 1))
		return err
	}
	require.NoError(t, echo())

	var faults sync.WaitGroup
	stalling := func() bool {
		link.mu.Lock()
		defer link.mu.Unlock()
		select {
		case <-link.passing:
			return false
		default:
			return true
		}
	}
	began := time.Now()
	faults.Go(func() { link.stall(t.Context(), time.Second) })
	require.Eventually(t, stalling, time.Second, time.Millisecond)
	require.NoError(t, echo(), "what was held up arrives")
	require.GreaterOrEqual(t, time.Since(began), time.Second)
	faults.Wait()
	require.NoError(t, echo())

	faults.Go(func() { link.drop(t.Context(), time.Second) })
	_, err = near.Read(make([]byte, 1))
	require.Error(t, err, "the connection is cut")
	if near, err = net.Dial("tcp", link.address); err == nil {
		err = echo()
	}
	require.Error(t, err, "and so is another")
	faults.Wait()
	near, err = net.Dial("tcp", link.address)
	require.NoError(t, err)
	require.NoError(t, echo(), "until it is over")
}
