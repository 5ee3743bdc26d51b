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
	"time"

	"golang.org/x/sync/errgroup"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
	"vestnik/internal/rehearse"
)

const (
	// steeringTime bounds what a page asks of Temporal: a lane without an
	// answer is shown as such.
	steeringTime = 5 * time.Second
	maxListed    = 1000
	// decisionsShown is how many of those about it a delivery's page has.
	decisionsShown = 20
	// filterWaiting is the list's filter for both statuses that wait for a
	// person.
	filterWaiting = "waiting"
)

// lanesView is the state of every lane.
type lanesView struct{ Lanes []protocol.LaneState }

// pause is why a destination is paused, nil if it is not.
func (v lanesView) pause(destination string) *string {
	for _, lane := range v.Lanes {
		if lane.Destination == destination && lane.State == protocol.LanePaused {
			return &lane.Reason
		}
	}
	return nil
}

func (c *console) lanes(ctx context.Context) (lanesView, error) {
	ctx, cancel := context.WithTimeout(ctx, steeringTime)
	defer cancel()
	lanes, err := c.Steering.Destinations(ctx)
	return lanesView{lanes}, err
}

// wallsView is the reading plan.
type wallsView struct {
	Plan protocol.ReadPlan
	Keys []db.KeyState
}

// Left is what the budget still holds.
func (v wallsView) Left() int { return max(0, v.Plan.Budget-v.Plan.Used) }

// NearlySpent is where the budget's meter changes its colour.
func (v wallsView) NearlySpent() int { return v.Plan.Budget * 9 / 10 }

// Parked counts the walls that can't be read.
func (v wallsView) Parked() (walls int) {
	for _, wall := range v.Plan.Walls {
		if wall.State != protocol.WallOpen {
			walls++
		}
	}
	return walls
}

func (c *console) walls(ctx context.Context) (wallsView, error) {
	plan, err := c.Steering.Plan(ctx)
	if err != nil {
		return wallsView{}, err
	}
	keys, err := c.Steering.ReadingKeys(ctx)
	return wallsView{plan, keys}, err
}

type overviewView struct {
	Problems []protocol.Problem
	Summary  db.Summary
	Counts   []statusCount
	Lanes    lanesView
	Walls    wallsView
}

type statusCount struct {
	Status string
	Count  int
}

func (c *console) overview(r *http.Request) (any, error) {
	var view overviewView
	group, ctx := errgroup.WithContext(r.Context())
	group.Go(func() (err error) { view.Summary, err = c.Ledger.Summarise(ctx, c.Now()); return err })
	group.Go(func() (err error) { view.Problems, err = c.Steering.Problems(ctx); return err })
	group.Go(func() (err error) { view.Lanes, err = c.lanes(ctx); return err })
	group.Go(func() (err error) { view.Walls, err = c.walls(ctx); return err })
	err := group.Wait()
	for _, status := range protocol.Statuses {
		view.Counts = append(view.Counts, statusCount{status, view.Summary.Statuses[status]})
	}
	return view, err
}

// waiting lists the deliveries that wait for a person, newest first.
func (c *console) waiting(ctx context.Context, filter db.DeliveryFilter) ([]db.DeliveryRow, error) {
	var waiting []db.DeliveryRow
	for _, filter.Status = range []string{protocol.StatusParked, protocol.StatusUnknown} {
		rows, err := c.Ledger.List(ctx, filter)
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, rows...)
	}
	slices.SortFunc(waiting, func(a, b db.DeliveryRow) int { return cmp.Compare(b.ID, a.ID) })
	return waiting[:min(filter.Limit, len(waiting))], nil
}

// listFilter is what the list of deliveries is narrowed by.
type listFilter struct {
	Status, Destination, Type string
	From, To                  string // days (UTC) on which they were owed, both among them
	Limit                     int
	Before                    int64 // the row that the page follows; 0 on the first

	since, until time.Time // of From and To
}

