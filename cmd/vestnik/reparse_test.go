package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/reading"
	"vestnik/internal/testenv"
)

func TestReparseShowsWhatThisBuildReadsOtherwiseAndWritesItOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	pool, err := db.Open(t.Context(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	posts := db.NewPosts(pool)

	misread := db.Post{OwnerID: -1, PostID: 7, PostedAt: time.Now(), Text: "Пропал кот Мурзик, рыжий, ул. Лесная, 4. Тел. 8 900 000-12-34", ContentHash: []byte("7")}
	reading.Read(&misread)
	right := misread.Reading
	misread.Reading = petpost.Reading{Type: petpost.News}
	misread.Fingerprint = petpost.Fingerprint{}
	other := db.Post{OwnerID: -1, PostID: 8, PostedAt: time.Now(), Text: "Потерялась собака Жучка, чёрная, ул. Садовая, 1. 8 900 000-12-35", ContentHash: []byte("8")}
	reading.Read(&other)
	_, err = posts.StorePage(t.Context(), db.Page{Posts: []db.Post{misread, other}, Owed: func(db.Post) []db.Owed { return nil }})
	require.NoError(t, err)

	look := &rereading{posts: posts, counts: map[string]int{}}
	require.NoError(t, look.run(t.Context()))
	require.Equal(t, 2, look.read)
	require.Equal(t, 1, look.changed)
	require.Equal(t, 1, look.counts["type news → lost"])
	var shown strings.Builder
	require.NoError(t, look.print(&shown, true))
	require.Contains(t, shown.String(), "wall-1_7")
	require.Contains(t, shown.String(), "nothing was written")
	stored, err := posts.Get(t.Context(), -1, 7)
	require.NoError(t, err)
	require.Equal(t, petpost.News, stored.Reading.Type)

	write := &rereading{posts: posts, apply: true, counts: map[string]int{}}
	require.NoError(t, write.run(t.Context()))
	stored, err = posts.Get(t.Context(), -1, 7)
	require.NoError(t, err)
	require.Equal(t, right.Type, stored.Reading.Type)
	require.Equal(t, right.Phones, stored.Reading.Phones)
	rows, err := db.NewLedger(pool).List(t.Context(), db.DeliveryFilter{})
	require.NoError(t, err)
	require.Empty(t, rows, "nothing is sent")

	again := &rereading{posts: posts, counts: map[string]int{}}
	require.NoError(t, again.run(t.Context()))
	require.Zero(t, again.changed)

	// What was read anew is found by posts to come.
	copied := db.Post{OwnerID: -2, PostID: 1, PostedAt: time.Now(), Text: "Внимание! " + misread.Text, ContentHash: []byte("copy")}
	reading.Read(&copied)
	_, err = posts.StorePage(t.Context(), db.Page{Posts: []db.Post{copied}, Owed: func(db.Post) []db.Owed { return nil }})
	require.NoError(t, err)
	copied, err = posts.Get(t.Context(), -2, 1)
	require.NoError(t, err)
	require.Equal(t, stored.CaseID, copied.CaseID)
}
