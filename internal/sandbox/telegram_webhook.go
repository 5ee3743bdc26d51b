package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
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

var errNoBot = errors.New("sandbox: no bot with this token: add it first")

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
		return errNoBot
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
		return errNoBot
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
		return nil, errNoBot
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
		return nil, errNoBot
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

// WaitForPending blocks until at most n updates of a bot wait to be taken, or
// ctx ends. Updates that have expired leave with the next attempt.
func (s *Server) WaitForPending(ctx context.Context, token string, n int) error {
	t := s.telegram
	for {
		t.mu.Lock()
		b := t.bots[token]
		if b == nil {
			t.mu.Unlock()
			return errNoBot
		}
		waiting, bell := len(b.updates.pending), b.updates.bell
		t.mu.Unlock()
		if waiting <= n {
			return nil
		}
		select {
		case <-bell:
		case <-ctx.Done():
			return fmt.Errorf("sandbox: %d updates still wait: %w", waiting, ctx.Err())
		}
	}
}

func (p *poster) deliveries() ([]Delivery, chan struct{}) {
	p.record.Lock()
	defer p.record.Unlock()
	return slices.Clone(p.delivered), p.recorded
}
