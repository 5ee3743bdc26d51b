package db_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	wallpost "vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
)

const (
	somewhere = "telegram:-1001000000001"
	elsewhere = "vk:-77"
)

// desk stores posts as a reading does, with rules that send what is lost
// somewhere.
type desk struct {
	t      *testing.T
	pool   *pgxpool.Pool
	posts  *db.Posts
	ledger *db.Ledger
	cases  *db.Cases
	window time.Duration
	lostTo []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	t.Parallel()
	return deskAt(t, testenv.Database(t))
}

func deskAt(t *testing.T, url string) *desk {
	t.Helper()
	pool, err := db.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return &desk{
		t: t, pool: pool, posts: db.NewPosts(pool), ledger: db.NewLedger(pool), cases: db.NewCases(pool),
		window: 72 * time.Hour, lostTo: []string{somewhere},
	}
}

func post(owner, id int64, text string) db.Post {
	hash := sha256.Sum256([]byte(text))
	return petpost.ReadPost(wallpost.Post{
		ID: wallpost.ID{OwnerID: owner, PostID: id}, PostedAt: time.Now().Add(-time.Hour), Text: text, ContentHash: hash[:],
	})
}

func (d *desk) page(posts ...db.Post) db.Page {
	return db.Page{
		Posts: posts, Window: d.window,
		Owed: func(post db.Post) (owed []db.Owed) {
			if post.Reading.Type == petpost.Lost {
				for _, destination := range d.lostTo {
					owed = append(owed, db.Owed{Destination: destination, Weight: 1})
				}
			}
			return owed
		},
		Update: func(_ db.Post, destination string) (db.Owed, bool) {
			return db.Owed{Destination: destination, Weight: 1}, true
		},
	}
}

func (d *desk) store(posts ...db.Post) db.PageStored {
	d.t.Helper()
	stored, err := d.posts.StorePage(d.t.Context(), d.page(posts...))
	require.NoError(d.t, err)
	return stored
}

// delivery is what a destination is owed of a post; nil if nothing.
func (d *desk) delivery(owner, id int64, destination string) *db.DeliveryRow {
	d.t.Helper()
	rows, err := d.ledger.List(d.t.Context(), db.DeliveryFilter{Destination: destination, Limit: 1000})
	require.NoError(d.t, err)
	for _, row := range rows {
		if row.OwnerID == owner && row.PostID == id {
			return &row
		}
	}
	return nil
}

func (d *desk) caseOf(owner, id int64) int64 {
	d.t.Helper()
	post, err := d.posts.Get(d.t.Context(), owner, id)
	require.NoError(d.t, err)
	require.NotZero(d.t, post.CaseID)
	return post.CaseID
}

// sent makes a delivery one that arrived at a time.
func (d *desk) sent(delivery *db.DeliveryRow, at time.Time) {
	d.t.Helper()
	key := protocol.DeliveryKey{Destination: delivery.Destination, OwnerID: delivery.OwnerID, PostID: delivery.PostID}
	opened, err := d.ledger.Open(d.t.Context(), key, 0)
	require.NoError(d.t, err)
	attempt, err := d.ledger.Begin(d.t.Context(), &opened, db.Attempt{Timeout: time.Minute, Shown: db.Shown{Kind: "message", Version: []byte("old")}})
	require.NoError(d.t, err)
	d.arrive(key, attempt, true, 1000+delivery.ID)
	_, err = d.pool.Exec(d.t.Context(), "UPDATE relay.deliveries SET sent_at = $2, created_at = $2 WHERE id = $1", delivery.ID, at)
	require.NoError(d.t, err)
}

const (
	rex      = "Пропал пёс Рекс, рыжий, бигль, убежал с ул. Лесная, 12. Тел. 8 900 000-71-71"
	rexAgain = "Помогите найти собаку! Зовут Рекс, бигль, рыжий с белым, видели у ул. Лесная. Звоните 8 900 000-71-71"
	rexHome  = "Рекс дома! Нашёлся наш рыжий бигль с ул. Лесная, спасибо всем, кто искал. 8 900 000-71-71"
	murka    = "Потерялась кошка Мурка, серая, ул. Садовая, 3, очень ждём. Тел. 8 900 000-72-72"
)

