package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	wallpost "vestnik/internal/post"
)

// asRead is a post that an older build understood in another way.
func asRead(post db.Post, change func(*db.Post)) db.Post {
	change(&post)
	post.Fingerprint.Post = post.ID
	post.Fingerprint.Origin = post.Fingerprint.Post
	return post
}

// regroup reads posts again and tells what would become of their cases.
func (d *desk) regroup(refs ...wallpost.ID) []db.CaseChange {
	d.t.Helper()
	var rereads []db.Reread
	for _, ref := range refs {
		post, err := d.posts.Get(d.t.Context(), ref.OwnerID, ref.PostID)
		require.NoError(d.t, err)
		now := petpost.ReadPost(post.Post)
		rereads = append(rereads, db.Reread{Post: post, Reading: now.Reading, Fingerprint: now.Fingerprint})
	}
	changes, err := d.cases.Regroup(d.t.Context(), rereads)
	require.NoError(d.t, err)
	return changes
}

func ref(owner, id int64) wallpost.ID { return wallpost.ID{OwnerID: owner, PostID: id} }

func asNews(post *db.Post) {
	post.Reading, post.Fingerprint = petpost.Reading{Type: petpost.News}, petpost.Fingerprint{Type: petpost.News}
}

func TestPostsThatAreUnderstoodNowWouldBeInTheCaseOfTheirAnimal(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), asRead(post(-2, 1, rexAgain), asNews), asRead(post(-3, 1, "Ищем! "+rexAgain), asNews), post(-4, 1, murka))
	changes := d.regroup(ref(-2, 1), ref(-3, 1))
	require.Len(t, changes, 3, "each with each, the known one among them")
	for _, change := range changes {
		require.Equal(t, db.CaseJoin, change.Change)
		require.Less(t, change.Case, change.With)
		require.NotEqual(t, d.caseOf(-4, 1), change.With)
		require.NotEmpty(t, change.Reason)
	}
	require.NotEqual(t, d.caseOf(-1, 1), d.caseOf(-2, 1), "nothing is moved")
}

func TestPostsThatWereTakenForOneAnimalWouldPart(t *testing.T) {
	d := newDesk(t)
	taken := asRead(post(-2, 1, murka), func(post *db.Post) {
		post.Fingerprint = printOf(rexAgain)
	})
	d.store(post(-1, 1, rex), taken, post(-3, 1, rexAgain))
	require.Equal(t, d.caseOf(-1, 1), d.caseOf(-2, 1))
	require.Equal(t, []db.CaseChange{{
		Change: db.CaseSplit, Case: d.caseOf(-1, 1), Posts: []string{"wall-2_1"}, Reason: "different animals",
	}}, d.regroup(ref(-2, 1)))
}

// printOf is the fingerprint of a text.
func printOf(text string) petpost.Fingerprint { return post(0, 0, text).Fingerprint }

func TestACaseWouldCloseOrOpenAsItsPostsAreUnderstood(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), asRead(post(-2, 1, rexHome), func(post *db.Post) {
		post.Reading.Type, post.Fingerprint.Type = petpost.Lost, petpost.Lost
	}))
	id := d.caseOf(-1, 1)
	require.Equal(t, []db.CaseChange{{Change: db.CaseClose, Case: id, Posts: []string{"wall-2_1"}}}, d.regroup(ref(-2, 1)))

	stored, err := d.posts.Get(t.Context(), -2, 1)
	require.NoError(t, err)
	now := petpost.ReadPost(stored.Post)
	waiting := d.delivery(-1, 1, somewhere)
	require.NoError(t, d.posts.Reread(t.Context(), []db.Reread{{Post: stored, Reading: now.Reading, Fingerprint: now.Fingerprint}}))
	row, _, err := d.cases.Get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "wall-2_1", row.ClosedBy)
	require.Equal(t, "suppressed", d.delivery(-1, 1, somewhere).Status, "what waited (%d) is not sent", waiting.ID)

	// And back, as a still later build would have it.
	misread := now.Reading
	misread.Type = petpost.Lost
	changes, err := d.cases.Regroup(t.Context(), []db.Reread{{Post: now, Reading: misread, Fingerprint: stored.Fingerprint}})
	require.NoError(t, err)
	require.Equal(t, []db.CaseChange{{Change: db.CaseOpen, Case: id}}, changes)
}

func TestWhatAnOperatorHasDecidedIsNotDoubted(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), post(-2, 1, rexAgain), post(-1, 2, murka))
	_, _, err := d.cases.Split(t.Context(), d.caseOf(-1, 1), []wallpost.ID{ref(-2, 1)}, true, "")
	require.NoError(t, err)
	_, err = d.cases.Join(t.Context(), d.caseOf(-1, 1), []int64{d.caseOf(-1, 2)}, "")
	require.NoError(t, err)
	require.Empty(t, d.regroup(ref(-1, 1), ref(-2, 1), ref(-1, 2)))
}

func TestAnAnimalThatIsLostAnewWouldStayANewCase(t *testing.T) {
	d := newDesk(t)
	lost, home := post(-1, 1, rex), post(-1, 2, rexHome)
	lost.PostedAt, home.PostedAt = time.Now().Add(-30*24*time.Hour), time.Now().Add(-20*24*time.Hour)
	lost = petpost.ReadPost(lost.Post)
	home = petpost.ReadPost(home.Post)
	d.store(lost, home)
	d.store(post(-1, 3, rexAgain))
	require.NotEqual(t, d.caseOf(-1, 1), d.caseOf(-1, 3))
	require.Empty(t, d.regroup(ref(-1, 1), ref(-1, 2), ref(-1, 3)))
}

func TestTheVersionOfTheRulesIsStoredWithEveryReading(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	version := func() (stored int) {
		require.NoError(t, d.pool.QueryRow(t.Context(), "SELECT ruleset_version FROM relay.posts").Scan(&stored))
		return stored
	}
	require.Equal(t, petpost.RulesetVersion, version())
	_, err := d.pool.Exec(t.Context(), "UPDATE relay.posts SET ruleset_version = 1")
	require.NoError(t, err)
	stored, err := d.posts.Get(t.Context(), -1, 1)
	require.NoError(t, err)
	require.NotEmpty(t, stored.Reading.Evidence, "what led to a reading is kept with it")
	require.NoError(t, d.posts.Reread(t.Context(), []db.Reread{{Post: stored, Reading: stored.Reading, Fingerprint: stored.Fingerprint}}))
	require.Equal(t, petpost.RulesetVersion, version())
}

func TestAFingerprintThatAnotherBuildWroteInAnotherWayIsEmpty(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	_, err := d.pool.Exec(t.Context(), `UPDATE relay.posts SET fingerprint = '{"phones": "+79000000000"}'`)
	require.NoError(t, err)
	require.Zero(t, d.get(-1, 1).Fingerprint)
	d.store(post(-2, 1, rexAgain))
	require.NotEqual(t, d.caseOf(-1, 1), d.caseOf(-2, 1), "nobody knows that they are about one animal")
	d.store(post(-1, 1, rex+" Верните!"))
	require.NotZero(t, d.get(-1, 1).Fingerprint, "an edit is read anew")
}
