package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vestnik/db"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
)

// Which cases a list shows.
const (
	casesOpen   = "open"
	casesClosed = "closed"
)

// caseFilter is what the list of cases is narrowed by.
type caseFilter struct {
	State  string // open, closed, "" for both
	All    bool   // those of a single post too
	Limit  int
	Before int64 // the case that the page follows; 0 on the first
}

// Link is the address of the list under another filter, or of its page that
// follows a case.
func (f caseFilter) Link(state string, all bool, before int64) string {
	query := url.Values{}
	if state != "" {
		query.Set("state", state)
	}
	if all {
		query.Set("posts", "1")
	}
	page(query, f.Limit, before)
	return address("/console/cases", query)
}

// readCaseFilter reads the filter from a query. A case of a single post shows
// nothing that its delivery does not, so such are listed only when asked for.
func readCaseFilter(query url.Values) (caseFilter, error) {
	filter := caseFilter{State: query.Get("state")}
	if filter.State != "" && filter.State != casesOpen && filter.State != casesClosed {
		return filter, refuse("state")
	}
	switch query.Get("posts") {
	case "1":
		filter.All = true
	case "", "2":
	default:
		return filter, refuse("posts")
	}
	var err error
	filter.Limit, filter.Before, err = readPage(query)
	return filter, err
}

func (c *console) listCases(ctx context.Context, filter caseFilter) ([]db.CaseRow, error) {
	wanted := db.CaseFilter{LeastPosts: 2, Before: filter.Before, Limit: filter.Limit}
	if filter.All {
		wanted.LeastPosts = 1
	}
	if filter.State != "" {
		closed := filter.State == casesClosed
		wanted.Closed = &closed
	}
	return c.Cases.List(ctx, wanted)
}

type casesView struct {
	Filter caseFilter
	Rows   []db.CaseRow
	// Older is the case that the next page follows, 0 on the last.
	Older int64
}

func (c *console) cases(r *http.Request) (any, error) {
	filter, err := readCaseFilter(r.URL.Query())
	view := casesView{Filter: filter}
	if err == nil {
		view.Rows, err = c.listCases(r.Context(), filter)
	}
	if n := len(view.Rows); n > 0 && n == filter.Limit {
		view.Older = view.Rows[n-1].ID
	}
	return view, err
}

// findCase leads to what a person typed: the number of a case, or a post.
func (c *console) findCase(r *http.Request) (any, error) {
	wanted := strings.TrimSpace(r.URL.Query().Get("q"))
	if id, err := strconv.ParseInt(strings.TrimPrefix(wanted, "#"), 10, 64); err == nil {
		return nil, redirect(casePath(id))
	}
	id, err := post.ParseID(wanted)
	if err != nil {
		return nil, message{http.StatusBadRequest, "lookup", nil}
	}
	return nil, redirect(Path + "posts/" + id.String())
}

func casePath(id int64) string { return fmt.Sprintf("/console/cases/%d", id) }

// caseView is a case as its page shows it.
type caseView struct {
	db.CaseStory

	Destinations []announcedThere
	// Source finds the posts where they were written.
	Source func(ownerID, postID int64) string
}

// announcedThere is what of a case went to one destination, or did not.
type announcedThere struct {
	Destination string
	Deliveries  []announcedDelivery // in the order in which they were owed
}

// announcedDelivery is a delivery of a case.
type announcedDelivery struct {
	db.DeliveryRow

	Messages []messageLink
	// Others counts the deliveries that it stands for.
	Others int
	Edits  []db.EditRow
}

// Parts reports whether there is something to take out of the case.
func (v caseView) Parts() bool { return len(v.Members) > 1 }

func (c *console) caseStory(ctx context.Context, id int64) (caseView, error) {
	view := caseView{Source: c.links.source}
	var err error
	if view.CaseStory, err = c.Cases.Story(ctx, id); err != nil {
		return caseView{}, err
	}
	destinations, err := c.Ledger.Destinations(ctx)
	if err != nil {
		return caseView{}, err
	}
	edits := map[int64][]db.EditRow{}
	for _, edit := range view.Edits {
		edits[edit.DeliveryID] = append(edits[edit.DeliveryID], edit)
	}
	others := map[int64]int{}
	there := map[string]int{} // index in Destinations
	for _, delivery := range slices.Backward(view.Deliveries) {
		if delivery.Status == protocol.StatusSuppressed && delivery.DuplicateOf != nil {
			others[*delivery.DuplicateOf]++
		}
		at, known := there[delivery.Destination]
		if !known {
			at = len(view.Destinations)
			there[delivery.Destination] = at
			view.Destinations = append(view.Destinations, announcedThere{Destination: delivery.Destination})
		}
		view.Destinations[at].Deliveries = append(view.Destinations[at].Deliveries, announcedDelivery{
			DeliveryRow: delivery, Messages: c.messagesOf(delivery, destinations), Edits: edits[delivery.ID],
		})
	}
	for _, destination := range view.Destinations {
		for i := range destination.Deliveries {
			destination.Deliveries[i].Others = others[destination.Deliveries[i].ID]
		}
	}
	slices.SortFunc(view.Destinations, func(a, b announcedThere) int { return cmp.Compare(a.Destination, b.Destination) })
	return view, nil
}

