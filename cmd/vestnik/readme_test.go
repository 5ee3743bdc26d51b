package main

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/devstack"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

func page(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", path))
	require.NoError(t, err)
	return string(text)
}

func TestThePageOfSettingsHasEveryVariableWithItsDefaultAndMeaning(t *testing.T) {
	t.Parallel()
	text := page(t, "docs/configuration.md")
	for _, variable := range config.Variables() {
		require.True(t, strings.Contains(text, variableRow(variable)), "docs/configuration.md should have the row %s", variableRow(variable))
	}
}

func TestThePageOfSettingsNamesTheFilesThatAreReadAgain(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(page(t, "docs/configuration.md"), "\n## Changes without a restart\n")
	section, _, _ = strings.Cut(section, "It is checked whole first")
	files := []string{"ROUTES_FILE"}
	for _, variable := range config.Variables() {
		if variable.Reread {
			files = append(files, variable.Name+"_FILE")
		}
	}
	require.ElementsMatch(t, files, regexp.MustCompile(`[A-Z_]+_FILE`).FindAllString(section, -1))
}

func variableRow(variable config.Variable) string {
	value := variable.Default
	if value != "" {
		value = "`" + value + "`"
	}
	return "| `" + variable.Name + "` | " + value + " | " + strings.ReplaceAll(variable.About, "|", `\|`) + " |\n"
}

func TestThePageOfTheCommandLineNamesEveryCommand(t *testing.T) {
	t.Parallel()
	text := page(t, "README.md") + page(t, "docs/cli.md") + page(t, "docs/production.md")
	for _, command := range root().Commands {
		require.True(t, strings.Contains(text, "vestnik "+command.Name), "docs/cli.md should name vestnik %s", command.Name)
	}
}

func TestTheREADMEsGreetAsARunDoes(t *testing.T) {
	t.Parallel()
	box, err := sandbox.Start(t.Context(), sandbox.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, box.Close()) }()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	var greeting strings.Builder
	d := dev{
		app: new(app), sandbox: box, sandboxTelegram: true, environ: map[string]string{"OPS_TOKEN": "QEOKMUWQ5DBJRKCHA4ARGLGUP6"},
		stack: &devstack.Stack{TemporalUIURL: "http://127.0.0.1:8233"},
	}
	d.greet(&greeting, listener)
	ports := regexp.MustCompile(`127\.0\.0\.1:\d+`)
	said := ports.ReplaceAllString(strings.TrimSpace(greeting.String()), "HOST")
	said, _, _ = strings.Cut(said, "\n\nWithin")
	for _, path := range []string{"README.md", "README.ru.md"} {
		require.Contains(t, ports.ReplaceAllString(page(t, path), "HOST"), said+"\n", path)
	}
}

func TestTheREADMENamesEveryPackage(t *testing.T) {
	t.Parallel()
	text := page(t, "README.md")
	folders, err := filepath.Glob("../../internal/*")
	require.NoError(t, err)
	for _, folder := range folders {
		require.Contains(t, text, "`internal/"+filepath.Base(folder)+"`")
	}
}

func TestThePagesNameOnlyFilesThatAreThere(t *testing.T) {
	t.Parallel()
	var files []string
	for _, folders := range []string{"*", "*/*", "*/*/*"} {
		found, err := filepath.Glob("../../" + folders + "/*.go")
		require.NoError(t, err)
		files = append(files, found...)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, path := range pages {
		for _, named := range regexp.MustCompile("`([a-zA-Z_/]+\\.go)`").FindAllStringSubmatch(page(t, path[len("../../"):]), -1) {
			isNamed := func(file string) bool { return strings.HasSuffix(file, "/"+named[1]) }
			require.True(t, slices.ContainsFunc(files, isNamed), "%s names %s", path, named[1])
		}
	}
}

func TestTheREADMEIsShortAndItsListIsWhatTheCommandPrints(t *testing.T) {
	t.Parallel()
	text := page(t, "README.md")
	require.LessOrEqual(t, len(strings.Fields(text)), 1300)
	found := int64(70)
	row := func(id int64, destination, status string, attempts int, ids ...int64) db.DeliveryRow {
		return db.DeliveryRow{
			ID: id, Status: status, OwnerID: -900000004, PostID: 4141, Type: "lost", Case: &found, Destination: destination,
			Attempts: attempts, MessageIDs: ids, CreatedAt: time.Now().Add(-27 * time.Second),
		}
	}
	const chat, wall = "telegram:-1001900000001", "vk:-900000005"
	var printed strings.Builder
	require.NoError(t, printRows(&printed, []db.DeliveryRow{row(46, wall, protocol.StatusSent, 1, 19), row(45, chat, protocol.StatusPending, 0)},
		db.Titles{chat: "Ищем питомцев · Ольховск", wall: "Вестник потеряшек", "vk:-900000004": "Заречный: жизнь района"}))
	for line := range strings.Lines(printed.String()) {
		require.Contains(t, text, "\n"+strings.TrimRight(line, " \n")+"\n")
	}
}

func TestTheREADMEHasTheInboxOfTheWebUI(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"README.md", "docs/operations.md"} {
		require.Contains(t, page(t, path), "`"+protocol.InboxQuery+"`")
	}
}

func TestEveryKindOfProblemHasItsRemedy(t *testing.T) {
	t.Parallel()
	text := page(t, "docs/operations.md")
	for _, kind := range protocol.ProblemKinds {
		require.Contains(t, text, "\n| `"+kind+"` | ")
	}
}
