package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client steers a sandbox of another process through its control API. Its
// methods mirror those of Server.
type Client struct {
	// URL is the sandbox's address.
	URL string
	// HTTP is used if set, else http.DefaultClient.
	HTTP *http.Client
}

// Calls returns the recorded calls that match, oldest first. Match of the
// filter is applied here.
func (c Client) Calls(ctx context.Context, filter CallFilter) ([]Call, error) {
	calls, err := request[[]Call](ctx, c, http.MethodGet, "/sandbox/calls?"+filter.query().Encode(), nil)
	return filter.pick(calls), err
}

// WaitForCalls blocks until at least n calls match, or ctx ends. With a Match
// it asks for each further call.
func (c Client) WaitForCalls(ctx context.Context, filter CallFilter, n int) ([]Call, error) {
	want := n
	for {
		query := filter.query()
		query.Set("wait", strconv.Itoa(want))
		if deadline, ok := ctx.Deadline(); ok {
			query.Set("timeout_ms", strconv.FormatInt(max(time.Until(deadline).Milliseconds(), 1), 10))
		} else {
			query.Set("timeout_ms", "600000")
		}
		calls, err := request[[]Call](ctx, c, http.MethodGet, "/sandbox/calls?"+query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		if picked := filter.pick(calls); len(picked) >= n {
			return picked, nil
		}
		want = len(calls) + 1
	}
}

func (f CallFilter) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{
		"platform": string(f.Platform), "method": f.Method, "key": f.Key, "chat": f.Chat, "outcome": string(f.Outcome),
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if f.After > 0 {
		query.Set("after", strconv.FormatInt(f.After, 10))
	}
	if f.Arrived {
		query.Set("arrived", "true")
	}
	return query
}

func (f CallFilter) pick(calls []Call) []Call {
	if f.Match == nil {
		return calls
	}
	var picked []Call
	for _, call := range calls {
		if f.Match(call) {
			picked = append(picked, call)
		}
	}
	return picked
}

// ClearCalls forgets the recorded calls.
func (c Client) ClearCalls(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "/sandbox/calls", nil)
}

// SetFault adds a fault plan and returns its id.
func (c Client) SetFault(ctx context.Context, fault Fault) (string, error) {
	set, err := request[struct{ ID string }](ctx, c, http.MethodPost, "/sandbox/faults", fault)
	return set.ID, err
}

// Faults lists the plans that are set.
func (c Client) Faults(ctx context.Context) ([]Fault, error) {
	return request[[]Fault](ctx, c, http.MethodGet, "/sandbox/faults", nil)
}

// ClearFaults removes all plans.
func (c Client) ClearFaults(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "/sandbox/faults", nil)
}

// AddBot makes a bot known.
func (c Client) AddBot(ctx context.Context, b Bot) error {
	return c.do(ctx, http.MethodPost, "/sandbox/telegram/bots", b)
}

// AddChat makes a chat known.
func (c Client) AddChat(ctx context.Context, chat Chat) error {
	return c.do(ctx, http.MethodPost, "/sandbox/telegram/chats", chat)
}

// SetMember sets the status of a user in a chat.
func (c Client) SetMember(ctx context.Context, chat, user int64, m Member) error {
	return c.do(ctx, http.MethodPut, fmt.Sprintf("/sandbox/telegram/chats/%d/members/%d", chat, user), m)
}

// SetLimits changes the flood limits of a chat.
func (c Client) SetLimits(ctx context.Context, chat int64, limits Limits) error {
	return c.do(ctx, http.MethodPut, fmt.Sprintf("/sandbox/telegram/chats/%d/limits", chat), limits)
}

// Messages returns what a chat shows, oldest first.
func (c Client) Messages(ctx context.Context, chat int64) ([]Message, error) {
	return request[[]Message](ctx, c, http.MethodGet, fmt.Sprintf("/sandbox/telegram/chats/%d/messages", chat), nil)
}

// Say lets a person write to a bot, named by token, id or username.
func (c Client) Say(ctx context.Context, bot string, from Person, text string) (Update, error) {
	return request[Update](ctx, c, http.MethodPost, "/sandbox/telegram/say", sayRequest{Bot: bot, From: from, Text: text})
}

// Press lets a person press a button in the private chat with a bot.
func (c Client) Press(ctx context.Context, bot string, from Person, message int64, data string) (Update, error) {
	return request[Update](ctx, c, http.MethodPost, "/sandbox/telegram/press", pressRequest{Bot: bot, From: from, Message: message, Data: data})
}

// SetWebhook points a bot's updates at a URL.
func (c Client) SetWebhook(ctx context.Context, bot string, hook Webhook) error {
	return c.do(ctx, http.MethodPut, "/sandbox/telegram/webhook", webhookRequest{Bot: bot, Webhook: hook})
}

// AddVKToken makes a VK token known.
func (c Client) AddVKToken(ctx context.Context, k VKToken) error {
	return c.do(ctx, http.MethodPost, "/sandbox/vk/tokens", k)
}

// AddWall makes a wall known.
func (c Client) AddWall(ctx context.Context, w Wall) error {
	return c.do(ctx, http.MethodPost, "/sandbox/vk/walls", w)
}

// AddPost puts a post on a wall.
func (c Client) AddPost(ctx context.Context, owner int64, p Post) (Post, error) {
	return request[Post](ctx, c, http.MethodPost, fmt.Sprintf("/sandbox/vk/walls/%d/posts", owner), p)
}

// DeletePost removes a post.
func (c Client) DeletePost(ctx context.Context, owner, id int64) error {
	return c.do(ctx, http.MethodDelete, fmt.Sprintf("/sandbox/vk/walls/%d/posts/%d", owner, id), nil)
}

// Posts returns what is on a wall, oldest first.
func (c Client) Posts(ctx context.Context, owner int64) ([]Post, error) {
	return request[[]Post](ctx, c, http.MethodGet, fmt.Sprintf("/sandbox/vk/walls/%d/posts", owner), nil)
}

func (c Client) do(ctx context.Context, method, path string, in any) error {
	_, err := request[json.RawMessage](ctx, c, method, path, in)
	return err
}

func request[T any](ctx context.Context, c Client, method, path string, in any) (T, error) {
	var out T
	var sent io.Reader
	if in != nil {
		sent = bytes.NewReader(encode(in))
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.URL, "/")+path, sent)
	if err != nil {
		return out, fmt.Errorf("sandbox control: %w", err)
	}
	answer, err := orElse(c.HTTP, http.DefaultClient).Do(r)
	if err != nil {
		return out, fmt.Errorf("sandbox control: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return out, fmt.Errorf("sandbox control: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		var complaint struct{ Error string }
		if json.Unmarshal(body, &complaint) != nil || complaint.Error == "" {
			complaint.Error = string(bytes.TrimSpace(body))
		}
		return out, fmt.Errorf("sandbox control: %s %s: %d: %s", method, path, answer.StatusCode, complaint.Error)
	}
	if err := json.Unmarshal(body, &out); err != nil {
		return out, fmt.Errorf("sandbox control: answer of %s: %w", path, err)
	}
	return out, nil
}
