package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"

	"vestnik/internal/protocol"
)

// storm carries a plan out.
type storm struct {
	*plan
	*stack
	say   func(format string, arguments ...any)
	begun time.Time

	mu      sync.Mutex
	owed    []owed
	edited  []owed
	clicks  []click
	wakings []waking
	excuses []excuse
	visible map[int64]time.Time
	failed  []error

	rewarded int // posts that their authors edit
}

// run makes a storm and audits what it has left. The error is for a storm that
// could not be made; findings are in the outcome.
func run(ctx context.Context, p *plan, dir string, out io.Writer) (*outcome, error) {
	began := time.Now()
	var mu sync.Mutex
	say := func(format string, arguments ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(out, "%6.1f s  "+format+"\n", append([]any{time.Since(began).Seconds()}, arguments...)...)
	}
	world, err := openWorld(ctx, p.scale)
	if err != nil {
		return nil, err
	}
	defer world.Close()
	stack, err := openStack(ctx, dir, world)
	if err != nil {
		return nil, err
	}
	defer stack.close()
	s := &storm{plan: p, stack: stack, say: say, visible: map[int64]time.Time{}}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	began = time.Now()
	s.begun = began
	say("the storm begins: %d faults in %s", len(p.faults), p.lasting)
	watched, unwatched := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { s.watchRows(watched) })
	watching.Go(func() { s.watchLanes(watched) })
	s.blow(ctx)
	say("it is over: everything has %s to come to rest", p.calm)
	s.settle(ctx)
	unwatched()
	watching.Wait()
	if err := errors.Join(append(s.failed, ctx.Err())...); err != nil {
		return nil, err
	}
	e, err := s.evidence(ctx)
	if err != nil {
		return nil, err
	}
	return audit(e), nil
}

// begin brings everything up while nothing fails.
func (s *storm) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	s.say("starting workers and api")
	if err := s.stack.run(ctx); err != nil {
		return err
	}
	if _, err := s.vestnik(ctx, "schedule"); err != nil {
		return err
	}
	s.say("%d people meet the guide", s.users)
	return s.world.meet(ctx)
}

// blow lasts until the last fault is over and the last post is written.
func (s *storm) blow(ctx context.Context) {
	blowing, calm := context.WithTimeout(ctx, s.lasting)
	defer calm()
	var all sync.WaitGroup
	for user := range s.users {
		all.Go(func() { s.wander(blowing, user) })
	}
	all.Go(func() { s.write(blowing) })
	for _, f := range s.faults {
		all.Go(func() {
			sleep(blowing, f.at)
			if blowing.Err() != nil {
				return
			}
			s.say("%s", f)
			if err := s.strike(ctx, f); err != nil {
				s.say("%s: %v", f, err)
				s.note(func() { s.failed = append(s.failed, fmt.Errorf("%s: %w", f, err)) })
			}
		})
	}
	all.Wait()
}

