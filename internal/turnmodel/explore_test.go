package turnmodel

import (
	"fmt"
	"strings"
	"testing"
)

// graph is every world that can be reached, and how.
type graph struct {
	worlds []world
	parent []int32
	index  map[world]int32
	before [][]int32 // where each world may come from without a fault
}

// explore walks breadth first, so that the first trace to a breach is a
// shortest one. It returns the world that breaks a promise, or -1.
func explore(m *model, limit int) (*graph, int32, string) {
	g := &graph{index: map[world]int32{}}
	add := func(w world, from int32) (int32, bool) {
		w.canonical()
		if at, known := g.index[w]; known {
			return at, false
		}
		at := int32(len(g.worlds))
		g.worlds = append(g.worlds, w)
		g.parent = append(g.parent, from)
		g.before = append(g.before, nil)
		g.index[w] = at
		return at, true
	}
	add(m.start(), -1)
	for at := int32(0); int(at) < len(g.worlds); at++ {
		if len(g.worlds) > limit {
			return g, -1, "too many worlds"
		}
		w := g.worlds[at]
		if broken := m.breach(w); broken != "" {
			return g, at, broken
		}
		m.steps(w, func(_ string, next world) {
			fault := next.budget < w.budget
			to, _ := add(next, at)
			if !fault && to != at {
				g.before[to] = append(g.before[to], at)
			}
		})
	}
	if at := g.stuck(m); at >= 0 {
		return g, at, "nothing more happens by itself, and something waits"
	}
	return g, -1, ""
}

// breach names the promise that a world breaks.
func (m *model) breach(w world) string {
	if w.broken != kept {
		return breaches[w.broken]
	}
	for i := range m.rows {
		r := w.ledger.rows[i]
		for part := range int(m.parts[i]) {
			copies := w.copies[i][part]
			if copies > 1 && !has(w.excused, i) && r.unknown[part]+1 < copies && r.ids[part] < copies {
				return fmt.Sprintf("row %d was doubled, and nothing says so", i)
			}
			for _, o := range w.ledger.attempts() {
				if (r.status == failed || r.status == parked) && int(o.row) == i && !o.expired {
					return fmt.Sprintf("row %d is at rest while a call is in flight", i)
				}
			}
			if r.status == sent && copies == 0 {
				return fmt.Sprintf("row %d is sent, and never arrived", i)
			}
		}
	}
	return ""
}

// settled reports whether nothing waits without somebody knowing.
func (m *model) settled(w world) bool {
	for _, a := range w.acts {
		if a.step != idle {
			return false
		}
	}
	good := uint8(0)
	for i := range m.rows {
		s, run := w.ledger.rows[i].status, w.runs[i]
		switch {
		case s.asksPerson():
			if run.state != resting {
				return false
			}
		case s.atRest():
			if run.state != closed && run.state != none {
				return false
			}
		case !w.ledger.paused && !has(m.poison, i):
			good++
		}
	}
	if w.ledger.paused {
		return w.lane.lease == 0
	}
	return good == 0 && (w.ledger.next(m.rows) == 0 && w.lane.lease == 0 || w.ledger.fails >= failing)
}

// stuck returns the first world from which no faultless way leads to rest, or -1.
func (g *graph) stuck(m *model) int32 {
	reaches := make([]bool, len(g.worlds))
	var queue []int32
	for at, w := range g.worlds {
		if m.settled(w) {
			reaches[at] = true
			queue = append(queue, int32(at))
		}
	}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, before := range g.before[at] {
			if !reaches[before] {
				reaches[before] = true
				queue = append(queue, before)
			}
		}
	}
	for at := range reaches {
		if !reaches[at] {
			return int32(at)
		}
	}
	return -1
}

// trace tells the way to a world.
func (g *graph) trace(m *model, to int32) string {
	var lines []string
	for at := to; g.parent[at] >= 0; at = g.parent[at] {
		found := false
		m.steps(g.worlds[g.parent[at]], func(what string, next world) {
			next.canonical()
			if !found && next == g.worlds[at] {
				found = true
				if next.budget < g.worlds[g.parent[at]].budget {
					what = "FAULT " + what
				}
				lines = append(lines, what)
			}
		})
	}
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%3d %s\n", i+1, lines[len(lines)-1-i])
	}
	w := g.worlds[to]
	fmt.Fprintf(&b, "ledger %+v\ncopies %v\nacts %+v\nruns %+v\nlane %+v\n", w.ledger, w.copies, w.acts, w.runs, w.lane)
	return b.String()
}

