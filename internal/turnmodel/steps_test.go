package turnmodel

// faults that a scenario allows.
type faults uint

const (
	killWorker faults = 1 << iota
	lateWorker
	endDelivery
	endLane
	loseSignal // a turn_done or a nudge
	repeatGrant
	loseAnswer
	platformAway
	askPerson
	refuse
	databaseAway
	restore
	temporalLost
	operator // pauses, resumes, skips
	suppress // a case suppresses a row that waits
)

// breach is a promise that a step breaks.
type breach uint8

const (
	kept breach = iota
	twoCalls
	sentAgain
	notAsked
	outOfOrder
	secondInTurn
	sentWhilePaused
)

var breaches = [...]string{"", "two calls in flight", "a call for a part whose answer is recorded",
	"a call for a row that waits for a person", "a later row before an earlier one", "two messages in one turn", "a call while paused"}

// failing is how many failed turns make the breaker probe with the next row.
const failing = 2

// model is a scenario: rows, what may go wrong, and what is built otherwise than the page says.
type model struct {
	rows    int
	parts   [maxRows]uint8
	poison  uint8 // rows whose every call is answered with 5xx
	uploads uint8 // rows whose last part is a file that is uploaded; one at the most
	park    bool  // ON_UNKNOWN=park
	faults  faults
	budget  uint8
	without rule
}

// rule is something that the page must say. Each is there because without it
// the explorer finds a trace: see TestEachRuleIsNeeded.
type rule uint

const (
	oneOpenAttempt     rule = 1 << iota // the index: one open attempt for a destination
	deadlineInWorker                    // the deadline is over for the worker before it is for the ledger
	openClosesAny                       // open closes as unknown whatever is past its deadline, of other rows too
	beginAsOpened                       // begin refuses a row that has changed since it was opened
	beginNotPaused                      // begin refuses while the destination is paused
	closeOwn                            // an answer closes the attempt that it answers, whatever else is open
	lateRefusalIgnored                  // an answer short of arrival counts only if it closes its attempt
	onePartALease                       // a lease under which a part has arrived sends no other
	giveBackAgain                       // a run gives a number that it has done back again
	restAgain                           // a run at rest that is granted a turn records again why it rests,
	laterWish                           // unless a person has asked for the row since
	runTellsArrived                     // the send activity is told the parts that its run knows to have arrived
	wishNotTime                         // a closed run is outdone by a person's later wish, not by a later change
	restIsTold                          // recovery tells a waiting run that its row is at rest
	probeMoves                          // each probe takes a row behind the one before
	uploadBarsItsRow                    // an upload in flight bars other calls for its row
)

func (m *model) holds(r rule) bool { return m.without&r == 0 }

type emit func(what string, w world)

func (m *model) start() world {
	w := world{budget: m.budget}
	w.ledger.open, w.ledger.beside = noAttempt, noAttempt
	w.backup = w.ledger
	for i := m.rows; i < maxRows; i++ {
		w.ledger.rows[i].status = sent
	}
	return w
}

// steps emits every world that may follow w.
func (m *model) steps(w world, emit emit) {
	told := emit
	emit = func(what string, n world) {
		for i, a := range w.acts {
			was, is := w.ledger.rows[a.row], n.ledger.rows[a.row]
			was.away = is.away
			if (a.step == opened || a.step == aside) && n.acts[i].step == a.step && is != was {
				n.acts[i].stale = true
			}
		}
		told(what, n)
	}
	for i := range w.acts {
		m.activitySteps(w, i, emit)
	}
	for i := range m.rows {
		m.runSteps(w, i, emit)
		m.due(w, i, emit)
	}
	m.laneSteps(w, emit)
	m.deadline(w, 0, emit)
	m.deadline(w, 1, emit)
	m.recovery(w, emit)
	if w.budget > 0 {
		w.budget--
		m.faultSteps(w, emit)
	}
}

// may spends a fault.
func (m *model) may(w world, fault faults) (world, bool) {
	if m.faults&fault == 0 || w.budget == 0 {
		return w, false
	}
	w.budget--
	return w, true
}

