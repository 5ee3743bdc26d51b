package console_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	wallpost "vestnik/internal/post"
	"vestnik/internal/protocol"
)

// The posts of one search, in words of their own and with one phone, and one
// that is about another dog.
const (
	rexIsLost   = "Пропал пёс Рекс, рыжий, бигль, убежал с ул. Лесная, 12. Тел. 8 900 000-71-71"
	rexAgain    = "Помогите найти собаку! Зовут Рекс, бигль, рыжий с белым, видели у ул. Лесная. Звоните 8 900 000-71-71"
	rexIsHome   = "Рекс дома! Нашёлся наш рыжий бигль с ул. Лесная, спасибо всем, кто искал. 8 900 000-71-71"
	murkaIsLost = "Потерялась кошка Мурка, серая, ул. Садовая, 3, очень ждём. Тел. 8 900 000-72-72"
)

// write stores a post of a wall of its own as a reading does: what is lost is
// owed to the chat. It returns the delivery, nil if nothing is owed.
func (d *deck) write(t *testing.T, owner int64, text string) *db.DeliveryRow {
	t.Helper()
	hash := sha256.Sum256([]byte(text))
	post := petpost.ReadPost(wallpost.Post{
		ID: wallpost.ID{OwnerID: owner, PostID: 1}, PostedAt: time.Now().Add(-time.Hour), Text: text, ContentHash: hash[:],
	})
	_, err := d.starter.Posts.StorePage(t.Context(), db.Page{
		Posts: []db.Post{post}, Window: 72 * time.Hour,
		Owed: func(post db.Post) []db.Owed {
			if post.Reading.Type != petpost.Lost {
				return nil
			}
			return []db.Owed{{Destination: chatName, Weight: 1}}
		},
		Update: func(_ db.Post, destination string) (db.Owed, bool) {
			return db.Owed{Destination: destination, Weight: 1}, true
		},
	})
	require.NoError(t, err)
	rows, err := d.starter.Ledger.List(t.Context(), db.DeliveryFilter{Post: wallpost.ID{OwnerID: owner, PostID: 1}})
	require.NoError(t, err)
	if len(rows) == 0 {
		return nil
	}
	return &rows[0]
}

// tell writes a post and waits until it has been told.
func (d *deck) tell(t *testing.T, owner int64, text string) db.DeliveryRow {
	t.Helper()
	delivery := d.write(t, owner, text)
	require.NotNil(t, delivery)
	_, err := d.starter.StartOwed(t.Context())
	require.NoError(t, err)
	return d.await(t, delivery.ID, protocol.StatusSent)
}

