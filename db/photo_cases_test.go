package db_test

import (
	"fmt"
	"math/bits"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	wallpost "vestnik/internal/post"
)

// looks are hashes of photos, of which each is unlike the others.
var (
	rexOnALawn = wallpost.PhotoHash{Rows: 0x9d3a_51c6_e80f_7b24, Columns: 0x35c8_a96d_1e74_f2b0}
	banner     = wallpost.PhotoHash{Rows: 0x4be1_0c97_2fd8_6a53, Columns: 0xe29b_7140_c5f6_3d8a}
)

// showing is a post with photos that look like this.
func showing(post db.Post, looks ...wallpost.PhotoHash) db.Post {
	for i, look := range looks {
		post.Photos = append(post.Photos, db.Photo{OwnerID: post.OwnerID, ID: post.PostID*10 + int64(i), Hash: look})
	}
	post.NotePhotos()
	return post
}

// altered is a hash with so many other bits, from the last on.
func altered(look wallpost.PhotoHash, other int) wallpost.PhotoHash {
	look.Columns ^= 1<<other - 1
	return look
}

const (
	rexElsewhere = "Помогите найти собаку, сорвался с поводка и убежал, очень его ждём дома"
	rexUnnamed   = "Пропала рыжая собака, ул. Лесная, 12. Тел. 8 900 000-71-71"
)

func TestThePhotoOfAnAnimalFindsItsCaseOnAnotherWall(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		owner int64
		text  string
		photo wallpost.PhotoHash
		after time.Duration
		joins bool
	}{
		"under other words":            {-2, rexElsewhere, altered(rexOnALawn, 12), 0, true},
		"without any words of a place": {-2, "Найдена собака, рыжая. Чья?", rexOnALawn, 0, true},
		"another photo":                {-2, rexElsewhere, altered(rexOnALawn, 13), 0, false},
		"on the same wall":             {-1, rexElsewhere, rexOnALawn, 0, false},
		"months later":                 {-2, rexElsewhere, rexOnALawn, 50 * 24 * time.Hour, false},
		"of another animal":            {-2, "Помогите найти кошку, выпала из окна, очень ждём дома", rexOnALawn, 0, false},
		"of another colour":            {-2, "Помогите найти собаку, белая, сорвалась с поводка и убежала", rexOnALawn, 0, false},
		"with another phone elsewhere": {-2, "Помогите найти собаку, сорвался с поводка, ул. Садовая, 3. Тел. 8 900 000-72-72", rexOnALawn, 0, false},
		"of a home, not a search":      {-2, "Отдам собаку в добрые руки, ищет дом и хозяев", rexOnALawn, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			first, second := showing(post(-1, 1, rexUnnamed), banner, rexOnALawn), post(row.owner, 2, row.text)
			second = showing(second, row.photo)
			second.PostedAt, second.Fingerprint.At = second.PostedAt.Add(row.after), second.Fingerprint.At.Add(row.after)
			d.store(first)
			d.store(second)
			require.Equal(t, row.joins, d.caseOf(-1, 1) == d.caseOf(row.owner, 2))
			if row.joins {
				stored, err := d.posts.Get(t.Context(), row.owner, 2)
				require.NoError(t, err)
				require.Contains(t, stored.CaseReason, "as wall-1_1: same photo, dog")
				require.Equal(t, row.photo, stored.Photos[0].Hash)
			}
		})
	}
}

// searches are posts of a wall about animals of which nothing is said that tells
// them apart, each with the wall's banner.
func searches(owner int64, from, to int) (posts []db.Post) {
	words := []string{"выпала из окна", "сорвалась с поводка", "испугалась салюта", "ушла со двора", "перелезла забор", "выскочила в подъезд",
		"не вернулась с прогулки", "убежала от машины", "пропала с дачи", "спряталась и исчезла", "осталась у магазина"}
	for i := from; i < to; i++ {
		posts = append(posts, showing(post(owner, int64(i+1), fmt.Sprintf("Потерялась собака, %s. Помогите, очень ждём", words[i])), banner))
	}
	return posts
}

func TestAPhotoThatAWallShowsUnderManyPostsJoinsNothing(t *testing.T) {
	t.Parallel()
	for name, pages := range map[string][][]db.Post{
		"ten at once":             {searches(-1, 0, 10)},
		"before another wall's":   {searches(-1, 0, 5), searches(-1, 5, 10), searches(-2, 10, 11)},
		"after another wall's":    {searches(-2, 10, 11), searches(-1, 0, 10)},
		"one by one, then others": {searches(-1, 0, 1), searches(-1, 1, 2), searches(-1, 2, 3), searches(-2, 10, 11)},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			cases, posts := map[int64]bool{}, 0
			for _, page := range pages {
				d.store(page...)
			}
			for _, page := range pages {
				for _, post := range page {
					cases[d.caseOf(post.OwnerID, post.PostID)] = true
					posts++
				}
			}
			require.Len(t, cases, posts)
		})
	}
}

func TestAPhotoOfManyCasesJoinsNothing(t *testing.T) {
	d := newDesk(t)
	for i, name := range []string{"Рекс", "Джек", "Бим"} { // a volunteer's card
		d.store(showing(post(-int64(i+1), 1, "Пропал пёс "+name+", помогите найти"), banner))
	}
	d.store(showing(post(-9, 1, rexElsewhere), banner))
	for i := range int64(3) {
		require.NotEqual(t, d.caseOf(-i-1, 1), d.caseOf(-9, 1))
	}
}

func TestAPhotoIsFoundWhereMostOfItsBitsAreTheSame(t *testing.T) {
	t.Parallel()
	require.Greater(t, bits.OnesCount64(banner.Rows^rexOnALawn.Rows)+bits.OnesCount64(banner.Columns^rexOnALawn.Columns), 40)
	first, again := showing(post(-1, 1, rexUnnamed), rexOnALawn), showing(post(-2, 1, rexUnnamed), altered(rexOnALawn, 12))
	require.NotEmpty(t, first.Fingerprint.PhotoKeys())
	require.Subset(t, first.Fingerprint.Keys(), first.Fingerprint.PhotoKeys())
	require.Contains(t, again.Fingerprint.PhotoKeys(), first.Fingerprint.PhotoKeys()[0])
}

func TestWhatAPhotoLooksLikeGoesWithItsPost(t *testing.T) {
	d := newDesk(t)
	d.lostTo = nil
	d.store(showing(post(-1, 1, rexUnnamed), rexOnALawn))
	keys := func() (count int) {
		require.NoError(t, d.pool.QueryRow(t.Context(), "SELECT count(*) FROM relay.case_keys WHERE owner_id = -1").Scan(&count))
		return count
	}
	require.NotZero(t, keys())
	blanked, err := d.posts.Blank(t.Context(), time.Now(), 10, func() {})
	require.NoError(t, err)
	require.Equal(t, 1, blanked)
	require.Zero(t, keys())
	stored, err := d.posts.Get(t.Context(), -1, 1)
	require.NoError(t, err)
	require.Empty(t, stored.Photos)
	require.Empty(t, stored.Fingerprint.Photos)
}