// activitySteps are those of «the send activity».
func (m *model) activitySteps(w world, i int, emit emit) {
	a := w.acts[i]
	switch a.step {
	case starting:
		m.open(w, i, emit)
	case opened:
		if m.uploaded(a) {
			m.stepAside(w, i, emit)
		} else {
			m.begin(w, i, emit)
		}
	case aside:
		m.begin(w, i, emit)
	case begun:
		m.call(w, i, emit)
	case written:
		m.platform(w, i, emit)
	case answered:
		n := w
		m.record(&n, i)
		emit("the activity records", n)
		if n, may := m.may(w, databaseAway); may {
			m.recordLater(&n, i)
			emit("the database is away: the result carries the ids", n)
		}
	case recorded:
		n := w
		m.finish(&n, i, true)
		emit("the activity ends and gives the turn back", n)
		if n, may := m.may(w, loseSignal); may {
			m.finish(&n, i, false)
			emit("the activity ends, its turn_done is lost", n)
		}
	}
}

func (m *model) open(w world, i int, emit emit) {
	a := &w.acts[i]
	r := &w.ledger.rows[a.row]
	if m.holds(runTellsArrived) {
		for part := range int(m.parts[a.row]) {
			if has(a.knows, part) && !has(r.arrived, part) {
				m.addIDs(&w.ledger, int(a.row), part)
			}
		}
	}
	if r.status.atRest() || m.holds(onePartALease) && r.doneBy == a.lease {
		a.see(*r)
		emit("the activity opens its row: nothing to do", w)
		return
	}
	for _, open := range w.ledger.attempts() {
		switch {
		case !m.bars(&w, open, a):
		case !open.expired:
			return // waits for the deadline
		case m.holds(openClosesAny) || open.row == int8(a.row):
			w.ledger.closeUnknown(open)
		}
	}
	if r.away {
		a.see(*r)
		emit("the activity opens its row: it is not due", w)
		return
	}
	if r.unasked >= m.unknownLimit() {
		r.status = unknown
		a.see(*r)
		emit("the activity opens its row: a person is to say", w)
		return
	}
	a.step, a.part, a.stale = opened, uint8(m.nextPart(*r)), false
	emit("the activity opens its row", w)
}

// bars reports whether an open attempt keeps an activity from a call of its own.
func (m *model) bars(w *world, open *attempt, a *activity) bool {
	switch {
	case open.row == nobody:
		return false
	case open == &w.ledger.beside:
		return m.holds(uploadBarsItsRow) && open.row == int8(a.row)
	default:
		return m.holds(oneOpenAttempt) && (!m.uploaded(*a) || open.row == int8(a.row))
	}
}

// uploaded reports whether the part that an activity has opened is a file that is uploaded.
func (m *model) uploaded(a activity) bool {
	return has(m.uploads, int(a.row)) && a.part == m.parts[a.row]-1
}

// stepAside is what an upload does before it begins.
func (m *model) stepAside(w world, i int, emit emit) {
	a := &w.acts[i]
	w.ledger.rows[a.row].away = true
	if n, may := m.may(w, loseSignal); may {
		n.acts[i].step = starting
		emit("the upload puts its row off and can't give the turn back: it is tried again", n)
	}
	a.step = aside
	m.turnDone(&w, a.lease, int(a.row), false)
	w.lane.look = w.lane.alive
	emit("the upload puts its row off and gives the turn back", w)
}

// due passes for a row that was put off: after the deadline of its upload.
func (m *model) due(w world, row int, emit emit) {
	r, upload := &w.ledger.rows[row], w.ledger.beside
	if r.away && (upload.row != int8(row) || upload.expired) {
		r.away = false
		emit("a row that was put off is due", w)
	}
}

// unknownLimit is how many unknown attempts a person is asked after.
func (m *model) unknownLimit() uint8 {
	if m.park {
		return 1
	}
	return 2
}

func (m *model) begin(w world, i int, emit emit) {
	a, l := &w.acts[i], &w.ledger
	r := &l.rows[a.row]
	switch {
	case l.paused && m.holds(beginNotPaused):
		a.see(*r)
		emit("begin is refused: the destination is paused", w)
		return
	case m.bars(&w, &l.open, a), m.bars(&w, &l.beside, a), a.stale && m.holds(beginAsOpened), r.status.final():
		a.step = starting
		emit("begin is refused: the row is opened again", w)
		return
	}
	switch {
	case l.paused:
		w.broken = sentWhilePaused
	case r.doneBy == a.lease:
		w.broken = secondInTurn
	case has(r.arrived, int(a.part)):
		w.broken = sentAgain
	case r.status.asksPerson(), r.unasked >= m.unknownLimit():
		w.broken = notAsked
	}
	r.status = sending
	begins := &l.open
	if m.uploaded(*a) {
		begins = &l.beside
	}
	*begins = attempt{row: int8(a.row), part: int8(a.part), owner: int8(i)}
	if other := &w.acts[1-i]; other.row == a.row { // the number of attempts has changed
		other.stale = true
	}
	a.step = begun
	emit("the activity begins an attempt", w)
}

