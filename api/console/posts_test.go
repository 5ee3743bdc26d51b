package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
)

// store keeps posts that no rule has looked at.
func (d *deck) store(t *testing.T, posts ...db.Post) {
	t.Helper()
	_, err := d.starter.Posts.StorePage(t.Context(), db.Page{Posts: posts, Owed: func(db.Post) []db.Owed { return nil }})
	require.NoError(t, err)
}

func writtenAgo(postID int64, ago time.Duration, text string) db.Post {
	return petpost.ReadPost(post.Post{
		ID: post.ID{OwnerID: -900000001, PostID: postID}, FromID: -900000001, PostedAt: time.Now().Add(-ago).Truncate(time.Second), Text: text,
		ContentHash: []byte{byte(postID), byte(postID >> 8)},
	})
}

func TestPostsAreFoundByNamePlacePhoneAndAddress(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	d.store(t, lostCat(1),
		writtenAgo(2, 2*time.Hour, "Найдена собака, ул. Ёлочная, 5. Тел. +7 900 000-55-66"),
		writtenAgo(3, 60*24*time.Hour, "Пропал пёс Рекс, ул. Садовая, 12. Тел. +7 900 000-77-88"))
	operator := d.operator(t)
	found := func(query string) (posts []string) {
		t.Helper()
		page := operator.get("/console/posts?" + query)
		require.Equal(t, http.StatusOK, page.status, query)
		for id := int64(1); id <= 3; id++ {
			if name := protocol.WallPost(-900000001, id); strings.Contains(page.body, `href="/console/posts/`+name+`"`) {
				posts = append(posts, name[len("wall-900000001_"):])
			}
		}
		return posts
	}
	require.Equal(t, []string{"1", "2"}, found(""))
	require.Equal(t, []string{"1", "2", "3"}, found("days=180"))
	for search, want := range map[string][]string{
		"буся": {"1"}, "Луг": {"1"}, "луговой 17": {"1"}, "елочная": {"2"}, "ёлочн": {"2"}, "8 900 000 55 66": {"2"}, "+79000001234": {"1"}, "Рекс": nil, "%'\\:!|": nil,
	} {
		require.Equal(t, want, found(url.Values{"q": {search}}.Encode()), search)
	}
	require.Equal(t, []string{"3"}, found("days=180&q=садовая"))
	require.Equal(t, []string{"2"}, found("type=found"))
	require.Equal(t, "/console/posts/wall-900000001_3", operator.get("/console/posts?q=https://vk.com/wall-900000001_3").header.Get("Location"))
	require.Equal(t, http.StatusBadRequest, operator.get("/console/posts?days=1000").status)
	require.Contains(t, plain(operator.get("/console/posts").body), "did not fit")
}

func TestPostsOfOneSecondAreListedOnceEach(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	var posts []db.Post
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	for id := range int64(120) {
		stored := writtenAgo(id+1, time.Hour, fmt.Sprintf("Объявление номер %d", id))
		stored.PostedAt = at
		posts = append(posts, stored)
	}
	d.store(t, posts...)
	operator, seen := d.operator(t), map[string]int{}
	path := "/console/posts"
	for pages := 0; path != ""; pages++ {
		require.Less(t, pages, 5)
		body := operator.get(path).body
		for _, row := range strings.Split(body, `href="/console/posts/wall-900000001_`)[1:] {
			id, _, _ := strings.Cut(row, `"`)
			seen[id]++
		}
		path = ""
		if _, link, more := strings.Cut(body, `<p class="more"><a class="button" href="`); more {
			link, _, _ = strings.Cut(link, `"`)
			path = strings.ReplaceAll(link, "&amp;", "&")
		}
	}
	require.Len(t, seen, 120)
	for id, times := range seen {
		require.Equal(t, 1, times, id)
	}
}

func TestAPostSaysWhyItWasNotSentAndIsSentAllTheSame(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	d.store(t, writtenAgo(2, 2*time.Hour, "Найдена собака, ул. Ёлочная, 5. Тел. +7 900 000-55-66"))
	operator := d.operator(t)
	page := operator.get("/console/posts/wall-900000001_2")
	require.Contains(t, plain(page.body), "rule «lost»: the post is «found», wanted: lost")
	require.Contains(t, page.body, "The message as readers would see it")
	russian := operator.do(http.MethodGet, "/console/posts/wall-900000001_2", "", http.Header{"Accept-Language": {"ru"}})
	require.Contains(t, plain(russian.body), "правило «lost»: пост «найден», а нужно: пропал")

	answer := operator.press("/console/posts/wall-900000001_2/send", url.Values{"destination": {chatName}, "back": {"/console/posts/wall-900000001_2"}})
	require.Equal(t, http.StatusSeeOther, answer.status)
	require.Contains(t, operator.notice(), "is on its way")
	rows, err := d.starter.Ledger.List(t.Context(), db.DeliveryFilter{Post: post.ID{OwnerID: -900000001, PostID: 2}})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, chatName, rows[0].Destination)
	d.await(t, rows[0].ID, protocol.StatusSent)
	require.Contains(t, plain(operator.get("/console/audit").body), fmt.Sprintf("send Message %d", rows[0].ID))

	operator.press("/console/posts/wall-900000001_2/send", url.Values{"destination": {"telegram:-5"}})
	require.Contains(t, operator.notice(), "Not done", "a destination that is not configured")
}
