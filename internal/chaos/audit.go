package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// evidence is what a storm has left behind: what was owed by the rules, what
// the ledger says, and what the platforms really received.
type evidence struct {
	owed     []owed
	ledger   []delivery
	received map[string][]arrival // by destination, in the order of arrival
	paces    map[string]pace
	clicks   []click
	wakings  []waking
	excuses  []excuse
	edited   []owed // the author has added a reward
	// visible is when the watcher first saw each delivery's row. Rows of two
	// walls may be committed in another order than their ids were given.
	visible map[int64]time.Time
}

// owed is a post that a rule sends to a destination.
type owed struct {
	destination string
	owner, post int64
}

// delivery is a row of relay.deliveries with its parts.
type delivery struct {
	id int64
	owed
	status, reason string
	unknown        int     // attempts of which nobody knows whether they went out
	messages       []int64 // ids on record
}

// arrival is what one call has put before the readers: a message, an album or
// a post.
type arrival struct {
	owner, post int64 // what it is about
	ids         []int64
	at          time.Time
	sentences        // of the post that are in it
	rewarded    bool // it says what the author added later
	frozen      bool // nobody can edit it any more
}

// sentences of a post are numbered from 0 to of, without of.
type sentences struct{ first, last, of int }

// whole is a post of one sentence; late are photos that came after the words.
var whole, late = sentences{of: 1}, sentences{first: -1, last: -1}

// pace is what a destination was configured to bear; perMinute 0 is no limit.
type pace struct {
	perSecond float64
	perMinute int
}

// click is a button that a person has pressed.
type click struct {
	user     int64
	data     string
	query    string
	number   int64 // of the newest message in the chat when it was pressed
	answered bool  // answerCallbackQuery was taken, or refused for good: the query was too old
	screens  []int64
}

// waking is a delivery that waited for a person, or a lane that was paused.
type waking struct {
	at          time.Time
	destination string
	delivery    int64 // 0: the lane
	reason      string
}

// excuse is a planned fault at a destination that only a person can mend.
type excuse struct {
	destination string
	from, until time.Time
}

// finding is a promise that was not kept.
type finding struct{ kind, what string }

// The kinds of findings, as they are counted.
const (
	lost       = "lost"
	doubled    = "doubled"
	unrecorded = "not as recorded"
	unedited   = "not edited"
	outOfOrder = "out of order"
	overRate   = "over the rate"
	unanswered = "clicks without an answer"
	woken      = "people woken"
)

var kinds = []string{lost, doubled, unrecorded, unedited, outOfOrder, overRate, unanswered, woken}

// outcome is what an audit has to say.
type outcome struct {
	findings []finding
	// uncertain are copies on Telegram that the ledger lists as attempts of
	// unknown outcome: the promise allows them.
	uncertain                   []string
	owed, sent, arrived, clicks int
}

func (o *outcome) add(kind, format string, args ...any) {
	o.findings = append(o.findings, finding{kind, fmt.Sprintf(format, args...)})
}

func (o *outcome) count(kind string) (n int) {
	for _, f := range o.findings {
		if f.kind == kind {
			n++
		}
	}
	return n
}

// toldOfAKind is how many findings of one kind a person wants to read.
const toldOfAKind = 20

// String is the table that a person reads, then the findings.
func (o *outcome) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "owed %d, sent according to the ledger %d, received %d, clicks %d\n", o.owed, o.sent, o.arrived, o.clicks)
	for _, kind := range kinds {
		fmt.Fprintf(&text, "  %-26s %d\n", kind, o.count(kind))
	}
	fmt.Fprintf(&text, "  %-26s %d\n", "doubled, listed as unknown", len(o.uncertain))
	for _, uncertain := range o.uncertain {
		fmt.Fprintf(&text, "listed: %s\n", uncertain)
	}
	told := map[string]int{}
	for _, f := range o.findings {
		if told[f.kind]++; told[f.kind] <= toldOfAKind {
			fmt.Fprintf(&text, "FINDING %s: %s\n", f.kind, f.what)
		}
	}
	return text.String()
}

