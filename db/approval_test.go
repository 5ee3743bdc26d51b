package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	wallpost "vestnik/internal/post"
	"vestnik/internal/protocol"
)

// storeAsking stores posts under a rule that has a person approve what goes
// somewhere; updates are approved too.
func (d *desk) storeAsking(how db.Owed, posts ...db.Post) {
	d.t.Helper()
	page := d.page(posts...)
	how.Destination, how.Weight, how.Ask = somewhere, 1, protocol.ReasonApproval
	page.Owed = func(post db.Post) []db.Owed {
		if post.Reading.Type == petpost.Lost {
			return []db.Owed{how}
		}
		return nil
	}
	page.Update = func(db.Post, string) (db.Owed, bool) { return how, true }
	_, err := d.posts.StorePage(d.t.Context(), page)
	require.NoError(d.t, err)
}

// requireAsked requires that a delivery waits to be approved.
func (d *desk) requireAsked(owner, id int64) {
	d.t.Helper()
	asked := d.delivery(owner, id, somewhere)
	require.NotNil(d.t, asked)
	require.Equal(d.t, protocol.StatusParked, asked.Status)
	require.Equal(d.t, protocol.ReasonApproval, asked.Reason)
}

// approve is a person's yes.
func (d *desk) approve(owner, id int64) {
	d.t.Helper()
	_, err := d.ledger.Requeue(d.t.Context(), protocol.DeliveryKey{Destination: somewhere, OwnerID: owner, PostID: id})
	require.NoError(d.t, err)
	require.Equal(d.t, protocol.StatusPending, d.delivery(owner, id, somewhere).Status)
}

func TestACaseIsAskedAboutOnce(t *testing.T) {
	d := newDesk(t)
	d.storeAsking(db.Owed{}, post(-1, 1, rex))
	d.requireAsked(-1, 1)
	d.storeAsking(db.Owed{}, post(-2, 1, rexAgain))
	other := d.delivery(-2, 1, somewhere)
	require.Equal(t, protocol.StatusSuppressed, other.Status)
	require.Equal(t, d.delivery(-1, 1, somewhere).ID, *other.DuplicateOf)
	require.Contains(t, other.Reason, "waits to be approved")
	waiting, err := d.ledger.CountWithPeople(t.Context())
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, protocol.ReasonApproval, waiting[0].Reason)
	d.approve(-1, 1)
}

func TestWhatComesBackIsApprovedFirst(t *testing.T) {
	d := newDesk(t)
	d.storeAsking(db.Owed{}, post(-1, 1, rex), post(-2, 1, rexAgain))
	_, released, err := d.cases.Split(t.Context(), d.caseOf(-1, 1), []wallpost.ID{{OwnerID: -2, PostID: 1}}, false, "")
	require.NoError(t, err)
	require.Len(t, released, 1)
	d.requireAsked(-2, 1)

	require.Equal(t, 1, d.miss(-1, 1))
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-1, 1, somewhere).Status, "nobody is asked about a post that is gone")
	d.storeAsking(db.Owed{}, post(-1, 1, rex))
	d.requireAsked(-1, 1)
	d.approve(-1, 1)
}

func TestNobodyIsAskedAboutAnAnimalThatIsHome(t *testing.T) {
	d := newDesk(t)
	d.storeAsking(db.Owed{}, post(-1, 1, rex))
	d.storeAsking(db.Owed{}, post(-2, 1, rexHome))
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-1, 1, somewhere).Status)
	require.Nil(t, d.delivery(-2, 1, somewhere), "nobody has heard of the search")
	keys, _, err := d.ledger.Untold(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, keys, 1, "its workflow is told that nobody decides any more")
}

func TestNewsIsApprovedToo(t *testing.T) {
	d := newDesk(t)
	d.storeAsking(db.Owed{}, post(-1, 1, rex))
	d.approve(-1, 1)
	d.sent(d.delivery(-1, 1, somewhere), time.Now())
	d.storeAsking(db.Owed{}, post(-2, 1, rexHome))
	d.requireAsked(-2, 1)
}

func TestSilenceDecidesWhenTheTimeIsUp(t *testing.T) {
	for silence, status := range map[string]string{"publish": protocol.StatusPending, "drop": protocol.StatusSuppressed} {
		t.Run(silence, func(t *testing.T) {
			d := newDesk(t)
			d.storeAsking(db.Owed{AskFor: 30 * time.Minute, Silence: silence}, post(-1, 1, rex))
			d.storeAsking(db.Owed{}, post(-1, 2, murka))
			answered, err := d.ledger.AnswerForNobody(t.Context())
			require.NoError(t, err)
			require.Zero(t, answered, "there is time still")
			asked := d.delivery(-1, 1, somewhere)
			require.WithinDuration(t, time.Now().Add(30*time.Minute), *asked.AnswerBy, time.Minute)
			require.Equal(t, silence, asked.Silence)

			_, err = d.pool.Exec(t.Context(), "UPDATE relay.deliveries SET updated_at = updated_at - interval '31 minutes'")
			require.NoError(t, err)
			answered, err = d.ledger.AnswerForNobody(t.Context())
			require.NoError(t, err)
			require.Equal(t, 1, answered)
			require.Equal(t, status, d.delivery(-1, 1, somewhere).Status)
			d.requireAsked(-1, 2)
			answered, err = d.ledger.AnswerForNobody(t.Context())
			require.NoError(t, err)
			require.Zero(t, answered)
		})
	}
}
