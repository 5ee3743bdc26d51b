// Command chaos is the storm: Vestnik's own binary as it runs in production,
// workers, api and schedule in processes of their own, with a Postgres, a
// Temporal and a sandbox in the platforms' place, while much of it fails.
//
//	make chaos SEED=1                  500 posts, 20 walls, 3 chats, 2 VK walls, 200 people, 4 minutes of faults
//	go run ./internal/chaos -short     what `make test` runs: a minute and a half
//	make upgrade FROM=8b644a0          no faults, but an upgrade from that commit in the middle
//	go run ./internal/chaos -short -cluster     on a Temporal of several processes with tight limits, of which one history is killed
//
// A seed decides what fails when: workers and api die with -9 or freeze, new
// versions roll out, Postgres and Temporal stop or are killed and come back,
// the links between processes stall and drop, lanes and deliveries are
// terminated by hand, the platforms refuse, hang, ask for a captcha, move a
// chat, or accept and never say so, authors edit what they wrote, and people
// press buttons all the while. The same seed is the same plan; what
// it hits depends on the machine, so a finding may need several runs. To narrow
// one down, leave kinds of faults out of the plan: ARGS='-without rollout'.
//
// Then everything is mended, and when all has come to rest the ledger is
// compared with what the sandbox really received:
//
//	lost                    a post that a rule sends to a destination has not come,
//	                        or not all of its parts
//	doubled                 it came more than once; on Telegram that is allowed where
//	                        the ledger lists as many attempts of unknown outcome
//	not as recorded         the ledger's message ids are not those of what came
//	not edited              what the author added is not in the message on record
//	out of order            a delivery came after one with a greater id
//	over the rate           more than the destination's rate or limit a minute
//	clicks without an answer  no answerCallbackQuery, or no screen
//	people woken            somebody was asked about what nobody has to mend
//
// The exit code is 1 if anything was found, and then the logs are kept.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	s := scale{every: 3 * time.Second, people: true}
	seed := flag.Uint64("seed", 1, "decides what fails when")
	short := flag.Bool("short", false, "the storm of make test; the sizes below are not looked at")
	flag.IntVar(&s.posts, "posts", 500, "posts in all")
	flag.IntVar(&s.walls, "walls", 20, "VK walls that are read")
	flag.IntVar(&s.chats, "chats", 3, "Telegram chats that are delivered to")
	flag.IntVar(&s.vk, "vk", 2, "VK walls that are delivered to")
	flag.IntVar(&s.users, "users", 200, "people who press the guide's buttons")
	flag.IntVar(&s.workers, "workers", 2, "worker processes")
	flag.IntVar(&s.apis, "apis", 2, "api processes, which take the webhook's connections in turn")
	flag.DurationVar(&s.lasting, "lasting", 4*time.Minute, "how long things fail")
	flag.DurationVar(&s.calm, "calm", 5*time.Minute, "how long everything may take to come to rest")
	flag.StringVar(&s.without, "without", "", "kinds of faults to leave out, as they are printed: rollout,lane terminated; or all")
	flag.StringVar(&s.from, "from", "", "begin with the build of this commit, and upgrade in the middle: migrate, workers, api")
	flag.BoolVar(&s.cluster, "cluster", false, "Temporal as a cluster of processes on Postgres, with tight limits, of which one history is killed; see make cluster")
	flag.Parse()
	if *short {
		without, cluster, from := s.without, s.cluster, s.from
		s = shortScale()
		s.without, s.cluster, s.from = without, cluster, from
	}
	os.Exit(report(*seed, s))
}

func report(seed uint64, s scale) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := makeDir()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		return 2
	}
	fmt.Printf("seed %d: %d posts from %d walls to %d chats and %d VK walls, %d people\n", seed, s.posts, s.walls, s.chats, s.vk, s.users)
	found, err := run(ctx, newPlan(seed, s), dir, os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "chaos: no storm: %v\nlogs and data: %s\n", err, dir)
		return 2
	}
	fmt.Print("\n", found)
	if len(found.findings) > 0 {
		fmt.Printf("logs and data: %s\nagain: make chaos SEED=%d\n", dir, seed)
		return 1
	}
	_ = os.RemoveAll(dir) // a scratch folder
	return 0
}

func makeDir() (string, error) {
	dir, err := os.MkdirTemp("", "vestnik-chaos-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755) // Postgres is another user if we are root
}
