package content_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/content"
)

// districts exports so many districts, and then ends with err.
func districts(n int, err error) content.Export {
	return func(write func(content.List, any) error) error {
		for range n {
			if err := write(content.Districts, &content.District{ID: "center", Name: "Центр"}); err != nil {
				return err
			}
		}
		return err
	}
}

func TestAnExportIsReadBackWhateverItsForm(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"content.json", "content.csv.zip"} {
		path := filepath.Join(t.TempDir(), name)
		names, err := districts(1, nil).WriteFiles(path)
		require.NoError(t, err)
		require.Equal(t, []string{path}, names)
		file, err := os.Open(path)
		require.NoError(t, err)
		batch, err := content.Open(name, file, content.Rules{}, content.TableOptions{})
		require.NoError(t, err)
		object, err := batch.Next()
		require.NoError(t, err)
		require.JSONEq(t, `{"id":"center","name":"Центр"}`, string(object.Payload))
		require.NoError(t, file.Close())
	}
}

func TestWhatOneBatchMayNotHoldGoesIntoSeveral(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	many := districts(content.MaxObjects+1, nil)
	names, err := many.WriteFiles(filepath.Join(folder, "content.json"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(folder, "content.json"), filepath.Join(folder, "content-2.json")}, names)
	require.ErrorContains(t, many.Write(io.Discard), "name a file")
}

func TestAnExportThatFailsLeavesNoFileBehind(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	broken := errors.New("the connection broke")
	_, err := districts(3, broken).WriteFiles(filepath.Join(folder, "content.json"))
	require.ErrorIs(t, err, broken)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}
