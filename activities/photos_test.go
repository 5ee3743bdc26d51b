package activities

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/photo"
)

func TestAHostThatWasNotAskedIsNotBlamed(t *testing.T) {
	t.Parallel()
	serve := func(handler http.HandlerFunc) string {
		host := httptest.NewServer(handler)
		t.Cleanup(host.Close)
		return host.URL
	}
	hangs := serve(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	well := serve(func(http.ResponseWriter, *http.Request) {})
	var wanted []wantedPhoto
	for index := range 2 * photosAtOnce {
		link := hangs
		if index >= photosAtOnce {
			link = well
		}
		wanted = append(wanted, wantedPhoto{index, link, photo.TelegramUpload})
	}
	pictures := photo.NewFetcher(photo.Options{AllowHTTP: true, AllowPrivate: true})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	got := fetchPhotos(ctx, pictures, wanted)
	require.True(t, pictures.Avoids(hangs))
	require.False(t, pictures.Avoids(well))
	var failure *photo.Error
	require.ErrorAs(t, got[photosAtOnce].err, &failure)
	require.True(t, failure.Temporary(), "there may be time for it later")
}
