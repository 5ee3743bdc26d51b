package console

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/content"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
)

// used are the keys that templates and handlers name.
func used(t *testing.T) map[string]string {
	t.Helper()
	keys := map[string]string{}
	pages, err := fs.Glob(files, "templates/*.html")
	require.NoError(t, err)
	for _, page := range pages {
		content, err := files.ReadFile(page)
		require.NoError(t, err)
		for _, found := range regexp.MustCompile(`[{(]\s*(t|n) "([^"]+)"`).FindAllStringSubmatch(string(content), -1) {
			keys[found[2]] = found[1]
		}
	}
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	prefixes := map[string]string{"say": "", "count": "", "refuse": "refused.", "showMessage": "message."}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			var name string
			switch called := call.Fun.(type) {
			case *ast.SelectorExpr:
				name = called.Sel.Name
			case *ast.Ident:
				name = called.Name
			}
			prefix, ok := prefixes[name]
			if !ok {
				return true
			}
			for _, argument := range call.Args {
				if literal, ok := argument.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					key, err := strconv.Unquote(literal.Value)
					require.NoError(t, err)
					keys[prefix+key] = map[bool]string{true: "n", false: "t"}[name == "count"]
					if name == "showMessage" {
						keys["message."+key+".text"] = "t"
					}
					break
				}
			}
			return true
		})
	}
	// Keys that are put together from values.
	for kind, values := range map[string][]string{
		"status": protocol.Statuses, "meaning": protocol.Statuses, "problem": protocol.ProblemKinds,
		"lane.state": {protocol.LaneOpen, protocol.LanePaused, protocol.LaneCooling}, "wall": {protocol.WallOpen, protocol.WallFailing, protocol.WallParked},
		"done":     {"retry", "captcha", "mark_sent", "skip", "pause", "resume", "rate"},
		"done.all": {"retry", "mark_sent", "skip"}, "decided": {"retry", "captcha", "mark_sent", "skip", "deliver", "pause", "resume", "read", "type"},
		"advice": slices.Collect(maps.Keys(advised)), "time": {"now", "ago", "in", "d", "h", "min", "s", "ms"},
	} {
		for _, value := range values {
			keys[kind+"."+value] = ""
		}
	}
	for _, name := range petpost.Types {
		keys["type."+string(name)] = ""
	}
	return keys
}

func TestTheDeskCallsListsAndFieldsWhatTheirTablesDo(t *testing.T) {
	t.Parallel()
	for _, list := range content.Shown {
		require.Equal(t, list.Label(), russian.listName(list))
		require.NotEqual(t, list.Label(), english.listName(list))
		for _, field := range list.Columns() {
			require.Equal(t, content.FieldLabel(field), russian.field(field))
		}
	}
}

func TestEveryMessageIsThereInBothLanguages(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("messages.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, new(map[string][2]string)))
	keys := used(t)
	require.Greater(t, len(keys), 200)
	for key, how := range keys {
		both, ok := catalogue[key]
		require.True(t, ok, "no message %q", key)
		if how == "n" {
			require.Equal(t, [2]int{1, 2}, [2]int{strings.Count(both[0], "|"), strings.Count(both[1], "|")}, "forms of %q", key)
		}
	}
	verbs := regexp.MustCompile(`%[a-z]`)
	for key, both := range catalogue {
		require.NotEmpty(t, both[0], key)
		require.NotEmpty(t, both[1], key)
		require.Equal(t, verbs.FindAllString(both[0], -1), verbs.FindAllString(both[1], -1), "arguments of %q", key)
	}
}

// messages are those of [content.Because] in a package's source.
func messages(t *testing.T, folder string) (found []string) {
	t.Helper()
	sources, err := filepath.Glob(folder + "/*.go")
	require.NoError(t, err)
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		for _, call := range regexp.MustCompile(`\b(?:Because|refuseFile|unclear)\((?:[a-zA-Z.]+, )?("[^"]*"|`+"`[^`]*`"+`)`).FindAllStringSubmatch(string(text), -1) {
			message, err := strconv.Unquote(call[1])
			require.NoError(t, err)
			found = append(found, regexp.MustCompile(`%[a-z]`).ReplaceAllString(message, "%s"))
		}
	}
	return found
}

func TestWhyContentIsRefusedIsToldInBothLanguages(t *testing.T) {
	t.Parallel()
	all := append(messages(t, "../../internal/content"), messages(t, "../../db/guidedb")...)
	require.Greater(t, len(all), 60)
	for _, message := range all {
		both, ok := catalogue["why."+message]
		require.True(t, ok, "no message %q", "why."+message)
		require.Equal(t, message, both[1])
	}
	for _, wrong := range content.Check(&content.Event{StartsAt: nil}, content.Rules{}) {
		require.NotRegexp(t, `[а-я]`, english.why(wrong.Why), wrong.Reason)
		require.Equal(t, wrong.Reason, russian.why(wrong.Why))
	}
	long := content.Because("длиннее %d знаков", 128)
	require.Equal(t, "longer than 128 characters", english.why(long))
	require.Equal(t, long.Reason, russian.why(long))
	require.Equal(t, "as an older build kept it", english.why(content.Why{Reason: "as an older build kept it"}))
}

func TestTheLanguageIsTheChosenOneElseTheBrowsers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		accept, cookie string
		want           language
	}{
		{"", "", english},
		{"ru-RU,ru;q=0.9,en;q=0.8", "", russian},
		{"en-GB,en;q=0.9,ru;q=0.8", "", english},
		{"de, fr", "", english},
		{"en", "ru", russian},
		{"ru", "en", english},
		{"ru", "nonsense!", russian},
	} {
		r := httptest.NewRequest("GET", "/console/", nil)
		r.Header.Set("Accept-Language", row.accept)
		r.Header.Set("Cookie", languageCookie+"="+row.cookie)
		require.Equal(t, row.want, languageOf(r), "%+v", row)
	}
}

func TestTimesAndNumbersAreToldInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	require.Equal(t, "2 h 5 min ago", english.agoOrIn(2*time.Hour+5*time.Minute))
	require.Equal(t, "2 ч 5 мин назад", russian.agoOrIn(2*time.Hour+5*time.Minute))
	require.Equal(t, "через 3 с", russian.agoOrIn(-3*time.Second))
	require.Equal(t, "11,3", russian.tenths(11.3))
	require.Equal(t, "28.09.2026", russian.day(time.Date(2026, 9, 28, 0, 0, 0, 0, time.UTC)))
	require.Equal(t, "11.2", english.tenths(11.2))
	require.Equal(t, "21 дело ждёт вас", russian.count("overview.problems", 21))
	require.Equal(t, "2 things wait for you", english.count("overview.problems", 2))
	require.Equal(t, "ждёт решения", russian.name("status", protocol.StatusParked))
	require.Equal(t, "VK просит капчу", russian.reason("captcha"))
	require.Equal(t, "what somebody wrote", russian.reason("what somebody wrote"))
	require.Equal(t, fmt.Sprint(refuse("note", 5)), "note: at most 5 bytes")
}
