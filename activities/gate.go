package activities

import (
	"context"
	"sync"
)

// turn is who goes first when many calls wait: a screen before a check of a
// subscription. Answers to buttons pass no gate at all.
type turn int

const (
	screenTurn turn = iota
	checkTurn
	turns
)

// gate bounds how many calls of the bot are under way.
type gate struct {
	mu      sync.Mutex
	free    int
	waiting [turns][]chan struct{}
}

func newGate(places int) *gate { return &gate{free: places} }

// enter waits for a place and returns how to leave it.
func (g *gate) enter(ctx context.Context, who turn) (leave func(), err error) {
	g.mu.Lock()
	if g.free > 0 {
		g.free--
		g.mu.Unlock()
		return g.leave, nil
	}
	mine := make(chan struct{})
	g.waiting[who] = append(g.waiting[who], mine)
	g.mu.Unlock()

	select {
	case <-mine:
		return g.leave, nil
	case <-ctx.Done():
		if !g.giveUp(who, mine) {
			g.leave() // the place had just become ours
		}
		return nil, ctx.Err()
	}
}

// leave hands the place to whoever goes first, in order of arrival.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for who := range g.waiting {
		if len(g.waiting[who]) > 0 {
			close(g.waiting[who][0])
			g.waiting[who] = g.waiting[who][1:]
			return
		}
	}
	g.free++
}

func (g *gate) giveUp(who turn, mine chan struct{}) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, waiting := range g.waiting[who] {
		if waiting == mine {
			g.waiting[who] = append(g.waiting[who][:i:i], g.waiting[who][i+1:]...)
			return true
		}
	}
	return false
}
