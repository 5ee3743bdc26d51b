package db_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	wallpost "vestnik/internal/post"
)

// backslashNUL is what a person may type: six plain characters, not a NUL.
const backslashNUL = `\u0000`

func TestABackslashAndFourZerosIsKeptAsItWasTyped(t *testing.T) {
	d := newDesk(t)
	bad := post(-1, 1, "Прибил"+backslashNUL+"ся кот, серый, у дома Лесная, 12. Тел. 8 900 000-00-00")
	bad.Attachments = []db.Attachment{{Kind: "link", Title: backslashNUL, URL: `https://example.org/\\u0000`}}
	bad.Photos = []db.Photo{{OwnerID: -1, ID: 2, AccessKey: "\x00" + backslashNUL + "\x00"}}
	stored := d.store(bad, post(-1, 2, "Пропала кошка Мурка"))
	require.Equal(t, 2, stored.New)
	require.Empty(t, stored.SetAside)
	kept := d.get(-1, 1)
	require.Equal(t, bad.Text, kept.Text)
	require.Equal(t, bad.Attachments, kept.Attachments)
	require.Equal(t, backslashNUL, kept.Photos[0].AccessKey, "what Postgres can't keep is dropped, and nothing else")
	require.Equal(t, bad.Reading, kept.Reading)
}

func TestAPostThatCanNotBeStoredIsSetAsideAndCostsItsPageNothing(t *testing.T) {
	d := newDesk(t)
	good, bad, last := post(-1, 1, "Пропала кошка Мурка"), post(-1, 2, "Пропал кот Барсик"), post(-1, 3, "Пропал пёс Рекс")
	bad.ContentHash = nil // the table wants one
	page := d.page(good, bad, last)
	page.Wall = &db.WallRead{Name: "a", NextReadAt: time.Now(), ReadEvery: time.Minute}
	stored, err := d.posts.StorePage(t.Context(), page)
	require.NoError(t, err)
	require.Equal(t, 2, stored.New)
	require.Equal(t, 2, stored.Owed, "counted once, though the page was begun twice")
	require.Equal(t, []db.SetAside{{OwnerID: -1, PostID: 2, Reason: "postgres 23502"}}, stored.SetAside)
	require.NotZero(t, d.get(-1, 3).CaseID)
	_, err = d.posts.Get(t.Context(), -1, 2)
	require.ErrorIs(t, err, db.ErrNotFound)

	bad.ContentHash = []byte{1}
	require.Equal(t, 1, d.store(bad).New, "as soon as it can be stored it is")
}

func TestAPostThatMakesARoutePanicCostsItsPageNothing(t *testing.T) {
	d := newDesk(t)
	page := d.page(post(-1, 1, "Пропала кошка Мурка"), post(-1, 2, "Пропал кот Барсик"))
	owed := page.Owed
	page.Owed = func(post db.Post) []db.Owed {
		if post.PostID == 1 {
			panic("a rule that nobody has thought through")
		}
		return owed(post)
	}
	stored, err := d.posts.StorePage(t.Context(), page)
	require.NoError(t, err)
	require.Equal(t, []db.SetAside{{OwnerID: -1, PostID: 1, Reason: "panic"}}, stored.SetAside)
	require.Equal(t, 1, stored.Owed)
}

// oddPieces are what texts of posts are made of here.
var oddPieces = []string{
	"Пропала кошка Мурка", "8 900 000-00-00", "ул. Лесная, 12", backslashNUL, `\\u0000`, `\`, `"`, "\x00", "\xff\xfe", "\xed\xa0\x80", `\ud800`,
	"\u2028", "🐈‍⬛", "\u202e", "[id1|Анна]", "{}", "'; --", "$1", "%s", "\r\n", "\u0300\u0300\u0300", strings.Repeat("ы", 70_000), "вчера", "@anna",
}

func oddText(random *rand.Rand) string {
	var text strings.Builder
	for range random.IntN(6) {
		text.WriteString(oddPieces[random.IntN(len(oddPieces))])
	}
	return text.String()
}

func oddNumber(random *rand.Rand) int64 {
	return []int64{0, 1, -1, math.MaxInt32 + 1, math.MaxInt64, math.MinInt64, random.Int64()}[random.IntN(7)]
}

func oddTime(random *rand.Rand) time.Time {
	return []time.Time{{}, time.Now(), time.Unix(1, 0), time.Unix(1<<34, 0), time.Now().Add(-time.Hour)}[random.IntN(5)].UTC().Truncate(time.Second)
}

func oddPost(random *rand.Rand, id int64) db.Post {
	post := wallpost.Post{
		ID: wallpost.ID{OwnerID: -1, PostID: id}, FromID: oddNumber(random), PostedAt: oddTime(random), EditedAt: oddTime(random),
		Text: oddText(random), Origin: wallpost.ID{OwnerID: oddNumber(random), PostID: oddNumber(random)}, ContentHash: []byte{byte(id)},
	}
	for range random.IntN(3) {
		post.Reposts = append(post.Reposts, wallpost.Repost{Text: oddText(random)})
		post.Attachments = append(post.Attachments, db.Attachment{Kind: oddText(random), Title: oddText(random), URL: oddText(random)})
	}
	for range []int{0, 1, 10, 3000}[random.IntN(4)] {
		post.Photos = append(post.Photos, db.Photo{
			OwnerID: oddNumber(random), ID: oddNumber(random), AccessKey: `\u0000`,
			Sizes: []db.PhotoSize{{URL: "https://example.org/1.jpg?\x00\xff", Width: int(oddNumber(random)), Height: int(oddNumber(random))}},
		})
	}
	return petpost.ReadPost(post)
}

func TestWhateverAPostHoldsItIsStoredAndReadBack(t *testing.T) {
	d := newDesk(t)
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		page := make([]db.Post, 20)
		for i := range page {
			page[i] = oddPost(random, int64(seed)*100+int64(i)+1)
		}
		stored := d.store(page...)
		require.Equal(t, len(page), stored.New, "seed %d", seed)
		require.Empty(t, stored.SetAside, "seed %d", seed)
		for _, post := range page {
			kept := d.get(post.OwnerID, post.PostID)
			require.Equal(t, strings.ReplaceAll(strings.ToValidUTF8(post.Text, "\uFFFD"), "\x00", ""), kept.Text, fmt.Sprintf("seed %d post %d", seed, post.PostID))
			require.Len(t, kept.Photos, len(post.Photos))
			require.Len(t, kept.Attachments, len(post.Attachments))
			require.True(t, post.PostedAt.Equal(kept.PostedAt))
		}
	}
}

func (d *desk) get(owner, id int64) db.Post {
	d.t.Helper()
	post, err := d.posts.Get(d.t.Context(), owner, id)
	require.NoError(d.t, err)
	return post
}