// A rule that nothing needs is not worth its code: each has a scenario in which
// the explorer finds what happens without it.
func TestEachRuleIsNeeded(t *testing.T) {
	for _, c := range []struct {
		name     string
		without  rule
		scenario string
	}{
		{"oneOpenAttempt", oneOpenAttempt, "workers"},
		{"deadlineInWorker", deadlineInWorker, "workers"},
		{"openClosesAny", openClosesAny, "database"},
		{"beginAsOpened", beginAsOpened, "workers"},
		{"beginNotPaused", beginNotPaused, "people"},
		{"closeOwn", closeOwn, "workers"},
		{"lateRefusalIgnored", lateRefusalIgnored, "workers"},
		{"onePartALease", onePartALease, "workers"},
		{"giveBackAgain", giveBackAgain, "people"},
		{"restAgain", restAgain, "restored"},
		{"laterWish", laterWish, "late"},
		{"runTellsArrived", runTellsArrived, "restored"},
		{"wishNotTime", wishNotTime, "restored"},
		{"restIsTold", restIsTold, "people"},
		{"probeMoves", probeMoves, "breaker"},
		{"uploadBarsItsRow", uploadBarsItsRow, "upload"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := scenarios[c.scenario]
			m.without = c.without
			g, at, broken := explore(&m, limit)
			if at < 0 {
				t.Fatalf("nothing found in %d worlds: %s", len(g.worlds), broken)
			}
			t.Logf("%s:\n%s", broken, g.trace(&m, at))
		})
	}
}

// limit is how many worlds a scenario may have before it is no test any more.
const limit = 1_000_000

// Every order of steps and faults keeps the promises.
func TestEveryOrder(t *testing.T) {
	for name, m := range scenarios {
		t.Run(name, func(t *testing.T) {
			g, at, broken := explore(&m, limit)
			t.Logf("%d worlds", len(g.worlds))
			if broken != "" {
				if at < 0 {
					t.Fatal(broken)
				}
				t.Errorf("%s:\n%s", broken, g.trace(&m, at))
			}
		})
	}
}

const everything = 1<<16 - 1

var scenarios = map[string]model{
	"workers":    {rows: 2, parts: [3]uint8{2, 1}, faults: killWorker | lateWorker | loseAnswer | refuse | askPerson, budget: 2},
	"park":       {rows: 2, parts: [3]uint8{2, 1}, park: true, faults: killWorker | lateWorker | loseAnswer | operator, budget: 2},
	"terminated": {rows: 2, parts: [3]uint8{2, 1}, faults: endDelivery | endLane | loseSignal | repeatGrant | temporalLost, budget: 2},
	"database":   {rows: 2, parts: [3]uint8{2, 1}, faults: databaseAway | endDelivery | endLane | killWorker, budget: 2},
	"restored":   {rows: 2, parts: [3]uint8{2, 1}, faults: restore | askPerson | operator | databaseAway, budget: 3},
	"people":     {rows: 2, parts: [3]uint8{2, 1}, faults: operator | askPerson | refuse | suppress | endLane | loseSignal, budget: 3},
	"breaker":    {rows: 3, parts: [3]uint8{1, 1, 1}, poison: 3, faults: platformAway | endLane, budget: 2},
	"two":        {rows: 2, parts: [3]uint8{1, 1}, faults: everything &^ restore, budget: 2},
	"upload":     {rows: 1, parts: [3]uint8{2}, uploads: 1, faults: everything &^ restore, budget: 2},
	"beside":     {rows: 2, parts: [3]uint8{2, 1}, uploads: 1, faults: everything &^ restore, budget: 1},
	"late":       {rows: 1, parts: [3]uint8{2}, faults: lateWorker | askPerson | operator | refuse, budget: 3},
}
