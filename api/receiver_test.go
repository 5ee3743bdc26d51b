package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/internal/telegram"
	"vestnik/starter"
)

// letterbox is behind a receiver and keeps what comes through.
type letterbox struct {
	updates chan protocol.BotUpdate
	err     error
}

func (l *letterbox) Deliver(_ context.Context, update protocol.BotUpdate) error {
	if l.err != nil {
		return l.err
	}
	l.updates <- update
	return nil
}

func newReceiver(t testing.TB, seal *guide.Seal) (*Receiver, *letterbox) {
	t.Helper()
	box := &letterbox{updates: make(chan protocol.BotUpdate, 100)}
	return NewReceiver(ReceiverConfig{Sessions: box, Seal: seal, Log: slog.New(slog.DiscardHandler)}), box
}

func TestAnUpdateIsReducedToWhatTheGuideNeeds(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		body string
		want protocol.BotUpdate
	}{
		"a command": {
			`{"update_id":7,"message":{"message_id":1,"date":1,"from":{"id":5,"first_name":"Имя"},"chat":{"id":5,"type":"private"},"text":"/start p12"}}`,
			protocol.BotUpdate{ID: 7, Kind: "message", UserID: 5, ChatID: 5, Data: "open:place:12"},
		},
		"a text": {
			`{"update_id":7,"message":{"from":{"id":5},"chat":{"id":5,"type":"private"},"text":"мне не понравилось"}}`,
			protocol.BotUpdate{ID: 7, Kind: "message", UserID: 5, ChatID: 5, Content: "text"},
		},
		"help": {
			`{"update_id":7,"message":{"from":{"id":5},"chat":{"id":5},"text":"/help"}}`,
			protocol.BotUpdate{ID: 7, Kind: "message", UserID: 5, ChatID: 5, Data: "open:menu:help", Open: true},
		},
		"a button on a photo": {
			`{"update_id":7,"callback_query":{"id":"q","from":{"id":5},"message":{"message_id":22,"date":9,"chat":{"id":5,"type":"private"},"photo":[{"file_id":"x"}]},"data":"open:place:1"}}`,
			protocol.BotUpdate{ID: 7, Kind: "callback_query", UserID: 5, ChatID: 5, Data: "open:place:1", CallbackID: "q", MessageID: 22, OnPhoto: true},
		},
		"a button on a message that is gone": {
			`{"update_id":7,"callback_query":{"id":"q","from":{"id":5},"message":{"message_id":22,"date":0,"chat":{"id":5}},"data":"open:place:1"}}`,
			protocol.BotUpdate{ID: 7, Kind: "callback_query", UserID: 5, ChatID: 5, Data: "open:place:1", CallbackID: "q", MessageID: 22, Inaccessible: true},
		},
		"a button of no chat": {
			`{"update_id":7,"callback_query":{"id":"q","from":{"id":5},"inline_message_id":"z","data":"open:place:1"}}`,
			protocol.BotUpdate{ID: 7, Kind: "callback_query", UserID: 5, Data: "open:place:1", CallbackID: "q", Toast: guide.DefaultTexts().Toasts.OpenBot, AnswerOnly: true},
		},
		"a button of another version": {
			`{"update_id":7,"callback_query":{"id":"q","from":{"id":5},"message":{"message_id":22,"date":9,"chat":{"id":5}},"data":"open:menu:nope"}}`,
			protocol.BotUpdate{ID: 7, Kind: "callback_query", UserID: 5, ChatID: 5, Data: "open:menu:nope", CallbackID: "q", MessageID: 22, Toast: guide.DefaultTexts().Toasts.Stale},
		},
		"a photo of an album, from somebody with a language": {
			`{"update_id":7,"message":{"from":{"id":5,"language_code":"pt-BR"},"chat":{"id":5},"media_group_id":"137","photo":[{"file_id":"x"}]}}`,
			protocol.BotUpdate{ID: 7, Kind: "message", UserID: 5, ChatID: 5, Language: "pt-BR", Content: "album 137"},
		},
		"a place's button on a promo": {
			`{"update_id":7,"callback_query":{"id":"q","from":{"id":5},"message":{"message_id":22,"date":9,"chat":{"id":5},"reply_markup":{"inline_keyboard":[[{"text":"Назад","callback_data":"back:menu:promos"}]]}},"data":"open:place:1"}}`,
			protocol.BotUpdate{ID: 7, Kind: "callback_query", UserID: 5, ChatID: 5, Data: "open:place:1", CallbackID: "q", MessageID: 22, OffCard: true},
		},
		"a message of the future": {
			`{"update_id":7,"hologram":true,"message":{"from":{"id":5,"aura":{}},"chat":{"id":5,"type":"private"},"paid_media":{"type":"live_photo"},"text":"/menu"}}`,
			protocol.BotUpdate{ID: 7, Kind: "message", UserID: 5, ChatID: 5, Data: "open:menu:main"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver, box := newReceiver(t, nil)
			require.NoError(t, receiver.Take(newTrace(t.Context()), []byte(row.body)))
			got := <-box.updates
			require.Len(t, got.TraceID, 32)
			got.TraceID = ""
			require.Equal(t, row.want, got)
		})
	}
}