// openCase is the case that a request's path names; a redirect if its number is
// another now.
func (c *console) openCase(r *http.Request) (caseView, error) {
	id, err := numberOf(r)
	if err != nil {
		return caseView{}, err
	}
	view, err := c.caseStory(r.Context(), id)
	if err == nil && view.ID != id { // it was joined to another
		err = redirect(casePath(view.ID))
	}
	return view, err
}

// partView asks whether posts are to be taken out of a case.
type partView struct {
	caseView

	Chosen, Rest []db.CasePost
	// Owed are the deliveries that will be sent: those that were suppressed
	// because of a post that is about another animal now, the newest for each
	// destination that has not heard of theirs.
	Owed []db.DeliveryRow
}

// askToSplit shows what a split would do; nothing is done yet.
func (c *console) askToSplit(r *http.Request) (any, error) {
	view, err := c.openCase(r)
	if err != nil {
		return nil, err
	}
	chosen, err := postRefs(r.URL.Query()["post"])
	if err != nil {
		return nil, message{http.StatusBadRequest, "refused", []any{tell(languageOf(r), err)}}
	}
	part := partView{caseView: view}
	for _, post := range view.Members {
		if slices.Contains(chosen, post.ID) {
			part.Chosen = append(part.Chosen, post)
		} else {
			part.Rest = append(part.Rest, post)
		}
	}
	if len(part.Chosen) == 0 || len(part.Rest) == 0 {
		return nil, message{http.StatusBadRequest, "choose", nil}
	}
	part.Owed = owedAfter(part)
	return part, nil
}

// owedAfter foretells what [db.Cases.Split] releases.
func owedAfter(part partView) (owed []db.DeliveryRow) {
	chosen := func(delivery db.DeliveryRow) bool {
		return slices.ContainsFunc(part.Chosen, func(post db.CasePost) bool {
			return post.OwnerID == delivery.OwnerID && post.PostID == delivery.PostID
		})
	}
	type side struct {
		chosen      bool
		destination string
	}
	announced := map[side]bool{}
	byID := map[int64]db.DeliveryRow{}
	for _, delivery := range part.Deliveries {
		byID[delivery.ID] = delivery
		if delivery.Status != protocol.StatusFailed && delivery.Status != protocol.StatusSuppressed {
			announced[side{chosen(delivery), delivery.Destination}] = true
		}
	}
	for _, delivery := range part.Deliveries { // the newest first
		mine := side{chosen(delivery), delivery.Destination}
		if delivery.Status != protocol.StatusSuppressed || delivery.DuplicateOf == nil || announced[mine] {
			continue
		}
		if original, known := byID[*delivery.DuplicateOf]; known && chosen(original) != mine.chosen {
			announced[mine] = true
			owed = append(owed, delivery)
		}
	}
	return owed
}

// joinView asks whether cases are one.
type joinView struct {
	caseView

	Others []caseView
}

// askToJoin shows the cases that are to become one; nothing is done yet.
func (c *console) askToJoin(r *http.Request) (any, error) {
	view, err := c.openCase(r)
	if err != nil {
		return nil, err
	}
	ids, err := caseNumbers(r.URL.Query()["with"])
	if err != nil {
		return nil, message{http.StatusBadRequest, "refused", []any{tell(languageOf(r), err)}}
	}
	join := joinView{caseView: view}
	for _, id := range ids {
		other, err := c.caseStory(r.Context(), id)
		switch {
		case errors.Is(err, db.ErrNotFound):
			return nil, message{http.StatusNotFound, "no_case", []any{id}}
		case err != nil:
			return nil, err
		case other.ID == view.ID:
			return nil, message{http.StatusBadRequest, "one_case", []any{id, view.ID}}
		}
		join.Others = append(join.Others, other)
	}
	return join, nil
}
