package content_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/content"
)

// repeated is a text over and over, up to a number of bytes.
func repeated(text string, size int) io.Reader {
	return io.LimitReader(&repeater{text: text}, int64(size))
}

type repeater struct {
	text string
	at   int
}

func (r *repeater) Read(into []byte) (n int, err error) {
	for n < len(into) {
		copied := copy(into[n:], r.text[r.at:])
		r.at = (r.at + copied) % len(r.text)
		n += copied
	}
	return n, nil
}

// 49 MB of newlines took 2.6 GB, and minutes.
func TestWhatABatchIsMadeOfCostsNoMoreThanItsObjectsMay(t *testing.T) {
	for name, test := range map[string]struct {
		batch    io.Reader
		path     string
		tooLarge bool
	}{
		"newlines before the batch":  {repeated("\n", 49<<20), "", true},
		"newlines in a list":         {io.MultiReader(strings.NewReader(`{"places":[`), repeated("\n", 49<<20)), "places", true},
		"newlines in an object":      {io.MultiReader(strings.NewReader(`{"places":[{`), repeated("\n", 49<<20)), "places[0]", true},
		"newlines in an unknown key": {io.MultiReader(strings.NewReader(`{"x":[`), repeated("\n", 49<<20)), "x", true},
		"a name without end":         {io.MultiReader(strings.NewReader(`{"`), repeated("a", 49<<20)), "", true},
		"a text without end":         {io.MultiReader(strings.NewReader(`{"places":[{"id":"`), repeated("a", 49<<20)), "places[0]", true},
		"brackets without end":       {io.MultiReader(strings.NewReader(`{"places":[`), repeated("[", 49<<20)), "places[0]", false},
		"unknown keys":               {io.MultiReader(strings.NewReader(`{"x":1`), repeated(`,"x":1`, 49<<20)), "x", true},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		reader := content.NewReader(test.batch, content.Rules{})
		var err error
		for err == nil {
			_, err = reader.Next()
		}
		runtime.ReadMemStats(&after)
		var refused *content.BatchError
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, test.tooLarge, refused.TooLarge, "%s: %v", name, refused)
		require.Equal(t, test.path, refused.Path, name)
		require.LessOrEqual(t, reader.Summary().Objects, content.MaxObjects, name)
		if name != "unknown keys" { // each is a refusal to be told
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), name)
		}
	}
}

func TestAnObjectAboveItsLimitIsRefusedAloneAndTheRestIsRead(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("a", content.MaxObjectBytes)
	objects, _, err := readAll(t, `{"types":[{"id":"a","name":"`+large+`"},`+"\n"+`{"id":"b","name":"Б"}]}`)
	require.NoError(t, err)
	require.Contains(t, objects[0].Refusals[0].Reason, "больше 256")
	require.Empty(t, objects[1].Refusals)
}

func TestATableIsBoundedAndNoFileIsCutShortUnseen(t *testing.T) {
	t.Parallel()
	open := func(rows io.Reader) error {
		var archive bytes.Buffer
		writer := zip.NewWriter(&archive)
		file, err := writer.Create("types.csv")
		require.NoError(t, err)
		_, err = io.Copy(file, io.MultiReader(strings.NewReader("id,name\n"), rows))
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		_, err = content.Open("types.zip", &archive, content.Rules{}, content.TableOptions{})
		return err
	}
	var refused *content.BatchError
	require.ErrorAs(t, open(repeated("1,"+strings.Repeat("a", 400_000)+"\n", 2*content.MaxBatchBytes+1)), &refused)
	require.True(t, refused.TooLarge)
	require.ErrorAs(t, open(repeated("1,Кофейни\n", len("1,Кофейни\n")*100_001)), &refused)
	require.True(t, refused.TooLarge)
	require.ErrorContains(t, open(strings.NewReader("1,\"Кофейни\n2,Музеи\n")), "строка 2: кавычки")
	require.NoError(t, open(repeated("1,Кофейни\n", len("1,Кофейни\n")*100_000)))
}

func FuzzAnyTableIsReadOrRefused(f *testing.F) {
	f.Add("places.csv", "id;name;rating;types;lat;lon\np1;\"Кофейня; «Ветер»\";4,7;a|b;57.1;44.2\n", true)
	f.Add("collections.csv", "\uFEFFid,title,items\nc1,Тёплые,place:p1|event:e1|:|x\n", false)
	f.Add("афиша.csv", "Название\tДата\tВремя\tЦена\nКонцерт\t5 декабря\t19:00\t500\n", false)
	f.Add("x", "", false)
	f.Add("promos.csv", "id\n\xff\x00\n", true)
	f.Fuzz(func(t *testing.T, name, rows string, snapshot bool) {
		options := content.TableOptions{}
		if snapshot {
			options.Mode = content.Snapshot
		}
		reader, err := content.Open(name, strings.NewReader(rows), content.Rules{}, options)
		if err != nil {
			require.ErrorAs(t, err, new(*content.BatchError))
			return
		}
		for {
			object, err := reader.Next()
			if err != nil {
				require.True(t, errors.Is(err, io.EOF) || errors.As(err, new(*content.BatchError)), "%v", err)
				return
			}
			require.True(t, (len(object.Refusals) == 0) == (object.Payload != nil || object.Gone))
		}
	})
}
