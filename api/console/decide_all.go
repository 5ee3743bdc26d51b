package console

import (
	"net/http"
	"time"

	"vestnik/db"
	"vestnik/internal/protocol"
)

// allOf begins the subject of a decision about all that match a filter, which is
// the rest of it: the address of the list.
const allOf = "deliveries"

// matching narrows what waits for a person to what a list shows.
func (f listFilter) matching() db.WaitingFilter {
	filter := db.WaitingFilter{Status: f.Status, Destination: f.Destination, Type: f.Type, Since: f.since, Until: f.until}
	if f.Status == filterWaiting {
		filter.Status = ""
	}
	return filter
}

// Subject is what a decision about all that match is about.
func (f listFilter) Subject() string { return address(allOf, f.query()) }

// All is the address of the question about all that match.
func (f listFilter) All() string { return address("/console/deliveries/all", f.query()) }

// allView asks what is to become of everything that matches a filter and waits
// for a person.
type allView struct {
	Filter listFilter
	// Count of them waited AsOf, and are decided about.
	Count int
	AsOf  string
	// Doubtful reports whether one of them may have arrived.
	Doubtful bool
}

func (c *console) askAboutAll(r *http.Request) (any, error) {
	filter, err := readFilter(r.URL.Query())
	if err != nil {
		return nil, err
	}
	view, matching := allView{Filter: filter}, filter.matching()
	waiting, asOf, err := c.Ledger.CountWaiting(r.Context(), matching)
	if err == nil && matching.Status != protocol.StatusParked {
		matching.Status = protocol.StatusUnknown
		var doubtful int
		doubtful, _, err = c.Ledger.CountWaiting(r.Context(), matching)
		view.Doubtful = doubtful > 0
	}
	view.Count, view.AsOf = waiting, asOf.Format(time.RFC3339Nano)
	return view, err
}

// resumeMatching decides about all that matched when their number was shown, and
// wait still.
func (c *console) resumeMatching(w http.ResponseWriter, r *http.Request) {
	l, decision := languageOf(r), formDecision(r)
	filter, err := readFilter(r.PostForm)
	asOf, timeErr := time.Parse(time.RFC3339Nano, r.PostForm.Get("as_of"))
	switch {
	case err != nil:
	case timeErr != nil:
		err = refuse("all.as_of")
	case decision.Action == protocol.ResumeCaptcha:
		err = refuse("ids.captcha")
	default:
		err = decision.check()
	}
	var bulk db.BulkDecision
	if err == nil {
		bulk, err = c.Steering.DecideAll(r.Context(), filter.Subject(), filter.matching(), asOf, decision.Resume, decision.OpenDestination && decision.sends())
		c.Log.InfoContext(r.Context(), "operator decided about all that match", "matching", bulk.Deliveries, "handed", bulk.Handed, "opened", len(bulk.Opened), "action", decision.Action, "error", err)
	}
	done := l.count("done.handed", bulk.Handed)
	if !bulk.Finished {
		done = l.say("done.handing", bulk.Handed, bulk.Deliveries)
	}
	c.back(w, r, filter.After(0).Link(), done, err)
}
