// Command cluster runs Temporal as those do who have outgrown the dev server:
// a frontend, two histories, matching and worker, each a process of its own,
// with 512 shards on Postgres. `make cluster` builds the servers, once.
//
//	make cluster                                    until Ctrl-C; prints the addresses
//	make cluster ARGS='go test -run Resume ./e2e'   a command on it, with what tests and bench ask for in its environment
//
// Data, configuration and logs go away with it; a command that failed leaves
// them and says where they are.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"

	"vestnik/internal/devstack"
	"vestnik/internal/testenv"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
	}
	os.Exit(code)
}

func run(arguments []string) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "vestnik-cluster-")
	if err != nil {
		return 1, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // Postgres is another user if we are root
		return 1, err
	}
	defer func() {
		if code == 0 && err == nil {
			err = os.RemoveAll(dir)
			return
		}
		fmt.Fprintln(os.Stderr, "cluster: logs and data:", dir)
	}()
	bin, err := filepath.Abs(".bin")
	if err != nil {
		return 1, err
	}
	cluster, err := devstack.StartCluster(ctx, devstack.ClusterOptions{
		Bin: bin, Dir: dir, Namespaces: []string{client.DefaultNamespace}, Settings: testenv.ClusterSettings,
		Progress: func(step string) { fmt.Fprintln(os.Stderr, "cluster:", step) },
	})
	if err != nil {
		return 1, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err = errors.Join(err, cluster.Stop(closing))
	}()
	if len(arguments) == 0 {
		fmt.Printf("TEMPORAL_ADDRESS=%s\nlogs and data: %s\nCtrl-C ends it\n", cluster.Address, dir)
		<-ctx.Done()
		return 0, nil
	}
	return testenv.Run(ctx, arguments, cluster.DatabaseURL, cluster.Address)
}
