package route_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/notice"
	"vestnik/internal/route"
)

func load(t *testing.T, file string) *route.Routes {
	t.Helper()
	routes, err := route.Load(read(t, file), route.StandardDefaults())
	require.NoError(t, err)
	return routes
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	yaml, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	return yaml
}

func destination(t testing.TB, name string) route.Destination {
	t.Helper()
	parsed, err := route.ParseDestination(name)
	require.NoError(t, err)
	return parsed
}

func TestTheExampleOnThePageOfRoutesIsValid(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/routes.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "```yaml\n")
	require.True(t, found)
	example, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	routes, err := route.Load([]byte(example), route.StandardDefaults())
	require.NoError(t, err)
	require.Len(t, routes.Targets(), 2)
	require.Equal(t, "VK_OUT_TOKEN_NORTH", routes.Targets()[1].Settings.TokenEnv)
}

func TestDestinationsHaveTheirSettingsOverTheDefaults(t *testing.T) {
	t.Parallel()
	topic := route.Settings{
		RatePerSec: 0.5, PerMinute: 10, MaxMedia: 20, AttachMedia: true, Header: "Помогите найти!",
		Footer: "Штаб: [lapa_demo|«Лапа»]", LinkPreview: true, ParseMode: notice.HTML, OnUnknown: route.Retry,
	}
	general := topic
	general.Silent, general.ParseMode, general.LinkPreview, general.ContactButtons = true, notice.MarkdownV2, false, true
	require.Equal(t, []route.Target{
		{Destination: destination(t, "telegram:-1001234567890/12"), Settings: topic},
		{Destination: destination(t, "telegram:-1001234567890/1"), Settings: general},
		{Destination: destination(t, "telegram:@lapa_demo"), Settings: route.Settings{
			RatePerSec: 1, PerMinute: 20, MaxMedia: 10, LinkPreview: true, ParseMode: notice.HTML,
			OnUnknown: route.Park, TokenEnv: "TG_TOKEN_LAPA",
		}},
		{Destination: destination(t, "vk:-123456"), Settings: route.Settings{
			RatePerSec: 1, MaxMedia: 5, AttachMedia: true, MaxText: 4000, OnUnknown: route.Retry, TokenEnv: "VK_OUT_TOKEN_LAPA",
		}},
	}, load(t, "two_cities.yaml").Targets())
}

func TestWhatIsMergedInGivesWayToWhatIsThereWhereverItStands(t *testing.T) {
	t.Parallel()
	routes, err := route.Load([]byte("destinations:\n- &a {id: vk:-5, header: a, silent: true}\n- &b {id: vk:-6, header: b, footer: b}\n"+
		"- {id: vk:-7, header: c, <<: [*a, *b]}\nrules: [{types: lost, to: [vk:-5, vk:-6, vk:-7]}]"), route.StandardDefaults())
	require.NoError(t, err)
	settings := routes.Targets()[2].Settings
	require.Equal(t, "c b true", fmt.Sprint(settings.Header, " ", settings.Footer, " ", settings.Silent))
}

func TestGivenDefaultsHoldWhereTheFileIsSilent(t *testing.T) {
	t.Parallel()
	defaults := route.StandardDefaults()
	defaults.Telegram.RatePerSec, defaults.Telegram.ParseMode = 0.25, notice.MarkdownV2
	routes, err := route.Load(read(t, "single_chat.yaml"), defaults)
	require.NoError(t, err)
	target, found := routes.Target(destination(t, "telegram:-1001234567890"))
	require.True(t, found)
	require.Equal(t, defaults.Telegram, target.Settings)
	_, found = routes.Target(destination(t, "vk:-1"))
	require.False(t, found)
}

func TestSettingsBecomeOptionsOfANotice(t *testing.T) {
	t.Parallel()
	targets := load(t, "two_cities.yaml").Targets()
	require.Equal(t, notice.Options{
		ParseMode: notice.MarkdownV2, MaxMedia: 20, Silent: true, ContactButtons: true,
		Frame: notice.Frame{Header: "Помогите найти!", Footer: "Штаб: [lapa_demo|«Лапа»]"},
	}, targets[1].Settings.TelegramOptions())
	require.Zero(t, targets[2].Settings.TelegramOptions().MaxMedia, "no media wanted")
	require.Equal(t, notice.VKOptions{MaxMedia: 5, AttachRefs: true, TextLimit: 4000}, targets[3].VKOptions(0))
}

