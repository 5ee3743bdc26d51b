package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// controlRoutes are the control API; the package documentation describes it.
func (s *Server) controlRoutes(mux *http.ServeMux) {
	// A page of another origin in somebody's browser must not steer the
	// sandbox.
	guard := http.NewCrossOriginProtection()
	handle := func(pattern string, do func(*http.Request) (any, error)) {
		mux.Handle(pattern, guard.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			result, err := do(r)
			reply(w, result, err)
		})))
	}
	mux.HandleFunc("GET /sandbox/photos/{file}", s.pictures.servePicture)
	mux.HandleFunc("GET /sandbox/uploads/{id}", s.pictures.serveUpload)

	handle("GET /sandbox/state", s.controlState)
	handle("GET /sandbox/calls", s.controlCalls)
	handle("DELETE /sandbox/calls", func(*http.Request) (any, error) { s.ClearCalls(); return done, nil })
	handle("GET /sandbox/faults", func(*http.Request) (any, error) { return s.Faults(), nil })
	handle("POST /sandbox/faults", func(r *http.Request) (any, error) {
		fault, err := body[Fault](r)
		if err != nil {
			return nil, err
		}
		id, err := s.SetFault(fault)
		return map[string]string{"id": id}, err
	})
	handle("DELETE /sandbox/faults", func(*http.Request) (any, error) { s.ClearFaults(); return done, nil })
	handle("DELETE /sandbox/faults/{id}", func(r *http.Request) (any, error) {
		if !s.ClearFault(r.PathValue("id")) {
			return nil, fmt.Errorf("no fault %q", r.PathValue("id"))
		}
		return done, nil
	})
	handle("POST /sandbox/photos/{name}", func(r *http.Request) (any, error) {
		fault, err := body[PictureFault](r)
		if err == nil {
			s.SetPictureFault(r.PathValue("name"), fault)
		}
		return done, err
	})
	s.controlTelegram(handle)
	s.controlVK(handle)
}

var done = map[string]bool{"ok": true}

func (s *Server) controlTelegram(handle func(string, func(*http.Request) (any, error))) {
	handle("POST /sandbox/telegram/bots", func(r *http.Request) (any, error) {
		b, err := body[Bot](r)
		return done, orError(err, func() error { return s.AddBot(b) })
	})
	handle("GET /sandbox/telegram/chats", func(*http.Request) (any, error) { return s.Chats(), nil })
	handle("POST /sandbox/telegram/chats", func(r *http.Request) (any, error) {
		c, err := body[Chat](r)
		return done, orError(err, func() error { return s.AddChat(c) })
	})
	handle("GET /sandbox/telegram/chats/{chat}/messages", func(r *http.Request) (any, error) {
		id, err := pathNumber(r, "chat")
		return listed(s.Messages(id)), err
	})
	handle("DELETE /sandbox/telegram/chats/{chat}/messages", func(r *http.Request) (any, error) {
		id, err := pathNumber(r, "chat")
		return done, orError(err, func() error { s.ClearChat(id); return nil })
	})
	handle("PUT /sandbox/telegram/chats/{chat}/limits", func(r *http.Request) (any, error) {
		id, err := pathNumber(r, "chat")
		limits, bodyErr := body[Limits](r)
		return done, orError(errors.Join(err, bodyErr), func() error { return s.SetLimits(id, limits) })
	})
	handle("PUT /sandbox/telegram/chats/{chat}/members/{user}", func(r *http.Request) (any, error) {
		id, err := pathNumber(r, "chat")
		user, userErr := pathNumber(r, "user")
		member, bodyErr := body[Member](r)
		return done, orError(errors.Join(err, userErr, bodyErr), func() error { return s.SetMember(id, user, member) })
	})
	handle("GET /sandbox/telegram/chats/{chat}/queries", func(r *http.Request) (any, error) {
		id, err := pathNumber(r, "chat")
		return listed(s.Queries(id)), err
	})
	handle("POST /sandbox/telegram/say", func(r *http.Request) (any, error) {
		in, err := body[sayRequest](r)
		if err != nil {
			return nil, err
		}
		return s.SayIn(s.botToken(in.Bot), orElse(in.Chat, in.From.ID), in.From, in.Text)
	})
	handle("POST /sandbox/telegram/locate", func(r *http.Request) (any, error) {
		in, err := body[locateRequest](r)
		if err != nil {
			return nil, err
		}
		return s.Locate(s.botToken(in.Bot), in.From, in.Location)
	})
	handle("POST /sandbox/telegram/press", func(r *http.Request) (any, error) {
		in, err := body[pressRequest](r)
		if err != nil {
			return nil, err
		}
		return s.Press(s.botToken(in.Bot), in.From, orElse(in.Chat, in.From.ID), in.Message, in.Data)
	})
	handle("POST /sandbox/telegram/updates", func(r *http.Request) (any, error) {
		in, err := body[pushRequest](r)
		if err != nil {
			return nil, err
		}
		return s.Push(s.botToken(in.Bot), in.Kind, in.Content)
	})
	handle("PUT /sandbox/telegram/webhook", func(r *http.Request) (any, error) {
		in, err := body[webhookRequest](r)
		return done, orError(err, func() error { return s.SetWebhook(s.botToken(in.Bot), in.Webhook) })
	})
	handle("PUT /sandbox/telegram/delivery", func(r *http.Request) (any, error) {
		in, err := body[deliveryRequest](r)
		return done, orError(err, func() error { return s.SetDelivery(s.botToken(in.Bot), in.DeliveryMode) })
	})
	handle("POST /sandbox/telegram/release", func(r *http.Request) (any, error) {
		in, err := body[releaseRequest](r)
		if err != nil {
			return nil, err
		}
		return s.Release(r.Context(), s.botToken(in.Bot), in.Reverse, in.Together)
	})
	handle("POST /sandbox/telegram/redeliver", func(r *http.Request) (any, error) {
		in, err := body[redeliverRequest](r)
		if err != nil {
			return nil, err
		}
		return s.Redeliver(r.Context(), s.botToken(in.Bot), in.Update, max(in.Copies, 1), in.Together)
	})
	handle("GET /sandbox/telegram/deliveries", func(r *http.Request) (any, error) {
		return listed(s.Deliveries(s.botToken(r.URL.Query().Get("bot")))), nil
	})
}