// plain is a page without its marks, each run of blanks one.
func plain(page string) string {
	var text strings.Builder
	for i, piece := range strings.Split(page, "<") {
		if _, after, ok := strings.Cut(piece, ">"); ok && i > 0 {
			piece = " " + after
		}
		text.WriteString(piece)
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

func TestCaseShowsItsPostsWhatWasToldAndWhatDuplicateOfWhat(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	first := d.tell(t, -1, rexIsLost)
	again := d.write(t, -2, rexAgain)
	home := d.tell(t, -3, rexIsHome)
	d.write(t, -4, murkaIsLost)
	operator := d.operator(t)

	list := operator.get("/console/cases").body
	require.Contains(t, list, fmt.Sprintf(`href="/console/cases/%d"`, *first.Case))
	require.Contains(t, plain(list), fmt.Sprintf("%d home home again dog ул. Лесная, 12 posts 3 2 sent, 1 not needed", *first.Case))
	require.NotContains(t, list, "Садовая", "a case of one post is not listed unless asked for")
	require.Contains(t, operator.get("/console/cases?posts=1").body, "Садовая")
	require.NotContains(t, operator.get("/console/cases?posts=1&state=closed").body, "Садовая")
	require.NotContains(t, operator.get("/console/cases?state=open").body, "Лесная")

	page := operator.get(fmt.Sprintf("/console/cases/%d", *first.Case)).body
	shown := plain(page)
	for _, text := range []string{rexIsLost, rexAgain, rexIsHome} {
		require.Contains(t, shown, text)
	}
	require.Contains(t, shown, "the first post about it")
	require.Contains(t, shown, "here because: as wall-1_1: same phone, dog, name, place")
	require.Contains(t, shown, fmt.Sprintf("#%d sent lost wall-1_1 1 other message was left out for it", first.ID))
	require.Contains(t, shown, fmt.Sprintf("#%d not needed lost wall-2_1 the chat has been told of this animal: #%d", again.ID, first.ID))
	require.Contains(t, shown, fmt.Sprintf("#%d sent home again wall-3_1 an update: a reply to the message of #%d", home.ID, first.ID))
	require.Contains(t, shown, "edited because the animal is home")
	require.Contains(t, page, fmt.Sprintf("https://t.me/c/1900000001/%d", first.MessageIDs[0]))
	require.Contains(t, page, `Home again <time`)
	require.Contains(t, page, `href="/console/posts/wall-3_1"`)

	delivery := operator.get(fmt.Sprintf("/console/deliveries/%d", again.ID)).body
	require.Contains(t, delivery, fmt.Sprintf(`href="/console/cases/%d"`, *first.Case))
	require.Contains(t, delivery, fmt.Sprintf(`<dt>told by</dt><dd><a href="/console/deliveries/%d">`, first.ID))
}

func TestAPostShowsWhatWasSetAsideAndHowSureItsTypeIs(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	d.write(t, -2, rexIsLost+"\n#пёс #кот #химки #клин #истра #руза #лобня #можайск")
	answer := d.operator(t).get("/console/posts/wall-2_1")
	require.Equal(t, http.StatusOK, answer.status)
	shown := plain(answer.body)
	require.Contains(t, shown, "set aside #пёс #кот #химки")
	require.Regexp(t, `type lost \d+ % sure`, shown)

	d.write(t, -3, "Собака с красным ошейником опять у магазина на Речной, не её ли искали?")
	require.Regexp(t, `type seen \d+ % sure.*; lost \d+ %`, plain(d.operator(t).get("/console/posts/wall-3_1").body))
}

func TestStoredPostShowsTheWordsThatDecidedAndTheirWeight(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	d.write(t, -1, "Найден пёс! "+strings.TrimPrefix(rexIsHome, "Рекс дома! Нашёлся наш "))
	d.write(t, -2, rexIsLost)
	operator := d.operator(t)

	answer := operator.get("/console/posts/wall-2_1")
	require.Equal(t, http.StatusOK, answer.status)
	post, err := d.starter.Posts.Get(t.Context(), -2, 1)
	require.NoError(t, err)
	shown := plain(answer.body)
	require.NotEmpty(t, post.Reading.Evidence)
	for _, piece := range post.Reading.Evidence {
		require.Regexp(t, fmt.Sprintf("«%s» [a-z ]+ %s %d", regexp.QuoteMeta(piece.Words), regexp.QuoteMeta(piece.Rule), piece.Weight), shown)
	}
	require.Contains(t, shown, "Why this type lost")
	require.Contains(t, shown, "Why this animal dog")
	require.Contains(t, answer.body, fmt.Sprintf(`href="/console/cases/%d"`, post.CaseID))

	answer = operator.get("/console/posts/wall-1_1") // of a type that no route asks for
	require.Equal(t, http.StatusOK, answer.status)
	require.Contains(t, answer.body, "nothing is owed")
	for _, path := range []string{"/console/posts/wall-1_99", "/console/posts/rex"} {
		require.Equal(t, http.StatusNotFound, operator.get(path).status, path)
	}
}

func TestPostsAreTakenOutOfACaseAfterBeingAskedAndTheirAnimalIsTold(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	first := d.tell(t, -1, rexIsLost)
	again := d.write(t, -2, rexAgain)
	operator := d.operator(t)
	path := fmt.Sprintf("/console/cases/%d/split", *first.Case)

	asked := operator.get(path + "?post=wall-2_1")
	require.Equal(t, http.StatusOK, asked.status)
	require.Contains(t, plain(asked.body), "Take 1 of 2 posts away from animal")
	require.Contains(t, asked.body, fmt.Sprintf(`href="/console/deliveries/%d"`, again.ID), "what will be sent is shown")
	require.NotNil(t, d.await(t, again.ID, protocol.StatusSuppressed), "asking does nothing")
	asked = operator.get(path + "?post=wall-1_1")
	require.Contains(t, asked.body, fmt.Sprintf(`href="/console/deliveries/%d"`, again.ID), "the post that stays has lost what stood for it")
	for query, want := range map[string]int{"": 400, "?post=wall-1_1&post=wall-2_1": 400, "?post=wall-9_9": 400, "?post=rex": 400} {
		require.Equal(t, want, operator.get(path+query).status, query)
	}

	answer := operator.press(path, url.Values{"post": {"wall-2_1"}, "note": {"у того белая лапа"}})
	parted := d.await(t, again.ID, protocol.StatusSent)
	require.NotEqual(t, *first.Case, *parted.Case)
	require.Equal(t, fmt.Sprintf("/console/cases/%d", *parted.Case), answer.header.Get("Location"))
	require.Contains(t, operator.notice(), fmt.Sprintf("To be sent now: #%d", again.ID))
	require.Contains(t, operator.get(answer.header.Get("Location")).body, "у того белая лапа")
	require.NotContains(t, d.log.String(), "белая лапа", "what an operator writes is for the record, not for the log")
}

func TestPostsAreTakenOutWithNothingSentIfTheOperatorWishes(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	first := d.write(t, -1, rexIsLost)
	again := d.write(t, -2, rexAgain)
	operator := d.operator(t)
	operator.press(fmt.Sprintf("/console/cases/%d/split", *first.Case), url.Values{"post": {"wall-2_1"}, "hold": {"1"}})
	require.Contains(t, operator.notice(), "Nothing is sent")
	row, err := d.starter.Ledger.Delivery(t.Context(), again.ID)
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSuppressed, row.Status)
	require.NotEqual(t, *first.Case, *row.Case)
}

func TestCasesAreJoinedAfterBeingAskedAndTheOldNumberLeadsToTheNewOne(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	first := d.tell(t, -1, rexIsLost)
	require.NoError(t, d.starter.Ledger.Pause(t.Context(), first.Destination, protocol.Pause{Reason: "so that the second waits"}))
	second := d.write(t, -2, murkaIsLost)
	operator := d.operator(t)
	path := fmt.Sprintf("/console/cases/%d/join", *first.Case)

	asked := operator.get(path + fmt.Sprintf("?with=%%23%d", *second.Case))
	require.Equal(t, http.StatusOK, asked.status)
	require.Contains(t, plain(asked.body), fmt.Sprintf("Is this one animal: %d and %d?", *first.Case, *second.Case))
	require.Contains(t, asked.body, "Лесная")
	require.Contains(t, asked.body, "Садовая")
	for query, want := range map[string]int{"": 400, "?with=cat": 400, "?with=99999": 404, fmt.Sprintf("?with=%d", *first.Case): 400} {
		require.Equal(t, want, operator.get(path+query).status, query)
	}

	answer := operator.press(path, url.Values{"with": {fmt.Sprint(*second.Case)}})
	require.Equal(t, fmt.Sprintf("/console/cases/%d", *first.Case), answer.header.Get("Location"))
	require.Contains(t, operator.notice(), "holds the posts of all of them")
	require.Equal(t, first.ID, *d.await(t, second.ID, protocol.StatusSuppressed).DuplicateOf, "what waited is not sent")
	answer = operator.get(fmt.Sprintf("/console/cases/%d", *second.Case))
	require.Equal(t, fmt.Sprintf("/console/cases/%d", *first.Case), answer.header.Get("Location"))
	require.Contains(t, operator.get(answer.header.Get("Location")).body, "joined by an operator")

	operator.press(path, url.Values{"with": {fmt.Sprint(*second.Case)}})
	require.Contains(t, operator.notice(), "one case already")
}

func TestCaseIsFoundByItsNumberOrByAPostOfIt(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	operator := d.operator(t)
	for _, row := range []struct{ typed, page string }{
		{"12", "/console/cases/12"}, {" #12 ", "/console/cases/12"},
		{"wall-1_2", "/console/posts/wall-1_2"}, {"https://vk.com/lostpets?w=wall-1_2", "/console/posts/wall-1_2"},
	} {
		require.Equal(t, row.page, operator.get("/console/cases/find?q="+url.QueryEscape(row.typed)).header.Get("Location"), row.typed)
	}
	require.Equal(t, http.StatusBadRequest, operator.get("/console/cases/find?q=rex").status)
	for _, path := range []string{"/console/cases?state=lost", "/console/cases?posts=many", "/console/cases?limit=0"} {
		require.Equal(t, http.StatusBadRequest, operator.get(path).status, path)
	}
	for _, path := range []string{"/console/cases/99999", "/console/cases/first", "/console/cases/99999/split?post=wall-1_1", "/console/cases/99999/join?with=1"} {
		require.Equal(t, http.StatusNotFound, operator.get(path).status, path)
	}
	require.Contains(t, plain(operator.get("/console/cases").body), "No animal was written about twice")
}

func TestProgramsSplitAndJoinWithJSON(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	first := d.write(t, -1, rexIsLost)
	d.write(t, -2, rexAgain)
	path := fmt.Sprintf("/api/v1/ops/cases/%d", *first.Case)

	var rows []db.CaseRow
	d.read(t, "/api/v1/ops/cases", &rows)
	require.Len(t, rows, 1)
	require.Equal(t, 2, rows[0].Posts)
	var story db.CaseStory
	d.read(t, path, &story)
	require.Len(t, story.Members, 2)
	require.Len(t, story.Deliveries, 2)

	var parted struct {
		Case     int64
		Released []int64
	}
	answer := d.program(t, http.MethodPost, path+"/split", `{"posts": ["wall-2_1"], "note": "другой"}`)
	require.Equal(t, http.StatusOK, answer.status, answer.body)
	require.NoError(t, json.Unmarshal([]byte(answer.body), &parted))
	require.Len(t, parted.Released, 1)

	answer = d.program(t, http.MethodPost, path+"/join", fmt.Sprintf(`{"cases": [%d]}`, parted.Case))
	require.Equal(t, http.StatusOK, answer.status, answer.body)
	d.read(t, fmt.Sprintf("/api/v1/ops/cases/%d", parted.Case), &story)
	require.Equal(t, *first.Case, story.ID)

	for body, want := range map[string]int{`{"cases": []}`: 400, `{"cases": [99999]}`: 404, fmt.Sprintf(`{"cases": [%d]}`, parted.Case): 409} {
		require.Equal(t, want, d.program(t, http.MethodPost, path+"/join", body).status, body)
	}
	for body, want := range map[string]int{`{"posts": []}`: 400, `{"posts": ["rex"]}`: 400, `{"posts": ["wall-9_9"]}`: 404, `{"posts": ["wall-1_1", "wall-2_1"]}`: 409} {
		require.Equal(t, want, d.program(t, http.MethodPost, path+"/split", body).status, body)
	}
}

func TestWhatASplitIsForetoldToSendIsWhatItSends(t *testing.T) {
	t.Parallel()
	for chosen, goes := range map[string]int{"wall-1_1": 1, "wall-2_1": 1, "wall-2_1 wall-3_1": 1, "wall-1_1 wall-2_1": 1} {
		t.Run(chosen, func(t *testing.T) {
			t.Parallel()
			d := newDeck(t, false)
			first := d.write(t, -1, rexIsLost)
			d.write(t, -2, rexAgain)
			d.write(t, -3, "Ищем! "+rexAgain)
			posts := strings.Fields(chosen)
			path := fmt.Sprintf("/console/cases/%d/split?", *first.Case)
			asked := d.operator(t).get(path + url.Values{"post": posts}.Encode()).body
			_, owed, _ := strings.Cut(asked, `<ul class="told">`)
			owed, _, _ = strings.Cut(owed, "</ul>")

			body, err := json.Marshal(map[string]any{"posts": posts})
			require.NoError(t, err)
			answer := d.program(t, http.MethodPost, fmt.Sprintf("/api/v1/ops/cases/%d/split", *first.Case), string(body))
			var parted struct{ Released []int64 }
			require.NoError(t, json.Unmarshal([]byte(answer.body), &parted))
			require.Len(t, parted.Released, goes)
			require.Equal(t, goes, strings.Count(owed, "<li"))
			for _, id := range parted.Released {
				require.Contains(t, owed, fmt.Sprintf(`href="/console/deliveries/%d"`, id))
			}
		})
	}
}
