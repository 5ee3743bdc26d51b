package vk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/sandbox/core"
)

// Callback is the server that a community's events go to (Callback API).
type Callback struct {
	GroupID int64  `json:"group_id"` // positive
	URL     string `json:"url"`      // empty ends it
	// Confirmation is the code with which the server shows that it is the community's.
	Confirmation string `json:"confirmation"`
	// Secret is sent along with every event.
	Secret string `json:"secret"`
}

// callbackServer is a Callback in use.
type callbackServer struct {
	Callback

	ended     context.Context
	end       context.CancelFunc
	confirmed chan struct{} // closed when it has shown the code
}

// VK calls again where the answer is not "ok" within some seconds. How often is not published.
const (
	callbackTries   = 8
	callbackTimeout = 10 * time.Second
)

// SetCallback tells a community's new posts to a server, in the place of the one before. Like VK it asks for the
// confirmation code first, and again until it is given; what is posted meanwhile waits.
func (v *Platform) SetCallback(c Callback) error {
	if u, err := url.Parse(c.URL); c.URL != "" && (err != nil || u.Host == "") {
		return errors.New("sandbox: the callback server needs an address")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.walls[-c.GroupID] == nil || c.GroupID <= 0 {
		return fmt.Errorf("sandbox: no community %d", c.GroupID)
	}
	if before := v.callbacks[c.GroupID]; before != nil {
		before.end()
		delete(v.callbacks, c.GroupID)
	}
	if c.URL == "" {
		return nil
	}
	s := &callbackServer{Callback: c, confirmed: make(chan struct{})}
	s.ended, s.end = context.WithCancel(v.core.Life)
	v.callbacks[c.GroupID] = s
	v.core.Running.Go(func() {
		for !v.call(s, map[string]any{"type": "confirmation", "group_id": c.GroupID}, c.Confirmation) {
			if s.ended.Err() != nil {
				return
			}
		}
		close(s.confirmed)
	})
	return nil
}

// tellNew sends the event of a new post to the community's server, if it has one. v.mu is held.
func (v *Platform) tellNew(p *Post) {
	s := v.callbacks[-p.OwnerID]
	if s == nil {
		return
	}
	v.nextEvent++
	event := map[string]any{
		"type": "wall_post_new", "group_id": s.GroupID, "v": "5.199", "secret": s.Secret,
		"event_id": strconv.FormatInt(v.core.Now().UnixNano(), 36) + "-" + strconv.FormatInt(v.nextEvent, 10), "object": v.wirePost(p, true),
	}
	v.core.Running.Go(func() {
		select {
		case <-s.confirmed:
			if !v.call(s, event, "ok") && s.ended.Err() == nil {
				v.core.Log.Warn("sandbox: the callback server has not taken a post", "group_id", s.GroupID)
			}
		case <-s.ended.Done():
		}
	})
}

// call sends an event until the answer is the one that is wanted, with longer and longer pauses.
func (v *Platform) call(s *callbackServer, event map[string]any, want string) bool {
	body := core.Encode(event)
	for try := range callbackTries {
		if try > 0 && !v.core.Sleep(s.ended, min(100*time.Millisecond<<try, 10*time.Second)) {
			return false
		}
		status, answer, _, err := core.PostJSON(s.ended, s.URL, nil, body, callbackTimeout)
		if err == nil && status == http.StatusOK && strings.TrimSpace(answer) == want {
			return true
		}
	}
	return false
}
