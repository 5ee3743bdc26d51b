package conformance

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/api"
	"vestnik/internal/config"
	"vestnik/internal/protocol"
	"vestnik/internal/telegram"
	"vestnik/internal/telemetry"
)

func newServer(handler http.Handler) *httptest.Server { return httptest.NewServer(handler) }

// doorway is the webhook with nothing behind it but a counter: what must end
// at the receiver must not get there.
type doorway struct {
	*harness
	delivered atomic.Int64
	broken    atomic.Bool
	panics    atomic.Bool
	last      atomic.Pointer[protocol.BotUpdate]
}

func (d *doorway) Deliver(_ context.Context, update protocol.BotUpdate) error {
	d.delivered.Add(1)
	d.last.Store(&update)
	if d.panics.Load() {
		panic("something unforeseen")
	}
	if d.broken.Load() {
		return errNoTemporal
	}
	return nil
}

func doorRig(t testing.TB) *doorway {
	d := &doorway{harness: &harness{t: t, journal: &journal{}}}
	d.journal.arrived = sync.NewCond(&d.journal.mu)
	voice, err := telemetry.Start(t.Context(), config.Log{Level: "info"}, "conformance", d.journal)
	require.NoError(t, err)
	d.voice = voice
	d.server = newServer(d.webhookTo(api.NewReceiver(api.ReceiverConfig{Sessions: d, Log: voice.Logger})))
	t.Cleanup(d.server.Close)
	return d
}

// registration is what `vestnik bot webhook` works with.
func (r *harness) registration(publicURL string) api.Webhook {
	client, err := telegram.New(telegram.Config{Token: token, BaseURL: r.sandbox.TelegramURL()})
	require.NoError(r.t, err)
	return api.Webhook{Client: client, PublicURL: publicURL, Secret: secret}
}