func TestTwoReadersThatMeetOneCaseAtOnceMakeOne(t *testing.T) {
	texts := []string{
		"Пропал пёс Рекс, рыжий, бигль, убежал с ул. Лесная, 12. Тел. 8 900 000-71-71",
		"Помогите найти собаку! Зовут Рекс, бигль, рыжий с белым, видели у ул. Лесная. Звоните 8 900 000-71-71",
		"Ищем пса по кличке Рекс! Рыжий бигль, ул. Лесная, звоните в любое время. 8 900 000-71-71",
	}
	for round := range 8 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			d := newDesk(t)
			d.lostTo = []string{somewhere, elsewhere}
			var readers sync.WaitGroup
			for i, text := range texts {
				readers.Go(func() {
					if _, err := d.posts.StorePage(context.WithoutCancel(t.Context()), d.page(post(-int64(i+1), 1, text))); err != nil {
						t.Errorf("store: %v", err)
					}
				})
			}
			readers.Wait()
			for _, destination := range d.lostTo {
				statuses := map[string]int{}
				for i := range texts {
					require.Equal(t, d.caseOf(-1, 1), d.caseOf(-int64(i+1), 1))
					statuses[d.delivery(-int64(i+1), 1, destination).Status]++
				}
				require.Equal(t, map[string]int{protocol.StatusPending: 1, protocol.StatusSuppressed: 2}, statuses)
			}
		})
	}
}

func TestPagesThatHoldTheSameCasesInAnotherOrderDoNotStandInEachOthersWay(t *testing.T) {
	d := newDesk(t)
	var here, there []db.Post
	for i := range int64(40) {
		text := fmt.Sprintf("Пропал пёс Рекс, рыжий, бигль, ул. Лесная, %d. Тел. 8 900 000-%02d-55", i, i)
		here = append(here, post(-1, i+1, text))
		there = append([]db.Post{post(-2, i+1, "Ищем! "+text)}, there...)
	}
	var readers sync.WaitGroup
	for _, posts := range [][]db.Post{here, there} {
		readers.Go(func() {
			if _, err := d.posts.StorePage(context.WithoutCancel(t.Context()), d.page(posts...)); err != nil {
				t.Errorf("store: %v", err)
			}
		})
	}
	readers.Wait()
	for i := range int64(40) {
		require.Equal(t, d.caseOf(-1, i+1), d.caseOf(-2, i+1))
	}
}

func TestACaseCountsAsToldForTheWindow(t *testing.T) {
	for name, row := range map[string]struct {
		sentBefore time.Duration
		status     string
	}{
		"told within the window": {71 * time.Hour, protocol.StatusSuppressed},
		"told before":            {73 * time.Hour, protocol.StatusPending},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.store(post(-1, 1, rex))
			first := d.delivery(-1, 1, somewhere)
			d.sent(first, time.Now().Add(-row.sentBefore))
			d.store(post(-2, 1, rexAgain))
			again := d.delivery(-2, 1, somewhere)
			require.Equal(t, row.status, again.Status)
			require.Equal(t, first.Case, again.Case)
			if row.status == protocol.StatusSuppressed {
				require.Equal(t, first.ID, *again.DuplicateOf)
				require.Equal(t, fmt.Sprintf("case %d is told by delivery %d, wall-1_1", *first.Case, first.ID), again.Reason)
			}
		})
	}
}

func TestWhatWaitsForADestinationCountsAsToldHoweverLongItWaits(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	_, err := d.pool.Exec(t.Context(), "UPDATE relay.deliveries SET created_at = now() - interval '9 days'")
	require.NoError(t, err)
	d.store(post(-2, 1, rexAgain))
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-2, 1, somewhere).Status)
}

