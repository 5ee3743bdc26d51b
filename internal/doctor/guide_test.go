package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/sandbox"
)

func TestTheDoctorKnowsWhatTheGuideDependsOn(t *testing.T) {
	t.Parallel()
	const public = "https://guide.example.com"
	const hook = public + "/api/v1/integrations/telegram/webhook"
	for name, row := range map[string]struct {
		change  map[string]string
		prepare func(t *testing.T, s *sandbox.Server)
		local   bool // the sandbox stands in
		what    string
		state   State
		detail  string
	}{
		"no guide":             {change: map[string]string{"BOT_ENABLED": ""}, what: "guide bot", state: "note", detail: "no guide"},
		"its name":             {what: "guide bot", state: "ok", detail: "@sandbox_guide_bot"},
		"a name that it lacks": {change: map[string]string{"TELEGRAM_BOT_USERNAME": ""}, what: "guide bot", state: "note", detail: "TELEGRAM_BOT_USERNAME=sandbox_guide_bot"},
		"another bot's name":   {change: map[string]string{"TELEGRAM_BOT_USERNAME": "@city_guide_bot"}, what: "guide bot", state: "fault", detail: "@sandbox_guide_bot"},
		"another token":        {change: map[string]string{"TELEGRAM_BOT_TOKEN": "7:revoked"}, what: "guide bot", state: "fault", detail: "TELEGRAM_BOT_TOKEN"},
		"its channel":          {what: "guide channel", state: "ok", detail: "administers the channel"},
		"no such channel":      {change: map[string]string{"TELEGRAM_CHANNEL": "@nowhere_city"}, what: "guide channel", state: "fault", detail: "does not see"},
		"no administrator": {
			prepare: func(t *testing.T, s *sandbox.Server) {
				require.NoError(t, s.SetMember(sandbox.GuideChannelID, 7000000002, sandbox.Member{Status: sandbox.Ordinary}))
			},
			what: "guide channel", state: "fault", detail: "dministrator",
		},
		"polling":    {change: map[string]string{"PUBLIC_URL": ""}, what: "guide webhook", state: "note", detail: "polling"},
		"no webhook": {what: "guide webhook", state: "fault", detail: "webhook set"},
		"the webhook": {
			prepare: func(t *testing.T, s *sandbox.Server) {
				require.NoError(t, s.SetWebhook(sandbox.GuideBotToken, sandbox.Webhook{URL: hook, Secret: "s"}))
			},
			what: "guide webhook", state: "ok", detail: hook,
		},
		"the sandbox's webhook": {
			change: map[string]string{"PUBLIC_URL": ""}, local: true,
			prepare: func(t *testing.T, s *sandbox.Server) {
				require.NoError(t, s.SetWebhook(sandbox.GuideBotToken, sandbox.Webhook{URL: "http://127.0.0.1:8080/hook", Secret: "s"}))
			},
			what: "guide webhook", state: "ok", detail: "the sandbox delivers to http://127.0.0.1:8080/hook",
		},
		"another webhook": {
			prepare: func(t *testing.T, s *sandbox.Server) {
				require.NoError(t, s.SetWebhook(sandbox.GuideBotToken, sandbox.Webhook{URL: "https://old.example.com/hook", Secret: "s"}))
			},
			what: "guide webhook", state: "fault", detail: "https://old.example.com/hook",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := sandbox.Start(t.Context(), sandbox.Options{Samples: true})
			require.NoError(t, err)
			t.Cleanup(func() { _ = server.Close() })
			if row.prepare != nil {
				row.prepare(t, server)
			}
			environ := map[string]string{
				"TELEGRAM_API_URL": server.TelegramURL(), "BOT_ENABLED": "true", "TELEGRAM_BOT_TOKEN": sandbox.GuideBotToken,
				"TELEGRAM_BOT_USERNAME": sandbox.GuideBotUsername, "TELEGRAM_CHANNEL": sandbox.GuideChannel,
				"TELEGRAM_WEBHOOK_SECRET": "s", "PUBLIC_URL": public,
			}
			for variable, value := range row.change {
				environ[variable] = value
			}
			cfg, err := config.Load(environ)
			require.NoError(t, err)
			cfg.Platforms.SandboxTelegram = row.local
			d := &doctor{cfg: cfg}
			d.guide(t.Context())
			var found []Finding
			for _, finding := range d.findings {
				if finding.What == row.what && finding.State == row.state {
					found = append(found, finding)
				}
				require.NotContains(t, finding.Detail, "AAsandbox", "no token is printed")
			}
			require.Len(t, found, 1, "%+v", d.findings)
			require.Contains(t, found[0].Detail, row.detail)
		})
	}
}
