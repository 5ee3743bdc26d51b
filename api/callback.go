package api

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"

	"vestnik/internal/config"
)

// CallbackPath is where VK's communities call (Callback API). It is matched exactly.
const CallbackPath = "/vk/callback"

// maxCallback bounds the body, in bytes: an event holds one post.
const maxCallback = 1 << 20

// CallbackConfig says who may call.
type CallbackConfig struct {
	// Confirmations are the communities' confirmation codes, by group id.
	Confirmations map[int64]string
	// Secret is what every other call must present.
	Secret config.Secret
	// News is told that a wall has news, once or more for each event.
	News func(ctx context.Context, ownerID int64, eventID string) error
	Log  *slog.Logger
}

// NewCallback is the handler of [CallbackPath]. Of a new post it takes nothing but
// that there is one: the wall is read as ever, only sooner. It answers
//
//	403  a community that is not ours, or a wrong secret
//	405  not a POST
//	200  with the confirmation code, or "ok"
//	500  not stored: VK calls again
func NewCallback(config CallbackConfig) http.Handler { return &callback{config} }

type callback struct{ CallbackConfig }

func (h *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var event struct {
		Type    string `json:"type"`
		GroupID int64  `json:"group_id"`
		EventID string `json:"event_id"`
		Secret  string `json:"secret"`
		Object  struct {
			PostType string `json:"post_type"`
		} `json:"object"`
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCallback))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_ = json.Unmarshal(body, &event) // of what makes no sense too little is left to be ours
	confirmation, ours := h.Confirmations[event.GroupID]
	switch {
	case !ours, event.Type != "confirmation" && !h.Secret.Matches(event.Secret):
		h.Log.WarnContext(r.Context(), "callback refused", "group_id", event.GroupID, "known", ours)
		w.WriteHeader(http.StatusForbidden)
		return
	case event.Type == "confirmation":
		_, _ = io.WriteString(w, confirmation)
		return
	}
	// Suggested and postponed posts are events, too, and are not on the wall yet.
	if event.Type == "wall_post_new" && event.EventID != "" && event.Object.PostType != "suggest" && event.Object.PostType != "postpone" {
		if err := h.News(r.Context(), -event.GroupID, event.EventID); err != nil {
			h.Log.WarnContext(r.Context(), "callback not stored: VK calls again", "group_id", event.GroupID, "error", err)
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
	}
	_, _ = io.WriteString(w, "ok")
}
