package telegram_test

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/telegram"
)

func TestAFileIsSentAsItIsRead(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int64{"of known size": 10, "of unknown size": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, more := io.Pipe()
			t.Cleanup(func() { _ = source.Close() })
			seen := make(chan string, 3)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				parts, err := r.MultipartReader()
				if err != nil {
					return
				}
				var part *multipart.Part
				for part, err = parts.NextPart(); err == nil && part.FileName() == ""; part, err = parts.NextPart() {
				}
				if err != nil {
					return
				}
				seen <- r.URL.Path + " " + part.FormName() + " " + part.FileName()
				for range 2 {
					half := make([]byte, 5)
					_, _ = io.ReadFull(part, half)
					seen <- string(half)
				}
				_, _ = io.WriteString(w, `{"ok":true,"result":{"message_id":7,"chat":{"id":1}}}`)
			}))
			t.Cleanup(server.Close)
			client, err := telegram.New(telegram.Config{Token: token, BaseURL: server.URL, Timeout: time.Millisecond})
			require.NoError(t, err)
			t.Cleanup(client.Close)

			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			sent := make(chan error, 1)
			go func() {
				message, err := client.SendDocument(ctx, telegram.PhotoMessage{
					Target: telegram.Target{Chat: "1"}, Photo: telegram.Photo{File: &telegram.File{Name: "справка.docx", Size: size, Content: source}},
				})
				if err == nil && message.ID != 7 {
					err = io.ErrUnexpectedEOF
				}
				sent <- err
			}()
			require.Equal(t, "/bot"+token+"/sendDocument document справка.docx", <-seen)
			_, _ = io.WriteString(more, "first")
			require.Equal(t, "first", <-seen, "it is with the server before the rest was read")
			_, _ = io.WriteString(more, "other")
			require.NoError(t, more.Close())
			require.Equal(t, "other", <-seen)
			require.NoError(t, <-sent, "the client's own timeout is not for files")
		})
	}
}

func TestAFileThatBreaksWhileItIsReadWasNotSent(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	t.Cleanup(server.Close)
	client, err := telegram.New(telegram.Config{Token: token, BaseURL: server.URL})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	source, more := io.Pipe()
	go func() {
		_, _ = io.WriteString(more, "first")
		_ = more.CloseWithError(io.ErrUnexpectedEOF)
	}()
	_, err = client.SendDocument(t.Context(), telegram.PhotoMessage{
		Target: telegram.Target{Chat: "1"}, Photo: telegram.Photo{File: &telegram.File{Name: "a.zip", Size: 1 << 20, Content: source}},
	})
	var failure *telegram.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, telegram.Unreachable, failure.Class)
	require.False(t, failure.MayHaveHappened())
}
