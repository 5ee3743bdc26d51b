package main

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// link carries TCP connections between two processes, and can stall or drop
// them. (toxiproxy 2.5.0, the newest that resolves, locks up for good when an
// end of a stalled connection goes away.)
type link struct {
	near    net.Listener
	address string // where the near side connects

	mu       sync.Mutex
	far      []string // taken in turn, one for each connection
	taken    int
	passing  chan struct{} // closed unless the link stalls
	dropping bool
	open     map[net.Conn]bool
}

func openLink(far ...string) (*link, error) {
	near, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a link: %w", err)
	}
	l := &link{near: near, address: near.Addr().String(), far: far, passing: make(chan struct{}), open: map[net.Conn]bool{}}
	close(l.passing)
	go func() {
		for {
			connection, err := near.Accept()
			if err != nil {
				return // closed
			}
			go l.carry(connection)
		}
	}()
	return l, nil
}

// carry joins a connection to one to the far side until one of them ends.
func (l *link) carry(near net.Conn) {
	if !l.keep(near) {
		return
	}
	defer l.end(near)
	l.mu.Lock()
	address := l.far[l.taken%len(l.far)]
	l.taken++
	l.mu.Unlock()
	far, err := net.Dial("tcp", address)
	if err != nil || !l.keep(far) {
		return
	}
	defer l.end(far)
	var both sync.WaitGroup
	copying := func(to, from net.Conn) {
		chunk := make([]byte, 32<<10)
		for {
			n, err := from.Read(chunk)
			l.mu.Lock()
			passing := l.passing
			l.mu.Unlock()
			<-passing
			if _, unwritten := to.Write(chunk[:n]); err != nil || unwritten != nil {
				l.end(near)
				l.end(far)
				return
			}
		}
	}
	both.Go(func() { copying(far, near) })
	both.Go(func() { copying(near, far) })
	both.Wait()
}

// keep remembers a connection; none is taken while the link drops them.
func (l *link) keep(connection net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropping {
		reset(connection)
		return false
	}
	l.open[connection] = true
	return true
}

func (l *link) end(connection net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, connection)
	_ = connection.Close() // perhaps a second time
}

// reset ends a connection without a goodbye.
func reset(connection net.Conn) {
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}

// stall lets connections stand and nothing through, until the time is over;
// then everything that was held up arrives.
func (l *link) stall(ctx context.Context, lasting time.Duration) {
	passing := make(chan struct{})
	l.mu.Lock()
	l.passing = passing
	l.mu.Unlock()
	sleep(ctx, lasting)
	close(passing)
}

// drop resets every connection and every new one, until the time is over.
func (l *link) drop(ctx context.Context, lasting time.Duration) {
	l.cut(true)
	sleep(ctx, lasting)
	l.cut(false)
}

func (l *link) cut(dropping bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropping = dropping
	for connection := range l.open {
		reset(connection)
	}
}

// lead points new connections at another far side.
func (l *link) lead(far string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.far = []string{far}
}

func (l *link) close() {
	_ = l.near.Close()
	l.cut(true)
}

func sleep(ctx context.Context, lasting time.Duration) {
	select {
	case <-time.After(lasting):
	case <-ctx.Done():
	}
}
