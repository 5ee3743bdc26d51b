package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"vestnik/internal/sandbox/core"
)

// point changes where updates go. t.mu is held.
func (u *updateQueue) point(hook Webhook, drop bool) {
	u.hook, u.allowed = hook, hook.AllowedUpdates
	u.epoch++
	u.last = map[string]chan struct{}{}
	u.slots = make(chan struct{}, cmp.Or(hook.MaxConnections, 40))
	u.lastError = ""
	if drop {
		u.pending = nil
	}
	u.ring()
	u.resume()
}

// resume starts the delivery of everything pending. t.mu is held.
func (u *updateQueue) resume() {
	for _, update := range u.pending {
		u.deliver(update)
	}
}

// deliver sends an update on its way, after those before it in its queue: one that is refused holds up those behind it,
// as at Telegram. t.mu is held.
func (u *updateQueue) deliver(update *Update) {
	if u.hook.URL == "" || u.mode.Hold || update.epoch == u.epoch {
		return
	}
	update.epoch = u.epoch
	before, done, epoch, slots := u.last[update.queue], make(chan struct{}), u.epoch, u.slots
	u.last[update.queue] = done
	if before == nil || u.mode.Together {
		before = make(chan struct{})
		close(before)
	}
	u.t.core.Running.Go(func() {
		defer close(done)
		select {
		case <-before:
		case <-u.t.core.Life.Done():
		}
		u.t.mu.Lock()
		mode, changed := u.mode, u.epoch != epoch
		u.t.mu.Unlock()
		if changed {
			return
		}
		var copies sync.WaitGroup
		for range mode.Copies {
			if !mode.Together {
				u.insist(update, epoch, slots)
				continue
			}
			copies.Go(func() { u.insist(update, epoch, slots) })
		}
		u.insist(update, epoch, slots)
		copies.Wait()
	})
}

// insist offers an update until it is taken, expires, or the webhook changes. The first repetition follows at once,
// then the pauses double to one or two minutes; a Retry-After of the answer is honoured up to an hour (WebhookActor.cpp
// in telegram-bot-api).
func (u *updateQueue) insist(update *Update, epoch int, slots chan struct{}) {
	s := u.t.core
	pause := u.t.options.WebhookRetry
	for attempt := 1; ; attempt++ {
		select {
		case slots <- struct{}{}:
		case <-s.Life.Done():
			return
		}
		d := u.post(s.Life, update, attempt)
		<-slots
		u.t.mu.Lock()
		changed := u.epoch != epoch
		if d.OK() || update.expired(s.Now()) {
			u.remove(update)
			u.t.mu.Unlock()
			return
		}
		u.lastError, u.errorAt = cmp.Or(d.Error, fmt.Sprintf("Wrong response from the webhook: %d %s", d.Status, http.StatusText(d.Status))), s.Now()
		u.t.mu.Unlock()
		if changed {
			return
		}
		wait := time.Duration(0)
		if attempt > 1 {
			wait = pause
			pause = min(2*pause, time.Minute+time.Duration(rand.Int64N(int64(time.Minute))))
		}
		wait = max(wait, time.Duration(min(d.RetryAfter, 3600))*time.Second)
		if !s.Sleep(s.Life, wait) {
			return
		}
	}
}

// offer posts each update once.
func (u *updateQueue) offer(ctx context.Context, list []*Update, together bool) ([]Delivery, error) {
	deliveries := make([]Delivery, len(list))
	one := func(i int) {
		deliveries[i] = u.post(ctx, list[i], 1)
		if deliveries[i].OK() {
			u.t.mu.Lock()
			u.remove(list[i])
			u.t.mu.Unlock()
		}
	}
	var all sync.WaitGroup
	for i := range list {
		if together {
			all.Go(func() { one(i) })
		} else {
			one(i)
		}
	}
	all.Wait()
	return deliveries, ctx.Err()
}

// post hands an update over once and records how that went.
func (u *updateQueue) post(ctx context.Context, update *Update, attempt int) Delivery {
	u.t.mu.Lock()
	hook := u.hook
	u.t.mu.Unlock()
	d := Delivery{UpdateID: update.ID, Attempt: attempt, SentAt: time.Now()}
	if err := d.make(ctx, hook, update.Body); err != nil {
		d.Error = err.Error()
	}
	d.AnsweredAt = time.Now()
	u.t.mu.Lock()
	defer u.t.mu.Unlock()
	if u.attempts = append(u.attempts, d); len(u.attempts) > deliveriesKept {
		u.attempts = slices.Clone(u.attempts[len(u.attempts)-deliveriesKept/2:])
	}
	u.ring()
	return d
}

// make hands the update to the webhook and keeps what it answers.
func (d *Delivery) make(ctx context.Context, hook Webhook, update []byte) error {
	if hook.URL == "" {
		return errors.New("no webhook is set")
	}
	headers := map[string]string{}
	if hook.Secret != "" {
		headers["X-Telegram-Bot-Api-Secret-Token"] = hook.Secret
	}
	status, answer, header, err := core.PostJSON(ctx, hook.URL, headers, update, webhookTimeout)
	d.Status, d.Answer = status, answer
	d.RetryAfter, _ = strconv.Atoi(header.Get("Retry-After")) // 0 if it names no seconds
	return err
}
