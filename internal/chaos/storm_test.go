package main

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
	link, err := openLink("echo", far.Addr().String())
	require.NoError(t, err)
	near, err := net.Dial("tcp", link.address())
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

	stalled := make(chan error)
	began := time.Now()
	go func() { stalled <- link.stall(t.Context(), time.Second) }()
	require.Eventually(t, func() bool { return len(link.proxy.Toxics.GetToxicArray()) == 2 }, time.Second, time.Millisecond)
	require.NoError(t, echo(), "what was held up arrives")
	require.GreaterOrEqual(t, time.Since(began), time.Second)
	require.NoError(t, <-stalled)
	require.NoError(t, echo())

	dropped := make(chan error)
	go func() { dropped <- link.drop(t.Context(), time.Second) }()
	_, err = near.Read(make([]byte, 1))
	require.Error(t, err, "the connection is cut")
	_, err = net.Dial("tcp", link.address())
	require.Error(t, err, "and no other is taken")
	require.NoError(t, <-dropped)
	near, err = net.Dial("tcp", link.address())
	require.NoError(t, err)
	require.NoError(t, echo(), "until it is over, under the same address")
}