func TestAllFaultsOfAFileAreToldAtOnceWithTheirLines(t *testing.T) {
	t.Parallel()
	routes, err := route.Load(read(t, "every_fault.yaml"), route.StandardDefaults())
	require.Nil(t, routes)
	var faults route.Faults
	require.ErrorAs(t, err, &faults)
	var told []string
	for _, fault := range faults {
		told = append(told, fault.String())
	}
	require.Equal(t, []string{
		`line 1: unknown field "colour"; known keys: destinations, rules`,
		`line 4: destination 1: rate_per_sec: 0 is out of range; write a number from 0.001 to 30`,
		`line 5: destination 1: per_minute: 2.5 is no whole number`,
		`line 6: destination 1: max_media: 51 is out of range; write a number from 0 to 50`,
		`line 7: destination 1: attach_media: expected true or false`,
		`line 8: destination 1: parse_mode: "Markdown" is not one of HTML, MarkdownV2`,
		`line 9: destination 1: on_unknown: "drop" is not one of retry, park`,
		`line 10: destination 1: token_env: this is no name of an environment variable; put the token there and its name here, for example TG_TOKEN_NORTH`,
		`line 11: destination 1: unknown field "speed"; known keys: id, rate_per_sec, per_minute, max_media, attach_media, max_text, silent, header, footer, replace, link_preview, contact_buttons, parse_mode, on_unknown, token_env, quiet_hours, approve, approve_after, approve_then`,
		`line 12: destination 2: id: destination "vk:123x": owner "123x" is no id; write telegram:<chat>, telegram:<chat>/<thread> or vk:<owner>, for example telegram:-1001234567890/7 or vk:-123456`,
		`line 13: destination 3: telegram:-1001234567890 and telegram:-1001234567890/1 are one place; keep one of them`,
		`line 13: destination 3: max_text means nothing in a Telegram chat; remove it`,
		`line 15: destination 4: link_preview means nothing on a VK wall; remove it`,
		`line 16: destination 4: max_media: 11 is out of range; write a number from 0 to 10`,
		`line 17: destination 4: max_text: 255 is out of range; write a number from 256 to 100000`,
		`line 18: destination 5: no id; say where posts go, for example id: telegram:-1001234567890`,
		`line 19: destination 6: string was used where mapping is expected; known keys: id, rate_per_sec, per_minute, max_media, attach_media, max_text, silent, header, footer, replace, link_preview, contact_buttons, parse_mode, on_unknown, token_env, quiet_hours, approve, approve_after, approve_then`,
		`line 22: rule 1: types: "dogs" is no type; known types: lost, found, sighting, adoption, fundraising, reunited, news, link, empty, unknown, any`,
		`line 23: rule 1: animals: "hamster" is no animal; known animals: dog, cat, other, unknown`,
		`line 24: rule 1: include: "*": write words of letters and digits, a star only after at least one; for more use include_regex`,
		`line 24: rule 1: include: "а*б": write words of letters and digits, a star only after at least one; for more use include_regex`,
		"line 25: rule 1: include_regex: error parsing regexp: missing closing ): `(?i)(незакрыто` (RE2 syntax: no look-around, no back-references)",
		"line 25: rule 1: include_regex: error parsing regexp: invalid or unsupported Perl syntax: `(?=` (RE2 syntax: no look-around, no back-references)",
		`line 26: rule 1: has_phone: expected true or false`,
		`line 27: rule 1: walls: "не стена" is no wall; write an owner id (-123456) or a screen name (poteryashki_demo)`,
		`line 28: rule 1: to: telegram:-100999 is not listed under destinations`,
		`line 28: rule 1: to: vk:-5 is there twice`,
		`line 29: rule 2: no types; say which posts, for example types: [lost], or [any]`,
		`line 30: rule 3: types: any stands alone or not at all`,
		`line 30: rule 3: no to; say where its posts go, with ids from destinations`,
	}, told)
	require.Equal(t, len(told), strings.Count(err.Error(), "\n")+1, "one line per fault")
	require.True(t, strings.HasPrefix(err.Error(), "routes: line 1: unknown field"))
	require.NotContains(t, err.Error(), "not-a-name", "what may be a token is not repeated")
}

func TestFilesThatAreNoRoutesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, yaml, want string }{
		{"empty", "", "routes: the file is empty; it needs destinations and rules"},
		{"only a comment", "# later\n", "routes: the file is empty; it needs destinations and rules"},
		{"no YAML", "destinations: [", "routes: line 1: this is no YAML: "},
		{"a key twice", "rules: []\nrules: []\n", "routes: line 2: this is no YAML: mapping key \"rules\" already defined"},
		{"a list", "- a\n", "routes: line 1: sequence was used where mapping is expected; known keys: destinations, rules"},
		{"two documents", "destinations: []\n---\nrules: []\n", "a second YAML document"},
		{"no lists", "destinations:\nrules:\n", "routes: no destinations; list at least one under destinations\nroutes: no rules; list at least one under rules"},
		{"empty lists", "destinations: []\nrules: []\n", "routes: line 1: no destinations; list at least one under destinations\nroutes: line 2: no rules; list at least one under rules"},
		{"an alias of nothing", "destinations: *nowhere\nrules: *nowhere\n", `line 1: this is no YAML: could not find alias "nowhere"`},
		{"an alias of itself", "destinations: &a [*a]\nrules: &b\n  <<: *b\n", "routes: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			routes, err := route.Load([]byte(c.yaml), route.StandardDefaults())
			require.Nil(t, routes)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func FuzzLoad(f *testing.F) {
	for _, file := range []string{"two_cities.yaml", "single_chat.yaml", "every_fault.yaml"} {
		f.Add(read(f, file))
	}
	f.Add([]byte("destinations: [{id: 'telegram:-1'}]\nrules: [{types: lost, to: 'telegram:-1', include_regex: '\\Qa', include: 'а*'}]"))
	f.Fuzz(func(t *testing.T, yaml []byte) {
		routes, err := route.Load(yaml, route.StandardDefaults())
		if err != nil {
			require.Nil(t, routes)
			require.NotEmpty(t, err.Error())
			return
		}
		matched, decisions := match(routes, seen{Type: "lost", Text: "Пропала собака"})
		require.Len(t, decisions, len(routes.Targets()))
		require.LessOrEqual(t, len(matched), len(decisions))
	})
}
