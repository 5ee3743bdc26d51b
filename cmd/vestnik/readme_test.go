package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/protocol"
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

func TestTheREADMENamesEveryPackage(t *testing.T) {
	t.Parallel()
	text := page(t, "README.md")
	folders, err := filepath.Glob("../../internal/*")
	require.NoError(t, err)
	for _, folder := range folders {
		require.Contains(t, text, "`internal/"+filepath.Base(folder)+"`")
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
