package db_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	wallpost "vestnik/internal/post"
	"vestnik/internal/protocol"
)

// awaitAdvisory waits until somebody waits for an advisory lock.
func (d *desk) awaitAdvisory() {
	d.t.Helper()
	require.Eventually(d.t, func() bool {
		var waits bool
		err := d.pool.QueryRow(d.t.Context(), `
			SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
			               AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&waits)
		return err == nil && waits
	}, 30*time.Second, 10*time.Millisecond)
}

func TestWhatIsForgottenMeanwhileIsNotWrittenAnew(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	stored := d.get(-1, 1)
	posts, err := d.posts.PostsToForget(t.Context(), db.ToForget{Post: stored.ID})
	require.NoError(t, err)
	require.NoError(t, d.posts.Forget(t.Context(), posts))

	require.NoError(t, d.posts.Reread(t.Context(), []db.Reread{{Post: stored, Reading: stored.Reading, Fingerprint: stored.Fingerprint}}))
	kept := d.get(-1, 1)
	require.Empty(t, kept.Reading.Phones)
	require.Empty(t, kept.Fingerprint)
	var keys, phones int
	require.NoError(t, d.pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM relay.case_keys), (SELECT sum(cardinality(phones)) FROM relay.posts)").Scan(&keys, &phones))
	require.Zero(t, keys)
	require.Zero(t, phones)
}

func TestWhatIsEditedMeanwhileKeepsItsKeysWhenPostsAreReadAgain(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	stored := d.get(-1, 1)
	d.store(post(-1, 1, murka))
	require.NoError(t, d.posts.Reread(t.Context(), []db.Reread{{Post: stored, Reading: stored.Reading, Fingerprint: stored.Fingerprint}}))
	var keys []int64
	require.NoError(t, d.pool.QueryRow(t.Context(), "SELECT array_agg(key) FROM relay.case_keys").Scan(&keys))
	require.ElementsMatch(t, db.HashedKeys(d.get(-1, 1).Fingerprint), keys)
}

func TestATypeThatIsSetMeanwhileStandsWhenPostsAreReadAgain(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	stored := d.get(-1, 1)
	d.setType(-1, 1, petpost.Reunited)
	again := stored.OfType(petpost.Lost)
	require.NoError(t, d.posts.Reread(t.Context(), []db.Reread{{Post: stored, Reading: again.Reading, Fingerprint: again.Fingerprint}}))
	var written string // what a post is read as says, its fingerprint holds
	require.NoError(t, d.pool.QueryRow(t.Context(), "SELECT fingerprint->>'type' FROM relay.posts WHERE owner_id = -1 AND post_id = 1").Scan(&written))
	require.Equal(t, string(petpost.Reunited), written)
}

func TestATypeIsNotSetOfAPostThatIsForgottenMeanwhile(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	ref := d.get(-1, 1).ID
	posts, err := d.posts.PostsToForget(t.Context(), db.ToForget{Post: ref})
	require.NoError(t, err)
	// The post is read, and its keys are waited for.
	tx, err := d.pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1, stripe) FROM generate_series(0, 255) stripe", 0x63617365)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := d.posts.SetType(t.Context(), ref, petpost.Found, true, d.page())
		done <- err
	}()
	d.awaitAdvisory()
	require.NoError(t, d.posts.Forget(t.Context(), posts))
	require.NoError(t, tx.Rollback(t.Context()))
	require.ErrorIs(t, <-done, db.ErrBlanked)
	require.Empty(t, d.get(-1, 1).Fingerprint)
}

// halt has the first writing of a post wait until release is called.
func (d *desk) halt(ref wallpost.ID) (release func()) {
	d.t.Helper()
	const lock = 4242
	_, err := d.pool.Exec(d.t.Context(), fmt.Sprintf(`
		CREATE FUNCTION relay.halt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(%d); RETURN NEW; END $$`, lock))
	require.NoError(d.t, err)
	_, err = d.pool.Exec(d.t.Context(), fmt.Sprintf(`
		CREATE TRIGGER halt BEFORE INSERT ON relay.posts FOR EACH ROW WHEN (NEW.owner_id = %d AND NEW.post_id = %d) EXECUTE FUNCTION relay.halt()`,
		ref.OwnerID, ref.PostID))
	require.NoError(d.t, err)
	tx, err := d.pool.Begin(d.t.Context())
	require.NoError(d.t, err)
	_, err = tx.Exec(d.t.Context(), "SELECT pg_advisory_xact_lock($1)", lock)
	require.NoError(d.t, err)
	return func() { require.NoError(d.t, tx.Rollback(d.t.Context())) }
}

func TestAPostWhoseCaseIsJoinedMeanwhileGoesIntoTheOneThatIsLeft(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), post(-1, 2, murka))
	left, gone := d.get(-1, 2).CaseID, d.get(-1, 1).CaseID
	release := d.halt(wallpost.ID{OwnerID: -2, PostID: 3})
	done := make(chan error, 1)
	go func() {
		_, err := d.posts.StorePage(t.Context(), d.page(post(-2, 3, rex)))
		done <- err
	}()
	d.awaitAdvisory()
	_, err := d.cases.Join(t.Context(), left, []int64{gone}, "")
	require.NoError(t, err)
	release()
	require.NoError(t, <-done)
	require.Equal(t, left, d.get(-2, 3).CaseID)
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-2, 3, somewhere).Status, "its case is announced")
}