func (m *model) call(w world, i int, emit emit) {
	a := &w.acts[i]
	for _, other := range w.acts {
		apart := m.uploaded(other) != m.uploaded(*a) && other.row != a.row
		if other.step == written && !other.expired && !apart {
			w.broken = twoCalls
		}
	}
	for earlier := range int(a.row) {
		r := w.ledger.rows[earlier]
		known := w.restored || r.wanted > 0 || w.runs[earlier].state == resting || // a person has it, or had
			w.ledger.fails >= failing || has(w.ledger.suspect, earlier) // the breaker probes
		if !r.status.atRest() && !known && w.copies[earlier][0] == 0 && w.copies[a.row][0] == 0 {
			w.broken = outOfOrder
		}
	}
	a.step = written
	emit("the call is written", w)
}

func (m *model) platform(w world, i int, emit emit) {
	answer := func(w world, answer answer, what string) {
		w.acts[i].step, w.acts[i].answer = answered, answer
		emit(what, w)
	}
	a := w.acts[i]
	if has(m.poison, int(a.row)) {
		answer(w, unavailable, "the platform answers 5xx, as always for this row")
		return
	}
	accepted := w
	accepted.copies[a.row][a.part]++
	answer(accepted, arrived, "the platform takes the message and answers")
	if _, may := m.may(w, loseAnswer); may {
		n, _ := m.may(accepted, loseAnswer)
		answer(n, noAnswer, "the platform takes the message, the answer is lost")
		n, _ = m.may(w, loseAnswer)
		answer(n, noAnswer, "the call is lost on its way")
	}
	if n, may := m.may(w, platformAway); may {
		answer(n, unavailable, "the platform answers 5xx")
	}
	if n, may := m.may(w, askPerson); may {
		answer(n, needsPerson, "the platform wants a person")
	}
	if n, may := m.may(w, refuse); may {
		answer(n, refused, "the platform refuses for good")
	}
}

// record closes the activity's attempt.
func (m *model) record(w *world, i int) {
	a, l := &w.acts[i], &w.ledger
	defer func() { a.see(l.rows[a.row]) }()
	own := false
	for _, open := range l.attempts() {
		if open.owner == int8(i) || !m.holds(closeOwn) && open.row == int8(a.row) {
			own, *open = true, noAttempt
		}
	}
	row := int(a.row)
	r := &l.rows[row]
	if a.answer == arrived {
		r.doneBy = max(r.doneBy, a.lease)
		m.addIDs(l, row, int(a.part))
		if l.fails >= failing { // others got through meanwhile
			l.suspect |= l.next(m.rows) & (1<<row - 1)
		}
		l.fails = 0
		return
	}
	if !own && m.holds(lateRefusalIgnored) || r.status.final() {
		return
	}
	switch a.answer {
	case unavailable:
		l.fails = min(l.fails+1, failing)
		if has(l.suspect, row) {
			r.status = parked
		}
	case needsPerson:
		r.status, l.paused = parked, true
	case refused:
		r.status = failed
	case noAnswer:
		r.unknown[a.part]++
		r.unasked++
		if r.unasked >= m.unknownLimit() {
			r.status = unknown
		}
	}
}

// recordLater ends an activity that can't reach the database. The activity
// repeats until it can, except for ids, which go to its run.
func (m *model) recordLater(w *world, i int) {
	a := w.acts[i]
	if a.answer != arrived {
		return
	}
	if !a.late {
		r := &w.runs[a.row]
		r.state, r.part = recording, a.part
		r.arrived |= 1 << a.part
	}
	m.free(w, i)
}

// free ends an activity; what it has open stays open until the deadline.
func (m *model) free(w *world, i int) {
	for _, open := range w.ledger.attempts() {
		if open.owner == int8(i) {
			open.owner = nobody
		}
	}
	w.acts[i] = activity{}
}

