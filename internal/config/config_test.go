package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNoVariableOpensTheOwnNetworkToPictures(t *testing.T) {
	t.Parallel()
	config, err := Load(map[string]string{"": "true", "-": "true", "SANDBOX_VK": "true", "SandboxVK": "true"})
	require.NoError(t, err)
	require.False(t, config.Platforms.SandboxTelegram || config.Platforms.SandboxVK)
}

func TestAnEmptyEnvironmentGivesTheDocumentedDefaults(t *testing.T) {
	t.Parallel()
	config, err := Load(map[string]string{})
	require.NoError(t, err)

	require.Equal(t, "default", config.Temporal.Namespace)
	require.Equal(t, "127.0.0.1:8080", config.HTTP.Addr)
	require.Equal(t, "https://api.telegram.org", config.Platforms.TelegramURL)
	require.Equal(t, "https://api.vk.com/method/", config.Platforms.VKURL)
	require.InDelta(t, 3, config.Scan.RatePerSec, 0)
	require.Equal(t, 4000, config.Scan.DailyQuota)
	require.Equal(t, time.Minute, config.Scan.Interval)
	require.Equal(t, 48*time.Hour, config.Scan.MaxAge)
	require.Equal(t, Telegram{
		ParseMode: "HTML", RatePerSec: 1, PerMinute: 20, BotPerSec: 28, MaxMedia: 10, MaxFileMB: 2000, HTTPTimeout: 10 * time.Second,
	}, config.Telegram)
	require.Equal(t, VKOut{
		RatePerSec: 1, HTTPTimeout: 10 * time.Second, FromGroup: true, MaxMedia: 10, MaxText: 15000,
	}, config.VKOut)
	require.Equal(t, Relay{OnUnknown: "retry", CaseWindow: 72 * time.Hour, RetentionDays: 180}, config.Relay)
	require.Equal(t, 5*time.Second, config.Bot.HTTPTimeout)
	require.Equal(t, "Europe/Moscow", config.Bot.Timezone.String())
	require.False(t, config.Bot.EditInPlace)
	require.False(t, config.Bot.AnswerMalformed)
	require.Equal(t, 500, config.Bot.FailureStatus)
	require.False(t, config.Worker.Versioned())
	require.Equal(t, "info", config.Log.Level)
	require.Equal(t, "json", config.Log.Format)
}

func TestEveryFaultIsReportedAtOnceWithItsVariableAndItsRemedy(t *testing.T) {
	t.Parallel()
	_, err := Load(map[string]string{
		"TG_ENABLED":         "true",
		"TG_CHAT":            "lost pets",
		"TG_RATE_PER_SEC":    "NaN",
		"VK_OUT_ENABLED":     "true",
		"SCAN_INTERVAL":      "sixty",
		"ON_UNKNOWN":         "maybe",
		"BOT_ENABLED":        "true",
		"BOT_TIMEZONE":       "Mars/Olympus",
		"TELEGRAM_API_URL":   "api.telegram.org",
		"LOG_LEVEL":          "loud",
		"TELEGRAM_BOT_TOKEN": "a b",
	}, NeedDatabase, NeedTemporal)

	var faults Faults
	require.ErrorAs(t, err, &faults)
	var variables []string
	for _, fault := range faults {
		variables = append(variables, fault.Variable)
		require.NotEmpty(t, fault.Problem)
		require.NotEmpty(t, fault.Remedy)
	}
	require.Equal(t, []string{
		"DATABASE_URL", "TEMPORAL_ADDRESS", "TELEGRAM_API_URL", "SCAN_INTERVAL",
		"TG_TOKEN", "TG_CHAT", "TG_RATE_PER_SEC", "VK_OUT_TOKEN", "VK_OUT_OWNER_ID", "ON_UNKNOWN",
		"TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET", "TELEGRAM_CHANNEL", "BOT_TIMEZONE", "LOG_LEVEL",
	}, variables)
	require.Len(t, strings.Split(err.Error(), "\n"), len(faults))
}

