package operators

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"vestnik/internal/config"
	"vestnik/internal/words"
)

func TestOperatorsAreKnownByTheirTokensWhichNoFileHolds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "operators")
	vera, err := Add(path, "Вера", Decide)
	require.NoError(t, err)
	list, err := Open(config.NewSecret("first-key-of-them-all"), path)
	require.NoError(t, err)

	found, ok, err := list.ByToken(vera)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "Вера", found.Name)
	require.True(t, found.Decides())
	first, ok, err := list.ByToken("first-key-of-them-all")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, FirstKey, first.Name)
	for _, wrong := range []string{"", vera + "x", vera[1:]} {
		_, ok, err := list.ByToken(wrong)
		require.NoError(t, err)
		require.False(t, ok, "%q", wrong)
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), vera)
	stat, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), stat.Mode())

	_, err = Add(path, "Вера", Look)
	require.ErrorContains(t, err, "is there already")
	_, err = Add(path, "two words", Look)
	require.ErrorIs(t, err, ErrName)
	_, err = Add(path, FirstKey, Look)
	require.ErrorIs(t, err, ErrName)
	var unknown *words.Unknown
	require.ErrorAs(t, Remove(path, "Вер"), &unknown)
	require.Equal(t, "Вера", unknown.Nearest)

	guest, err := Add(path, "guest", Look)
	require.NoError(t, err)
	require.NoError(t, Remove(path, "Вера"))
	_, ok, _ = list.ByToken(vera)
	require.False(t, ok, "the file is read again when it has changed")
	found, ok, _ = list.ByToken(guest)
	require.True(t, ok && !found.Decides())
}

func TestTheFileIsChangedByOneAtATimeAndKeepsWhatPeopleWroteThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "operators")
	const comment = "# the night shift"
	require.NoError(t, os.WriteFile(path, []byte(comment), 0o600))
	var adding errgroup.Group
	for n := range 20 {
		adding.Go(func() error {
			_, err := Add(path, "operator-"+strconv.Itoa(n), Look)
			return err
		})
	}
	require.NoError(t, adding.Wait())
	require.NoError(t, Remove(path, "operator-1"))
	list, err := Open(config.Secret{}, path)
	require.NoError(t, err)
	all, err := list.All()
	require.NoError(t, err)
	require.Len(t, all, 19)
	_, known := list.ByName("operator-10")
	require.True(t, known)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), comment+"\n"))
}

func TestTheFileStaysItsOwnersWhoeverWritesIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "operators")
	_, err := Add(path, "Вера", Decide)
	require.NoError(t, err)
	owner := os.Getuid()
	if owner == 0 { // as with sudo, while the api is another user
		owner = 65532
	}
	require.NoError(t, os.Chown(path, owner, -1))
	_, err = Add(path, "guest", Look)
	require.NoError(t, err)
	require.NoError(t, Remove(path, "Вера"))
	stat, err := os.Stat(path)
	require.NoError(t, err)
	system, known := stat.Sys().(*syscall.Stat_t)
	require.True(t, known)
	require.Equal(t, owner, int(system.Uid), "else who is removed stays in: the api can't read that they are")
	require.Equal(t, os.FileMode(0o600), stat.Mode())
}

func TestAFaultInTheFileNamesItsLineAndLetsNobodyElseIn(t *testing.T) {
	t.Parallel()
	const hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for text, fault := range map[string]string{
		"# nobody\n\nvera decide":                         "line 3: want a name, a role and the hash",
		"vera boss " + hash:                               "line 1: the role is look or decide",
		"vera look " + hash[1:]:                           "line 1: the hash is 64 hexadecimal digits",
		"vera look " + hash + "\nvera decide " + hash:     "line 2: the name stands there twice",
		FirstKey + " decide " + hash:                      "line 1: a name has",
		"vera look " + hash + " # fine\n; decide " + hash: "line 2: a name has",
	} {
		path := filepath.Join(t.TempDir(), "operators")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := Open(config.Secret{}, path)
		require.ErrorContains(t, err, fault)
	}
	_, err := Open(config.Secret{}, filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