func (s *storm) note(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// strike does one fault and undoes it.
func (s *storm) strike(ctx context.Context, f fault) error {
	switch f.kind {
	case workerKilled:
		s.worker(f.which).signal(syscall.SIGKILL)
	case workerFrozen:
		worker := s.worker(f.which)
		worker.signal(syscall.SIGSTOP)
		sleep(ctx, f.lasting)
		worker.signal(syscall.SIGCONT)
	case apiKilled:
		s.apis[f.which%len(s.apis)].signal(syscall.SIGKILL)
	case rollout:
		return s.rollout(ctx)
	case upgraded:
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		return s.upgrade(ctx)
	case postgresDown, temporalDown:
		return s.outage(ctx, f)
	case linkStalled:
		s.links[f.target].stall(ctx, f.lasting)
	case linkDropped:
		s.links[f.target].drop(ctx, f.lasting)
	case laneTerminated:
		return s.terminate(ctx, "destination/"+f.target)
	case deliveryTerminated:
		return s.terminateDelivery(ctx, f)
	case platformFault:
		id, err := s.world.SetFault(f.injected)
		if err != nil || f.lasting == 0 {
			return err
		}
		sleep(ctx, f.lasting)
		s.world.ClearFault(id)
	case botKicked:
		return s.kick(ctx, f)
	case captchaAsked:
		return s.askCaptcha(ctx, f)
	case chatUpgraded:
		return s.world.upgrade()
	}
	return nil
}

// terminate ends a workflow as a person does, when Temporal is there to be
// told. One that does not run needs no end.
func (s *storm) terminate(ctx context.Context, id string) error {
	return until(ctx, "Temporal", func() bool {
		asking, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		err := s.client.TerminateWorkflow(asking, id, "", "the storm")
		return err == nil || errors.As(err, new(*serviceerror.NotFound))
	})
}

// terminateDelivery ends one of a destination's deliveries that are under way,
// as soon as there is one.
func (s *storm) terminateDelivery(ctx context.Context, f fault) error {
	var ids []string
	for end := time.Now().Add(10 * time.Second); len(ids) == 0 && time.Now().Before(end); sleep(ctx, 100*time.Millisecond) {
		rows, err := s.pool.Query(ctx, `SELECT d.workflow_id FROM relay.deliveries d JOIN relay.destinations t ON t.id = d.destination_id
			WHERE t.name = $1 AND d.status IN ('pending', 'sending') ORDER BY d.id`, f.target)
		if err == nil {
			ids, _ = pgx.CollectRows(rows, pgx.RowTo[string]) // Postgres may be away: later
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return s.terminate(ctx, ids[f.which%len(ids)])
}

// kick throws the bot out of a chat and lets it in again; an operator sees to
// what that has stopped.
func (s *storm) kick(ctx context.Context, f fault) error {
	from := time.Now()
	if err := s.world.kick(f.target, true); err != nil {
		return err
	}
	sleep(ctx, f.lasting)
	err := s.world.kick(f.target, false)
	s.mend(ctx, f.target, from)
	return err
}

// askCaptcha lets VK ask for a captcha at every post to a wall; an operator
// answers it.
func (s *storm) askCaptcha(ctx context.Context, f fault) error {
	from := time.Now()
	id, err := s.world.askCaptcha(f.target)
	if err != nil {
		return err
	}
	sleep(ctx, f.lasting)
	s.world.ClearFault(id)
	s.mend(ctx, f.target, from)
	return nil
}

// mend has an operator see to what stopped since a time at a destination.
func (s *storm) mend(ctx context.Context, destination string, from time.Time) {
	ctx, cancel := context.WithTimeout(ctx, s.calm)
	defer cancel()
	for !s.operate(ctx, destination) && ctx.Err() == nil {
		sleep(ctx, time.Second)
	}
	const late = 20 * time.Second // an answer may be under way
	s.note(func() { s.excuses = append(s.excuses, excuse{destination, from, time.Now().Add(late)}) })
}

// operate answers a captcha, resumes a lane and what is parked behind it, and
// reports whether that was taken.
func (s *storm) operate(ctx context.Context, destination string) bool {
	rows, err := s.pool.Query(ctx, `SELECT d.id::text FROM relay.deliveries d JOIN relay.destinations t ON t.id = d.destination_id
		WHERE t.name = $1 AND d.status = 'parked' AND d.reason = $2`, destination, protocol.ReasonCaptcha)
	if err != nil {
		return false
	}
	asked, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, id := range asked {
		if _, resumed := s.vestnik(ctx, "resume", id, "--captcha-key", "зл7к"); resumed != nil {
			err = resumed
		}
	}
	_, first := s.vestnik(ctx, "destination", "resume", destination)
	_, second := s.vestnik(ctx, "resume", "--all", "--destination", destination)
	return errors.Join(err, first, second) == nil
}

// write publishes the posts; their authors edit some of them, at the latest
// when the storm is over.
func (s *storm) write(ctx context.Context) {
	var authors sync.WaitGroup
	for number, publication := range s.posts {
		sleep(ctx, publication.at-time.Since(s.begun))
		due, err := s.world.publish(number+1, publication)
		s.note(func() {
			s.owed = append(s.owed, due...)
			if publication.edited > 0 {
				s.edited = append(s.edited, due...)
				s.rewarded++
			}
			if err != nil {
				s.failed = append(s.failed, err)
			}
		})
		if err != nil || publication.edited == 0 || len(due) == 0 {
			continue
		}
		authors.Go(func() {
			sleep(ctx, publication.edited)
			if err := s.world.reward(due[0].owner, due[0].post); err != nil {
				s.note(func() { s.failed = append(s.failed, err) })
			}
		})
	}
	authors.Wait()
}

// wander is one user: a button of the menu now and then, sometimes two at
// once, and the next when the screens have come.
func (s *storm) wander(ctx context.Context, user int) {
	random := rand.New(rand.NewPCG(s.seed, uint64(user)+1))
	buttons := slices.Sorted(maps.Keys(s.world.menu))
	rest := max(3*time.Second, time.Duration(s.users)*200*time.Millisecond) // five clicks a second altogether, at most
	for {
		sleep(ctx, time.Duration(random.Int64N(int64(2*rest))))
		if ctx.Err() != nil {
			return
		}
		random.Shuffle(len(buttons), func(i, j int) { buttons[i], buttons[j] = buttons[j], buttons[i] })
		taps := buttons[:1+random.IntN(5)/4]
		var made []click
		for _, data := range taps {
			click, err := s.world.press(user, data)
			if err != nil {
				s.note(func() { s.failed = append(s.failed, err) })
				return
			}
			made = append(made, click)
		}
		s.note(func() { s.clicks = append(s.clicks, made...) })
		for _, click := range made {
			_ = until(ctx, "a screen", func() bool { return s.world.shown(click) }) // what comes after the storm counts too
		}
	}
}

// watchRows notes when each row could first be seen, and who waited for a
// person.
func (s *storm) watchRows(ctx context.Context) {
	last, asked := int64(0), map[int64]bool{}
	for ; ctx.Err() == nil; sleep(ctx, 250*time.Millisecond) {
		rows, err := s.pool.Query(ctx, `SELECT d.id, t.name, d.status, d.reason FROM relay.deliveries d JOIN relay.destinations t ON t.id = d.destination_id
			WHERE d.id > $1 - 500 OR d.status IN ('parked', 'unknown')`, last)
		if err != nil {
			continue // it is away
		}
		for rows.Next() {
			var id int64
			var destination, status, reason string
			if rows.Scan(&id, &destination, &status, &reason) != nil {
				break
			}
			last = max(last, id)
			if _, known := s.visible[id]; !known {
				s.visible[id] = time.Now()
			}
			if waits := status == "parked" || status == "unknown"; !waits {
				delete(asked, id)
			} else if !asked[id] {
				asked[id] = true
				s.wake(waking{time.Now(), destination, id, status + " " + reason})
			}
		}
		rows.Close()
	}
}

// watchLanes notes which lanes were paused.
func (s *storm) watchLanes(ctx context.Context) {
	paused := map[string]bool{}
	for ; ctx.Err() == nil; sleep(ctx, 5*time.Second) {
		output, err := s.vestnik(ctx, "destination", "list", "-o", "json")
		var lanes []struct{ Destination, State, Reason string }
		if err != nil || json.Unmarshal(output, &lanes) != nil {
			continue // nobody to ask
		}
		for _, lane := range lanes {
			if lane.State == "paused" && !paused[lane.Destination] {
				s.wake(waking{time.Now(), lane.Destination, 0, lane.Reason})
			}
			paused[lane.Destination] = lane.State == "paused"
		}
	}
}

func (s *storm) wake(w waking) {
	s.say("a person is asked about %s, delivery %d: %s", w.destination, w.delivery, w.reason)
	s.note(func() { s.wakings = append(s.wakings, w) })
}

// settle lifts what is left of the faults and waits until nothing is owed and
// nobody waits for a screen, or the calm is over.
func (s *storm) settle(ctx context.Context) {
	s.world.ClearFaults()
	ctx, cancel := context.WithTimeout(ctx, s.calm)
	defer cancel()
	for !s.quiet(ctx) && ctx.Err() == nil {
		for _, e := range s.excuses {
			s.operate(ctx, e.destination)
		}
		sleep(ctx, time.Second)
	}
	if ctx.Err() == nil {
		sleep(ctx, 5*time.Second) // what should not come any more has time to come
		s.say("all is quiet")
	}
}

func (s *storm) quiet(ctx context.Context) bool {
	var sent, rewarded, edits int
	err := s.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM relay.deliveries WHERE status = 'sent'),
		(SELECT count(*) FROM relay.posts WHERE strpos(text, $1) > 0), (SELECT count(*) FROM relay.amendments WHERE status = 'pending')`,
		reward).Scan(&sent, &rewarded, &edits)
	if err != nil || sent < len(s.owed) || rewarded < s.rewarded || edits > 0 {
		return false
	}
	return !slices.ContainsFunc(s.clicks, func(c click) bool { return !s.world.shown(c) })
}

// evidence reads the ledger and what the sandbox holds.
func (s *storm) evidence(ctx context.Context) (evidence, error) {
	s.world.settle(s.clicks)
	e := evidence{owed: s.owed, edited: s.edited, clicks: s.clicks, wakings: s.wakings, excuses: s.excuses, visible: s.visible, paces: map[string]pace{}}
	for i, destination := range s.destinations() {
		e.paces[destination] = standardPace
		if i >= s.chats {
			e.paces[destination] = pace{perSecond: standardPace.perSecond}
		}
	}
	var err error
	if e.received, err = s.world.received(); err != nil {
		return e, err
	}
	rows, err := s.pool.Query(ctx, `SELECT d.id, t.name, d.owner_id, d.post_id, d.status, d.reason, d.unknown_attempts,
			ARRAY(SELECT unnest(p.message_ids) FROM relay.delivery_parts p WHERE p.delivery_id = d.id)
		FROM relay.deliveries d JOIN relay.destinations t ON t.id = d.destination_id`)
	if err != nil {
		return e, err
	}
	e.ledger, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d delivery, err error) {
		return d, row.Scan(&d.id, &d.destination, &d.owner, &d.post, &d.status, &d.reason, &d.unknown, &d.messages)
	})
	return e, err
}
