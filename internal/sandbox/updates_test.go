package sandbox_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	tgbot "github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

var anya = sandbox.Person{ID: 555000111, Name: "Аня", Username: "anya"}

// hook is a webhook that records what it gets and answers as told.
type hook struct {
	*httptest.Server
	mu      sync.Mutex
	ids     []int64
	secrets []string
	answer  func(n int, w http.ResponseWriter) // n counts from 1
}

func newHook(t *testing.T, answer func(int, http.ResponseWriter)) *hook {
	t.Helper()
	h := &hook{answer: answer}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var update struct {
			ID int64 `json:"update_id"`
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &update)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		h.mu.Lock()
		h.ids = append(h.ids, update.ID)
		h.secrets = append(h.secrets, r.Header.Get("X-Telegram-Bot-Api-Secret-Token"))
		n := len(h.ids)
		h.mu.Unlock()
		if h.answer != nil {
			h.answer(n, w)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) got() []int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.ids)
}

// await waits until n updates have come, and returns their ids.
func (h *hook) await(t *testing.T, n int) []int64 {
	t.Helper()
	require.Eventually(t, func() bool { return len(h.got()) >= n }, 10*time.Second, time.Millisecond)
	return h.got()
}

func TestAWebhookGetsMessagesAndPressesWithItsSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	h := newHook(t, nil)
	ok, err := b.bot.SetWebhook(t.Context(), &tgbot.SetWebhookParams{URL: h.URL, SecretToken: "s3cret_-", AllowedUpdates: []string{"message", "callback_query"}})
	require.NoError(t, err)
	require.True(t, ok)
	said, err := b.Say(botToken, anya, "/start")
	require.NoError(t, err)
	menu, err := b.bot.SendMessage(t.Context(), &tgbot.SendMessageParams{ChatID: anya.ID, Text: "меню",
		ReplyMarkup: &models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{{{Text: "Места", CallbackData: "open:menu:places"}}}}})
	require.NoError(t, err)
	pressed, err := b.Press(botToken, anya, anya.ID, int64(menu.ID), "open:menu:places")
	require.NoError(t, err)
	require.ElementsMatch(t, []int64{said.ID, pressed.ID}, h.await(t, 2))
	require.Equal(t, []string{"s3cret_-", "s3cret_-"}, h.secrets)
	require.Equal(t, said.ID+1, pressed.ID)

	var update models.Update
	require.NoError(t, json.Unmarshal(pressed.Body, &update))
	require.Equal(t, "меню", update.CallbackQuery.Message.Message.Text)
	require.Equal(t, pressed.Query, update.CallbackQuery.ID)
	require.NotEmpty(t, update.CallbackQuery.ChatInstance)
	require.NoError(t, json.Unmarshal(said.Body, &update))
	require.EqualValues(t, "bot_command", update.Message.Entities[0].Type)

	info, err := b.bot.GetWebhookInfo(t.Context())
	require.NoError(t, err)
	require.Equal(t, h.URL, info.URL)
	require.Zero(t, info.PendingUpdateCount)
}

func TestAnUpdateIsRepeatedUntilItIsTakenAndHoldsUpThoseBehindIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	h := newHook(t, func(n int, w http.ResponseWriter) {
		if n <= 3 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	require.NoError(t, b.SetWebhook(botToken, sandbox.Webhook{URL: h.URL}))
	first, err := b.Say(botToken, anya, "раз")
	require.NoError(t, err)
	second, err := b.Say(botToken, anya, "два")
	require.NoError(t, err)
	require.Equal(t, []int64{first.ID, first.ID, first.ID, first.ID, second.ID}, h.await(t, 5))
}

func TestRetryAfterOfAWebhookIsHonoured(t *testing.T) {
	t.Parallel()
	b := setup(t)
	h := newHook(t, func(n int, w http.ResponseWriter) {
		if n == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	require.NoError(t, b.SetWebhook(botToken, sandbox.Webhook{URL: h.URL}))
	_, err := b.Say(botToken, anya, "раз")
	require.NoError(t, err)
	h.await(t, 1)
	begun := time.Now()
	h.await(t, 2)
	require.GreaterOrEqual(t, time.Since(begun), 900*time.Millisecond)
}

func TestAPressExpiresSoonerThanAMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	require.NoError(t, b.SetWebhook(botToken, sandbox.Webhook{URL: closed.URL}))
	_, err := b.Say(botToken, anya, "раз")
	require.NoError(t, err)
	_, err = b.Press(botToken, anya, anya.ID, 1, "x:y:1")
	require.NoError(t, err)
	pending := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool {
			info, err := b.bot.GetWebhookInfo(t.Context())
			return err == nil && info.PendingUpdateCount == n && info.LastErrorMessage != ""
		}, 10*time.Second, time.Millisecond)
	}
	pending(2)
	b.clock.advance(3 * time.Minute)
	pending(1)
}

func TestUpdatesAreHeldAndReleasedManyTimesOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	h := newHook(t, nil)
	require.NoError(t, b.SetWebhook(botToken, sandbox.Webhook{URL: h.URL}))
	require.NoError(t, b.Hold(botToken))
	for range 5 {
		_, err := b.Say(botToken, anya, "привет")
		require.NoError(t, err)
	}
	require.Empty(t, h.got())
	require.NoError(t, b.Release(t.Context(), botToken, 3))
	require.Len(t, h.got(), 15)
	said, err := b.Say(botToken, anya, "ещё")
	require.NoError(t, err)
	require.Equal(t, said.ID, h.await(t, 16)[15])
}

func TestPressesMustBeAnsweredInTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Say(botToken, anya, "/start")
	require.NoError(t, err)
	answer := func(id, text string) error {
		_, err := b.bot.AnswerCallbackQuery(t.Context(), &tgbot.AnswerCallbackQueryParams{CallbackQueryID: id, Text: text})
		return err
	}
	first, err := b.Press(botToken, anya, anya.ID, 999, "a:b:1")
	require.NoError(t, err)
	require.Contains(t, string(first.Body), `"date":0`, "the message is gone")
	require.NoError(t, answer(first.Query, "готово"))
	require.ErrorContains(t, answer(first.Query, ""), "query is too old", "once only")
	late, err := b.Press(botToken, anya, anya.ID, 1, "a:b:2")
	require.NoError(t, err)
	b.clock.advance(sandbox.AnswerWithin + time.Second)
	require.ErrorContains(t, answer(late.Query, ""), "query is too old")
	queries := b.Queries(anya.ID)
	require.Len(t, queries, 2)
	require.True(t, queries[0].Answered)
	require.Equal(t, "готово", queries[0].Toast)
	require.False(t, queries[1].Answered)
}

func TestUpdatesCanBePolled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	poll := func(ctx context.Context, params string) telegramAnswer {
		response, body, err := b.rawMethod(ctx, "getUpdates", params)
		if err != nil {
			return telegramAnswer{Description: err.Error()}
		}
		answer := telegramAnswer{Status: response.StatusCode}
		_ = json.Unmarshal([]byte(body), &answer)
		return answer
	}
	waiting := make(chan telegramAnswer, 1)
	go func() { waiting <- poll(t.Context(), `{"timeout":30}`) }()
	_, err := b.WaitForCalls(soon(t), sandbox.CallFilter{Method: "getUpdates", Arrived: true}, 1)
	require.NoError(t, err)
	u, err := b.Say(botToken, anya, "раз")
	require.NoError(t, err)
	require.Contains(t, string((<-waiting).Result), strconv.FormatInt(u.ID, 10), "a long poll ends at once")
	require.Contains(t, string(poll(t.Context(), `{}`).Result), "раз", "not confirmed yet")
	require.Equal(t, "[]", string(poll(t.Context(), `{"offset":`+strconv.FormatInt(u.ID+1, 10)+`}`).Result))

	go func() { waiting <- poll(t.Context(), `{"timeout":30,"limit":7}`) }()
	_, err = b.WaitForCalls(soon(t), sandbox.CallFilter{Method: "getUpdates", Arrived: true, Match: func(c sandbox.Call) bool { return c.Text("limit") == "7" }}, 1)
	require.NoError(t, err)
	// The call has arrived, but perhaps does not poll yet: a second poller ends
	// it once it does.
	for len(waiting) == 0 {
		poll(t.Context(), `{"timeout":0}`)
	}
	answer := <-waiting
	require.Equal(t, 409, answer.Status)
	require.Contains(t, answer.Description, "terminated by other getUpdates request")
	require.NoError(t, b.SetWebhook(botToken, sandbox.Webhook{URL: "http://127.0.0.1:1/"}))
	require.Contains(t, poll(t.Context(), `{}`).Description, "can't use getUpdates method while webhook is active")
}

func TestTheTelegramLibraryPolls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := make(chan *models.Update, 10)
	poller, err := tgbot.New(botToken, tgbot.WithServerURL(b.TelegramURL()), tgbot.WithSkipGetMe(),
		tgbot.WithDefaultHandler(func(_ context.Context, _ *tgbot.Bot, u *models.Update) { got <- u }))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go poller.Start(ctx)
	_, err = b.Say(botToken, anya, "привет")
	require.NoError(t, err)
	select {
	case u := <-got:
		require.Equal(t, "привет", u.Message.Text)
		require.Equal(t, anya.ID, u.Message.From.ID)
	case <-soon(t).Done():
		t.Fatal("no update came")
	}
}

func TestUpdatesNobodyAskedForAreNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	h := newHook(t, nil)
	require.NoError(t, b.SetWebhook(botToken, sandbox.Webhook{URL: h.URL, AllowedUpdates: []string{"message"}}))
	_, err := b.Push(botToken, "my_chat_member", json.RawMessage(`{"chat":{"id":1}}`))
	require.NoError(t, err)
	said, err := b.Say(botToken, anya, "раз")
	require.NoError(t, err)
	require.Equal(t, []int64{said.ID}, h.await(t, 1))
}

func TestALocationIsSentLikeAMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	u, err := b.Locate(botToken, anya, sandbox.Location{Latitude: 57.3, Longitude: 44.1})
	require.NoError(t, err)
	var update models.Update
	require.NoError(t, json.Unmarshal(u.Body, &update))
	require.InDelta(t, 57.3, update.Message.Location.Latitude, 1e-9)
	require.Equal(t, anya.ID, update.Message.Chat.ID)
}