// With is the filter with another status, on its first page.
func (f listFilter) With(status string) listFilter {
	f.Status, f.Before = status, 0
	return f
}

// After is the page that follows a row; 0 is the first.
func (f listFilter) After(row int64) listFilter {
	f.Before = row
	return f
}

// Narrowed reports whether the filter leaves anything out.
func (f listFilter) Narrowed() bool { return f.query().Encode() != "" }

// query is the filter without its page.
func (f listFilter) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"status": f.Status, "destination": f.Destination, "type": f.Type, "from": f.From, "to": f.To} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// Link is the address of the page.
func (f listFilter) Link() string {
	query := f.query()
	page(query, f.Limit, f.Before)
	return address("/console/deliveries", query)
}

// CSV is the address of the list as a file.
func (f listFilter) CSV() string { return address("/console/deliveries.csv", f.query()) }

func address(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

const defaultListed = 50

// page adds to a query how many rows a page has, and which row it follows.
func page(query url.Values, limit int, before int64) {
	if limit > 0 && limit != defaultListed {
		query.Set("limit", strconv.Itoa(limit))
	}
	if before > 0 {
		query.Set("before", strconv.FormatInt(before, 10))
	}
}

// readFilter reads the filter from a query. The limit is kept within bounds;
// a status, a type or a day that does not exist is the caller's mistake.
func readFilter(query url.Values) (listFilter, error) {
	filter := listFilter{
		Status: query.Get("status"), Destination: query.Get("destination"), Type: query.Get("type"), From: query.Get("from"), To: query.Get("to"),
	}
	if filter.Status != "" && filter.Status != filterWaiting && !slices.Contains(protocol.Statuses, filter.Status) {
		return filter, refuse("status")
	}
	if filter.Type != "" && !slices.Contains(petpost.Types, petpost.Type(filter.Type)) {
		return filter, refuse("type", filter.Type)
	}
	var err error
	if filter.since, err = readDay(filter.From); err != nil {
		return filter, err
	}
	if filter.until, err = readDay(filter.To); err != nil {
		return filter, err
	}
	if filter.To != "" {
		filter.until = filter.until.AddDate(0, 0, 1)
	}
	filter.Limit, filter.Before, err = readPage(query)
	return filter, err
}

// readDay reads the beginning of a day; zero of none.
func readDay(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, refuse("day", text)
	}
	return day, nil
}

// readPage reads how many rows a page is to have at most, kept within bounds,
// and which row it follows.
func readPage(query url.Values) (limit int, before int64, err error) {
	limit = defaultListed
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 {
			return 0, 0, refuse("page.limit")
		}
	}
	if text := query.Get("before"); text != "" {
		if before, err = strconv.ParseInt(text, 10, 64); err != nil || before < 1 {
			return 0, 0, refuse("page.before")
		}
	}
	return min(limit, maxListed), before, nil
}

func (c *console) list(ctx context.Context, filter listFilter) ([]db.DeliveryRow, error) {
	wanted := db.DeliveryFilter{
		Status: filter.Status, Destination: filter.Destination, Type: filter.Type, Since: filter.since, Until: filter.until,
		Before: filter.Before, Limit: filter.Limit,
	}
	if filter.Status == filterWaiting {
		return c.waiting(ctx, wanted)
	}
	return c.Ledger.List(ctx, wanted)
}

type deliveriesView struct {
	Filter       listFilter
	Destinations []db.DestinationRow
	Types        []petpost.Type
	Rows         []db.DeliveryRow
	// Deciding are the decisions about all that match which are being handed on.
	Deciding []db.BulkDecision
	// Older is the row that the next page follows, 0 on the last.
	Older int64
	// Decidable reports whether any of the rows waits for a person, and
	// Doubtful whether one of them may have arrived.
	Decidable, Doubtful bool
	// Matching counts those that match the filter and wait for a person, on
	// whatever page.
	Matching int
}

