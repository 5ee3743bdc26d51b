package content_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/content"
)

func zipped(t *testing.T, files map[string]string) *zip.Reader {
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
	reader, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	require.NoError(t, err)
	return reader
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
	archive, err := zip.NewReader(bytes.NewReader(asZip.Bytes()), int64(asZip.Len()))
	require.NoError(t, err)
	var converted bytes.Buffer
	require.NoError(t, content.ConvertCSV(archive, &converted, content.Upsert))

	digests := func(batch string) map[string][32]byte {
		digests := make(map[string][32]byte)
		objects, _, err := readAll(t, batch)
		require.NoError(t, err)
		for _, object := range objects {
			require.Nil(t, object.Refusal, "%+v", object.Refusal)
			digests[string(object.List)+"/"+object.ID] = object.Digest
		}
		return digests
	}
	want := digests(string(city))
	require.Len(t, want, 6+8+16+40+7+4+30+6+12)
	require.Equal(t, want, digests(asJSON.String()))
	require.Equal(t, want, digests(converted.String()))
}

func TestCSVIsTakenAsSpreadsheetsWriteIt(t *testing.T) {
	t.Parallel()
	var batch bytes.Buffer
	require.NoError(t, content.ConvertCSV(zipped(t, map[string]string{
		"places.csv": "\uFEFFid; Name ;rating;types;lat;lon\r\np1;\"Кофейня; «Ветер»\";4,7;a|b;57.1;44.2\r\n2;Парк;много;;;\r\n",
	}), &batch, content.Snapshot))
	objects, reader, err := readAll(t, batch.String())
	require.NoError(t, err)
	require.Equal(t, content.Snapshot, reader.Mode())
	require.JSONEq(t, `{"id":"p1","name":"Кофейня; «Ветер»","rating":4.7,"types":["a","b"],"lat":57.1,"lon":44.2}`, string(objects[0].Payload))
	require.Equal(t, &content.Refusal{Path: "places[1].rating", Value: `"много"`, Reason: "must be a number"}, objects[1].Refusal)
}

func TestCSVThatIsNoBatchNamesItsFile(t *testing.T) {
	t.Parallel()
	for message, files := range map[string]map[string]string{
		"place.csv is not a part of a batch": {"place.csv": "id\n"},
		`types.csv: no field "title"`:        {"types.csv": "id,title\n"},
		"types.csv: no heading":              {"types.csv": ""},
		"types.csv: record on line 3":        {"types.csv": "id,name\na,А\nb\n"},
	} {
		err := content.ConvertCSV(zipped(t, files), new(bytes.Buffer), content.Upsert)
		require.ErrorContains(t, err, message)
	}
}

func TestACheckWithoutTheGuideFindsRepeatsAndReferencesOutside(t *testing.T) {
	t.Parallel()
	batch := `{"types": [{"id": "cafe", "name": "Кофейни"}, {"id": "cafe", "name": "Снова"}, {"id": 7}],
		"places": [{"id": "p1", "name": "Кофейня", "types": ["cafe", "bar"], "district": "center"}],
		"collections": [{"id": "c", "title": "Подборка", "items": [{"place": "p1"}, {"event": "e1"}]}]}`
	report, err := content.CheckBatch(content.NewReader(strings.NewReader(batch), content.Rules{}), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"types[1].id", "types[2].id"}, []string{report.Refused[0].Path, report.Refused[1].Path})
	paths := make([]string, 0)
	for _, outside := range report.Outside {
		paths = append(paths, outside.Path+" "+outside.Value)
	}
	require.Equal(t, []string{"places[0].district center", "places[0].types[1] bar", "collections[0].items[1].event e1"}, paths)
	require.Equal(t, "5 objects (1 types, 1 places, 1 collections), 2 refused, 3 references outside the batch", report.String())
}
