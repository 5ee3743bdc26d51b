package telegram

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"time"
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
	Answer     string    `json:"answer,omitempty"`
	Error      string    `json:"error,omitempty"`
	RetryAfter int       `json:"retry_after,omitempty"`
}

// OK reports whether the update was taken.
func (d Delivery) OK() bool { return d.Status >= 200 && d.Status < 300 }

var errNoBot = errors.New("sandbox: no bot with this token: add it first")

// deliveriesKept bounds how many deliveries of a bot are remembered.
const deliveriesKept = 10_000

// webhookTimeout is how long Telegram waits for the answer.
const webhookTimeout = 60 * time.Second

var secretToken = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)

func (q *request) setWebhook() any {
	hook := Webhook{URL: q.form.Text("url"), Secret: q.form.Text("secret_token"), MaxConnections: int(q.integer("max_connections"))}
	sent := q.object("allowed_updates", &hook.AllowedUpdates)
	switch {
	case len(hook.Secret) > 256:
		q.bad("secret token is too long")
	case !secretToken.MatchString(hook.Secret):
		q.bad("secret token contains unallowed characters")
	case hook.MaxConnections < 0 || hook.MaxConnections > 100:
		q.bad("bad webhook: max_connections must be from 1 to 100")
	}
	if hook.URL != "" {
		q.refuse(webhookURL(hook.URL))
	}
	if q.refused != nil {
		return nil
	}
	t := q.platform
	t.mu.Lock()
	defer t.mu.Unlock()
	if !sent { // omitted: the previous setting stays
		hook.AllowedUpdates = q.bot.updates.allowed
	}
	q.bot.updates.point(hook, q.boolean("drop_pending_updates"))
	return true
}

// webhookURL allows what Telegram allows, and plain HTTP to this machine.
func webhookURL(address string) *refusal {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return badRequest("bad webhook: invalid URL")
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsPrivate())
	switch {
	case local:
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
	q.bot.updates.point(Webhook{AllowedUpdates: q.bot.updates.allowed}, q.boolean("drop_pending_updates"))
	return true
}

func (q *request) getWebhookInfo() any {
	q.platform.mu.Lock()
	defer q.platform.mu.Unlock()
	u := &q.bot.updates
	info := map[string]any{"url": u.hook.URL, "has_custom_certificate": false, "pending_update_count": len(u.pending)}
	if u.hook.URL != "" {
		info["max_connections"] = cap(u.slots)
	}
	if len(u.allowed) > 0 {
		info["allowed_updates"] = u.allowed
	}
	if u.lastError != "" {
		info["last_error_date"], info["last_error_message"] = u.errorAt.Unix(), u.lastError
	}
	return info
}

// withBot does something with a bot's updates. t.mu is held meanwhile.
func (t *Platform) withBot(token string, do func(*updateQueue)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.bots[token]
	if b == nil {
		return errNoBot
	}
	do(&b.updates)
	return nil
}

// SetWebhook points a bot's updates at a URL without a call of the bot. An empty URL ends it.
func (t *Platform) SetWebhook(token string, hook Webhook) error {
	return t.withBot(token, func(u *updateQueue) { u.point(hook, false) })
}

// SetDelivery disturbs, or stops disturbing, the delivery of a bot's updates.
func (t *Platform) SetDelivery(token string, mode DeliveryMode) error {
	return t.withBot(token, func(u *updateQueue) {
		held := u.mode.Hold
		u.mode = mode
		if held && !mode.Hold {
			u.resume()
		}
	})
}

// Release delivers the updates held back by DeliveryMode.Hold, in order or in reverse, one after another or all at
// once, and returns when each has been offered once. Updates that the webhook refuses stay pending.
func (t *Platform) Release(ctx context.Context, token string, reverse, together bool) ([]Delivery, error) {
	var held []*Update
	var queue *updateQueue
	if err := t.withBot(token, func(u *updateQueue) { queue, held = u, slices.Clone(u.pending) }); err != nil {
		return nil, err
	}
	if reverse {
		slices.Reverse(held)
	}
	return queue.offer(ctx, held, together)
}

// Redeliver hands an update to the webhook again, copies times, at the same time if together, whatever became of it
// before.
func (t *Platform) Redeliver(ctx context.Context, token string, updateID int64, copies int, together bool) ([]Delivery, error) {
	var list []*Update
	var queue *updateQueue
	err := t.withBot(token, func(u *updateQueue) {
		queue = u
		if at := slices.IndexFunc(u.recent, func(known *Update) bool { return known.ID == updateID }); at >= 0 {
			list = slices.Repeat(u.recent[at:at+1], copies)
		}
	})
	if err != nil || len(list) == 0 {
		return nil, fmt.Errorf("sandbox: update %d is not known to this bot", updateID)
	}
	return queue.offer(ctx, list, together)
}

// Deliveries lists the attempts to hand a bot's updates to its webhook.
func (t *Platform) Deliveries(token string) (list []Delivery) {
	_ = t.withBot(token, func(u *updateQueue) { list = slices.Clone(u.attempts) }) // whose only error is errNoBot
	return list
}

// WaitForDeliveries blocks until at least n deliveries of a bot match, or ctx ends. A nil match takes all.
func (t *Platform) WaitForDeliveries(ctx context.Context, token string, match func(Delivery) bool, n int) (list []Delivery, err error) {
	err = t.await(ctx, token, func(u *updateQueue) bool {
		list = slices.DeleteFunc(slices.Clone(u.attempts), func(d Delivery) bool { return match != nil && !match(d) })
		return len(list) >= n
	})
	return list, err
}

// WaitForPending blocks until at most n updates of a bot wait to be taken, or ctx ends. Updates that have expired leave
// with the next attempt.
func (t *Platform) WaitForPending(ctx context.Context, token string, n int) error {
	return t.await(ctx, token, func(u *updateQueue) bool { return len(u.pending) <= n })
}

// await blocks until a bot's updates are as wanted, or ctx ends.
func (t *Platform) await(ctx context.Context, token string, wanted func(*updateQueue) bool) error {
	for {
		var done bool
		var bell chan struct{}
		if err := t.withBot(token, func(u *updateQueue) { done, bell = wanted(u), u.bell }); err != nil || done {
			return err
		}
		select {
		case <-bell:
		case <-ctx.Done():
			return fmt.Errorf("sandbox: waited for the updates of a bot: %w", ctx.Err())
		}
	}
}
