package guidedb_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/testenv"
)

// now is the moment at which the tests' people look at the guide.
var now = time.Date(2026, 11, 20, 15, 0, 0, 0, city)

var city = time.FixedZone("Ольховск", 3*3600)

type bundle struct {
	pool    *pgxpool.Pool
	store   *guidedb.Store
	imports *guidedb.Imports
}

func setup(t testing.TB) *bundle {
	t.Helper()
	pool, err := db.Open(context.Background(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return &bundle{pool: pool, store: guidedb.New(pool), imports: guidedb.NewImports(pool)}
}

// setupCity has the sample city loaded.
func setupCity(t testing.TB) *bundle {
	t.Helper()
	b := setup(t)
	status := b.load(t, content.SampleCity(now, "https://photos.example.com/olkhovsk"))
	require.Empty(t, status.Refused)
	return b
}

// load imports a batch as the workflow does.
func (b *bundle) load(t testing.TB, batch any) content.Status {
	t.Helper()
	text, ok := batch.(string)
	if !ok {
		encoded, err := json.Marshal(batch)
		require.NoError(t, err)
		text = string(encoded)
	}
	accepted, err := b.imports.Accept(t.Context(), guidedb.Upload{Batch: content.NewReader(bytes.NewReader([]byte(text)), content.Rules{})})
	require.NoError(t, err)
	b.work(t, accepted.ID)
	status, err := b.imports.Status(t.Context(), accepted.ID)
	require.NoError(t, err)
	return status
}

func (b *bundle) work(t testing.TB, id string) {
	t.Helper()
	require.NoError(t, b.imports.Apply(t.Context(), id, func(guidedb.Progress) {}))
	require.NoError(t, b.imports.Unpublish(t.Context(), id, func(guidedb.Progress) {}))
	require.NoError(t, b.imports.Finish(t.Context(), id, time.Now()))
}

// id is the guide's own id of what the CMS calls externalID.
func (b *bundle) id(t testing.TB, list content.List, externalID string) int64 {
	t.Helper()
	var id int64
	require.NoError(t, b.pool.QueryRow(t.Context(), fmt.Sprintf("SELECT id FROM guide.%s WHERE external_id = $1", list), externalID).Scan(&id))
	return id
}

// versions are the row versions of everything, with the transactions that
// wrote the rows.
func (b *bundle) versions(t testing.TB) map[string]string {
	t.Helper()
	versions := make(map[string]string)
	for _, list := range content.Lists {
		rows, err := b.pool.Query(t.Context(), fmt.Sprintf("SELECT external_id, row_version || ' ' || xmin || ' ' || xmax || ' ' || published FROM guide.%s", list))
		require.NoError(t, err)
		for rows.Next() {
			var id, version string
			require.NoError(t, rows.Scan(&id, &version))
			versions[string(list)+"/"+id] = version
		}
		require.NoError(t, rows.Err())
	}
	return versions
}