func TestAnimalsThatHaveNothingInCommonStayApart(t *testing.T) {
	d := newDesk(t)
	stored := d.store(post(-1, 1, rex), post(-1, 2, murka))
	require.Equal(t, 2, stored.Owed)
	require.NotEqual(t, d.caseOf(-1, 1), d.caseOf(-1, 2))
}

func TestNewsGoesWhereTheCaseWasToldAndNowhereElse(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	first := d.delivery(-1, 1, somewhere)
	d.sent(first, time.Now().Add(-9*24*time.Hour))
	stored := d.store(post(-2, 1, rexHome))
	require.Equal(t, 1, stored.Owed)
	home := d.delivery(-2, 1, somewhere)
	require.Equal(t, first.ID, *home.ReplyTo)
	require.Nil(t, d.delivery(-2, 1, elsewhere))
	opened, err := d.ledger.Open(t.Context(), protocol.DeliveryKey{Destination: somewhere, OwnerID: -2, PostID: 1}, 0)
	require.NoError(t, err)
	require.Equal(t, 1000+first.ID, opened.ReplyTo, "the message, not the delivery")

	edits, err := d.ledger.Edits(t.Context(), first.ID)
	require.NoError(t, err)
	require.Len(t, edits, 1)
	require.Equal(t, "closed", edits[0].Cause)

	d.store(post(-3, 1, "Ура! "+rexHome))
	require.Nil(t, d.delivery(-3, 1, somewhere), "good news is told once")
	d.store(post(-3, 2, rexAgain))
	require.Contains(t, d.delivery(-3, 2, somewhere).Reason, "home again")
}

func TestWhatWaitsIsNotSentOnceTheAnimalIsHome(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	opened, err := d.ledger.Open(t.Context(), protocol.DeliveryKey{Destination: somewhere, OwnerID: -1, PostID: 1}, 0)
	require.NoError(t, err)
	stored := d.store(post(-2, 1, rexHome))
	require.Zero(t, stored.Owed, "nobody was told that it was lost")
	waiting := d.delivery(-1, 1, somewhere)
	require.Equal(t, protocol.StatusSuppressed, waiting.Status)
	require.Contains(t, waiting.Reason, "home again")
	_, err = d.ledger.Begin(t.Context(), &opened, db.Attempt{Timeout: time.Minute})
	require.ErrorIs(t, err, db.ErrChanged, "a sender that had opened it before does not send it")
}

func TestAPetThatIsLostAnewIsANewCase(t *testing.T) {
	d := newDesk(t)
	old := post(-1, 1, rex)
	old.PostedAt = time.Now().Add(-30 * 24 * time.Hour)
	home := post(-1, 2, rexHome)
	home.PostedAt = time.Now().Add(-20 * 24 * time.Hour)
	old = petpost.ReadPost(old.Post)
	home = petpost.ReadPost(home.Post)
	d.store(old, home)
	require.Equal(t, d.caseOf(-1, 1), d.caseOf(-1, 2))
	d.store(post(-1, 3, rexAgain))
	require.NotEqual(t, d.caseOf(-1, 1), d.caseOf(-1, 3))
	require.Equal(t, protocol.StatusPending, d.delivery(-1, 3, somewhere).Status)
}

func TestARepostAndItsOriginAreOneCase(t *testing.T) {
	d := newDesk(t)
	repost := post(-2, 1, "")
	repost.Reposts, repost.Origin = []wallpost.Repost{{ID: wallpost.ID{OwnerID: -1, PostID: 1}, Text: rex}}, wallpost.ID{OwnerID: -1, PostID: 1}
	repost.ContentHash = []byte("repost")
	repost = petpost.ReadPost(repost.Post)
	d.store(repost) // before its original is met
	d.store(post(-1, 1, rex))
	require.Equal(t, d.caseOf(-2, 1), d.caseOf(-1, 1))
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-1, 1, somewhere).Status)
}

