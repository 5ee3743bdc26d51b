package sandbox_test

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// TestEverySituationOfTheDocumentationCanBeLookedAt holds docs/sandbox.md against the samples and the page's faults.
func TestEverySituationOfTheDocumentationCanBeLookedAt(t *testing.T) {
	t.Parallel()
	documentation, err := os.ReadFile("../../docs/sandbox.md")
	require.NoError(t, err)
	named := func(pattern string) (names []string) {
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(documentation), -1) {
			names = append(names, match[1])
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	file, err := os.ReadFile("samples.yaml")
	require.NoError(t, err)
	type sample struct{ Shows []string }
	var samples struct{ Posts, Reserve []sample }
	require.NoError(t, yaml.Unmarshal(file, &samples))
	var shown []string
	for _, post := range append(samples.Posts, samples.Reserve...) {
		shown = append(shown, post.Shows...)
	}
	slices.Sort(shown)
	require.Equal(t, named("sample `([a-z-]+)`"), slices.Compact(shown))

	b := setup(t, withSamples)
	status, page := b.request(http.MethodGet, "/", "", nil)
	require.Equal(t, http.StatusOK, status)
	faults := named("(?:fault|then) `([a-z0-9]+)`")
	require.Greater(t, len(faults), 6)
	for _, name := range faults {
		require.Contains(t, page, `value="`+name+`"`)
	}
}
