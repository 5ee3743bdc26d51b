package db_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
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

func TestTheNotesOfJoinedCasesGoWithTheirPosts(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), post(-1, 2, murka), post(-1, 3, "Найден щенок овчарки у вокзала Ижевска, без ошейника. 8 900 333-44-55"))
	first, second, third := d.get(-1, 1).CaseID, d.get(-1, 2).CaseID, d.get(-1, 3).CaseID
	_, err := d.cases.Join(t.Context(), second, []int64{first}, "так сказала Зоя")
	require.NoError(t, err)
	_, err = d.cases.Join(t.Context(), third, []int64{second}, "и Ада")
	require.NoError(t, err)
	notes := func() (n int) {
		require.NoError(t, d.pool.QueryRow(t.Context(), "SELECT count(*) FROM relay.cases WHERE note <> ''").Scan(&n))
		return n
	}
	require.Equal(t, 2, notes())
	posts, err := d.posts.PostsToForget(t.Context(), db.ToForget{Post: d.get(-1, 1).ID})
	require.NoError(t, err)
	require.NoError(t, d.posts.Forget(t.Context(), posts))
	require.Equal(t, 2, notes(), "two posts are kept")
	_, err = d.pool.Exec(t.Context(), "UPDATE relay.deliveries SET status = 'sent'")
	require.NoError(t, err)
	_, err = d.posts.Blank(t.Context(), time.Now(), 100, func() {})
	require.NoError(t, err)
	require.Zero(t, notes())
}

func TestABackfillOwesNothingOfPostsThatAreBlanked(t *testing.T) {
	d := newDesk(t)
	d.lostTo = nil
	d.store(post(-1, 1, rex))
	posts, err := d.posts.PostsToForget(t.Context(), db.ToForget{Post: d.get(-1, 1).ID})
	require.NoError(t, err)
	require.NoError(t, d.posts.Forget(t.Context(), posts))
	d.lostTo = []string{somewhere}
	stored, _, err := d.posts.Backfill(t.Context(), db.Backfill{Page: d.page(), OwnerID: -1, Since: time.Now().Add(-24 * time.Hour), Every: time.Minute})
	require.NoError(t, err)
	require.Zero(t, stored.Owed)
}

func TestWhatAWallRepeatsForgetsAPhoneWithItsPosts(t *testing.T) {
	d := newDesk(t)
	const card = "\nКуратор Зоя +7 900 000-00-77. Пишите в сообщения группы!"
	for i := range int64(12) {
		d.store(post(-1, i+1, fmt.Sprintf("Кошка номер %d ищет дом, ласковая, ей %d лет.", i, i+2)+card))
	}
	learned, err := d.posts.LearnWall(t.Context(), -1)
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(learned.Units), "+7 900 000-00-77")
	posts, err := d.posts.PostsToForget(t.Context(), db.ToForget{Phone: "+79000000077"})
	require.NoError(t, err)
	require.Len(t, posts, 12)
	require.NoError(t, d.posts.Forget(t.Context(), posts))
	kept, err := d.posts.WallContext(t.Context(), -1)
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(kept.Units), "+7 900 000-00-77")
}
