package worker

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/photo"
	"vestnik/starter"
)

// A Bot API server of one's own, and a proxy to VK, stand on loopback too:
// where an API is says nothing about the pictures in strangers' posts.
func TestNoAddressOfAnAPIOpensTheOwnNetworkToPictures(t *testing.T) {
	t.Parallel()
	internal := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a post made us fetch something from our own network")
	}))
	t.Cleanup(internal.Close)
	cfg, err := config.Load(map[string]string{
		"TELEGRAM_API_URL": "http://127.0.0.1:8081", "VK_API_URL": "http://localhost:8082/method/",
	})
	require.NoError(t, err)
	options := (&Clients{Starter: &starter.Starter{Config: cfg}}).PhotoOptions()
	require.Equal(t, photo.Options{}, options)

	options.AllowHTTP = true // the guard is behind the scheme
	_, err = photo.NewFetcher(options).Fetch(t.Context(), internal.URL+"/1.jpg")
	var refused *photo.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, photo.Forbidden, refused.Kind)
}
