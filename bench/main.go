// Command bench measures the relay and prints tables. It wants the servers of
// a test run:
//
//	go run ./internal/testenv/run -- go run ./bench
//
// Every number is measured against the sandbox on this machine, with Temporal
// in memory: they compare builds with each other. On a cluster:
//
//	make build cluster ARGS='go run ./bench'
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
)

func main() {
	deliveries := flag.Int("deliveries", 600, "how many deliveries, and how many workflows to compare them with")
	destinations := flag.Int("destinations", 8, "to how many chats")
	single := flag.Int("single", 30, "how many posts, one after the other, for the time from stored to sent")
	binary := flag.String("binary", "bin/vestnik", "the binary whose memory is measured")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *deliveries, *destinations, *single, *binary)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, deliveries, destinations, single int, binary string) (err error) {
	h, err := openHarness(ctx, destinations)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close()) }()

	t := newTable("RELAY", "MEASURED", "GOAL")
	// Half of what is compared with comes before and half after: the machine
	// may have other things to do, and not all the time.
	before, err := h.bareWorkflows(ctx, "before", deliveries/2)
	if err != nil {
		return err
	}
	made, err := h.deliver(ctx, deliveries)
	if err != nil {
		return err
	}
	after, err := h.bareWorkflows(ctx, "after", deliveries/2)
	if err != nil {
		return err
	}
	bare := 2 / (1/before + 1/after)
	t.row("bare workflows with the same activities, doing nothing", fmt.Sprintf("%.1f /s", bare), "")
	t.row(fmt.Sprintf("deliveries, pacing off, %d chats", destinations), fmt.Sprintf("%.1f /s", made.perSecond), "")
	t.row("ratio of the two", fmt.Sprintf("%.2f", made.perSecond/bare), "≥ 0.6")
	t.row("history events per delivery, its own", fmt.Sprintf("%.1f", made.ownEvents), "")
	t.row("history events per delivery, the lane's share", fmt.Sprintf("%.1f", made.laneEvents), "")
	t.row("runs of the busiest lane (it continues as new)", fmt.Sprint(made.laneRuns), "")
	latency, err := h.storedToSent(ctx, single)
	if err != nil {
		return err
	}
	t.row("from a post being stored to its first send, median", fmt.Sprintf("%d ms", latency[len(latency)/2].Milliseconds()), "")
	t.row("from a post being stored to its first send, slowest", fmt.Sprintf("%d ms", latency[len(latency)-1].Milliseconds()), "")
	for _, role := range []string{"worker", "api"} {
		resident, err := h.memory(ctx, binary, role)
		if err != nil {
			return err
		}
		t.row("memory of `vestnik "+role+"` at rest", fmt.Sprintf("%.0f MB", float64(resident)/(1<<20)), "< 80 MB")
	}
	return t.print()
}

// table prints rows under a header, in columns.
type table struct{ writer *tabwriter.Writer }

func newTable(columns ...any) table {
	t := table{tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)}
	t.row(columns...)
	return t
}

func (t table) row(cells ...any) {
	for i, cell := range cells {
		if i > 0 {
			_, _ = fmt.Fprint(t.writer, "\t")
		}
		_, _ = fmt.Fprint(t.writer, cell)
	}
	_, _ = fmt.Fprintln(t.writer)
}

func (t table) print() error { return t.writer.Flush() }
