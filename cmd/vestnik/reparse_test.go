package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/testenv"
)

func TestReparseShowsWhatThisBuildReadsOtherwiseAndWritesItOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	pool, err := db.Open(t.Context(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	posts, cases := db.NewPosts(pool), db.NewCases(pool)

	misread := petpost.ReadPost(post.Post{ID: post.ID{OwnerID: -1, PostID: 7}, PostedAt: time.Now(), Text: "Пропал кот Мурзик, рыжий, ул. Лесная, 4. Тел. 8 900 000-12-34", ContentHash: []byte("7")})
	right := misread.Reading
	misread.Reading = petpost.Reading{Type: petpost.News}
	misread.Fingerprint = petpost.Fingerprint{}
	other := petpost.ReadPost(post.Post{ID: post.ID{OwnerID: -1, PostID: 8}, PostedAt: time.Now(), Text: "Потерялась собака Жучка, чёрная, ул. Садовая, 1. 8 900 000-12-35", ContentHash: []byte("8")})
	_, err = posts.StorePage(t.Context(), db.Page{Posts: []db.Post{misread, other}, Owed: func(db.Post) []db.Owed { return nil }})
	require.NoError(t, err)

	look, err := db.Reparse(t.Context(), posts, cases, false)
	require.NoError(t, err)
	require.Equal(t, 2, look.Posts)
	require.Equal(t, 1, look.Changed)
	require.Equal(t, 1, look.Counts["type news → lost"])
	var shown strings.Builder
	require.NoError(t, printReparse(&shown, look))
	require.Contains(t, shown.String(), "wall-1_7")
	require.Contains(t, shown.String(), "nothing was written")
	stored, err := posts.Get(t.Context(), -1, 7)
	require.NoError(t, err)
	require.Equal(t, petpost.News, stored.Reading.Type)

	written, err := db.Reparse(t.Context(), posts, cases, true)
	require.NoError(t, err)
	require.True(t, written.Applied)
	stored, err = posts.Get(t.Context(), -1, 7)
	require.NoError(t, err)
	require.Equal(t, right.Type, stored.Reading.Type)
	require.Equal(t, right.Phones, stored.Reading.Phones)
	rows, err := db.NewLedger(pool).List(t.Context(), db.DeliveryFilter{})
	require.NoError(t, err)
	require.Empty(t, rows, "nothing is sent")

	again, err := db.Reparse(t.Context(), posts, cases, false)
	require.NoError(t, err)
	require.Zero(t, again.Changed)

	// What was read anew is found by posts to come.
	copied := petpost.ReadPost(post.Post{ID: post.ID{OwnerID: -2, PostID: 1}, PostedAt: time.Now(), Text: "Внимание! " + misread.Text, ContentHash: []byte("copy")})
	_, err = posts.StorePage(t.Context(), db.Page{Posts: []db.Post{copied}, Owed: func(db.Post) []db.Owed { return nil }})
	require.NoError(t, err)
	copied, err = posts.Get(t.Context(), -2, 1)
	require.NoError(t, err)
	require.Equal(t, stored.CaseID, copied.CaseID)
}

func TestReparseNamesTheCommandsThatPutPostsWhereTheNewReadingsWouldHaveThem(t *testing.T) {
	t.Parallel()
	pool, err := db.Open(t.Context(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	posts, cases := db.NewPosts(pool), db.NewCases(pool)

	// An older build took the second for news, and so for nobody's dog.
	first := petpost.ReadPost(post.Post{ID: post.ID{OwnerID: -1, PostID: 7}, PostedAt: time.Now(), Text: "Пропал пёс Рекс, рыжий, бигль, ул. Лесная, 4. Тел. 8 900 000-12-34", ContentHash: []byte("7")})
	second := petpost.ReadPost(post.Post{ID: post.ID{OwnerID: -2, PostID: 8}, PostedAt: time.Now(), Text: "Рекс дома! Нашёлся наш рыжий бигль с ул. Лесная, спасибо всем. 8 900 000-12-34", ContentHash: []byte("8")})
	second.Reading.Type, second.Fingerprint = petpost.News, petpost.Fingerprint{Post: second.Fingerprint.Post, Origin: second.Fingerprint.Origin}
	_, err = posts.StorePage(t.Context(), db.Page{Posts: []db.Post{first, second}, Owed: func(db.Post) []db.Owed { return nil }})
	require.NoError(t, err)

	look, err := db.Reparse(t.Context(), posts, cases, false)
	require.NoError(t, err)
	var shown strings.Builder
	require.NoError(t, printReparse(&shown, look))
	require.Contains(t, shown.String(), "vestnik case join 1 2")
	require.Contains(t, shown.String(), "would be closed")
	require.Len(t, look.Cases, 2)

	written, err := db.Reparse(t.Context(), posts, cases, true)
	require.NoError(t, err)
	shown.Reset()
	require.NoError(t, printReparse(&shown, written))
	require.Contains(t, shown.String(), "is closed")
	stored, err := posts.Get(t.Context(), -2, 8)
	require.NoError(t, err)
	require.True(t, stored.CaseClosed)
	require.Equal(t, int64(2), stored.CaseID, "no post is moved")
	due, err := db.NewLedger(pool).Owing(t.Context())
	require.NoError(t, err)
	require.False(t, slices.ContainsFunc(due, func(lane db.Owing) bool { return lane.Edits }), "no message is edited")
}
