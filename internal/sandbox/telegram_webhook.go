package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"sync"
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
	// Together sends copies, and updates that ordinarily wait for each other,
	// at the same time.
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

// deliveriesKept bounds how many deliveries of a bot are remembered.
const deliveriesKept = 10_000

// webhookTimeout is how long Telegram waits for the answer.
const webhookTimeout = 60 * time.Second

// poster hands updates to a webhook. It is guarded by t.mu, but for what it
// says.
type poster struct {
	hook      Webhook
	mode      DeliveryMode
	epoch     int                  // counts changes of the webhook
	lanes     map[string][]*Update // updates under way, one after another
	slots     chan struct{}
	client    *http.Client
	lastError string
	errorAt   time.Time

	record    sync.Mutex // guards the rest
	delivered []Delivery
	recorded  chan struct{} // closed and replaced at each delivery
}

func (p *poster) init() {
	p.lanes = map[string][]*Update{}
	p.recorded = make(chan struct{})
	p.slots = make(chan struct{}, 40)
	p.client = &http.Client{
		Timeout:       webhookTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{MaxIdleConnsPerHost: 100, IdleConnTimeout: 30 * time.Second},
	}
}

var secretToken = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)

func (q *botRequest) setWebhook() (any, *refusal) {
	hook := Webhook{URL: q.form.text("url"), Secret: q.form.text("secret_token"), MaxConnections: int(q.integer("max_connections"))}
	sent, refused := q.object("allowed_updates", &hook.AllowedUpdates)
	if refused != nil {
		return nil, refused
	}
	switch {
	case len(hook.Secret) > 256:
		return nil, badRequest("secret token is too long")
	case !secretToken.MatchString(hook.Secret):
		return nil, badRequest("secret token contains unallowed characters")
	case hook.MaxConnections < 0 || hook.MaxConnections > 100:
		return nil, badRequest("bad webhook: max_connections must be from 1 to 100")
	}
	if hook.URL != "" {
		if refused := webhookURL(hook.URL); refused != nil {
			return nil, refused
		}
	}
	t := q.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	if !sent { // omitted: the previous setting stays
		hook.AllowedUpdates = q.bot.updates.allowed
	}
	q.bot.updates.point(hook, q.boolean("drop_pending_updates"))
	return true, nil
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

func (q *botRequest) deleteWebhook() (any, *refusal) {
	q.telegram.mu.Lock()
	defer q.telegram.mu.Unlock()
	q.bot.updates.point(Webhook{AllowedUpdates: q.bot.updates.allowed}, q.boolean("drop_pending_updates"))
	return true, nil
}

func (q *botRequest) getWebhookInfo() (any, *refusal) {
	q.telegram.mu.Lock()
	defer q.telegram.mu.Unlock()
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
	return info, nil
}

// SetWebhook points a bot's updates at a URL without a call of the bot. An
// empty URL ends it.
func (s *Server) SetWebhook(token string, hook Webhook) error {
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.bots[token]
	if b == nil {
		return fmt.Errorf("sandbox: no bot with this token: add it first")
	}
	b.updates.point(hook, false)
	return nil
}

// SetDelivery disturbs, or stops disturbing, the delivery of a bot's updates.
func (s *Server) SetDelivery(token string, mode DeliveryMode) error {
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.bots[token]
	if b == nil {
		return fmt.Errorf("sandbox: no bot with this token: add it first")
	}
	held := b.updates.mode.Hold
	b.updates.mode = mode
	if held && !mode.Hold {
		b.updates.resume()
	}
	return nil
}

// Release delivers the updates held back by DeliveryMode.Hold, in order or in
// reverse, one after another or all at once, and returns when each has been
// offered once. Updates that the webhook refuses stay pending.
func (s *Server) Release(ctx context.Context, token string, reverse, together bool) ([]Delivery, error) {
	t := s.telegram
	t.mu.Lock()
	b := t.bots[token]
	if b == nil {
		t.mu.Unlock()
		return nil, fmt.Errorf("sandbox: no bot with this token: add it first")
	}
	held := slices.Clone(b.updates.pending)
	t.mu.Unlock()
	if reverse {
		slices.Reverse(held)
	}
	return b.updates.offer(ctx, held, together)
}

// Redeliver hands an update to the webhook again, copies times, at the same
// time if together, whatever became of it before.
func (s *Server) Redeliver(ctx context.Context, token string, updateID int64, copies int, together bool) ([]Delivery, error) {
	t := s.telegram
	t.mu.Lock()
	b := t.bots[token]
	var list []*Update
	if b != nil {
		for _, update := range b.updates.recent {
			if update.ID == updateID {
				list = slices.Repeat([]*Update{update}, copies)
			}
		}
	}
	t.mu.Unlock()
	if len(list) == 0 {
		return nil, fmt.Errorf("sandbox: update %d is not known to this bot", updateID)
	}
	return b.updates.offer(ctx, list, together)
}

// Deliveries lists the attempts to hand a bot's updates to its webhook.
func (s *Server) Deliveries(token string) []Delivery {
	t := s.telegram
	t.mu.Lock()
	b := t.bots[token]
	t.mu.Unlock()
	if b == nil {
		return nil
	}
	list, _ := b.updates.deliveries()
	return list
}

// WaitForDeliveries blocks until at least n deliveries of a bot match, or ctx
// ends. A nil match takes all.
func (s *Server) WaitForDeliveries(ctx context.Context, token string, match func(Delivery) bool, n int) ([]Delivery, error) {
	t := s.telegram
	t.mu.Lock()
	b := t.bots[token]
	t.mu.Unlock()
	if b == nil {
		return nil, fmt.Errorf("sandbox: no bot with this token: add it first")
	}
	for {
		list, more := b.updates.deliveries()
		if match != nil {
			list = slices.DeleteFunc(list, func(d Delivery) bool { return !match(d) })
		}
		if len(list) >= n {
			return list, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return list, fmt.Errorf("sandbox: waited for %d deliveries, saw %d: %w", n, len(list), ctx.Err())
		}
	}
}

func (p *poster) deliveries() ([]Delivery, chan struct{}) {
	p.record.Lock()
	defer p.record.Unlock()
	return slices.Clone(p.delivered), p.recorded
}

// point changes where updates go. t.mu is held.
func (u *updateQueue) point(hook Webhook, drop bool) {
	u.hook, u.allowed = hook, hook.AllowedUpdates
	u.epoch++
	u.lanes = map[string][]*Update{}
	u.slots = make(chan struct{}, orElse(hook.MaxConnections, 40))
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

// deliver puts an update into its lane. t.mu is held.
func (u *updateQueue) deliver(update *Update) {
	if u.hook.URL == "" || u.mode.Hold {
		return
	}
	lane := update.queue
	if u.mode.Together {
		lane = "update " + strconv.FormatInt(update.ID, 10)
	}
	waiting, busy := u.lanes[lane]
	if slices.Contains(waiting, update) {
		return
	}
	u.lanes[lane] = append(waiting, update)
	if !busy {
		epoch := u.epoch
		u.t.server.running.Go(func() { u.runLane(lane, epoch) })
	}
}

// runLane delivers the updates of a lane one after another. An update that is
// refused holds up those behind it, as at Telegram.
func (u *updateQueue) runLane(lane string, epoch int) {
	for {
		u.t.mu.Lock()
		if u.epoch != epoch {
			u.t.mu.Unlock()
			return
		}
		if len(u.lanes[lane]) == 0 {
			delete(u.lanes, lane)
			u.t.mu.Unlock()
			return
		}
		update := u.lanes[lane][0]
		mode, slots := u.mode, u.slots
		u.t.mu.Unlock()

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

		u.t.mu.Lock()
		if u.epoch == epoch {
			u.lanes[lane] = u.lanes[lane][1:]
		}
		u.t.mu.Unlock()
		if u.t.server.life.Err() != nil {
			return
		}
	}
}

// insist offers an update until it is taken, expires, or the webhook changes.
// The first repetition follows at once, then the pauses double to one or two
// minutes; a Retry-After of the answer is honoured up to an hour
// (WebhookActor.cpp in telegram-bot-api).
func (u *updateQueue) insist(update *Update, epoch int, slots chan struct{}) {
	s := u.t.server
	pause := s.options.WebhookRetry
	for attempt := 1; ; attempt++ {
		select {
		case slots <- struct{}{}:
		case <-s.life.Done():
			return
		}
		d := u.post(s.life, update, attempt)
		<-slots
		u.t.mu.Lock()
		changed := u.epoch != epoch
		if d.OK() || update.expired(s.now()) {
			u.remove(update)
			u.t.mu.Unlock()
			return
		}
		u.lastError, u.errorAt = orElse(d.Error, fmt.Sprintf("Wrong response from the webhook: %d %s", d.Status, http.StatusText(d.Status))), s.now()
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
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-s.life.Done():
			timer.Stop()
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
	if err := u.send(ctx, hook, update, &d); err != nil {
		d.Error = err.Error()
	}
	d.AnsweredAt = time.Now()
	u.record.Lock()
	if u.delivered = append(u.delivered, d); len(u.delivered) > deliveriesKept {
		u.delivered = slices.Clone(u.delivered[len(u.delivered)-deliveriesKept/2:])
	}
	close(u.recorded)
	u.recorded = make(chan struct{})
	u.record.Unlock()
	return d
}

func (u *updateQueue) send(ctx context.Context, hook Webhook, update *Update, d *Delivery) error {
	if hook.URL == "" {
		return errors.New("no webhook is set")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.URL, bytes.NewReader(update.Body))
	if err != nil {
		return errors.New("bad webhook URL")
	}
	request.Header.Set("Content-Type", "application/json")
	if hook.Secret != "" {
		request.Header.Set("X-Telegram-Bot-Api-Secret-Token", hook.Secret)
	}
	response, err := u.client.Do(request)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	d.Status, d.Answer = response.StatusCode, string(body)
	if seconds, parseErr := strconv.Atoi(response.Header.Get("Retry-After")); parseErr == nil {
		d.RetryAfter = seconds
	}
	return err
}