func TestWhatIsPrivateGoesOnSealedOrNotAtAll(t *testing.T) {
	t.Parallel()
	seal, err := guide.NewSeal(func() string { return "1:token" })
	require.NoError(t, err)
	for _, message := range []string{`"text":"/find тайный запрос"`, `"text":" тайный  запрос"`, `"location":{"latitude":53.25,"longitude":50.75}`} {
		body := fmt.Sprintf(`{"update_id":7,"message":{"from":{"id":5},"chat":{"id":5},%s}}`, message)
		plain, plainBox := newReceiver(t, nil)
		require.NoError(t, plain.Take(t.Context(), []byte(body)))
		require.Empty(t, (<-plainBox.updates).Sealed)

		sealing, box := newReceiver(t, seal)
		require.NoError(t, sealing.Take(t.Context(), []byte(body)))
		update := <-box.updates
		encoded, err := json.Marshal(update)
		require.NoError(t, err)
		require.NotContains(t, string(encoded), "тайный")
		require.NotContains(t, string(encoded), "53.25")
		var opened guide.Private
		require.NoError(t, seal.Open(update.Sealed, 7, &opened))
		require.True(t, opened.Words == "тайный запрос" || opened.Located)
	}
}

func TestWhatIsSaidAfterTheHelpScreenGoesNowhere(t *testing.T) {
	t.Parallel()
	seal, err := guide.NewSeal(func() string { return "1:token" })
	require.NoError(t, err)
	receiver, box := newReceiver(t, seal)
	id := 0
	sealed := func(chat int, text string) bool {
		id++
		require.NoError(t, receiver.Take(t.Context(), fmt.Appendf(nil, `{"update_id":%d,"message":{"from":{"id":%d},"chat":{"id":%d},"text":%q}}`, id, chat, chat, text)))
		return len((<-box.updates).Sealed) > 0
	}
	require.True(t, sealed(5, "кофе"))
	require.False(t, sealed(5, "/help"))
	require.False(t, sealed(5, "невкусно"))
	require.False(t, sealed(5, "и дорого"), "until the person goes on")
	require.True(t, sealed(6, "кофе"), "of this chat only")
	require.True(t, sealed(5, "/find кофе"))
	require.True(t, sealed(5, "кофе"))
	require.False(t, sealed(5, "Вчера были у вас в кофейне: кофе был холодный, а персонал груб"), "a message to somebody")
}

func TestAReceiverRemembersHelpForABoundedNumberOfChats(t *testing.T) {
	t.Parallel()
	memory := newHelped()
	for chat := range int64(helpedMax + 10) {
		memory.note(chat, true)
		memory.note(chat, true)
	}
	require.Len(t, memory.chats, helpedMax)
	require.Len(t, memory.order, helpedMax)
	require.False(t, memory.is(0))
	require.True(t, memory.is(helpedMax+9))
}

func TestAMalformedButtonIsAnsweredWhereTheOperatorWantsThat(t *testing.T) {
	t.Parallel()
	box := &letterbox{updates: make(chan protocol.BotUpdate, 10)}
	for _, lenient := range []bool{false, true} {
		receiver := NewReceiver(ReceiverConfig{Sessions: box, AnswerMalformed: lenient, Log: slog.New(slog.DiscardHandler)})
		for i, data := range []string{"garbage", "", "open::1", strings.Repeat("a", 65), "open:place:0"} {
			require.NoError(t, receiver.Take(t.Context(), fmt.Appendf(nil,
				`{"update_id":%d,"callback_query":{"id":"q","from":{"id":5},"message":{"message_id":22,"date":9,"chat":{"id":5}},"data":%q}}`, i+1, data)))
			if !lenient {
				require.Empty(t, box.updates, data)
				continue
			}
			update := <-box.updates
			require.Equal(t, guide.DefaultTexts().Toasts.Stale, update.Toast)
			require.Equal(t, "q", update.CallbackID)
			action, err := guide.ParseAction(update.Data)
			require.NoError(t, err)
			require.Equal(t, guide.ToNothing, action.Route(), "its screen is a fresh menu")
		}
	}
}