func (c *console) deliveries(r *http.Request) (any, error) {
	filter, err := readFilter(r.URL.Query())
	if err != nil {
		return nil, err
	}
	view := deliveriesView{Filter: filter, Types: petpost.Types}
	group, ctx := errgroup.WithContext(r.Context())
	group.Go(func() (err error) { view.Rows, err = c.list(ctx, filter); return err })
	group.Go(func() (err error) { view.Destinations, err = c.Ledger.Destinations(ctx); return err })
	group.Go(func() (err error) { view.Deciding, err = c.Ledger.OpenBulk(ctx); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if len(view.Rows) == filter.Limit {
		view.Older = view.Rows[len(view.Rows)-1].ID
	}
	view.Decidable = slices.ContainsFunc(view.Rows, func(row db.DeliveryRow) bool { return waitsForPerson(row.Status) })
	view.Doubtful = slices.ContainsFunc(view.Rows, func(row db.DeliveryRow) bool { return row.Status == protocol.StatusUnknown })
	if view.Decidable {
		view.Matching, _, err = c.Ledger.CountWaiting(r.Context(), filter.matching())
	}
	return view, err
}

type deliveryView struct {
	// Preview is what readers would see, of what has not arrived.
	Preview  []rehearse.Message
	Delivery db.DeliveryRow
	Attempts []db.AttemptRow
	Post     db.Post
	Source   string
	Workflow string
	Lane     string
	Messages []messageLink
	Captcha  captchaView
	// Decisions are the latest that people have taken about it.
	Decisions []db.Decision
	// Pause is why the destination is paused, nil if it is not: until it is
	// opened, a delivery to be sent again only waits elsewhere.
	Pause *string
}

type messageLink struct {
	ID   int64
	Link string
}

type captchaView struct{ Picture, Redirect string }

// ToApprove reports whether a person is asked before anything is sent.
func (v deliveryView) ToApprove() bool {
	return v.Waits() && (v.Delivery.Reason == protocol.ReasonApproval || v.Delivery.Reason == protocol.ReasonUnsure)
}

// Waits reports whether there is something to decide.
func (v deliveryView) Waits() bool { return waitsForPerson(v.Delivery.Status) }

// Again reports whether the delivery has ended unsent and can be begun anew.
func (v deliveryView) Again() bool {
	return v.Delivery.Status == protocol.StatusFailed || v.Delivery.Status == protocol.StatusSuppressed
}

// Stoppable reports whether the delivery waits for its turn, from which it can
// still be taken back.
func (v deliveryView) Stoppable() bool { return v.Delivery.Status == protocol.StatusPending }

// Removable reports whether it has put something before readers that can be
// taken back.
func (v deliveryView) Removable() bool {
	return v.Delivery.Status == protocol.StatusSent && v.Delivery.TakenBackAt == nil
}

// openDelivery is the delivery that a request's path names.
func (c *console) openDelivery(r *http.Request) (any, error) {
	id, err := numberOf(r)
	if err != nil {
		return nil, err
	}
	return c.delivery(r.Context(), id)
}

func (c *console) delivery(ctx context.Context, id int64) (deliveryView, error) {
	delivery, err := c.Ledger.Delivery(ctx, id)
	if err != nil {
		return deliveryView{}, err
	}
	view := deliveryView{
		Delivery: delivery,
		Source:   c.links.source(delivery.OwnerID, delivery.PostID),
		Workflow: c.links.workflow(delivery.WorkflowID),
		Lane:     c.links.workflow(protocol.DestinationWorkflowID(delivery.Destination)),
	}
	if delivery.Captcha != nil {
		view.Captcha = captchaView{Picture: outside(delivery.Captcha.Picture), Redirect: outside(delivery.Captcha.RedirectURI)}
	}
	if view.Waits() || view.Again() {
		if lanes, err := c.lanes(ctx); err == nil {
			view.Pause = lanes.pause(delivery.Destination)
		}
	}
	if view.Attempts, err = c.Ledger.Attempts(ctx, id); err != nil {
		return deliveryView{}, err
	}
	if view.Decisions, err = c.Ledger.Decisions(ctx, fmt.Sprintf("delivery/%d", id), 0, decisionsShown); err != nil {
		return deliveryView{}, err
	}
	if view.Post, err = c.Posts.Get(ctx, delivery.OwnerID, delivery.PostID); err != nil {
		return deliveryView{}, err
	}
	if c.Routes != nil && len(delivery.MessageIDs) == 0 && view.Post.BlankedAt.IsZero() {
		if target, configured := c.Routes().Named(delivery.Destination); configured {
			view.Preview = rehearse.Messages(view.Post, target)
		}
	}
	destinations, err := c.Ledger.Destinations(ctx)
	if err != nil {
		return deliveryView{}, err
	}
	view.Messages = c.messagesOf(delivery, destinations)
	return view, nil
}

// messagesOf are the messages of a delivery, with their addresses where their
// chat has any.
func (c *console) messagesOf(delivery db.DeliveryRow, destinations []db.DestinationRow) []messageLink {
	var migratedTo *int64
	for _, destination := range destinations {
		if destination.Name == delivery.Destination {
			migratedTo = destination.MigratedTo
		}
	}
	var messages []messageLink
	for _, message := range delivery.MessageIDs {
		messages = append(messages, messageLink{message, c.links.message(delivery.Destination, migratedTo, message)})
	}
	return messages
}

// view serves a page that a handler gives the content of.
func (c *console) view(page string, handler func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		content, err := handler(r)
		c.show(w, r, page, content, err)
	}
}

// show shows a page, or why it can't be shown.
func (c *console) show(w http.ResponseWriter, r *http.Request, page string, view any, err error) {
	if err != nil {
		c.showFault(w, r, err)
		return
	}
	c.render(w, r, http.StatusOK, page, view)
}

// numbered reads the number in a path.
func (c *console) numbered(handler func(w http.ResponseWriter, r *http.Request, id int64)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := numberOf(r)
		if err != nil {
			c.showFault(w, r, err)
			return
		}
		handler(w, r, id)
	}
}