func TestADeliveryThatFailsLeavesItsPlaceToAnother(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), post(-2, 1, rexAgain), post(-3, 1, rexAgain+"!"))
	first := d.delivery(-1, 1, somewhere)
	_, err := d.pool.Exec(t.Context(), "UPDATE relay.deliveries SET status = 'failed' WHERE id = $1", first.ID)
	require.NoError(t, err)
	released, err := d.ledger.ReleaseStranded(t.Context(), time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, 1, released)
	last := d.delivery(-3, 1, somewhere)
	require.Equal(t, protocol.StatusPending, last.Status, "the newest goes")
	require.Equal(t, last.ID, *d.delivery(-2, 1, somewhere).DuplicateOf)
	released, err = d.ledger.ReleaseStranded(t.Context(), time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Zero(t, released)
}

func TestADeletedPostIsNotSentAndItsCaseIsToldByAnother(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), post(-2, 1, rexAgain))
	require.Equal(t, 1, d.miss(-1, 1))
	require.Equal(t, "the author has deleted the post", d.delivery(-1, 1, somewhere).Reason)
	released, err := d.ledger.ReleaseStranded(t.Context(), time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, 1, released)
	require.Equal(t, protocol.StatusPending, d.delivery(-2, 1, somewhere).Status)

	stored := d.store(post(-1, 1, rex))
	require.Equal(t, 1, stored.Edited, "it was put back")
	back := d.delivery(-1, 1, somewhere)
	require.Equal(t, protocol.StatusSuppressed, back.Status)
	require.Equal(t, d.delivery(-2, 1, somewhere).ID, *back.DuplicateOf, "the other has taken its place meanwhile")
}

// miss lets VK not show posts at two looks, ten minutes apart, and returns how
// many are taken for deleted.
func (d *desk) miss(owner int64, ids ...int64) (deleted int) {
	d.t.Helper()
	for _, before := range []time.Duration{-10 * time.Minute, time.Minute} {
		require.NoError(d.t, d.posts.Checked(d.t.Context(), owner, ids, ids, nil))
		gone, err := d.posts.Delete(d.t.Context(), owner, ids, time.Now().Add(before))
		require.NoError(d.t, err)
		deleted += gone
		if before < 0 {
			require.Zero(d.t, gone, "nothing is believed gone at first sight")
		}
	}
	return deleted
}

func TestAPostThatWasSeenBetweenTwoLooksIsNotTakenForDeleted(t *testing.T) {
	d := newDesk(t)
	soon := time.Now().Add(time.Minute)
	d.store(post(-1, 1, rex), post(-1, 2, "Всем доброе утро"))
	both := []int64{1, 2}
	require.NoError(t, d.posts.Checked(t.Context(), -1, both, both, nil))
	d.store(post(-1, 1, rex))                                                         // seen on a page
	require.NoError(t, d.posts.Checked(t.Context(), -1, []int64{2}, nil, []int64{2})) // seen by its id
	gone, err := d.posts.Delete(t.Context(), -1, both, soon)
	require.NoError(t, err)
	require.Zero(t, gone)
	require.Equal(t, protocol.StatusPending, d.delivery(-1, 1, somewhere).Status)
}

func TestALookThatSaysNothingOfAPostLeavesItsFirstAbsenceStanding(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	require.NoError(t, d.posts.Checked(t.Context(), -1, []int64{1}, []int64{1}, nil))
	require.NoError(t, d.posts.Checked(t.Context(), -1, []int64{1}, nil, nil)) // VK has shown nothing at all
	gone, err := d.posts.Delete(t.Context(), -1, []int64{1}, time.Now().Add(time.Minute))
	require.NoError(t, err)
	require.Equal(t, 1, gone)
}

