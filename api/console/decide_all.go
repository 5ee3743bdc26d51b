package console

import (
	"net/http"
	"strconv"
	"time"

	"vestnik/db"
	"vestnik/internal/protocol"
)

// maxAll bounds the deliveries that one press decides about: the oldest.
const maxAll = 1000

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
	Filter  listFilter
	Waiting int
	// Count of them, the oldest, are decided about: those that waited AsOf.
	Count int
	AsOf  string
	// Doubtful reports whether one of them may have arrived.
	Doubtful bool
}

func (c *console) askAboutAll(w http.ResponseWriter, r *http.Request) {
	filter, err := readFilter(r.URL.Query())
	if err != nil {
		c.showMessage(w, r, http.StatusBadRequest, "list", tell(languageOf(r), err))
		return
	}
	view, matching := allView{Filter: filter}, filter.matching()
	waiting, asOf, err := c.Ledger.CountWaiting(r.Context(), matching)
	if err == nil && matching.Status != protocol.StatusParked {
		var doubtful int
		matching.Status = protocol.StatusUnknown
		doubtful, _, err = c.Ledger.CountWaiting(r.Context(), matching)
		view.Doubtful = doubtful > 0
	}
	if err != nil {
		c.showFault(w, r, err)
		return
	}
	view.Waiting, view.Count, view.AsOf = waiting, min(waiting, maxAll), asOf.Format(time.RFC3339Nano)
	c.render(w, r, http.StatusOK, "all", view)
}

// resumeMatching decides about all that matched when their number was shown, and
// wait still.
func (c *console) resumeMatching(w http.ResponseWriter, r *http.Request) {
	l, decision := languageOf(r), formDecision(r)
	filter, err := readFilter(r.PostForm)
	count, countErr := strconv.Atoi(r.PostForm.Get("count"))
	asOf, timeErr := time.Parse(time.RFC3339Nano, r.PostForm.Get("as_of"))
	switch {
	case err != nil:
	case countErr != nil, timeErr != nil, count < 1, count > maxAll:
		err = refuse("all.count", maxAll)
	case decision.Action == protocol.ResumeCaptcha:
		err = refuse("ids.captcha")
	default:
		err = decision.check()
	}
	back, handed := filter.After(0).Link(), 0
	if err == nil {
		var ids []int64
		if ids, err = c.Ledger.WaitingAsOf(r.Context(), filter.matching(), asOf, count); err == nil {
			handed, err = c.Steering.ResumeAll(r.Context(), filter.Subject(), ids, decision.Resume)
			c.Log.InfoContext(r.Context(), "operator decided about all that match", "matching", len(ids), "handed", handed, "action", decision.Action, "error", err)
		}
		if err == nil && decision.OpenDestination && decision.sends() {
			err = c.openPaused(r.Context(), filter.Destination)
		}
	}
	c.back(w, r, back, l.count("done.handed", handed), err)
}