func TestEachRuleNamesTheVariableThatBreaksIt(t *testing.T) {
	t.Parallel()
	existing := filepath.Join(t.TempDir(), "secret")
	const strong = "0123456789abcdef0123456789abcdef"
	require.NoError(t, os.WriteFile(existing, []byte("abc\n"), 0o600))
	bot := map[string]string{
		"BOT_ENABLED": "true", "TELEGRAM_BOT_TOKEN": "7:abc",
		"TELEGRAM_WEBHOOK_SECRET": "s", "TELEGRAM_CHANNEL": "@city_guide",
	}
	with := func(base map[string]string, pairs ...string) map[string]string {
		environ := map[string]string{}
		for name, value := range base {
			environ[name] = value
		}
		for i := 0; i < len(pairs); i += 2 {
			environ[pairs[i]] = pairs[i+1]
		}
		return environ
	}
	for name, test := range map[string]struct {
		environ map[string]string
		needs   []Need
		want    string // the variable, empty for no fault
	}{
		"negative chat":                 {environ: with(nil, "TG_ENABLED", "true", "TG_TOKEN", "1:a", "TG_CHAT", "-1001234567890")},
		"rate zero turns pacing off":    {environ: with(nil, "TG_RATE_PER_SEC", "0", "VK_RATE_PER_SEC", "0", "VK_OUT_RATE_PER_SEC", "0")},
		"negative rate":                 {environ: with(nil, "VK_OUT_RATE_PER_SEC", "-1"), want: "VK_OUT_RATE_PER_SEC"},
		"infinite rate":                 {environ: with(nil, "VK_RATE_PER_SEC", "Inf"), want: "VK_RATE_PER_SEC"},
		"a rate without an end":         {environ: with(nil, "TG_RATE_PER_SEC", "1e-10"), want: "TG_RATE_PER_SEC"},
		"an album longer than its call": {environ: with(nil, "TG_BOT_PER_SEC", "0.5"), want: "TG_BOT_PER_SEC"},
		"a pace that no reading keeps":  {environ: with(nil, "VK_RATE_PER_SEC", "0.01"), want: "VK_RATE_PER_SEC"},
		"a schedule of half a second":   {environ: with(nil, "SCAN_INTERVAL", "500ms"), want: "SCAN_INTERVAL"},
		"zero duration":                 {environ: with(nil, "DELIVER_MAX_AGE", "0s"), want: "DELIVER_MAX_AGE"},
		"unknown parse mode":            {environ: with(nil, "TG_PARSE_MODE", "Markdown"), want: "TG_PARSE_MODE"},
		"vk token serves both ways":     {environ: with(nil, "VK_OUT_ENABLED", "true", "VK_TOKEN", "k", "VK_OUT_OWNER_ID", "-5")},
		"walls without a key":           {environ: with(nil, "VK_WALLS", "-1,pets"), want: "VK_TOKEN"},
		"a wall that is none":           {environ: with(nil, "VK_TOKEN", "k", "VK_WALLS", "pets city"), want: "VK_WALLS"},
		"scan needs walls":              {environ: with(nil, "VK_TOKEN", "k"), needs: []Need{NeedScan}, want: "VK_WALLS"},
		"half a version":                {environ: with(nil, "TEMPORAL_DEPLOYMENT_NAME", "relay"), want: "TEMPORAL_WORKER_BUILD_ID"},
		"other half of a version":       {environ: with(nil, "TEMPORAL_WORKER_BUILD_ID", "abc"), want: "TEMPORAL_DEPLOYMENT_NAME"},
		"no such routes file":           {environ: with(nil, "ROUTES_FILE", "/nowhere/routes.yaml"), want: "ROUTES_FILE"},
		"secret in a file":              {environ: with(nil, "TG_TOKEN_FILE", existing)},
		"secret twice":                  {environ: with(nil, "TG_TOKEN_FILE", existing, "TG_TOKEN", "x"), want: "TG_TOKEN"},
		"secret file missing":           {environ: with(nil, "VK_TOKEN_FILE", existing+"x", "VK_WALLS", "-1"), want: "VK_TOKEN_FILE"},
		"not a database url":            {environ: with(nil, "DATABASE_URL", "mysql://x"), want: "DATABASE_URL"},
		"temporal address without port": {environ: with(nil, "TEMPORAL_ADDRESS", "temporal"), want: "TEMPORAL_ADDRESS"},
		"temporal certificate missing":  {environ: with(nil, "TEMPORAL_TLS_CLIENT_CERT_PATH", "/nowhere.pem"), want: "TEMPORAL_TLS"},
		"api needs its tokens":          {environ: with(nil, "CMS_TOKEN", "a-token-of-the-cms"), needs: []Need{NeedOps, NeedCMS}, want: "OPS_TOKEN"},
		"a weak token":                  {environ: with(nil, "OPS_TOKEN", "a"), want: "OPS_TOKEN"},
		"a weak token of the CMS":       {environ: with(nil, "CMS_TOKEN", "sandbox-cms"), want: "CMS_TOKEN"},
		"a long token of one letter":    {environ: with(nil, "OPS_TOKEN", strings.Repeat("a", 64)), want: "OPS_TOKEN"},
		"a token twice":                 {environ: with(nil, "OPS_TOKEN", strong, "CMS_TOKEN", strong), want: "CMS_TOKEN"},
		"a token that is the bot's":     {environ: with(bot, "TELEGRAM_BOT_TOKEN", "7:"+strong, "OPS_TOKEN", "7:"+strong), want: "OPS_TOKEN"},
		"a token that is the webhook's": {environ: with(bot, "TELEGRAM_WEBHOOK_SECRET", strong, "CMS_TOKEN", strong), want: "TELEGRAM_WEBHOOK_SECRET"},
		"a token that is the database's": {
			environ: with(nil, "DATABASE_URL", "postgres://vestnik:"+strong+"@db/vestnik", "OPS_TOKEN", strong), want: "OPS_TOKEN",
		},
		"tokens for both ways":         {environ: with(nil, "VK_TOKEN", "k", "VK_OUT_TOKEN", "k", "TG_TOKEN", "7:a", "TELEGRAM_BOT_TOKEN", "7:a")},
		"Telegram without TLS":         {environ: with(nil, "TELEGRAM_API_URL", "http://api.telegram.org"), want: "TELEGRAM_API_URL"},
		"VK without TLS":               {environ: with(nil, "VK_API_URL", "http://api.vk.com/method/"), want: "VK_API_URL"},
		"a Bot API server far away":    {environ: with(nil, "TELEGRAM_API_URL", "http://203.0.113.7:8081"), want: "TELEGRAM_API_URL"},
		"a Bot API server here":        {environ: with(nil, "TELEGRAM_API_URL", "http://127.0.0.1:8081")},
		"a container beside":           {environ: with(nil, "TELEGRAM_API_URL", "http://sandbox:8090", "VK_API_URL", "http://[::1]:8090/method/")},
		"ops users":                    {environ: with(nil, "OPS_CHAT", "-1", "OPS_USERS", "Вера"), want: "OPS_USERS"},
		"ops users without their chat": {environ: with(nil, "OPS_USERS", "5=Вера"), want: "OPS_USERS"},
		"ops users with the guide's bot": {
			environ: with(bot, "OPS_CHAT", "-1", "OPS_CHAT_TOKEN", bot["TELEGRAM_BOT_TOKEN"], "OPS_USERS", "5=Вера"), want: "OPS_USERS",
		},
		"ops address":                   {environ: with(nil, "OPS_ADDR", "8081"), want: "OPS_ADDR"},
		"ops address taken":             {environ: with(nil, "HTTP_ADDR", "127.0.0.1:8080", "OPS_ADDR", "127.0.0.1:8080"), want: "OPS_ADDR"},
		"http address":                  {environ: with(nil, "HTTP_ADDR", "8080"), want: "HTTP_ADDR"},
		"bot complete":                  {environ: bot},
		"bot secret of 256":             {environ: with(bot, "TELEGRAM_WEBHOOK_SECRET", strings.Repeat("a", 256))},
		"bot secret of 257":             {environ: with(bot, "TELEGRAM_WEBHOOK_SECRET", strings.Repeat("a", 257)), want: "TELEGRAM_WEBHOOK_SECRET"},
		"bot secret with a space":       {environ: with(bot, "TELEGRAM_WEBHOOK_SECRET", "a b"), want: "TELEGRAM_WEBHOOK_SECRET"},
		"bot secret with a colon":       {environ: with(bot, "TELEGRAM_WEBHOOK_SECRET", "a:b"), want: "TELEGRAM_WEBHOOK_SECRET"},
		"bot secret empty":              {environ: with(bot, "TELEGRAM_WEBHOOK_SECRET", ""), want: "TELEGRAM_WEBHOOK_SECRET"},
		"bot channel by id":             {environ: with(bot, "TELEGRAM_CHANNEL", "-1001234567890"), want: "TELEGRAM_CHANNEL_URL"},
		"bot channel as a link":         {environ: with(bot, "TELEGRAM_CHANNEL", "https://t.me/city_guide"), want: "TELEGRAM_CHANNEL"},
		"bot channel with an invite":    {environ: with(bot, "TELEGRAM_CHANNEL", "-1001234567890", "TELEGRAM_CHANNEL_URL", "https://t.me/+AbCdEf")},
		"bot channel with no link":      {environ: with(bot, "TELEGRAM_CHANNEL_URL", "@city_guide"), want: "TELEGRAM_CHANNEL_URL"},
		"bot webhook needs an address":  {environ: bot, needs: []Need{NeedWebhook}, want: "PUBLIC_URL"},
		"bot name with an at sign":      {environ: with(bot, "TELEGRAM_BOT_USERNAME", "@city_guide_bot")},
		"bot name as a link":            {environ: with(bot, "TELEGRAM_BOT_USERNAME", "t.me/city_guide_bot"), want: "TELEGRAM_BOT_USERNAME"},
		"bot answer while not storing":  {environ: with(bot, "ACCEPT_FAILURE_STATUS", "503")},
		"bot answer nobody understands": {environ: with(bot, "ACCEPT_FAILURE_STATUS", "302"), want: "ACCEPT_FAILURE_STATUS"},
		"bot contact with a query":      {environ: with(bot, "BOT_CONTACT_URL", "https://t.me/guide_help?start=1")},
		"unset by being empty":          {environ: with(nil, "TG_RATE_PER_SEC", " ", "TG_ENABLED", "")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(test.environ, test.needs...)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			var faults Faults
			require.ErrorAs(t, err, &faults)
			require.Len(t, faults, 1, err.Error())
			require.Equal(t, test.want, faults[0].Variable)
			if strings.HasPrefix(name, "bot") {
				require.Contains(t, err.Error(), CodeInternalConfig)
			}
		})
	}
}

