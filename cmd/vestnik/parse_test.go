package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const fourPosts = `{"owner_id":-1,"id":2,"date":1756000000,"text":"Пропал кот Барсик, рыжий, ул. Речная 5. Тел 8 (900) 000-12-34"}
{"owner_id":-1,"id":4,"date":1756003000,"text":"Найдена собака, девочка, на Садовой 7"}

{"owner_id":-7,"id":3,"date":1756090000,"text":"","copy_history":[{"owner_id":-1,"id":2,"text":"Пропал кот Барсик, рыжий, ул. Речная 5. Тел 8 (900) 000-12-34"}]}
`

func parseLines(t *testing.T, input string, cases, explain bool) ([]map[string]any, error) {
	t.Helper()
	var out bytes.Buffer
	p := &postParser{out: json.NewEncoder(&out), cases: cases, explain: explain}
	err := p.run(t.Context(), strings.NewReader(input))
	var lines []map[string]any
	for line := range strings.Lines(out.String()) {
		var post map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &post))
		lines = append(lines, post)
	}
	return lines, err
}

func TestParseAnswersEachPostInItsOrder(t *testing.T) {
	t.Parallel()
	lines, err := parseLines(t, fourPosts, false, false)
	require.NoError(t, err)
	require.Len(t, lines, 3)
	require.Equal(t, map[string]any{
		"owner_id": -1.0, "id": 2.0, "type": "lost", "animal": "cat", "sex": "male", "name": "Барсик",
		"phones": []any{"+79000001234"}, "location": "ул. Речная 5", "when": "", "contacts": []any{},
	}, lines[0])
	require.Equal(t, "found", lines[1]["type"])
	require.Equal(t, []any{}, lines[1]["phones"], "a list stays a list when it is empty")
	require.Equal(t, "lost", lines[2]["type"], "a bare repost says what its original says")
}

func TestParseGivesPostsAboutOneAnimalOneCase(t *testing.T) {
	t.Parallel()
	lines, err := parseLines(t, fourPosts, true, false)
	require.NoError(t, err)
	require.Equal(t, []any{1.0, 2.0, 1.0}, []any{lines[0]["case"], lines[1]["case"], lines[2]["case"]})
}

func TestParseExplainsWhatLedToItsReading(t *testing.T) {
	t.Parallel()
	lines, err := parseLines(t, fourPosts, false, true)
	require.NoError(t, err)
	require.NotEmpty(t, lines[0]["evidence"])
}

func TestParseNamesTheLinesThatHoldNoPostAndAnswersTheOthers(t *testing.T) {
	t.Parallel()
	lines, err := parseLines(t, "{\"bad\n"+fourPosts+"[]\n", false, false)
	require.ErrorContains(t, err, "line 1 holds no post")
	require.ErrorContains(t, err, "line 6 holds no post")
	require.Len(t, lines, 3)
}

// wallOf gives posts of one wall: what each says, over what all repeat.
func wallOf(owner int, texts ...string) string {
	const footer = "\n\nПотерялась собака или нашли котика? Пишите нам, поможем!\n#потеряласьсобака #найденкот"
	var lines strings.Builder
	for i, text := range texts {
		line, _ := json.Marshal(map[string]any{"owner_id": owner, "id": i + 1, "date": 1756000000 + i, "text": text + footer})
		lines.Write(append(line, '\n'))
	}
	return lines.String()
}

var chatter = []string{
	"В субботу ярмарка на площади, приходите с детьми", "Сдам гараж на Лесной", "Завтра отключат воду с девяти до шести",
	"С праздником, дорогие учителя!", "Продам велосипед, почти новый", "Открылась новая пекарня у вокзала",
	"Автобус 14 ходит по новому расписанию", "Пропал хомяк, рыжий, ул. Мира 5, верните, дочка плачет",
}

func TestParseSetsAsideWhatThePostsOfOneOwnerRepeat(t *testing.T) {
	t.Parallel()
	lines, err := parseLines(t, wallOf(-1, chatter...), false, true)
	require.NoError(t, err)
	require.Len(t, lines, len(chatter))
	for _, line := range lines[:len(chatter)-1] {
		require.Equal(t, []any{"news", ""}, []any{line["type"], line["animal"]}, line)
		require.Len(t, line["set_aside"], 4, "two sentences and two hashtags")
	}
	require.Equal(t, []any{"lost", "other"}, []any{lines[7]["type"], lines[7]["animal"]})
	require.InDelta(t, 0.9, lines[7]["confidence"], 0.1)
}

func TestParseLearnsWhatAWallRepeatsFromAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "wall.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(wallOf(-1, chatter...)), 0o600))
	post := wallOf(-1, "Клуб любителей сада собирается в четверг")
	alone, err := runParse(t, post, "--explain")
	require.NoError(t, err)
	require.NotContains(t, alone, "set_aside")
	known, err := runParse(t, post, "--explain", "--wall-context", file)
	require.NoError(t, err)
	require.Contains(t, known, `"type":"news","animal":""`)
	require.Contains(t, known, "set_aside")
	require.Len(t, strings.Split(strings.TrimSpace(known), "\n"), 1, "the posts of the file are not answered")

	_, err = runParse(t, post, "--wall-context", file+".none")
	require.ErrorContains(t, err, "wall.jsonl.none")
}