func TestAPostThatReturnsGetsBackWhatWasTakenFromIt(t *testing.T) {
	d := newDesk(t)
	d.lostTo = []string{somewhere, elsewhere}
	d.store(post(-1, 1, rex))
	d.sent(d.delivery(-1, 1, somewhere), time.Now())
	require.Equal(t, 1, d.miss(-1, 1))
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-1, 1, elsewhere).Status)

	stored := d.store(post(-1, 1, rex))
	require.Equal(t, 1, stored.Owed)
	require.Equal(t, protocol.StatusPending, d.delivery(-1, 1, elsewhere).Status)
	require.Empty(t, d.delivery(-1, 1, elsewhere).Reason)
	require.Zero(t, d.get(-1, 1).DeletedAt)
	edits, err := d.ledger.Edits(t.Context(), d.delivery(-1, 1, somewhere).ID)
	require.NoError(t, err)
	require.Equal(t, "restored", edits[len(edits)-1].Cause, "and what was told is edited back")
}

func TestAPostThatIsEditedIntoALostPetIsTold(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, "…"))
	require.Nil(t, d.delivery(-1, 1, somewhere))
	stored := d.store(post(-1, 1, rex))
	require.Equal(t, 1, stored.Edited)
	require.Equal(t, protocol.StatusPending, d.delivery(-1, 1, somewhere).Status)
	d.store(post(-2, 1, rexAgain))
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-2, 1, somewhere).Status, "its new keys are found")
}

func TestAnEditThatIsOvertakenGoesOn(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	d.sent(d.delivery(-1, 1, somewhere), time.Now())
	d.store(post(-1, 1, rex+" Он боится людей."))
	due, err := d.ledger.Edits(t.Context(), d.delivery(-1, 1, somewhere).ID)
	require.NoError(t, err)
	require.Len(t, due, 1)
	edit, err := d.ledger.OpenEdit(t.Context(), due[0].ID, true)
	require.NoError(t, err)
	d.store(post(-1, 1, rex+" Вознаграждение."))
	finished, err := d.ledger.FinishEdit(t.Context(), edit, protocol.EditDone, "")
	require.NoError(t, err)
	require.False(t, finished, "the second edit came meanwhile")
	edit, err = d.ledger.OpenEdit(t.Context(), due[0].ID, true)
	require.NoError(t, err)
	finished, err = d.ledger.FinishEdit(t.Context(), edit, protocol.EditDone, "")
	require.NoError(t, err)
	require.True(t, finished)
}

func TestAnOperatorSplitsAndJoins(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), post(-2, 1, rexAgain), post(-3, 1, rexAgain+"!"), post(-1, 2, murka))
	rexCase := d.caseOf(-1, 1)
	_, _, err := d.cases.Split(t.Context(), rexCase, []wallpost.ID{{OwnerID: -1, PostID: 2}}, false, "")
	require.ErrorIs(t, err, db.ErrNotFound)
	_, _, err = d.cases.Split(t.Context(), rexCase, nil, false, "")
	require.ErrorContains(t, err, "name some of them")

	parted, released, err := d.cases.Split(t.Context(), rexCase, []wallpost.ID{{OwnerID: -2, PostID: 1}, {OwnerID: -3, PostID: 1}}, false, "другой")
	require.NoError(t, err)
	require.Len(t, released, 1, "one of the two tells of the other animal")
	require.Equal(t, parted, d.caseOf(-2, 1))
	going, standing := d.delivery(-3, 1, somewhere), d.delivery(-2, 1, somewhere)
	require.Equal(t, protocol.StatusPending, going.Status)
	require.Equal(t, going.ID, *standing.DuplicateOf)

	id, err := d.cases.Join(t.Context(), rexCase, []int64{parted}, "")
	require.NoError(t, err)
	require.Equal(t, rexCase, id)
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-3, 1, somewhere).Status, "what waits is held back")
	_, err = d.cases.Join(t.Context(), rexCase, []int64{parted}, "")
	require.ErrorIs(t, err, db.ErrSameCase)
	rows, err := d.cases.List(t.Context(), db.CaseFilter{LeastPosts: 2})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, 3, rows[0].Posts)
}

