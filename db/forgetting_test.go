package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPostsThatWaitToBeSentHoldUpNoOtherFromBeingBlanked(t *testing.T) {
	d := newDesk(t)
	// The first 1,100 were deleted, the others are old; at each moment stand some,
	// and the last of each kind is all that waits for nothing.
	_, err := d.pool.Exec(t.Context(), `
		INSERT INTO relay.posts (owner_id, post_id, posted_at, deleted_at, text, link, content_hash, type, ruleset_version)
		SELECT -1, n, now() - '40 days'::interval + n / 100 * '1 minute'::interval, CASE WHEN n <= 1100 THEN now() - '1 hour'::interval END,
			'Пропала кошка', '', 'x', 'lost', 1
		FROM generate_series(1, 2200) n`)
	require.NoError(t, err)
	_, err = d.pool.Exec(t.Context(), `INSERT INTO relay.destinations (name) VALUES ('telegram:-1')`)
	require.NoError(t, err)
	_, err = d.pool.Exec(t.Context(), `
		INSERT INTO relay.deliveries (destination_id, owner_id, post_id, workflow_id)
		SELECT d.id, p.owner_id, p.post_id, '' FROM relay.destinations d, relay.posts p WHERE p.post_id NOT IN (1100, 2200)`)
	require.NoError(t, err)

	pages := 0
	blanked, err := d.posts.Blank(t.Context(), time.Now().AddDate(0, 0, -30), 10_000, func() { pages++ })
	require.NoError(t, err)
	require.Equal(t, 2, blanked)
	require.Less(t, pages, 30, "each is looked at once, and as old if it was deleted")
	var ids []int64
	require.NoError(t, d.pool.QueryRow(t.Context(), `SELECT array_agg(post_id ORDER BY post_id) FROM relay.posts WHERE blanked_at IS NOT NULL AND text = ''`).Scan(&ids))
	require.Equal(t, []int64{1100, 2200}, ids)

	_, err = d.pool.Exec(t.Context(), `UPDATE relay.deliveries SET status = 'sent', sent_at = now()`)
	require.NoError(t, err)
	blanked, err = d.posts.Blank(t.Context(), time.Now().AddDate(0, 0, -30), 400, func() {})
	require.NoError(t, err)
	require.Equal(t, 400, blanked)
	blanked, err = d.posts.Blank(t.Context(), time.Now().AddDate(0, 0, -30), 10_000, func() {})
	require.NoError(t, err)
	require.Equal(t, 2200-2-400, blanked)
}
