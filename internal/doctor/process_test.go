package doctor_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/api/console"
	"vestnik/internal/config"
	"vestnik/internal/doctor"
	"vestnik/internal/operators"
)

func TestTheDoctorComparesItsSettingsWithThoseOfTheProcessThatRuns(t *testing.T) {
	t.Parallel()
	const token = "an-operators-first-key"
	settings := func(address, botToken, wall string) config.Config {
		cfg, err := config.Load(map[string]string{"OPS_TOKEN": token, "HTTP_ADDR": address, "TG_TOKEN": botToken, "VK_OUT_OWNER_ID": wall})
		require.NoError(t, err)
		return cfg
	}
	const botToken, other = "1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "2:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"

	var running config.Config
	known, err := operators.Open(config.NewSecret(token), "")
	require.NoError(t, err)
	pages, err := console.New(console.Config{
		Operators: known, Log: slog.New(slog.DiscardHandler), Settings: func(key string) []config.Setting { now := running; return now.Marked(key) },
	})
	require.NoError(t, err)
	var answered strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		pages.ServeHTTP(recorder, r)
		answered.Write(recorder.Body.Bytes())
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(recorder.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	running = settings(address, botToken, "-1")

	finding := func(cfg config.Config) doctor.Finding {
		findings := doctor.Examine(t.Context(), cfg)
		at := slices.IndexFunc(findings, func(found doctor.Finding) bool { return found.What == "running process" })
		require.NotEqual(t, -1, at)
		return findings[at]
	}
	require.Equal(t, doctor.OK, finding(settings(address, botToken, "-1")).State)
	differs := finding(settings(address, other, "-2"))
	require.Equal(t, doctor.Fault, differs.State)
	require.Contains(t, differs.Detail, "other values of OPS_CHAT_TOKEN, TG_TOKEN, VK_OUT_OWNER_ID")
	require.NotContains(t, answered.String(), botToken)
	require.NotContains(t, answered.String(), token)

	stranger := settings(address, botToken, "-1")
	stranger.HTTP.OpsToken = config.NewSecret("not-the-key")
	require.Contains(t, finding(stranger).Detail, "401")
	server.Close()
	require.Equal(t, doctor.Note, finding(settings(address, botToken, "-1")).State, "nobody answers")
}