func TestWhatACopyAddsIsToldOnceInTheFirstMessage(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	first := d.delivery(-1, 1, somewhere)
	d.sent(first, time.Now())
	causes := func() (causes []string) {
		rows, err := d.ledger.Edits(t.Context(), first.ID)
		require.NoError(t, err)
		for _, row := range rows {
			causes = append(causes, row.Cause)
		}
		return causes
	}
	require.Zero(t, d.store(post(-2, 1, rexAgain)).Edits, "it says nothing new")
	require.Empty(t, causes())

	require.Equal(t, 1, d.store(post(-3, 1, rexAgain+" или 8 900 000-71-72, вознаграждение!")).Edits)
	require.Equal(t, []string{"added"}, causes())
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-3, 1, somewhere).Status)
	require.Equal(t, []petpost.Addition{{Post: wallpost.ID{OwnerID: -3, PostID: 1},
		Facts: []petpost.Fact{{Kind: petpost.FactPhone, Text: "+79000007172"}, {Kind: petpost.FactReward}}}}, d.get(-1, 1).Additions)
	before := d.get(-1, 1).Version()
	require.Zero(t, d.store(post(-4, 1, rexAgain+" или 8 900 000-71-72, вознаграждение")).Edits, "once per fact")
	require.Equal(t, before, d.get(-1, 1).Version())

	d.store(post(-5, 1, "Рекс дома! Нашёлся наш рыжий бигль с ул. Лесная. 8 900 000-71-71"))
	require.Empty(t, d.get(-1, 1).Additions, "nobody looks for it any more")
}

func TestWhatAPostHasAddedGoesFromTheFirstMessageWithIt(t *testing.T) {
	for name, change := range map[string]func(*desk){
		"edited":  func(d *desk) { d.store(post(-2, 2, rexAgain)) },
		"deleted": func(d *desk) { require.Equal(d.t, 1, d.miss(-2, 2)) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.store(post(-1, 1, rex))
			first := d.delivery(-1, 1, somewhere)
			d.sent(first, time.Now())
			d.store(post(-2, 2, rexAgain+" или 8 900 000-71-72, вознаграждение!"))
			require.NotEmpty(t, d.get(-1, 1).Additions)
			_, err := d.pool.Exec(t.Context(), "UPDATE relay.amendments SET status = 'done', finished_at = now()")
			require.NoError(t, err)
			change(d)
			require.Empty(t, d.get(-1, 1).Additions)
			edits, err := d.ledger.Edits(t.Context(), first.ID)
			require.NoError(t, err)
			require.NotEmpty(t, edits)
			require.Equal(t, protocol.EditPending, edits[len(edits)-1].Status)
		})
	}
}

func TestASightingInACopyAnswersTheFirstMessageOnce(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	first := d.delivery(-1, 1, somewhere)
	d.sent(first, time.Now())

	d.store(post(-2, 1, rexAgain+". Сегодня утром видели у ТЦ «Парус»"))
	seen := d.delivery(-2, 1, somewhere)
	require.Equal(t, protocol.StatusPending, seen.Status)
	require.Equal(t, first.ID, *seen.ReplyTo)
	d.store(post(-3, 1, rexAgain+". Сегодня видели у ТЦ Парус!"))
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-3, 1, somewhere).Status, "it is known")

	d.store(post(-4, 1, "Видели собаку, рыжий бигль, вчера в парке Победы, похож на Рекса. 8 900 000-71-71"))
	elsewhere := d.delivery(-4, 1, somewhere)
	require.NotNil(t, elsewhere, "whatever the routes say: it was told there")
	require.Equal(t, first.ID, *elsewhere.ReplyTo)

	d.store(post(-5, 1, rexHome))
	d.store(post(-6, 1, rexAgain+". Видели у моста вчера"))
	require.Equal(t, protocol.StatusSuppressed, d.delivery(-6, 1, somewhere).Status, "it is home")
}