// audit compares the ledger with what was really received.
func audit(e evidence) *outcome {
	o := &outcome{owed: len(e.owed), clicks: len(e.clicks)}
	copies := map[owed][]arrival{}
	for destination, arrivals := range e.received {
		o.arrived += len(arrivals)
		for i, a := range arrivals {
			key := e.keyOf(destination, a)
			a.owner, a.post = key.owner, key.post
			arrivals[i], copies[key] = a, append(copies[key], a)
		}
	}
	rows := map[owed]delivery{}
	for _, d := range e.ledger {
		rows[d.owed] = d
		if d.status == "sent" {
			o.sent++
		}
	}
	wanted := map[owed]bool{}
	for _, key := range e.owed {
		wanted[key] = true
		row, written := rows[key]
		auditDelivery(o, key, row, written, copies[key])
	}
	for key, some := range copies {
		if !wanted[key] {
			o.add(doubled, "%s shows %v, which nobody owed it", key.destination, some[0].ids)
		}
	}
	for _, destination := range slices.Sorted(maps.Keys(e.received)) {
		auditOrder(o, destination, e.received[destination], rows, e)
		auditRate(o, destination, e.received[destination], e.paces[destination])
	}
	for _, key := range e.edited {
		auditEdit(o, key, rows[key], copies[key])
	}
	auditClicks(o, e.clicks)
	auditWakings(o, e.wakings, e.excuses)
	return o
}

// keyOf is what an arrival is about. One that does not say, photos that came after
// their words, is of the delivery that records it and more.
func (e evidence) keyOf(destination string, a arrival) owed {
	if a.post == 0 {
		at := slices.IndexFunc(e.ledger, func(d delivery) bool {
			return d.destination == destination && d.records(a) && len(d.messages) > len(a.ids)
		})
		if at >= 0 {
			return e.ledger[at].owed
		}
	}
	return owed{destination, a.owner, a.post}
}

func (k owed) String() string { return fmt.Sprintf("wall%d_%d → %s", k.owner, k.post, k.destination) }

func auditDelivery(o *outcome, key owed, row delivery, written bool, copies []arrival) {
	switch {
	case !written:
		o.add(lost, "%s: the ledger has no row", key)
		return
	case len(copies) == 0:
		o.add(lost, "%s: delivery %d is %s %s", key, row.id, row.status, row.reason)
		return
	case row.status != "sent":
		o.add(unrecorded, "%s: received, but delivery %d is %s %s", key, row.id, row.status, row.reason)
	}
	parts := map[int][]arrival{} // copies of the same part
	for _, a := range copies {
		parts[a.first] = append(parts[a.first], a)
	}
	auditParts(o, key, row, parts)
	if surplus := len(copies) - len(parts); surplus > 0 {
		text := fmt.Sprintf("%s: delivery %d has come %d times, attempts of unknown outcome: %d", key, row.id, len(copies), row.unknown)
		if strings.HasPrefix(key.destination, "telegram:") && surplus <= row.unknown {
			o.uncertain = append(o.uncertain, text)
		} else {
			o.add(doubled, "%s", text)
		}
	}
	if row.status != "sent" {
		return
	}
	// The recorded ids are those of one copy of each part, whole.
	var recorded []arrival
	messages := 0
	for _, a := range copies {
		if row.records(a) {
			recorded = append(recorded, a)
			messages += len(a.ids)
		}
	}
	if len(recorded) != len(parts) || messages != len(row.messages) {
		o.add(unrecorded, "%s: delivery %d records %v, there is %v", key, row.id, row.messages, idsOf(copies))
	}
}

// records reports whether the ledger has all of an arrival's ids.
func (d delivery) records(a arrival) bool {
	return !slices.ContainsFunc(a.ids, func(id int64) bool { return !slices.Contains(d.messages, id) })
}

// auditParts wants every sentence of a post in one of its parts.
func auditParts(o *outcome, key owed, row delivery, parts map[int][]arrival) {
	next, of := 0, 0
	for _, first := range slices.Sorted(maps.Keys(parts)) {
		part := parts[first][0]
		if part.sentences == late {
			continue
		}
		if first != next {
			break
		}
		next, of = part.last+1, part.of
	}
	if next != of || next == 0 {
		o.add(lost, "%s: delivery %d has come without the sentences from %d on", key, row.id, next)
	}
}

// auditEdit wants what the author added in the copy on record.
func auditEdit(o *outcome, key owed, row delivery, copies []arrival) {
	for _, a := range copies {
		if row.records(a) && !a.rewarded && !a.frozen && a.sentences != late {
			o.add(unedited, "%s: delivery %d, message %v", key, row.id, a.ids)
		}
	}
}

