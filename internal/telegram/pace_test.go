package telegram_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/telegram"
)

func TestABotKeepsOnePaceToAllItsChats(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, sentMessage))
	client := newClient(t, s.URL, func(c *telegram.Config) { c.MessagesPerSecond = 50 })
	began := time.Now()
	var senders sync.WaitGroup
	for chat := range int64(10) {
		senders.Go(func() {
			_, err := client.SendMessage(t.Context(), telegram.TextMessage{Target: telegram.Target{Chat: telegram.ChatOf(-100 - chat)}, Text: "text"})
			if err != nil {
				t.Errorf("send: %v", err)
			}
		})
	}
	senders.Wait()
	require.GreaterOrEqual(t, time.Since(began), 9*20*time.Millisecond)
	require.Equal(t, 10, s.count())

	began = time.Now()
	photo := telegram.AlbumItem{Photo: telegram.Photo{URL: "https://photos.example.com/1.jpg"}}
	_, _ = client.SendMediaGroup(t.Context(), telegram.AlbumMessage{Target: telegram.Target{Chat: telegram.ChatOf(-100)}, Items: []telegram.AlbumItem{photo, photo, photo, photo}})
	require.GreaterOrEqual(t, time.Since(began), 3*20*time.Millisecond, "an album is as many messages as it has items")
}

func TestAMessageForWhichThereIsNoTimeIsNotSent(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, sentMessage))
	client := newClient(t, s.URL, func(c *telegram.Config) { c.MessagesPerSecond = 0.01 })
	message := telegram.TextMessage{Target: telegram.Target{Chat: telegram.ChatOf(-100)}, Text: "text"}
	_, err := client.SendMessage(t.Context(), message)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = client.SendMessage(ctx, message)
	require.Equal(t, telegram.RateLimited, refused(t, err).Class)
	require.Equal(t, 1, s.count())
}
