package telegram

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"vestnik/internal/sandbox/core"
)

// Webhook is where a bot's updates go.
type Webhook struct {
	URL            string   `json:"url"`
	Secret         string   `json:"secret,omitempty"`
	MaxConnections int      `json:"max_connections,omitempty"` // 40 if 0
	AllowedUpdates []string `json:"allowed_updates,omitempty"`
}

// DeliveryMode disturbs the delivery of updates.
type DeliveryMode struct {
	// Hold keeps updates back until Release.
	Hold bool `json:"hold"`
	// Copies is how many times more than once each update is delivered.
	Copies int `json:"copies"`
	// Together sends copies, and updates that ordinarily wait for each other, at the same time.
	Together bool `json:"together"`
}

// Delivery is one attempt to hand an update to a webhook.
type Delivery struct {
	UpdateID   int64     `json:"update_id"`
	Attempt    int       `json:"attempt"` // 1, 2, 3… of this copy
	SentAt     time.Time `json:"sent_at"`
	AnsweredAt time.Time `json:"answered_at"`
	Status     int       `json:"status"` // 0 if there was no answer
	Error      string    `json:"error,omitempty"`
	RetryAfter int       `json:"retry_after,omitempty"`
}

// OK reports whether the update was taken.
func (d Delivery) OK() bool { return d.Status >= 200 && d.Status < 300 }

// deliveriesKept bounds how many deliveries of a bot are remembered.
const deliveriesKept = 10_000

// webhookTimeout is how long Telegram waits for the answer.
const webhookTimeout = 60 * time.Second

var secretToken = regexp.MustCompile(`^[A-Za-z0-9_-]{0,256}$`)

func (q *request) setWebhook() any {
	t, p := q.platform, q.params
	switch {
	case !secretToken.MatchString(p.Secret):
		q.bad("secret token contains unallowed characters")
	case p.Connections < 0 || p.Connections > 100:
		q.bad("bad webhook: max_connections must be from 1 to 100")
	case p.URL != "":
		q.refuse(webhookURL(p.URL))
	}
	if q.refused != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	hook := Webhook{URL: p.URL, Secret: p.Secret, MaxConnections: p.Connections, AllowedUpdates: q.bot.updates.allowed}
	if p.Allowed != nil { // omitted: the previous setting stays
		hook.AllowedUpdates = *p.Allowed
	}
	q.bot.updates.point(hook, p.Drop)
	return true
}

// webhookURL allows what Telegram allows, and plain HTTP to this machine.
func webhookURL(address string) *refusal {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return badRequest("bad webhook: invalid URL")
	}
	ip := net.ParseIP(u.Hostname())
	switch {
	case u.Hostname() == "localhost" || ip.IsLoopback() || ip.IsPrivate():
		return nil
	case u.Scheme != "https":
		return badRequest("bad webhook: An HTTPS URL must be provided for webhook")
	case !slices.Contains([]string{"", "443", "80", "88", "8443"}, u.Port()):
		return badRequest("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
	}
	return nil
}

func (q *request) deleteWebhook() any {
	q.platform.mu.Lock()
	defer q.platform.mu.Unlock()
	q.bot.updates.point(Webhook{AllowedUpdates: q.bot.updates.allowed}, q.params.Drop)
	return true
}

func (q *request) getWebhookInfo() any {
	q.platform.mu.Lock()
	defer q.platform.mu.Unlock()
	u := &q.bot.updates
	info := map[string]any{"url": u.hook.URL, "pending_update_count": len(u.pending), "max_connections": cap(u.slots)}
	if len(u.allowed) > 0 {
		info["allowed_updates"] = u.allowed
	}
	if u.lastError != "" {
		info["last_error_date"], info["last_error_message"] = u.errorAt.Unix(), u.lastError
	}
	return info
}

// SetWebhook points a bot's updates at a URL without a call of the bot. An empty URL ends it.
func (t *Platform) SetWebhook(token string, hook Webhook) error {
	return t.withBot(token, func(u *updateQueue) { u.point(hook, false) })
}

// SetDelivery disturbs, or stops disturbing, the delivery of a bot's updates.
func (t *Platform) SetDelivery(token string, mode DeliveryMode) error {
	return t.withBot(token, func(u *updateQueue) {
		u.mode = mode
		u.resume()
	})
}

// Release delivers the updates held back by DeliveryMode.Hold with their copies, in order or in reverse, one after
// another or all at once, and returns when each has been offered once. Updates that the webhook refuses stay pending.
func (t *Platform) Release(ctx context.Context, token string, reverse, together bool) ([]Delivery, error) {
	return t.offer(ctx, token, together, func(u *updateQueue) (held []*Update) {
		for _, update := range u.pending {
			held = append(held, slices.Repeat([]*Update{update}, 1+u.mode.Copies)...)
		}
		if reverse {
			slices.Reverse(held)
		}
		return held
	})
}

// Redeliver hands an update to the webhook again, copies times, at the same time if together, whatever became of it
// before. An update that is not known is not delivered.
func (t *Platform) Redeliver(ctx context.Context, token string, updateID int64, copies int, together bool) ([]Delivery, error) {
	return t.offer(ctx, token, together, func(u *updateQueue) []*Update {
		at := slices.IndexFunc(u.recent, func(known *Update) bool { return known.ID == updateID })
		if at < 0 {
			return nil
		}
		return slices.Repeat(u.recent[at:at+1], copies)
	})
}

