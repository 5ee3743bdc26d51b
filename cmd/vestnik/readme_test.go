package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
)

func TestTheREADMEHasEveryVariableWithItsDefaultAndMeaning(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for _, variable := range config.Variables() {
		require.True(t, strings.Contains(string(readme), readmeRow(variable)), "README.md should have the row %s", readmeRow(variable))
	}
}

func readmeRow(variable config.Variable) string {
	value := variable.Default
	if value != "" {
		value = "`" + value + "`"
	}
	return "| `" + variable.Name + "` | " + value + " | " + strings.ReplaceAll(variable.About, "|", `\|`) + " |\n"
}

func TestTheREADMENamesEveryCommand(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for _, command := range root().Commands {
		require.True(t, strings.Contains(string(readme), "vestnik "+command.Name), "README.md should name vestnik %s", command.Name)
	}
}
