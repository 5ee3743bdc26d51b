package turnmodel

import "slices"

// Bounds of the model.
const (
	maxRows  = 3
	maxParts = 2
	maxActs  = 2 // the newest send activity, and one that lives on behind it
	nobody   = -1
)

type status uint8

// Statuses of a row, and of what a run came to.
const (
	pending status = iota
	sending
	sent
	suppressed
	failed
	parked
	unknown
)

func (s status) atRest() bool        { return s > sending }
func (s status) asksPerson() bool    { return s == parked || s == unknown }
func (s status) final() bool         { return s == sent || s == suppressed }
func has(set uint8, member int) bool { return set&(1<<member) != 0 }

// row is a delivery with its parts and closed attempts.
type row struct {
	status     status
	arrived    uint8           // the parts with ids on record
	ids        [maxParts]uint8 // copies whose ids are on record
	unknown    [maxParts]uint8 // attempts closed as unknown
	unasked    uint8           // of the next part, since a person last said to send again
	doneBy     uint8           // the newest lease under which an attempt has closed
	wanted     uint8           // raised whenever a person wants the row sent anew
	storedAnew bool            // lost with a restore, and stored again by a scan
	away       bool            // put off for as long as an upload may take: the lane does not see it
}

// attempt is the one open attempt of the destination; row is nobody if none is.
type attempt struct {
	row, part int8
	owner     int8 // the activity that may close it; nobody once that is dead
	expired   bool // its deadline has passed
}

type ledger struct {
	rows    [maxRows]row
	open    attempt
	beside  attempt // an upload's: it bars its own row only
	paused  bool
	fails   uint8 // turns in a row that ended because the platform was away
	suspect uint8 // rows that failed while another got through
}

// step is how far a send activity has come.
type step uint8

const (
	idle step = iota
	starting
	opened
	aside // an upload that has put its row off and given the turn back
	begun
	written
	answered
	recorded
)

// answer is what a call ended with.
type answer uint8

const (
	arrived answer = iota
	unavailable
	needsPerson
	refused
	noAnswer // the call was written
	notSent  // the deadline passed before the call was written
)

// activity is one attempt of a send activity in a worker.
type activity struct {
	step      step
	row, part uint8
	lease     uint8
	answer    answer
	late      bool  // Temporal has given it up: its result goes nowhere
	expired   bool  // its own deadline has passed
	knows     uint8 // parts that its run, or it, knows to have arrived
	stale     bool  // the row has changed since it was opened
	wanted    uint8
	saw       status // the row's, when the activity had done its work
}

type runState uint8

const (
	none runState = iota
	waiting
	granted   // has a lease; its send activity is not scheduled yet
	working   // its send activity runs
	recording // holds ids that the activity could not record
	resting   // waits for a person
	closed
)

// run is the newest DeliverPost of a row.
type run struct {
	state   runState
	lease   uint8 // the newest it has taken
	next    uint8 // a newer one, come while it worked
	arrived uint8 // parts it knows to have arrived
	part    uint8 // whose ids it holds while recording
	result  status
	wanted  uint8 // the row's when the run began
}

// lane is the Destination workflow.
type lane struct {
	alive  bool
	look   bool  // nudged
	buffer uint8 // rows read ahead
	lease  uint8 // 0: none out
	job    uint8 // the row that has the lease
	paused bool  // as it last heard
	probe  uint8 // the row last tried in place of the one that fails
	probes bool  // the next turn is a probe
}

// world is everything, at one moment. It is comparable.
type world struct {
	ledger   ledger
	backup   ledger
	restored bool
	excused  uint8                    // rows of which a restore left nobody who knows
	copies   [maxRows][maxParts]uint8 // what readers see
	acts     [maxActs]activity
	runs     [maxRows]run
	lane     lane
	late     struct{ lease, row uint8 } // a grant that comes a second time
	budget   uint8
	broken   breach
}

// next returns the open rows, in order, as the lane reads them.
func (l *ledger) next(rows int) (open uint8) {
	for i := range rows {
		if !l.rows[i].status.atRest() && !l.rows[i].away {
			open |= 1 << i
		}
	}
	return open
}

var noAttempt = attempt{row: nobody, part: nobody, owner: nobody}

func (l *ledger) attempts() [2]*attempt { return [2]*attempt{&l.open, &l.beside} }

// closeUnknown closes an open attempt, of which nobody can know more.
func (l *ledger) closeUnknown(open *attempt) {
	r := &l.rows[open.row]
	r.unknown[open.part]++
	r.unasked++
	*open = noAttempt
}

// addIDs records an arrived part, whatever else is known.
func (m *model) addIDs(l *ledger, row, part int) {
	r := &l.rows[row]
	r.ids[part]++
	if !has(r.arrived, part) {
		r.arrived |= 1 << part
		r.unasked = 0
	}
	r.away = false
	if r.arrived == m.all(row) && r.status != suppressed {
		r.status = sent
	}
}

// all is the set of a row's parts.
func (m *model) all(row int) uint8 { return 1<<m.parts[row] - 1 }

func (m *model) nextPart(r row) int {
	part := 0
	for has(r.arrived, part) {
		part++
	}
	return part
}

// newest returns a lease number that is greater than any before.
func (w *world) newest() uint8 {
	most := uint8(0)
	for _, n := range w.leases() {
		most = max(most, *n)
	}
	return most + 1
}

func (w *world) leases() []*uint8 {
	all := []*uint8{&w.lane.lease, &w.late.lease}
	for i := range maxRows {
		all = append(all, &w.runs[i].lease, &w.runs[i].next, &w.ledger.rows[i].doneBy, &w.backup.rows[i].doneBy)
	}
	for i := range w.acts {
		all = append(all, &w.acts[i].lease)
	}
	return all
}

// canonical renumbers the leases and forgets what can't matter any more, so
// that worlds that behave alike are one.
func (w *world) canonical() {
	for i := range w.acts {
		a := &w.acts[i]
		if a.step == idle {
			*a = activity{}
		}
		if a.step == recorded {
			a.part, a.expired, a.answer = 0, false, 0
		} else {
			a.saw, a.wanted = 0, 0
		}
		if a.step < answered {
			a.answer = 0
		}
		if a.step != opened && a.step != aside {
			a.stale = false
		}
		if a.step < opened {
			a.part, a.expired = 0, false
		}
	}
	for i := range w.runs {
		r := &w.runs[i]
		switch r.state {
		case none:
			*r = run{}
		case closed:
			*r = run{state: closed, result: r.result, wanted: r.wanted}
		}
	}
	if w.lane.lease == 0 {
		w.lane.job = 0
	}
	if w.late.lease == 0 {
		w.late.row = 0
	}
	if w.ledger.fails == 0 {
		w.lane.probe, w.lane.probes = 0, false
	}
	leases := w.leases()
	numbers := make([]uint8, 1, len(leases)+1)
	for _, n := range leases {
		numbers = append(numbers, *n)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	for _, n := range leases {
		rank, _ := slices.BinarySearch(numbers, *n)
		*n = uint8(rank)
	}
}