func TestASecretFromAFileLosesItsNewlineAndSaysWhereItCameFrom(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(path, []byte("12:abc\r\n"), 0o600))
	config, err := Load(map[string]string{"TELEGRAM_BOT_TOKEN_FILE": path, "TEMPORAL_API_KEY_FILE": path})
	require.NoError(t, err)
	require.Equal(t, "12:abc", config.Bot.Token.Reveal())
	require.NotNil(t, config.Temporal.ClientOptions().Credentials)
	for _, setting := range config.Describe() {
		if setting.Name == "TELEGRAM_BOT_TOKEN" {
			require.Equal(t, FromFile, setting.From)
			require.Equal(t, Mask, setting.Value)
		}
	}
}

func TestNoSecretIsPrintedInAnyWayThatGoOffers(t *testing.T) {
	t.Parallel()
	const secret = "SECRET0123456789"
	environ := map[string]string{"TG_ENABLED": "true", "TG_CHAT": "-5", "LOG_LEVEL": "info"}
	for _, variable := range Variables() {
		if variable.Secret {
			environ[variable.Name] = secret + variable.Name
		}
	}
	environ["DATABASE_URL"] = "postgres://vestnik:" + secret + "@db:5432/vestnik"
	environ["PROXY_TELEGRAM"], environ["PROXY_VK"] = "socks5://user:"+secret+"@proxy:1080", "http://user:"+secret+"@proxy:3128"
	environ["PAYLOAD_KEYS"] = secret + ":" + strings.Repeat("A", 43) + "="
	delete(environ, "TEMPORAL_TLS_CLIENT_KEY_DATA")
	config, err := Load(environ)
	require.NoError(t, err)
	require.Len(t, config.Secrets(), 16, "fifteen variables and the password inside DATABASE_URL")

	var printed strings.Builder
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&printed, format+"\n", config)
		fmt.Fprintf(&printed, format+"\n", &config)
		fmt.Fprintf(&printed, format+"\n", config.Telegram.Token)
		fmt.Fprintf(&printed, format+"\n", struct{ hidden Secret }{config.Telegram.Token})
	}
	encoded, err := json.Marshal(config)
	require.NoError(t, err)
	printed.Write(encoded)
	slog.New(slog.NewJSONHandler(&printed, nil)).Info("config", "config", config, "token", config.Telegram.Token)
	slog.New(slog.NewTextHandler(&printed, nil)).Info("config", "config", config, "token", config.Telegram.Token)
	fmt.Fprintln(&printed, config.Describe(), config.Database.Target())

	require.NotContains(t, printed.String(), secret)
	require.NotContains(t, printed.String(), fmt.Sprintf("%x", secret))
	require.Contains(t, printed.String(), Mask)
	require.Contains(t, printed.String(), "vestnik@db/vestnik")
}