// offer posts each of some updates once.
func (t *Platform) offer(ctx context.Context, token string, together bool, which func(*updateQueue) []*Update) ([]Delivery, error) {
	var list []*Update
	var u *updateQueue
	if err := t.withBot(token, func(queue *updateQueue) { u, list = queue, which(queue) }); err != nil {
		return nil, err
	}
	deliveries := make([]Delivery, len(list))
	var all sync.WaitGroup
	for i, update := range list {
		all.Go(func() {
			if deliveries[i] = u.post(ctx, update, 1); deliveries[i].OK() {
				t.mu.Lock()
				defer t.mu.Unlock()
				u.remove(update)
			}
		})
		if !together {
			all.Wait()
		}
	}
	all.Wait()
	return deliveries, ctx.Err()
}

// WaitForDeliveries blocks until at least n deliveries of a bot match, or ctx ends. A nil match takes all.
func (t *Platform) WaitForDeliveries(ctx context.Context, token string, match func(Delivery) bool, n int) (list []Delivery, err error) {
	for {
		var bell chan struct{}
		err := t.withBot(token, func(u *updateQueue) {
			bell, list = u.bell, slices.DeleteFunc(slices.Clone(u.attempts), func(d Delivery) bool { return match != nil && !match(d) })
		})
		if err != nil || len(list) >= n {
			return list, err
		}
		select {
		case <-bell:
		case <-ctx.Done():
			return list, fmt.Errorf("sandbox: waited for the updates of a bot: %w", ctx.Err())
		}
	}
}

// point changes where updates go. t.mu is held.
func (u *updateQueue) point(hook Webhook, drop bool) {
	u.hook, u.allowed, u.lastError = hook, hook.AllowedUpdates, ""
	u.epoch++
	u.last = map[string]chan struct{}{}
	u.slots = make(chan struct{}, cmp.Or(hook.MaxConnections, 40))
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
	before, done, mode, epoch, slots := u.last[update.queue], make(chan struct{}), u.mode, u.epoch, u.slots
	u.last[update.queue] = done
	u.t.core.Running.Go(func() {
		defer close(done)
		if before != nil && !mode.Together {
			select {
			case <-before:
			case <-u.t.core.Life.Done():
			}
		}
		var copies sync.WaitGroup
		for range 1 + mode.Copies {
			copies.Go(func() { u.insist(update, epoch, slots) })
			if !mode.Together {
				copies.Wait()
			}
		}
		copies.Wait()
	})
}

// insist offers an update until it is taken, expires, or the webhook changes. The first repetition follows at once,
// then the pauses double to one or two minutes; a Retry-After of the answer is honoured up to an hour (WebhookActor.cpp
// in telegram-bot-api).
func (u *updateQueue) insist(update *Update, epoch int, slots chan struct{}) {
	s, pause := u.t.core, u.t.options.WebhookRetry
	for attempt := 1; ; attempt++ {
		select {
		case slots <- struct{}{}:
		case <-s.Life.Done():
			return
		}
		u.t.mu.Lock()
		changed := u.epoch != epoch
		u.t.mu.Unlock()
		d := Delivery{}
		if !changed {
			d = u.post(s.Life, update, attempt)
		}
		<-slots
		if changed {
			return
		}
		u.t.mu.Lock()
		over := d.OK() || update.expired(s.Now())
		if over {
			u.remove(update)
		} else {
			u.lastError, u.errorAt = cmp.Or(d.Error, fmt.Sprintf("Wrong response from the webhook: %d %s", d.Status, http.StatusText(d.Status))), s.Now()
		}
		u.t.mu.Unlock()
		wait := time.Duration(0)
		if attempt > 1 {
			wait, pause = pause, min(2*pause, time.Minute+time.Duration(rand.Int64N(int64(time.Minute))))
		}
		if over || !s.Sleep(s.Life, max(wait, time.Duration(min(d.RetryAfter, 3600))*time.Second)) {
			return
		}
	}
}

// post hands an update over once and records how that went.
func (u *updateQueue) post(ctx context.Context, update *Update, attempt int) Delivery {
	u.t.mu.Lock()
	hook := u.hook
	u.t.mu.Unlock()
	d := Delivery{UpdateID: update.ID, Attempt: attempt, SentAt: time.Now()}
	headers := map[string]string{}
	if hook.Secret != "" {
		headers["X-Telegram-Bot-Api-Secret-Token"] = hook.Secret
	}
	status, _, header, err := core.PostJSON(ctx, hook.URL, headers, update.Body, webhookTimeout)
	d.Status, d.AnsweredAt = status, time.Now()
	d.RetryAfter, _ = strconv.Atoi(header.Get("Retry-After")) // 0 if it names no seconds
	if err != nil {
		d.Error = err.Error()
	}
	u.t.mu.Lock()
	defer u.t.mu.Unlock()
	u.attempts = append(u.attempts, d)
	u.attempts = u.attempts[max(len(u.attempts)-deliveriesKept, 0):]
	u.ring()
	return d
}
