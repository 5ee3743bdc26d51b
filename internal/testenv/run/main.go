// Command run starts one Postgres and one Temporal, runs the command given
// after -- with their addresses in its environment, stops them, and exits as
// the command did:
//
//	go run ./internal/testenv/run -- go test ./...
//
// With -tests it starts no Temporal, as each test process has its own then, and
// keeps Postgres's files in memory where there is room: not for much data.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"vestnik/internal/testenv"
)

func main() {
	tests := flag.Bool("tests", false, "start no Temporal, and keep files in memory")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: run [-tests] -- command [argument…]")
		os.Exit(2)
	}
	code, err := run(flag.Args(), *tests)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
	}
	os.Exit(code)
}

func run(arguments []string, tests bool) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parent := ""
	if tests {
		parent = memory()
	}
	servers, err := testenv.NewServers(parent, func(step string) { fmt.Fprintln(os.Stderr, "testenv:", step) })
	if err != nil {
		return 1, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err = errors.Join(err, servers.Close(closing))
	}()
	database, err := servers.Postgres(ctx)
	if err != nil {
		return 1, fmt.Errorf("start Postgres: %w", err)
	}
	if tests {
		return testenv.Run(ctx, arguments, database, "")
	}
	temporal, err := servers.Temporal(ctx)
	if err != nil {
		return 1, fmt.Errorf("start Temporal: %w", err)
	}
	return testenv.Run(ctx, arguments, database, temporal)
}

// memory is a folder in memory that has room for the databases of tests, or
// empty. Such a database is a thousand files that live for seconds: on a disk, a
// sixth of what Postgres does is the file system's search for room.
func memory() string {
	const folder, room = "/dev/shm", 4 << 30
	var stat syscall.Statfs_t
	if err := syscall.Statfs(folder, &stat); err != nil || stat.Bavail*uint64(stat.Bsize) < room {
		return ""
	}
	return folder
}
