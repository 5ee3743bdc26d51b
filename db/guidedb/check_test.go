package guidedb_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
)

func TestACheckBesideTheGuideForetellsWhatAnImportRefuses(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	const batch = `{
		"types": [{"id": "t", "name": "Тип"}, {"id": "t", "name": "Снова"}, {"id": "u"}],
		"subcategories": [{"id": "s", "type": "nope", "name": "Нет"}, {"id": "books", "type": "t", "name": "Книги"}],
		"places": [{"id": "ok", "name": "Хорошее", "district": "center", "subcategories": ["books"]},
			{"id": "a", "name": "А", "district": "nowhere", "types": ["nope"]},
			{"id": "b", "name": "Б", "types": ["t", "u"]},
			{"id": "c", "name": "В", "subcategories": ["s"]},
			{"id": "rynok", "name": "Ямской рынок", "types": ["nope"]}],
		"events": [{"id": "e", "title": "Е", "starts_at": "2027-01-01T00:00:00Z", "place": "a"},
			{"id": "g", "title": "Г", "starts_at": "2027-01-01T00:00:00Z", "place": "rynok"}],
		"collections": [{"id": "k", "title": "К", "items": [{"place": "ok"}, {"event": "e"}]}],
		"promos": [{"id": "p", "title": "П", "place": "otkos"}]}`
	report, err := b.imports.Check(t.Context(), guidedb.Upload{Batch: content.NewReader(strings.NewReader(batch), content.Rules{})})
	require.NoError(t, err)

	before := b.versions(t)
	status := b.load(t, batch)
	require.NotEqual(t, before, b.versions(t))
	require.ElementsMatch(t, status.Refused, report.Refused)
	require.Equal(t, status.Objects, report.Objects)
	require.Equal(t, 9, status.RefusedCount)
	require.Equal(t, status.Difference, report.Difference)
}