const start = `{"update_id":%d,"message":{"from":{"id":5},"chat":{"id":5},"text":"/start"}}`

func TestWhatIsNotStoredIsAskedForAgainUnlessItNeverWillBe(t *testing.T) {
	t.Parallel()
	receiver, box := newReceiver(t, nil)
	box.err = errors.New("Temporal is away")
	require.Error(t, receiver.Take(t.Context(), fmt.Appendf(nil, start, 7)))
	box.err = fmt.Errorf("of this chat: %w", starter.ErrUpdateRefused)
	require.NoError(t, receiver.Take(t.Context(), fmt.Appendf(nil, start, 7)))
	box.err = nil
	require.NoError(t, receiver.Take(t.Context(), fmt.Appendf(nil, start, 7)))
	require.Len(t, box.updates, 1)
}

func TestABodyThatBreaksOffIsAskedForAgain(t *testing.T) {
	t.Parallel()
	receiver, _ := newReceiver(t, nil)
	handler, err := NewWebhook(WebhookConfig{Secret: "s", Receiver: receiver, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	request := httptest.NewRequest(http.MethodPost, WebhookPath, io.MultiReader(strings.NewReader(`{"update_id":7,`), brokenReader{}))
	request.Header.Set(secretHeader, "s")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	require.Equal(t, 500, recorder.Code)
	require.Equal(t, "5", recorder.Header().Get("Retry-After"))
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestAnOperatorMayWantAnotherAnswerThan500(t *testing.T) {
	t.Parallel()
	receiver, box := newReceiver(t, nil)
	box.err = errors.New("Temporal is away")
	handler, err := NewWebhook(WebhookConfig{Secret: "s", Receiver: receiver, Log: slog.New(slog.DiscardHandler), FailureStatus: 200})
	require.NoError(t, err)
	request := httptest.NewRequest(http.MethodPost, WebhookPath, strings.NewReader(fmt.Sprintf(start, 7)))
	request.Header.Set(secretHeader, "s")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	require.Equal(t, 200, recorder.Code)
	require.Empty(t, recorder.Header().Get("Retry-After"))
}

func TestUpdatesArePolledOnceEachAndAgainIfNotStored(t *testing.T) {
	t.Parallel()
	const token = "7000000778:AApolled-bot-000000000000000000000000"
	server, err := sandbox.Start(t.Context(), sandbox.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	require.NoError(t, server.AddBot(sandbox.Bot{Token: token}))
	client, err := telegram.New(telegram.Config{Token: token, BaseURL: server.TelegramURL(), Timeout: 5 * time.Second})
	require.NoError(t, err)
	receiver, box := newReceiver(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		poller := &Poller{Client: client, Receiver: receiver, Log: slog.New(slog.DiscardHandler)}
		ended <- poller.Run(ctx)
	}()
	person := sandbox.Person{ID: 5, Name: "Имя"}
	first, err := server.Say(token, person, "/start")
	require.NoError(t, err)
	require.Equal(t, first.ID, (<-box.updates).ID)
	second, err := server.Say(token, person, "/help")
	require.NoError(t, err)
	require.Equal(t, second.ID, (<-box.updates).ID)
	stop()
	require.NoError(t, <-ended)

	require.NoError(t, server.SetWebhook(token, sandbox.Webhook{URL: "http://127.0.0.1:1/"}))
	err = (&Poller{Client: client, Receiver: receiver, Log: slog.New(slog.DiscardHandler)}).Run(t.Context())
	require.ErrorContains(t, err, "vestnik bot webhook delete")
}

func FuzzReadUpdate(f *testing.F) {
	f.Add([]byte(fmt.Sprintf(start, 7)))
	f.Add([]byte(`{"update_id":7,"callback_query":{"id":"q","from":{"id":5},"message":{"message_id":22,"date":0,"chat":{"id":5}},"data":"open:place:1"}}`))
	for _, body := range []string{"", "null", "[]", `{"update_id":1e9}`, `{"update_id":7,"message":{"from":5}}`, `{"update_id":7,"poll":{}}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		update, fault := readUpdate(body)
		if fault != nil {
			require.Equal(t, "INBOUND_VALIDATION", fault.code.Class())
			return
		}
		require.Positive(t, update.ID)
		require.Positive(t, update.UserID)
		require.True(t, update.ChatID != 0 || update.CallbackID != "")
		require.LessOrEqual(t, len(update.Data), guide.DataLimit)
	})
}
