package content_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/content"
)

func zipped(t *testing.T, files map[string]string) io.Reader {
	t.Helper()
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	for name, text := range files {
		file, err := writer.Create(name)
		require.NoError(t, err)
		_, err = file.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return &archive
}

func opened(t *testing.T, name string, file io.Reader, rules content.Rules, options content.TableOptions) (objects []content.Object) {
	t.Helper()
	batch, err := content.Open(name, file, rules, options)
	require.NoError(t, err)
	for {
		object, err := batch.Next()
		if errors.Is(err, io.EOF) {
			require.Len(t, objects, batch.Summary().Objects)
			return objects
		}
		require.NoError(t, err)
		objects = append(objects, object)
	}
}

func TestABatchSaysTheSameAsCSVAndAsJSON(t *testing.T) {
	t.Parallel()
	city, err := json.Marshal(content.SampleCity(time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC), "https://photos.example.com"))
	require.NoError(t, err)
	objects, _, err := readAll(t, string(city))
	require.NoError(t, err)

	var asJSON, asZip bytes.Buffer
	jsonWriter, csvWriter := content.NewWriter(&asJSON, content.Upsert), content.NewCSVWriter(&asZip)
	for _, object := range objects {
		value := object.List.New()
		require.NoError(t, json.Unmarshal(object.Payload, value))
		require.NoError(t, jsonWriter.Write(object.List, value))
		require.NoError(t, csvWriter.Write(object.List, value))
	}
	require.NoError(t, jsonWriter.Close())
	require.NoError(t, csvWriter.Close())
	digests := func(batch io.Reader) map[string][32]byte {
		digests := make(map[string][32]byte)
		for _, object := range opened(t, "city", batch, content.Rules{}, content.TableOptions{}) {
			require.Empty(t, object.Refusals)
			digests[string(object.List)+"/"+object.ID] = object.Digest
		}
		return digests
	}
	want := digests(bytes.NewReader(city))
	require.Len(t, want, 6+8+16+40+7+4+30+6+12)
	require.Equal(t, want, digests(&asJSON))
	require.Equal(t, want, digests(&asZip))
}

func TestACheckWithoutTheGuideFindsRepeatsAndReferencesOutside(t *testing.T) {
	t.Parallel()
	batch := `{"types": [{"id": "cafe", "name": "Кофейни"}, {"id": "cafe", "name": "Снова"}, {"id": 7}],
		"places": [{"id": "p1", "name": "Кофейня", "types": ["cafe", "bar"], "district": "center"}],
		"collections": [{"id": "c", "title": "Подборка", "items": [{"place": "p1"}, {"event": "e1"}]}]}`
	report, err := content.CheckBatch(content.NewReader(strings.NewReader(batch), content.Rules{}))
	require.NoError(t, err)
	require.Equal(t, []string{"types[1].id", "types[2].id"}, []string{report.Refused[0].Path, report.Refused[1].Path})
	paths := make([]string, 0)
	for _, outside := range report.Outside {
		paths = append(paths, outside.Path+" "+outside.Value)
	}
	require.Equal(t, []string{"places[0].district center", "places[0].types[1] bar", "collections[0].items[1].event e1"}, paths)
	require.Equal(t, "5 objects (1 types, 1 places, 1 collections), 2 refused, 3 references outside the batch", report.String())
}
