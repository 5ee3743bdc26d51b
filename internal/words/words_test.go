package words

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestANumberAgreesWithItsNoun(t *testing.T) {
	t.Parallel()
	for n, text := range map[int]string{0: "0 walls", 1: "1 wall", 21: "21 walls"} {
		require.Equal(t, text, Count(n, "wall", "walls"))
	}
}

// counted is a number before a noun in the plural. What follows these words is a
// limit, which is more than one.
var counted = regexp.MustCompile(`(?:(more than|up to|at most|all|Up to %d MiB and) )?%d (objects|posts|copies|calls|deliveries|favourites|references|walls|messages|photos|cases|updates|workflows|imports|attempts|destinations)\b`)

func TestNoSourceCountsWithoutLookingAtTheNumber(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"activities", "api", "cmd", "db", "internal/content", "internal/rehearse", "starter", "workflows"} {
		require.NoError(t, filepath.WalkDir("../../"+folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range counted.FindAllSubmatch(text, -1) {
				require.NotEmpty(t, found[1], "%s: %s", path, found[0])
			}
			return err
		}))
	}
}

func TestARussianNounAgreesWithItsNumber(t *testing.T) {
	t.Parallel()
	for n, text := range map[int]string{
		0: "0 публикаций", 1: "1 публикация", 2: "2 публикации", 4: "4 публикации", 5: "5 публикаций",
		11: "11 публикаций", 14: "14 публикаций", 21: "21 публикация", 104: "104 публикации", 112: "112 публикаций",
	} {
		require.Equal(t, text, Russian(n, "публикация", "публикации", "публикаций"))
	}
}

func TestTheNearestNameIsTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	known := []string{"telegram:-1001900000001", "vk:-900000005", "deliveries", "show"}
	for name, nearest := range map[string]string{
		"telegram:-100190000001": "telegram:-1001900000001", "vk:-90000005": "vk:-900000005", "delivries": "deliveries",
		"shwo": "show", "foo": "", "delivreies": "deliveries", "": "", "parse": "",
	} {
		require.Equal(t, nearest, Nearest(name, known), name)
	}
	require.EqualError(t, NewUnknown("wall", "delivries", known, "VK_WALLS names them"),
		`wall "delivries" is not known: did you mean "deliveries"? VK_WALLS names them`)
	require.EqualError(t, NewUnknown("wall", "foo", nil, "VK_WALLS names them"), `wall "foo" is not known: VK_WALLS names them`)
}
