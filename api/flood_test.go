package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/guide"
)

func TestAChatThatFloodsIsAnsweredAndDroppedAndTheOthersAreServed(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	_, box := newReceiver(t, nil)
	dropped := 0
	receiver := NewReceiver(ReceiverConfig{
		Sessions: box, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return clock },
		PerSecond: 5,
		Count: func(_ context.Context, outcome string) {
			if outcome == "flood" {
				dropped++
			}
		},
	})
	handler, err := NewWebhook(WebhookConfig{Secret: "s", Receiver: receiver, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	id := 0
	send := func(chat int, text string) {
		id++
		body := fmt.Sprintf(`{"update_id":%d,"message":{"from":{"id":%d},"chat":{"id":%d,"type":"private"},"text":%q}}`, id, chat, chat, text)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, WebhookPath, strings.NewReader(body))
		request.Header.Set("X-Telegram-Bot-Api-Secret-Token", "s")
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		require.Equal(t, http.StatusOK, recorder.Code)
		require.Empty(t, recorder.Body.String())
	}
	received := func() int {
		n := len(box.updates)
		for range n {
			<-box.updates
		}
		return n
	}

	for range 50 {
		send(1, "/help")
	}
	require.Equal(t, 10, received(), "two seconds' worth in a row")
	require.Equal(t, 40, dropped)
	send(2, "/help")
	require.Equal(t, 1, received(), "another chat's is none of theirs")
	clock = clock.Add(time.Second)
	for range 50 {
		send(1, "/help")
	}
	require.Equal(t, 5, received(), "then five a second")

	// A promo code tried once a second takes years to be found.
	for range 50 {
		send(3, "РЕЧНАЯ10")
	}
	require.Equal(t, 5, received())
	clock = clock.Add(time.Second)
	for range 50 {
		send(3, "РЕЧНАЯ11")
	}
	require.Equal(t, 1, received())
}

func TestEachChatIsServedHoweverLowTheLimit(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	slow := newFlood(0.2, func() time.Time { return clock })
	press := &inbound{action: guide.OpenMenu(guide.Help)}
	for range 3 {
		require.True(t, slow.lets(press))
		require.False(t, slow.lets(press))
		clock = clock.Add(5 * time.Second)
	}
}
