package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
)

var update = flag.Bool("update", false, "write the golden files anew")

// runParse runs the command as a shell would.
func runParse(t *testing.T, input string, flags ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	command := parseCommand()
	command.Reader, command.Writer = strings.NewReader(input), &out
	err := command.Run(t.Context(), append([]string{"parse"}, flags...))
	return out.String(), err
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// The form of a line is a contract, byte for byte: names, their order, empty
// lists, no escapes for what is no markup here.
func TestParseWritesWhatItAlwaysWrote(t *testing.T) {
	t.Parallel()
	input, err := os.ReadFile("testdata/parse.jsonl")
	require.NoError(t, err)
	for name, flags := range map[string][]string{"parse.golden": nil, "parse_cases.golden": {"--cases"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := runParse(t, string(input), flags...)
			require.NoError(t, err)
			golden(t, name, out)
		})
	}
}

func TestParseExplainsEveryDecisionByWordsOfThePost(t *testing.T) {
	t.Parallel()
	input, err := os.ReadFile("testdata/parse.jsonl")
	require.NoError(t, err)
	out, err := runParse(t, string(input), "--explain", "--cases")
	require.NoError(t, err)
	posts, answers := strings.Split(strings.TrimSpace(string(input)), "\n"), strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, answers, len(posts))
	for i, line := range answers {
		var answer struct {
			Type, Animal string
			Case         int
			Evidence     []petpost.Evidence
		}
		decoder := json.NewDecoder(strings.NewReader(line))
		require.NoError(t, decoder.Decode(&answer))
		require.Positive(t, answer.Case, line)
		decided := map[string]bool{}
		for _, piece := range answer.Evidence {
			require.Contains(t, []string{"type", "animal"}, piece.Field)
			require.Contains(t, []string{"own", "repost"}, piece.Source)
			require.NotEmpty(t, piece.Rule)
			require.NotEmpty(t, piece.Points)
			require.NotZero(t, piece.Weight)
			var words strings.Builder
			encoder := json.NewEncoder(&words)
			encoder.SetEscapeHTML(false)
			require.NoError(t, encoder.Encode(piece.Words))
			require.Contains(t, posts[i], strings.Trim(words.String(), "\"\n"), "the words stand in the post")
			decided[piece.Field] = true
		}
		if kind := petpost.Type(answer.Type); kind != petpost.Empty && kind != petpost.Link {
			require.True(t, decided["type"], line)
		}
		require.Equal(t, answer.Animal != "", decided["animal"], line)
	}

	plain, err := runParse(t, string(input), "--cases")
	require.NoError(t, err)
	require.NotContains(t, plain, "evidence", "it is only shown when asked for")
}