func (m *model) finish(w *world, i int, giveBack bool) {
	a := w.acts[i]
	m.free(w, i)
	if !a.late {
		m.follow(w, int(a.row), a.saw, a.knows)
		w.runs[a.row].wanted = max(w.runs[a.row].wanted, a.wanted)
	}
	if giveBack {
		m.turnDone(w, a.lease, int(a.row), a.saw.atRest())
		if w.ledger.rows[a.row].away {
			w.lane.look = w.lane.alive
		}
	}
}

// see ends an activity's work with what it knows of its row now.
func (a *activity) see(r row) {
	a.step, a.saw, a.wanted = recorded, r.status, r.wanted
	a.knows |= r.arrived
}

// follow brings a run in step with what it is told of its row.
func (m *model) follow(w *world, row int, s status, arrived uint8) {
	r := &w.runs[row]
	r.arrived |= arrived
	switch {
	case s.asksPerson():
		r.state, r.result = resting, s
	case s.atRest():
		r.state, r.result = closed, s
	case r.next > 0:
		r.state, r.lease, r.next = granted, r.next, 0
	default:
		r.state = waiting
	}
}

func (m *model) runSteps(w world, row int, emit emit) {
	r := &w.runs[row]
	switch r.state {
	case granted:
		for i := range w.acts {
			if w.acts[i].step == idle {
				w.acts[i] = activity{step: starting, row: uint8(row), lease: r.lease, knows: r.arrived}
				r.state = working
				emit("the run schedules its send activity", w)
				return
			}
		}
	case recording:
		for _, open := range w.ledger.attempts() {
			if open.row == int8(row) && open.owner == nobody {
				*open = noAttempt
			}
		}
		m.addIDs(&w.ledger, row, int(r.part))
		w.ledger.rows[row].doneBy = max(w.ledger.rows[row].doneBy, r.lease)
		lease, stands := r.lease, w.ledger.rows[row]
		m.follow(&w, row, stands.status, stands.arrived)
		m.turnDone(&w, lease, row, stands.status.atRest())
		emit("the run records and gives the turn back", w)
	}
}

// turnDone is the lane's taking back.
func (m *model) turnDone(w *world, lease uint8, row int, atRest bool) {
	l := &w.lane
	if !l.alive {
		return
	}
	if l.lease != lease {
		l.look = true
		return
	}
	l.lease, l.paused = 0, w.ledger.paused
	head := w.ledger.next(m.rows)
	if atRest {
		l.buffer &^= 1 << row
		if l.buffer == 0 {
			l.look = true
		}
	}
	if w.ledger.fails >= failing {
		l.probes = has(head, row) && head&(1<<row-1) == 0 && head != 1<<row
	}
}

func (m *model) laneSteps(w world, emit emit) {
	l := &w.lane
	if w.late.lease > 0 {
		n := w
		n.late.lease = 0
		m.grant(&n, int(w.late.row), w.late.lease)
		emit("a grant comes a second time", n)
	}
	switch {
	case !l.alive:
	case l.lease > 0:
		row, lease := int(l.job), l.lease
		if w.ledger.rows[row].status.atRest() {
			m.turnDone(&w, lease, row, true)
			emit("the lease runs out: the ledger has it at rest", w)
		} else {
			m.grant(&w, row, lease)
			emit("the lease runs out: it is granted again", w)
		}
	case l.look:
		l.buffer, l.look, l.paused = w.ledger.next(m.rows), false, w.ledger.paused
		emit("the lane reads the ledger", w)
	case l.buffer > 0 && !l.paused:
		row := m.choose(&w)
		l.lease, l.job = w.newest(), uint8(row)
		n := w
		m.grant(&n, row, l.lease)
		emit("the lane grants a turn", n)
		if n, may := m.may(n, repeatGrant); may {
			n.late.lease, n.late.row = w.lane.lease, uint8(row)
			emit("the lane grants a turn, one copy of the grant is under way", n)
		}
	}
}

// choose takes the first row, or, while the destination is failing, every
// other turn one of those behind it.
func (m *model) choose(w *world) int {
	l := &w.lane
	first := 0
	for !has(l.buffer, first) {
		first++
	}
	behind := l.buffer &^ (1 << first)
	if !l.probes || behind == 0 {
		return first
	}
	l.probes = false
	row := first + 1
	if m.holds(probeMoves) {
		row = max(row, int(l.probe)+1)
	}
	for range 2 {
		for ; row < m.rows; row++ {
			if has(behind, row) {
				l.probe = uint8(row)
				return row
			}
		}
		row = first + 1
	}
	return first
}

