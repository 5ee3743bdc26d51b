package activities

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
	"vestnik/internal/photo"
	"vestnik/internal/post"
)

func TestAHostOfPhotosThatHangsHoldsUpNoReading(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	host := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-r.Context().Done()
	}))
	t.Cleanup(host.Close)
	pictures := photo.NewFetcher(HashOptions(photo.Options{AllowHTTP: true, AllowPrivate: true}))
	walls := &Walls{Pictures: pictures, Log: slog.New(slog.DiscardHandler)}
	var posts []petpost.Post
	for id := range int64(20) {
		posts = append(posts, petpost.ReadPost(post.Post{
			ID: post.ID{OwnerID: -1, PostID: id + 1}, ContentHash: []byte("new"), Text: "Пропала собака, рыжая, зовут Бим. Тел. 8 900 000-00-00",
			Photos: []post.Photo{{OwnerID: -1, ID: id, Sizes: []post.Size{{URL: host.URL, Width: 604, Height: 453}}}},
		}))
	}
	began := time.Now()
	walls.hashPhotos(t.Context(), posts, nil)
	require.Less(t, time.Since(began), 2*hashTime)
	require.NotZero(t, asked.Load())
	require.Less(t, int(asked.Load()), 2*photosAtOnce, "who does not answer is left alone")
	require.Empty(t, posts[0].Fingerprint.Photos)
}

func TestTheSmallestWholeSizeIsLookedAt(t *testing.T) {
	t.Parallel()
	sizes := []post.Size{{URL: "z", Width: 1280, Height: 853}, {URL: "x", Width: 604, Height: 403}, {URL: "m", Width: 130, Height: 87}, {URL: "q", Width: 320, Height: 320}}
	size, found := sizeToHash(sizes)
	require.True(t, found)
	require.Equal(t, "x", size.URL)
	for _, sizes := range [][]post.Size{nil, {{URL: "w"}}, {{URL: "s", Width: 75, Height: 56}}} {
		_, found := sizeToHash(sizes)
		require.False(t, found)
	}
}