func TestAPostThatGoesOnWithTheOneBeforeItJoinsItsCase(t *testing.T) {
	d := newDesk(t)
	from := func(p db.Post, author int64, after time.Duration) db.Post {
		p.FromID, p.PostedAt = author, p.PostedAt.Add(after)
		return p
	}
	more := func(id int64) db.Post { return post(-1, id, "И по номеру 8 900 000-71-72") }
	d.store(from(post(-1, 1, rex), 55, 0))
	first := d.delivery(-1, 1, somewhere)
	d.sent(first, time.Now())
	d.store(from(more(2), 56, time.Minute), from(more(3), 55, time.Hour), from(more(4), 55, 5*time.Minute))
	require.NotEqual(t, d.caseOf(-1, 1), d.caseOf(-1, 2), "another author")
	require.NotEqual(t, d.caseOf(-1, 1), d.caseOf(-1, 3), "too late")
	require.Equal(t, d.caseOf(-1, 1), d.caseOf(-1, 4))
	require.Equal(t, "continues wall-1_1", d.get(-1, 4).CaseReason)
	require.Nil(t, d.delivery(-1, 4, somewhere))
	require.Equal(t, petpost.FactPhone, d.get(-1, 1).Additions[0].Facts[0].Kind)
	rows, err := d.ledger.Edits(t.Context(), first.ID)
	require.NoError(t, err)
	require.Len(t, rows, 1)
}

func TestANewPostIsWrittenOnceAndItsCaseCountsIt(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex))
	d.store(post(-2, 1, rexAgain))
	var versions []string
	require.NoError(t, d.pool.QueryRow(t.Context(), "SELECT array_agg(ctid::text ORDER BY ctid) FROM relay.posts").Scan(&versions))
	require.Equal(t, []string{"(0,1)", "(0,2)"}, versions, "an update would have left a dead row between the two")
	for least, cases := range map[int]int{1: 1, 2: 1, 3: 0} {
		rows, err := d.cases.List(t.Context(), db.CaseFilter{LeastPosts: least})
		require.NoError(t, err)
		require.Len(t, rows, cases, least)
	}
}

func TestAPostThatAPersonIsAskedAboutHoldsBackNoOther(t *testing.T) {
	d := newDesk(t)
	page := d.page(post(-1, 1, rex))
	owed := page.Owed
	page.Owed = func(p db.Post) []db.Owed {
		asked := owed(p)
		asked[0].Ask = protocol.ReasonUnsure
		return asked
	}
	_, err := d.posts.StorePage(t.Context(), page)
	require.NoError(t, err)
	asked := d.delivery(-1, 1, somewhere)
	require.Equal(t, protocol.StatusParked, asked.Status)
	require.Equal(t, protocol.ReasonUnsure, asked.Reason)
	d.store(post(-2, 1, rexAgain))
	require.Equal(t, protocol.StatusPending, d.delivery(-2, 1, somewhere).Status, "a surer one does not wait for the answer")
}

func TestASplitThatNamesAPostTwiceTakesNotAllOfThem(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), post(-2, 1, rexAgain))
	one, other := wallpost.ID{OwnerID: -1, PostID: 1}, wallpost.ID{OwnerID: -2, PostID: 1}
	_, _, err := d.cases.Split(t.Context(), d.caseOf(-1, 1), []wallpost.ID{one, one, other}, false, "")
	require.ErrorContains(t, err, "name some of them, not all")
	_, _, err = d.cases.Split(t.Context(), d.caseOf(-1, 1), []wallpost.ID{one, one}, false, "")
	require.NoError(t, err)
	require.NotEqual(t, d.caseOf(-1, 1), d.caseOf(-2, 1))
}

func TestANoteOnACaseMayHoldWhatPostgresKeepsNot(t *testing.T) {
	d := newDesk(t)
	d.store(post(-1, 1, rex), post(-1, 2, murka))
	_, err := d.cases.Join(t.Context(), d.caseOf(-1, 1), []int64{d.caseOf(-1, 2)}, "одна\x00 и та же\xff")
	require.NoError(t, err)
	_, _, err = d.cases.Split(t.Context(), d.caseOf(-1, 1), []wallpost.ID{{OwnerID: -1, PostID: 2}}, true, "нет\x00")
	require.NoError(t, err)
}