// numberOf is the number in a path. Where a word stands in its place, there is no such page.
func numberOf(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, db.ErrNotFound
	}
	return id, nil
}

type messageView struct{ Title, Text string }

// message is why there is no page: a message of the catalogue, its title, and its
// text with arguments.
type message struct {
	status int
	key    string
	args   []any
}

func (m message) Error() string { return m.key }

// redirect is that the page is at another address.
type redirect string

func (r redirect) Error() string { return "see " + string(r) }

func (c *console) showMessage(w http.ResponseWriter, r *http.Request, status int, key string, args ...any) {
	l := languageOf(r)
	c.render(w, r, status, "message", messageView{l.say("message." + key), l.say("message."+key+".text", args...)})
}

func (c *console) showNotFound(w http.ResponseWriter, r *http.Request) {
	c.showMessage(w, r, http.StatusNotFound, "missing")
}

// showFault says what was wrong with a request, or of a failure of our own; what
// exactly failed then is for the log.
func (c *console) showFault(w http.ResponseWriter, r *http.Request, err error) {
	var why message
	var elsewhere redirect
	switch {
	case errors.As(err, &elsewhere):
		http.Redirect(w, r, string(elsewhere), http.StatusSeeOther)
	case errors.As(err, &why):
		c.showMessage(w, r, why.status, why.key, why.args...)
	case errors.Is(err, db.ErrNotFound):
		c.showNotFound(w, r)
	case errors.As(err, new(refusedByUs)):
		c.showMessage(w, r, http.StatusBadRequest, "list", tell(languageOf(r), err))
	case errors.Is(err, context.Canceled):
	default:
		c.Log.ErrorContext(r.Context(), "console page failed", "path", r.URL.Path, "error", err)
		c.showMessage(w, r, http.StatusServiceUnavailable, "fault")
	}
}