func idsOf(copies []arrival) (all [][]int64) {
	for _, a := range copies {
		all = append(all, a.ids)
	}
	return all
}

// grantedAhead is how long before a message its turn may have been granted.
const grantedAhead = 3 * time.Second

// auditOrder wants the first copies to arrive in the order of the deliveries'
// ids. Who waited for a person has lost its place, and nobody can be overtaken
// before their row could be seen.
func auditOrder(o *outcome, destination string, arrivals []arrival, rows map[owed]delivery, e evidence) {
	waited := map[int64]bool{}
	for _, w := range e.wakings {
		waited[w.delivery] = true
	}
	type part struct {
		delivery int64
		first    int
	}
	seen := map[part]bool{}
	var ahead delivery // the highest id that has come so far
	var aheadAt time.Time
	for _, a := range arrivals {
		row, known := rows[owed{destination, a.owner, a.post}]
		if !known || seen[part{row.id, a.first}] || waited[row.id] || a.sentences == late {
			continue
		}
		seen[part{row.id, a.first}] = true
		if row.id >= ahead.id {
			ahead, aheadAt = row, a.at
			continue
		}
		if visible, ok := e.visible[row.id]; ok && visible.Before(aheadAt.Add(-grantedAhead)) {
			o.add(outOfOrder, "%s: delivery %d came %.1f s after %d", destination, row.id, a.at.Sub(aheadAt).Seconds(), ahead.id)
		}
	}
}

// rateWindow is the time over which the rate is taken, and rateSlack the
// messages that may be more in it: one at each end, since a message is counted
// when it arrives and not when it was due.
const (
	rateWindow = 10 * time.Second
	rateSlack  = 2
)

// auditRate counts what was put before the readers, an album as many as it has
// photos in the limit a minute.
func auditRate(o *outcome, destination string, arrivals []arrival, pace pace) {
	worst := func(window time.Duration, weight func(arrival) int) (most int, at time.Time) {
		sum, first := 0, 0
		for _, a := range arrivals {
			for sum += weight(a); !arrivals[first].at.After(a.at.Add(-window)); first++ {
				sum -= weight(arrivals[first])
			}
			if sum > most {
				most, at = sum, a.at
			}
		}
		return most, at
	}
	if pace.perSecond > 0 {
		most, at := worst(rateWindow, func(arrival) int { return 1 })
		if allowed := int(pace.perSecond*rateWindow.Seconds()) + rateSlack; most > allowed {
			o.add(overRate, "%s: %d messages in the %s before %s, %d allowed", destination, most, rateWindow, at.Format(time.TimeOnly), allowed)
		}
	}
	if pace.perMinute > 0 {
		most, at := worst(time.Minute, func(a arrival) int { return len(a.ids) })
		if most > pace.perMinute {
			o.add(overRate, "%s: %d messages in the minute before %s, %d allowed", destination, most, at.Format(time.TimeOnly), pace.perMinute)
		}
	}
}

// auditClicks wants an answer and a screen for every click. A screen counts
// for the last click that asked for it.
func auditClicks(o *outcome, clicks []click) {
	for i, c := range clicks {
		if !c.answered {
			o.add(unanswered, "user %d, %s: no answerCallbackQuery", c.user, c.data)
		}
		until := int64(1<<63 - 1)
		for _, later := range clicks[i+1:] {
			if later.user == c.user && later.data == c.data {
				until = later.number
				break
			}
		}
		if !slices.ContainsFunc(c.screens, func(id int64) bool { return id > c.number && id <= until }) {
			o.add(unanswered, "user %d, %s: no screen", c.user, c.data)
		}
	}
}

func auditWakings(o *outcome, wakings []waking, excuses []excuse) {
	for _, w := range wakings {
		if slices.ContainsFunc(excuses, func(e excuse) bool {
			return e.destination == w.destination && !w.at.Before(e.from) && !w.at.After(e.until)
		}) {
			continue
		}
		if w.delivery == 0 {
			o.add(woken, "the lane %s was paused: %s", w.destination, w.reason)
		} else {
			o.add(woken, "delivery %d to %s waited for a person: %s", w.delivery, w.destination, w.reason)
		}
	}
}
