package content_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
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
		require.LessOrEqual(t, reader.Objects(), content.MaxObjects, name)
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
	require.Contains(t, objects[0].Refusal.Reason, "larger than")
	require.Nil(t, objects[1].Refusal)
}

func TestARowOfCSVIsBoundedAndNoFileIsCutShortUnseen(t *testing.T) {
	t.Parallel()
	convert := func(rows io.Reader) error {
		var archive bytes.Buffer
		writer := zip.NewWriter(&archive)
		file, err := writer.Create("types.csv")
		require.NoError(t, err)
		_, err = io.Copy(file, io.MultiReader(strings.NewReader("id,name\n"), rows))
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		files, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
		require.NoError(t, err)
		return content.ConvertCSV(files, io.Discard, content.Upsert)
	}
	require.ErrorContains(t, convert(repeated("a", 40<<20)), "larger than 512 KiB")
	require.ErrorContains(t, convert(io.MultiReader(strings.NewReader(`1,"`), repeated("a\n", 40<<20))), "larger than 512 KiB")
	require.ErrorContains(t, convert(repeated("1,"+strings.Repeat("a", 400_000)+"\n", 4*content.MaxBatchBytes+1)), "too large")
	require.NoError(t, convert(repeated("1,Кофейни\n", len("1,Кофейни\n")*200_000)))
}

func FuzzAnyCSVIsConvertedOrRefused(f *testing.F) {
	f.Add("places", "id;name;rating;types;lat;lon\np1;\"Кофейня; «Ветер»\";4,7;a|b;57.1;44.2\n", true)
	f.Add("collections", "\uFEFFid,title,items\nc1,Тёплые,place:p1|event:e1|:|x\n", false)
	f.Add("events", "id,starts_at\n\"1\n2\",\"\"\"\"\n", false)
	f.Add("x", "", false)
	f.Add("promos", "id\n\xff\x00\n", true)
	f.Fuzz(func(t *testing.T, list, rows string, snapshot bool) {
		if len(list) > 100 {
			return
		}
		mode := content.Upsert
		if snapshot {
			mode = content.Snapshot
		}
		var batch bytes.Buffer
		if err := content.ConvertCSV(zipped(t, map[string]string{list + ".csv": rows}), &batch, mode); err != nil {
			return
		}
		// What was converted is JSON, and says as many objects as there were rows.
		reader := content.NewReader(&batch, content.Rules{})
		for {
			object, err := reader.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			require.True(t, (object.Refusal == nil) == (object.Payload != nil))
		}
		heading, _, _ := strings.Cut(strings.TrimPrefix(rows, "\uFEFF"), "\n")
		source := csv.NewReader(strings.NewReader(strings.TrimPrefix(rows, "\uFEFF")))
		if strings.Count(heading, ";") > strings.Count(heading, ",") {
			source.Comma = ';'
		}
		all, err := source.ReadAll()
		require.NoError(t, err)
		require.Equal(t, len(all)-1, reader.Objects())
	})
}