// The requests of the control API that name a bot do so by its id or token;
// empty means the only one, or the sample guide bot.
type (
	sayRequest struct {
		Bot  string `json:"bot"`
		Chat int64  `json:"chat"` // the private chat if 0
		From Person `json:"from"`
		Text string `json:"text"`
	}
	locateRequest struct {
		Bot  string `json:"bot"`
		From Person `json:"from"`
		Location
	}
	pressRequest struct {
		Bot     string `json:"bot"`
		Chat    int64  `json:"chat"`
		From    Person `json:"from"`
		Message int64  `json:"message_id"`
		Data    string `json:"data"`
	}
	pushRequest struct {
		Bot     string          `json:"bot"`
		Kind    string          `json:"kind"`
		Content json.RawMessage `json:"content"`
	}
	webhookRequest struct {
		Bot string `json:"bot"`
		Webhook
	}
	deliveryRequest struct {
		Bot string `json:"bot"`
		DeliveryMode
	}
	releaseRequest struct {
		Bot      string `json:"bot"`
		Reverse  bool   `json:"reverse"`
		Together bool   `json:"together"`
	}
	redeliverRequest struct {
		Bot      string `json:"bot"`
		Update   int64  `json:"update_id"`
		Copies   int    `json:"copies"`
		Together bool   `json:"together"`
	}
)

// botToken finds the token of the bot that a control request names.
func (s *Server) botToken(named string) string {
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	if named == "" && t.bots[GuideBotToken] != nil {
		return GuideBotToken
	}
	for token, b := range t.bots {
		if token == named || strconv.FormatInt(b.ID(), 10) == named || b.Username == named || named == "" && len(t.bots) == 1 {
			return token
		}
	}
	return named
}

