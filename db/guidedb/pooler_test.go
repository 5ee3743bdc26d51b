package guidedb_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/testenv"
)

func TestACityIsImportedBehindAPoolerOfTransactions(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			pool, err := db.Open(t.Context(), testenv.PgBouncer(t, testenv.Database(t))+"&default_query_exec_mode="+mode)
			require.NoError(t, err)
			t.Cleanup(pool.Close)
			b := &bundle{pool: pool, store: guidedb.New(pool), imports: guidedb.NewImports(pool)}
			status := b.load(t, content.SampleCity(now, "https://photos.example.com/olkhovsk"))
			require.Equal(t, content.Done, status.State)
			require.Empty(t, status.Refused)
			require.Positive(t, b.published(t, content.Places))
			held := b.accept(t, guidedb.Upload{}, village(0, 1))
			require.Equal(t, content.Held, held.State)
			require.NoError(t, b.imports.Discard(t.Context(), held.ID))
		})
	}
}
