package petpost

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Classes and endings are asked for by name: a misspelt one would never be there.
func TestTheCodeAsksOnlyForClassesOfTheLexicon(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	call := regexp.MustCompile(`\.(has|of|holds|ends)\([^"\n]*((?:"[a-z.]+"(?:, )?)+)`)
	asked := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range call.FindAllStringSubmatch(string(source), -1) {
			for name := range strings.SplitSeq(strings.TrimSuffix(found[2], ", "), ", ") {
				name = strings.Trim(name, `"`)
				if found[1] == "ends" {
					require.Contains(t, wordEndings(), name, file)
				} else {
					require.Contains(t, vocabulary().classes, name, file)
				}
				asked++
			}
		}
	}
	require.Greater(t, asked, 100)
}
