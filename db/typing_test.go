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

func (d *desk) setType(owner, id int64, kind petpost.Type) db.TypeSet {
	d.t.Helper()
	set, err := d.posts.SetType(d.t.Context(), wallpost.ID{OwnerID: owner, PostID: id}, kind, true, d.page())
	require.NoError(d.t, err)
	require.Equal(d.t, kind, d.get(owner, id).Reading.Type)
	return set
}

func TestATypeSetByHandMovesTheDeliveriesOfItsPost(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), post(-1, 2, "Отдам щенков в добрые руки, привиты"))
	require.Nil(t, d.delivery(-1, 2, somewhere))

	set := d.setType(-1, 1, petpost.News)
	require.Equal(t, db.TypeSet{Was: petpost.Lost, Suppressed: 1}, set)
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-1, 1, somewhere).Status)
	require.Contains(t, d.delivery(-1, 1, somewhere).Reason, "type was set by hand")

	set = d.setType(-1, 1, petpost.Lost)
	require.Equal(t, db.TypeSet{Was: petpost.News, Owed: 1}, set)
	require.Equal(t, protocol.StatusPending, d.delivery(-1, 1, somewhere).Status, "it was a slip: it goes after all")

	set = d.setType(-1, 2, petpost.Lost)
	require.Equal(t, db.TypeSet{Was: petpost.Adoption, Owed: 1}, set)
	require.Equal(t, protocol.StatusPending, d.delivery(-1, 2, somewhere).Status)
}

func TestATypeSetByHandIsAboveAnyLaterReading(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	d.setType(-1, 1, petpost.News)
	edited := post(-1, 1, rex+" Вознаграждение!")
	edited.EditedAt = time.Now()
	require.Equal(t, petpost.Lost, edited.Reading.Type)
	d.store(edited)
	kept := d.get(-1, 1)
	require.Equal(t, edited.Text, kept.Text)
	require.Equal(t, petpost.News, kept.Reading.Type)
	require.True(t, kept.Reading.ByHand)
	require.Equal(t, petpost.News, kept.Fingerprint.Type)
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-1, 1, somewhere).Status)

	report, err := db.Reparse(t.Context(), d.posts, d.cases, true)
	require.NoError(t, err)
	require.Zero(t, report.Counts["type news → lost"])
	require.Equal(t, petpost.News, d.get(-1, 1).Reading.Type)
}

func TestWhatHasGoneOutStaysAndItsMessageFollowsTheType(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	d.sent(d.delivery(-1, 1, somewhere), time.Now())
	version := d.get(-1, 1).Version()
	require.Zero(t, d.setType(-1, 1, petpost.Found).Suppressed)
	delivery := d.delivery(-1, 1, somewhere)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	edits, err := d.ledger.Edits(t.Context(), delivery.ID)
	require.NoError(t, err)
	require.Len(t, edits, 1)
	require.NotEqual(t, version, d.get(-1, 1).Version(), "else nothing would be edited")
}

func TestAHappyEndThatWasNoneOpensItsCaseAgain(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	d.sent(d.delivery(-1, 1, somewhere), time.Now())
	d.store(post(-2, 1, rexHome))
	require.Equal(t, protocol.StatusPending, d.delivery(-2, 1, somewhere).Status)
	require.True(t, d.get(-1, 1).CaseClosed)
	require.Equal(t, 1, d.setType(-2, 1, petpost.News).Suppressed)
	require.False(t, d.get(-1, 1).CaseClosed)
	d.setType(-2, 1, petpost.Reunited)
	require.True(t, d.get(-1, 1).CaseClosed)
	require.Equal(t, protocol.StatusPending, d.delivery(-2, 1, somewhere).Status, "it was a slip: the news goes after all")
}

func TestASearchThatWasWronglyOverIsToldAfterAll(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	d.store(post(-2, 1, rexHome))
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-1, 1, somewhere).Status)
	require.Equal(t, 1, d.setType(-2, 1, petpost.News).Owed)
	require.Equal(t, protocol.StatusPending, d.delivery(-1, 1, somewhere).Status)
}

func TestATypeSetByHandLeavesThePlaceOfItsPostToAnother(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), post(-2, 1, rexAgain))
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-2, 1, somewhere).Status)
	d.setType(-1, 1, petpost.News)
	_, err := d.ledger.ReleaseStranded(t.Context(), time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, protocol.StatusPending, d.delivery(-2, 1, somewhere).Status)

	d.setType(-1, 1, petpost.Lost)
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-1, 1, somewhere).Status, "the other tells of it now")
}

func TestASearchThatWasOverByMistakeIsToldWhenTheAuthorOrAnOperatorSaysSo(t *testing.T) {
	for name, correct := range map[string]func(*desk){
		"edited": func(d *desk) { d.store(post(-2, 1, rexAgain)) },
		"split": func(d *desk) {
			_, released, err := d.cases.Split(d.t.Context(), d.caseOf(-1, 1), []wallpost.ID{{OwnerID: -2, PostID: 1}}, false, "")
			require.NoError(d.t, err)
			require.Equal(d.t, []int64{d.delivery(-1, 1, somewhere).ID}, released)
		},
		"split off": func(d *desk) {
			_, released, err := d.cases.Split(d.t.Context(), d.caseOf(-1, 1), []wallpost.ID{{OwnerID: -1, PostID: 1}}, false, "")
			require.NoError(d.t, err)
			require.Equal(d.t, []int64{d.delivery(-1, 1, somewhere).ID}, released)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.store(post(-1, 1, rex))
			d.store(post(-2, 1, rexHome))
			require.Equal(t, protocol.StatusSuppressed, d.delivery(-1, 1, somewhere).Status)
			correct(d)
			require.False(t, d.get(-1, 1).CaseClosed)
			require.Equal(t, protocol.StatusPending, d.delivery(-1, 1, somewhere).Status)
		})
	}
}
