package photo_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/photo"
)

func TestAFileIsReadAsItComes(t *testing.T) {
	t.Parallel()
	rest := make(chan struct{})
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "first")
		_ = http.NewResponseController(w).Flush()
		<-rest
		_, _ = io.WriteString(w, "other")
	})
	file, err := local(t, photo.Options{}).Open(t.Context(), address+"/doc1_2", "справка.docx", 10)
	require.NoError(t, err)
	defer file.Close()
	require.Equal(t, int64(10), file.Bytes)
	first := make([]byte, 5)
	_, err = io.ReadFull(file, first)
	require.NoError(t, err)
	require.Equal(t, int64(5), file.Progress())
	close(rest)
	other, err := io.ReadAll(file)
	require.NoError(t, err)
	require.Equal(t, "first other", string(first)+" "+string(other))
	require.Nil(t, file.Failed())
}

func TestAFileThatIsNotWhatItShouldBeIsNotRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		kind    photo.Kind
	}{
		"larger, and its host says so": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("a", 2000)) }, photo.TooLarge},
		"larger, and its host does not": {func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				_, _ = io.WriteString(w, strings.Repeat("a", 500))
				_ = http.NewResponseController(w).Flush()
			}
		}, photo.TooLarge},
		"gone": {http.NotFound, photo.Gone},
		"a page to log in at": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}, photo.Gone},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "900")
			_, _ = io.WriteString(w, "a")
		}, photo.Unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := local(t, photo.Options{}).Open(t.Context(), serve(t, c.handler), "a.zip", 1000)
			if err == nil {
				defer file.Close()
				_, err = io.ReadAll(file)
				require.Equal(t, c.kind, file.Failed().Kind)
			}
			require.Equal(t, c.kind, kindOf(t, err))
		})
	}
	_, err := photo.NewFetcher(photo.Options{}).Open(t.Context(), "https://127.0.0.1/doc1_2", "a.zip", 1000)
	require.Equal(t, photo.Forbidden, kindOf(t, err), "the guards are those of pictures")
}

func TestAHostThatIsAvoidedForItsPicturesIsForItsFiles(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "900")
		_, _ = io.WriteString(w, "a")
	})
	fetcher := local(t, photo.Options{})
	for range 3 {
		require.False(t, fetcher.Avoids(address))
		_, err := fetcher.Fetch(t.Context(), address)
		require.Error(t, err)
	}
	require.True(t, fetcher.Avoids(address))
	_, err := fetcher.Open(t.Context(), address, "a.zip", 1000)
	require.Equal(t, photo.Avoided, kindOf(t, err))
}