func TestAFaultNeverRepeatsTheValueThatIsWrong(t *testing.T) {
	t.Parallel()
	const value = "hunter2 bad/value?"
	for _, variable := range Variables() {
		_, err := Load(map[string]string{variable.Name: value}, NeedBot, NeedScan)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "hunter2", variable.Name)
	}
}

func TestASecretMatchesOnlyItself(t *testing.T) {
	t.Parallel()
	require.True(t, NewSecret("a-b").Matches("a-b"))
	require.False(t, NewSecret("a-b").Matches("a-c"))
	require.False(t, NewSecret("a-b").Matches(""))
	require.False(t, Secret{}.Matches(""), "a secret that is not set opens nothing")
}

func TestTheGuidesTextsAreCheckedWholeAtTheStart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "ольховск.yaml")
	require.NoError(t, os.WriteFile(file, []byte("buttons:\n  bak: Назад\n  help: ''\n"), 0o600))
	_, err := Load(map[string]string{"GUIDE_TEXTS": file})
	require.EqualError(t, err, CodeInternalConfig+": GUIDE_TEXTS ольховск.yaml line 2: buttons.bak is not known: did you mean back? `vestnik bot texts` prints all names\n"+
		CodeInternalConfig+": GUIDE_TEXTS ольховск.yaml line 3: buttons.help is empty: write a text, or leave the name out")

	require.NoError(t, os.WriteFile(file, []byte("buttons: {help: Справка}"), 0o600))
	config, err := Load(map[string]string{"GUIDE_TEXTS": file})
	require.NoError(t, err)
	require.Equal(t, "Справка", config.Bot.Texts.Buttons.Help)
}

