package console_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
)

func TestTheWholeListIsGivenAsATableWithoutFormulas(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	var posts []db.Post
	for postID := range int64(53) { // more than are read at once
		stored := writtenAgo(postID+1, time.Hour, fmt.Sprintf("Объявление %d", postID))
		stored.Reading.Name = "=HYPERLINK(1)"
		posts = append(posts, stored)
	}
	_, err := d.starter.Posts.StorePage(t.Context(), db.Page{Posts: posts, Owed: func(db.Post) []db.Owed {
		return []db.Owed{{Destination: chatName, Weight: 1}}
	}})
	require.NoError(t, err)
	operator := d.operator(t)
	answer := operator.do(http.MethodGet, "/console/deliveries.csv?"+url.Values{"destination": {chatName}, "limit": {"10"}}.Encode(), "", http.Header{"Accept-Language": {"ru"}})
	require.Equal(t, http.StatusOK, answer.status)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(answer.body, "\ufeff"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 54)
	require.Equal(t, []string{"Сообщение", "Состояние"}, rows[0][:2])
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		seen[row[0]] = true
		require.Equal(t, "'=HYPERLINK(1)", row[6])
	}
	require.Len(t, seen, 53)
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	owed := func(query url.Values) int { // in the table under a filter
		return strings.Count(operator.get("/console/deliveries.csv?"+query.Encode()).body, "\n") - 1
	}
	kind := string(posts[0].Reading.Type)
	require.Equal(t, 53, owed(url.Values{"type": {kind}, "from": {yesterday}, "limit": {"10"}}))
	require.Zero(t, owed(url.Values{"type": {"reunited"}}))
	require.Zero(t, owed(url.Values{"to": {"2026-01-01"}}))
	none := operator.get("/console/deliveries.csv?status=" + protocol.StatusSent)
	require.Equal(t, 1, strings.Count(none.body, "\n"), "the heading alone")
	for _, wrong := range []string{"status=nonsense", "type=nonsense", "from=yesterday", "to=2026-02-30"} {
		require.Equal(t, http.StatusBadRequest, operator.get("/console/deliveries.csv?"+wrong).status, wrong)
	}
}
