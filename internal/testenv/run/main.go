// Command run starts one Postgres and one Temporal, runs the command given
// after -- with their addresses in its environment, stops them, and exits as
// the command did:
//
//	go run ./internal/testenv/run -- go test ./...
//
// With -postgres it starts no Temporal: each test process has its own then.
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
	postgresAlone := flag.Bool("postgres", false, "start no Temporal")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: run [-postgres] -- command [argument…]")
		os.Exit(2)
	}
	code, err := run(flag.Args(), *postgresAlone)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
	}
	os.Exit(code)
}

func run(arguments []string, postgresAlone bool) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	servers, err := testenv.NewServers(func(step string) { fmt.Fprintln(os.Stderr, "testenv:", step) })
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
	if postgresAlone {
		return testenv.Run(ctx, arguments, database, "")
	}
	temporal, err := servers.Temporal(ctx)
	if err != nil {
		return 1, fmt.Errorf("start Temporal: %w", err)
	}
	return testenv.Run(ctx, arguments, database, temporal)
}