func TestAChatIsNamedByItsNumberItsNameOrItsAddress(t *testing.T) {
	t.Parallel()
	for given, chat := range map[string]string{
		"-1001234567890": "-1001234567890", "@lostpets_city": "@lostpets_city", "lostpets_city": "@lostpets_city",
		"https://t.me/lostpets_city": "@lostpets_city", "t.me/lostpets_city/17": "@lostpets_city", "https://t.me/c/1234567890/5": "-1001234567890",
	} {
		config, err := Load(map[string]string{"TG_ENABLED": "true", "TG_TOKEN": "1:a", "TG_CHAT": given})
		require.NoError(t, err, given)
		require.Equal(t, chat, config.Telegram.Chat)
	}
	_, err := Load(map[string]string{"TG_ENABLED": "true", "TG_TOKEN": "1:a", "TG_CHAT": "https://t.me/+AbCdEf"})
	require.ErrorContains(t, err, "TG_CHAT is no chat")
}

func TestWallsAreFreedOfAddressesAndRepeats(t *testing.T) {
	t.Parallel()
	config, err := Load(map[string]string{
		"VK_TOKEN": "k",
		"VK_WALLS": "https://vk.com/Lost.Pets/, @lost.pets,-42,vk.com/club7,, m.vk.com/cats_city,-42",
	})
	require.NoError(t, err)
	require.Equal(t, Walls{"Lost.Pets", "-42", "club7", "cats_city"}, config.Scan.Walls)
}

