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
	_, err := d.relay.Posts.StorePage(t.Context(), db.Page{Posts: posts, Owed: func(db.Post) []db.Owed {
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
	none := operator.get("/console/deliveries.csv?status=" + protocol.StatusSent)
	require.Equal(t, 1, strings.Count(none.body, "\n"), "the heading alone")
	require.Equal(t, http.StatusBadRequest, operator.get("/console/deliveries.csv?status=nonsense").status)
}