// grant is signal-with-start of the row's delivery.
func (m *model) grant(w *world, row int, lease uint8) {
	r, stands := &w.runs[row], &w.ledger.rows[row]
	switch r.state {
	case none:
		*r = run{state: granted, lease: lease, wanted: stands.wanted}
	case waiting:
		if lease > r.lease {
			r.state, r.lease = granted, lease
		} else if m.holds(giveBackAgain) {
			m.turnDone(w, lease, row, false)
		}
	case granted, working, recording:
		if lease > r.lease {
			r.next = max(r.next, lease)
		}
	case resting:
		if m.holds(laterWish) && stands.wanted > r.wanted && !stands.status.atRest() {
			r.state, r.lease, r.wanted = granted, lease, stands.wanted
			return
		}
		if m.holds(restAgain) && !stands.status.atRest() {
			stands.status = r.result
		}
		m.turnDone(w, lease, row, true)
	case closed:
		if m.settleFromRun(w, row) || stands.status.atRest() {
			m.turnDone(w, lease, row, true)
		} else {
			*r = run{state: granted, lease: lease, wanted: stands.wanted}
		}
	}
}

// settleFromRun settles a row whose closed run knows more.
func (m *model) settleFromRun(w *world, row int) bool {
	r, stands := w.runs[row], &w.ledger.rows[row]
	if r.state != closed || stands.status.atRest() || stands.wanted > r.wanted || stands.storedAnew && !m.holds(wishNotTime) {
		return false
	}
	stands.status = r.result
	if r.result == sent {
		for part := range int(m.parts[row]) {
			if !has(stands.arrived, part) {
				m.addIDs(&w.ledger, row, part)
			}
		}
	}
	return true
}

// deadline passes for an open attempt.
func (m *model) deadline(w world, which int, emit emit) {
	open := w.ledger.attempts()[which]
	if open.row == nobody || open.expired {
		return
	}
	open.expired = true
	if open.owner == nobody {
		emit("the deadline of an abandoned attempt passes", w)
		return
	}
	a := &w.acts[open.owner]
	switch {
	case a.step == begun && m.holds(deadlineInWorker):
		a.step, a.answer = answered, notSent
		emit("the deadline passes before the call", w)
	case a.step == begun:
		emit("the deadline passes, the worker has not noticed", w)
	case a.step == written:
		a.expired = true
		if w, may := m.may(w, loseAnswer); may {
			a := &w.acts[open.owner]
			a.step, a.answer = answered, noAnswer
			emit("the deadline passes in the call", w)
			w.copies[a.row][a.part]++
			emit("the deadline passes in the call, the message is out", w)
		}
	default:
		emit("the deadline passes while the answer is recorded", w)
	}
}

// recovery is one look of the workflow Recover, at one thing.
func (m *model) recovery(w world, emit emit) {
	if l := w.lane; !l.alive || l.lease == 0 && !l.look && (l.buffer == 0 || l.paused && !w.ledger.paused) {
		if w.ledger.next(m.rows) > 0 {
			n := w
			n.lane.alive, n.lane.look = true, true
			emit("recovery nudges the lane", n)
		}
	}
	for i := range m.rows {
		n := w
		r, s := &n.runs[i], w.ledger.rows[i].status
		switch {
		case s.asksPerson() && (r.state == none || r.state == closed):
			*r = run{state: resting, result: s, wanted: w.ledger.rows[i].wanted}
			emit("recovery gives a run to a row that waits for a person", n)
		case m.settleFromRun(&n, i):
			emit("recovery settles a row from its closed run", n)
		case s.atRest() && m.holds(restIsTold) && (r.state == waiting || r.state == resting && r.result != s):
			m.follow(&n, i, s, w.ledger.rows[i].arrived)
			emit("recovery tells a run that its row is at rest", n)
		}
	}
}