// FuzzLoad holds what every start promises: no environment makes it panic, no
// fault repeats a value, and what was taken keeps the rules when read again.
func FuzzLoad(f *testing.F) {
	f.Add("TG_RATE_PER_SEC", "NaN", "VK_WALLS", "https://vk.com/lost.pets,-1", "SCAN_INTERVAL", "60s")
	f.Add("DATABASE_URL", "postgres://u:p@[::1]:x/d?sslmode=\x00", "TEMPORAL_ADDRESS", "dns:///a:1", "HTTP_ADDR", "[::]:0")
	f.Add("TELEGRAM_API_URL", "http://user@127.0.0.1#", "VK_API_URL", "https://%zz", "BOT_TIMEZONE", "../etc/passwd")
	f.Add("OPS_TOKEN", "0123456789abcdef", "CMS_TOKEN", "0123456789abcdef", "TELEGRAM_WEBHOOK_SECRET", "-")
	f.Add("OPS_TOKEN_FILE", "/dev/null", "TEMPORAL_TLS_CLIENT_CERT_DATA", "-----BEGIN", "TG_CHAT", "-9223372036854775808")
	known := Variables()
	f.Fuzz(func(t *testing.T, name1, value1, name2, value2, name3, value3 string) {
		environ := map[string]string{name1: value1, name2: value2, name3: value3}
		for name := range environ {
			// A file of the machine's is no input of ours.
			if strings.HasSuffix(name, "_FILE") || strings.HasSuffix(name, "_PATH") {
				delete(environ, name)
			}
		}
		// Words of the fuzzer's rarely are names: spread its values over ours.
		environ[known[len(value1)%len(known)].Name] = value3
		config, err := Load(environ, NeedDatabase, NeedTemporal, NeedScan, NeedBot)
		var faults Faults
		require.ErrorAs(t, err, &faults, "a whole configuration needs more than three variables")
		for _, fault := range faults {
			require.NotEmpty(t, fault.Variable)
			require.NotEmpty(t, fault.Remedy)
			for _, value := range environ {
				if len(strings.TrimSpace(value)) > 24 {
					require.NotContains(t, fault.Error(), strings.TrimSpace(value))
				}
			}
		}
		require.Len(t, config.Describe(), len(known))
		told := map[string]int{}
		for _, value := range environ {
			told[strings.TrimSpace(value)]++
		}
		for _, secret := range config.Secrets() {
			if len(secret.Reveal()) > 24 && told[secret.Reveal()] == 1 {
				require.NotContains(t, fmt.Sprintf("%+v", config), secret.Reveal())
			}
		}
	})
}

func TestEveryVariableIsExplained(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, variable := range Variables() {
		require.NotEmpty(t, variable.About, variable.Name)
		require.False(t, seen[variable.Name], variable.Name)
		seen[variable.Name] = true
	}
}

func TestAMisspeltVariableIsNamedWithTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	_, err := Load(map[string]string{"TG_TOKN": "7000000001:secret", "VK_WALS": "a,b", "BOT_TOKEN": "somebody else's", "TEMPORAL_TLS_SERVER_NAME": "temporal", "HTTP_PROXY": "http://proxy"})
	require.EqualError(t, err, "TG_TOKN is not known: did you mean TG_TOKEN?\nVK_WALS is not known: did you mean VK_WALLS?")
	_, err = Load(map[string]string{"LOG_LEVL": "debug", "LOG_LEVEL": "info"})
	require.NoError(t, err, "what is meant is set")
	_, err = Load(map[string]string{"TG_TOKEN_2": "7000000002:secret", "VK_OUT_TOKEN_0": "key"})
	require.NoError(t, err, "a routes file names them")
}
