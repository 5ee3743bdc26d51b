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
	q.bot.updates.point(hook)
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
	q.bot.updates.point(Webhook{AllowedUpdates: q.bot.updates.allowed})
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
	return t.withBot(token, func(u *updateQueue) { u.point(hook) })
}

// Hold keeps a bot's updates back until Release.
func (t *Platform) Hold(token string) error {
	return t.withBot(token, func(u *updateQueue) { u.held = true })
}

// Release hands over what was held back, the newest first, each so many times and all at once, and returns when all have
// been answered. What the webhook refuses is delivered on as usual.
func (t *Platform) Release(ctx context.Context, token string, copies int) error {
	var held []*Update
	var queue *updateQueue
	if err := t.withBot(token, func(u *updateQueue) { queue, held = u, slices.Clone(u.pending) }); err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, update := range slices.Backward(held) {
		for range copies {
			all.Go(func() { queue.post(ctx, update) })
		}
	}
	all.Wait()
	return t.withBot(token, func(u *updateQueue) {
		u.held = false
		u.resume()
	})
}

// point changes where updates go. t.mu is held.
func (u *updateQueue) point(hook Webhook) {
	u.hook, u.allowed, u.lastError = hook, hook.AllowedUpdates, ""
	u.epoch++
	u.last = map[string]chan struct{}{}
	u.slots = make(chan struct{}, cmp.Or(hook.MaxConnections, 40))
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
	if u.hook.URL == "" || u.held || update.epoch == u.epoch {
		return
	}
	update.epoch = u.epoch
	before, done, epoch, slots := u.last[update.queue], make(chan struct{}), u.epoch, u.slots
	u.last[update.queue] = done
	u.t.core.Running.Go(func() {
		defer close(done)
		if before != nil {
			select {
			case <-before:
			case <-u.t.core.Life.Done():
			}
		}
		u.insist(update, epoch, slots)
	})
}

// insist offers an update until it is taken, expires, or the webhook changes. The first repetition follows at once,
// then the pauses double to one or two minutes; a Retry-After of the answer is honoured up to an hour (WebhookActor.cpp
// in telegram-bot-api).
func (u *updateQueue) insist(update *Update, epoch int, slots chan struct{}) {
	s, pause, wait := u.t.core, u.t.core.Options.WebhookRetry, time.Duration(0)
	for over := false; !over && s.Sleep(s.Life, wait); {
		select {
		case slots <- struct{}{}:
		case <-s.Life.Done():
			return
		}
		u.t.mu.Lock()
		over = u.epoch != epoch
		u.t.mu.Unlock()
		retryAfter := time.Duration(0)
		if !over {
			over, retryAfter = u.post(s.Life, update)
		}
		<-slots
		if wait == 0 {
			wait = max(retryAfter, 1)
			continue
		}
		wait, pause = max(pause, retryAfter), min(2*pause, time.Minute+time.Duration(rand.Int64N(int64(time.Minute))))
	}
}

// post hands an update over once. It reports whether the update was taken or has expired, and how long the webhook asks
// to wait.
func (u *updateQueue) post(ctx context.Context, update *Update) (over bool, retryAfter time.Duration) {
	u.t.mu.Lock()
	hook := u.hook
	u.t.mu.Unlock()
	headers := map[string]string{}
	if hook.Secret != "" {
		headers["X-Telegram-Bot-Api-Secret-Token"] = hook.Secret
	}
	status, _, header, err := core.PostJSON(ctx, hook.URL, headers, update.Body, webhookTimeout)
	u.t.mu.Lock()
	defer u.t.mu.Unlock()
	if status >= 200 && status < 300 || update.expired(u.t.core.Now()) {
		u.remove(update)
		return true, 0
	}
	u.lastError, u.errorAt = fmt.Sprintf("Wrong response from the webhook: %d %s", status, http.StatusText(status)), u.t.core.Now()
	if err != nil {
		u.lastError = err.Error()
	}
	seconds, _ := strconv.Atoi(header.Get("Retry-After")) // 0 if it names none
	return false, time.Duration(min(max(seconds, 0), 3600)) * time.Second
}