func (m *model) faultSteps(w world, emit emit) {
	on := func(fault faults) bool { return m.faults&fault != 0 }
	for i, a := range w.acts {
		if a.step == idle {
			continue
		}
		if on(killWorker) {
			n := w
			m.free(&n, i)
			if !a.late {
				n.acts[i] = activity{step: starting, row: a.row, lease: a.lease, knows: a.knows}
			}
			emit("the worker dies", n)
			if a.step == written {
				n.copies[a.row][a.part]++
				emit("the worker dies, the message is out", n)
			}
		}
		if other := 1 - i; on(lateWorker) && !a.late && w.acts[other].step == idle {
			n := w
			n.acts[i].late = true
			n.acts[other] = activity{step: starting, row: a.row, lease: a.lease, knows: a.knows}
			emit("Temporal gives the activity up, and it lives on", n)
		}
	}
	for i := range m.rows {
		n := w
		if on(endDelivery) && w.runs[i].state != none && w.runs[i].state != closed {
			m.endRun(&n, i)
			emit("a delivery is terminated", n)
		}
		m.operatorSteps(w, i, emit)
	}
	if on(endLane) && w.lane.alive {
		n := w
		n.lane = lane{}
		emit("the lane is terminated", n)
	}
	if on(temporalLost) {
		n := w
		for i := range m.rows {
			m.endRun(&n, i)
		}
		n.lane, n.late.lease = lane{}, 0
		emit("Temporal is lost", n)
	}
	if on(restore) {
		m.restoreSteps(w, emit)
	}
	if on(operator) && !w.ledger.paused {
		n := w
		n.ledger.paused, n.lane.paused = true, n.lane.alive
		emit("an operator pauses the lane", n)
	}
}

func (m *model) endRun(w *world, row int) {
	w.runs[row] = run{}
	if w.restored {
		w.excused |= 1 << row // what it alone knew is gone
	}
	for i := range w.acts {
		if w.acts[i].step != idle && int(w.acts[i].row) == row {
			w.acts[i].late = true
		}
	}
}

// operatorSteps are what a person decides about a row, and what a case does.
func (m *model) operatorSteps(w world, row int, emit emit) {
	stands, r := &w.ledger.rows[row], &w.runs[row]
	if m.faults&suppress != 0 && stands.status == pending {
		n := w
		n.ledger.rows[row].status = suppressed
		emit("a case suppresses the row", n)
	}
	if m.faults&operator == 0 || !stands.status.asksPerson() || r.state == none || r.state == closed {
		return
	}
	n := w
	n.ledger.rows[row].status = suppressed
	m.wake(&n, row)
	emit("an operator skips the row", n)
	stands.status, stands.unasked, stands.away = pending, 0, false
	stands.wanted++
	w.ledger.paused = false
	m.wake(&w, row)
	w.lane.look = w.lane.look || w.lane.alive
	emit("an operator resumes the row", w)
}

// wake lets a run that does nothing look at its row.
func (m *model) wake(w *world, row int) {
	if r := &w.runs[row]; r.state == waiting || r.state == resting {
		r.wanted = w.ledger.rows[row].wanted
		m.follow(w, row, w.ledger.rows[row].status, w.ledger.rows[row].arrived)
	}
}

// knownByRun is the set of a row's parts that its run will not send again.
func (w *world) knownByRun(row int) uint8 {
	known := w.runs[row].arrived
	if w.runs[row].state == closed {
		known = 1<<maxParts - 1
	}
	for _, a := range w.acts {
		if a.step != idle && int(a.row) == row && !a.late {
			known |= a.knows
		}
	}
	return known
}

// restoreSteps saves the ledger once, and brings it back. A restore takes
// longer than a call: none is in flight.
func (m *model) restoreSteps(w world, emit emit) {
	for _, a := range w.acts {
		if a.step == begun || a.step == written {
			return
		}
	}
	if !w.restored && w.backup != w.ledger {
		n := w
		n.budget++ // a backup is no fault
		n.backup = w.ledger
		emit("the database is backed up", n)
	}
	n := w
	for i, a := range w.acts {
		switch {
		case a.step > aside:
		case a.late:
			n.acts[i] = activity{}
		case a.step == opened, a.step == aside:
			n.acts[i].step = starting
		}
	}
	for i := range m.rows {
		r := w.ledger.rows[i]
		if r.arrived&^w.knownByRun(i) > 0 || r.unknown[0]+r.unknown[1] > 0 || int(w.ledger.open.row) == i || int(w.ledger.beside.row) == i {
			n.excused |= 1 << i
		}
	}
	n.ledger, n.restored = w.backup, true
	for i := range m.rows {
		r := &n.ledger.rows[i]
		r.storedAnew = *r == row{}
	}
	for i := m.rows; i < maxRows; i++ {
		n.ledger.rows[i].status = sent
	}
	for _, open := range n.ledger.attempts() {
		open.owner, open.expired = nobody, open.row != nobody
	}
	emit("the database is restored from a backup", n)
}