func (s *Server) controlVK(handle func(string, func(*http.Request) (any, error))) {
	handle("POST /sandbox/vk/tokens", func(r *http.Request) (any, error) {
		k, err := body[VKToken](r)
		return done, orError(err, func() error { return s.AddVKToken(k) })
	})
	handle("POST /sandbox/vk/photos/expire", func(*http.Request) (any, error) { s.ExpirePhotoLinks(); return done, nil })
	handle("GET /sandbox/vk/walls", func(*http.Request) (any, error) { return s.Walls(), nil })
	handle("POST /sandbox/vk/walls", func(r *http.Request) (any, error) {
		w, err := body[Wall](r)
		return done, orError(err, func() error { return s.AddWall(w) })
	})
	handle("GET /sandbox/vk/walls/{owner}/posts", func(r *http.Request) (any, error) {
		owner, err := pathNumber(r, "owner")
		return listed(s.Posts(owner)), err
	})
	handle("POST /sandbox/vk/walls/{owner}/posts", func(r *http.Request) (any, error) {
		owner, err := pathNumber(r, "owner")
		p, bodyErr := body[Post](r)
		if err = errors.Join(err, bodyErr); err != nil {
			return nil, err
		}
		return s.AddPost(owner, p)
	})
	handle("PATCH /sandbox/vk/walls/{owner}/posts/{post}", func(r *http.Request) (any, error) {
		owner, err := pathNumber(r, "owner")
		id, idErr := pathNumber(r, "post")
		raw, bodyErr := body[json.RawMessage](r)
		if err = errors.Join(err, idErr, bodyErr); err != nil {
			return nil, err
		}
		var decodeErr error
		err = s.EditPost(owner, id, func(p *Post) { decodeErr = json.Unmarshal(raw, p) })
		return done, errors.Join(err, decodeErr)
	})
	handle("DELETE /sandbox/vk/walls/{owner}/posts/{post}", func(r *http.Request) (any, error) {
		owner, err := pathNumber(r, "owner")
		id, idErr := pathNumber(r, "post")
		return done, orError(errors.Join(err, idErr), func() error { return s.DeletePost(owner, id) })
	})
}

// controlState is a summary for people and scripts.
func (s *Server) controlState(*http.Request) (any, error) {
	state := map[string]any{
		"url": s.URL(), "telegram_api_url": s.TelegramURL(), "vk_api_url": s.VKURL(),
		"chats": s.Chats(), "walls": s.Walls(), "faults": s.Faults(),
	}
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	bots := []map[string]any{}
	for _, b := range t.bots {
		bots = append(bots, map[string]any{"id": b.ID(), "username": b.Username, "webhook": b.updates.hook.URL, "pending_updates": len(b.updates.pending)})
	}
	state["bots"] = bots
	return state, nil
}

// controlCalls lists calls; wait=N blocks until so many match.
func (s *Server) controlCalls(r *http.Request) (any, error) {
	query := r.URL.Query()
	filter := CallFilter{
		Platform: Platform(query.Get("platform")), Method: query.Get("method"), Key: query.Get("key"),
		Chat: query.Get("chat"), Outcome: Outcome(query.Get("outcome")), Arrived: query.Get("arrived") == "true",
	}
	var numbers [4]int64
	for i, name := range []string{"after", "limit", "wait", "timeout_ms"} {
		if text := query.Get(name); text != "" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%s=%q: a whole number is needed", name, text)
			}
			numbers[i] = n
		}
	}
	filter.After = numbers[0]
	if wait := int(numbers[2]); wait > 0 {
		timeout := time.Duration(orElse(numbers[3], 30_000)) * time.Millisecond
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		calls, err := s.WaitForCalls(ctx, filter, wait)
		return listed(calls), err
	}
	return listed(s.book.list(filter, int(numbers[1]))), nil
}

// listed keeps an empty list from becoming null.
func listed[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

func orError(err error, do func() error) error {
	if err != nil {
		return err
	}
	return do()
}

// body decodes a control request, refusing unknown fields.
func body[T any](r *http.Request) (T, error) {
	var value T
	decoder := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 16<<20))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		return value, fmt.Errorf("body of %s: %w", r.URL.Path, err)
	}
	return value, nil
}

func pathNumber(r *http.Request, name string) (int64, error) {
	n, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s %q in the path is no number", name, r.PathValue(name))
	}
	return n, nil
}

// reply answers a control request: 200 with the result, 408 if the waiting
// was in vain, 400 with {"error": "…"} otherwise.
func reply(w http.ResponseWriter, result any, err error) {
	status := http.StatusOK
	if err != nil {
		status, result = http.StatusBadRequest, map[string]string{"error": err.Error()}
		if errors.Is(err, context.DeadlineExceeded) {
			status = http.StatusRequestTimeout
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(encode(result))
}
