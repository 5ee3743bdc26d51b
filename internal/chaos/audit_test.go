package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	testChat = "telegram:-1"
	testWall = "vk:-2"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// calmDay is a storm that found nothing: posts 1 to 3 to a chat and a wall, a
// second apart, and two clicks.
func calmDay() *evidence {
	e := &evidence{received: map[string][]arrival{}, visible: map[int64]time.Time{}, paces: map[string]pace{testChat: {1, 60}, testWall: {perSecond: 1}}}
	id := int64(0)
	for post := int64(1); post <= 3; post++ {
		for _, destination := range []string{testChat, testWall} {
			id++
			at := noon.Add(time.Duration(post) * time.Second)
			due := owed{destination, -7, post}
			e.owed = append(e.owed, due)
			e.ledger = append(e.ledger, delivery{id: id, owed: due, status: "sent", messages: []int64{post * 10}})
			e.received[destination] = append(e.received[destination], arrival{owner: -7, post: post, ids: []int64{post * 10}, at: at, sentences: whole})
			e.visible[id] = noon.Add(-time.Minute)
		}
	}
	for i := range int64(2) {
		e.clicks = append(e.clicks, click{user: 1, data: "open:menu:help", number: 10 * i, answered: true, screens: []int64{5, 15}})
	}
	return e
}

// row is the delivery of a post.
func (e *evidence) row(destination string, post int64) *delivery {
	for i := range e.ledger {
		if e.ledger[i].destination == destination && e.ledger[i].post == post {
			return &e.ledger[i]
		}
	}
	return nil
}

// again lets a post arrive once more.
func (e *evidence) again(destination string, post, id int64) {
	e.received[destination] = append(e.received[destination], arrival{owner: -7, post: post, ids: []int64{id}, at: noon.Add(time.Minute), sentences: whole})
}

func TestAnAuditFindsWhatIsWrongAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		spoil     func(e *evidence)
		found     []string // kinds
		uncertain int
	}{
		"nothing": {func(*evidence) {}, nil, 0},
		"a message that never came": {func(e *evidence) {
			e.received[testChat] = e.received[testChat][:2]
		}, []string{lost}, 0},
		"a row that still waits": {func(e *evidence) {
			e.received[testWall] = e.received[testWall][:2]
			e.row(testWall, 3).status = "pending"
		}, []string{lost}, 0},
		"a post that was never written down": {func(e *evidence) {
			e.owed = append(e.owed, owed{testChat, -7, 4})
		}, []string{lost}, 0},
		"two copies in a chat": {func(e *evidence) { e.again(testChat, 1, 99) }, []string{doubled}, 0},
		"two copies in a chat, one attempt unknown": {func(e *evidence) {
			e.again(testChat, 1, 99)
			e.row(testChat, 1).unknown = 1
		}, nil, 1},
		"three copies in a chat, one attempt unknown": {func(e *evidence) {
			e.again(testChat, 1, 98)
			e.again(testChat, 1, 99)
			e.row(testChat, 1).unknown = 1
		}, []string{doubled}, 0},
		"two copies on a wall, one attempt unknown": {func(e *evidence) {
			e.again(testWall, 1, 99)
			e.row(testWall, 1).unknown = 1
		}, []string{doubled}, 0},
		"the second copy is the one on record": {func(e *evidence) {
			e.again(testChat, 1, 99)
			e.row(testChat, 1).unknown, e.row(testChat, 1).messages = 1, []int64{99}
		}, nil, 1},
		"a message that nobody owed": {func(e *evidence) { e.again(testChat, 77, 99) }, []string{doubled}, 0},
		"other ids on record": {func(e *evidence) {
			e.row(testChat, 2).messages = []int64{21}
		}, []string{unrecorded}, 0},
		"both copies on record": {func(e *evidence) {
			e.again(testChat, 1, 99)
			e.row(testChat, 1).unknown, e.row(testChat, 1).messages = 1, []int64{10, 99}
		}, []string{unrecorded}, 1},
		"received and still pending": {func(e *evidence) {
			e.row(testChat, 2).status, e.row(testChat, 2).messages = "pending", nil
		}, []string{unrecorded}, 0},
		"an album on record in another order": {func(e *evidence) {
			e.received[testChat][1].ids = []int64{20, 21}
			e.row(testChat, 2).messages = []int64{21, 20}
		}, nil, 0},
		"two that changed places": {func(e *evidence) { e.swap() }, []string{outOfOrder}, 0},
		"two that changed places, the first seen too late": {func(e *evidence) {
			e.swap()
			e.visible[e.row(testChat, 2).id] = noon.Add(3 * time.Second)
		}, nil, 0},
		"two that changed places, the first waited for a person": {func(e *evidence) {
			e.swap()
			e.wakings = []waking{{noon, testChat, e.row(testChat, 2).id, "parked"}}
			e.excuses = []excuse{{testChat, noon.Add(-time.Second), noon.Add(time.Second)}}
		}, nil, 0},
		"a part of a long post": {func(e *evidence) {
			e.part(testChat, sentences{0, 3, 9}, sentences{4, 8, 9})
		}, nil, 0},
		"a part of a long post twice, one attempt unknown": {func(e *evidence) {
			e.part(testChat, sentences{0, 3, 9}, sentences{4, 8, 9}, sentences{4, 8, 9})
			e.row(testChat, 3).unknown, e.row(testChat, 3).messages = 1, []int64{30, 32}
		}, nil, 1},
		"a long post without its middle": {func(e *evidence) {
			e.part(testChat, sentences{0, 3, 9}, sentences{6, 8, 9})
		}, []string{lost}, 0},
		"a long post without its end": {func(e *evidence) {
			e.part(testChat, sentences{0, 3, 9})
		}, []string{lost}, 0},
		"photos that come after their words, and after the next post": {func(e *evidence) {
			e.row(testChat, 2).messages = []int64{20, 99}
			e.received[testChat] = append(e.received[testChat],
				arrival{owner: -7, post: 2, ids: []int64{99}, at: noon.Add(time.Minute), sentences: late})
		}, nil, 0},
		"photos without an answer that the ledger knows": {func(e *evidence) {
			e.row(testChat, 2).messages = []int64{20, 99}
			e.received[testChat] = append(e.received[testChat], arrival{ids: []int64{99}, at: noon.Add(time.Minute), sentences: late})
		}, nil, 0},
		"photos without an answer that nobody knows": {func(e *evidence) {
			e.received[testChat] = append(e.received[testChat], arrival{ids: []int64{99}, at: noon.Add(time.Minute), sentences: late})
		}, []string{doubled}, 0},
		"an edit that has come": {func(e *evidence) {
			e.edited = []owed{{testChat, -7, 2}}
			e.received[testChat][1].rewarded = true
		}, nil, 0},
		"an edit that has not come": {func(e *evidence) { e.edited = []owed{{testChat, -7, 2}} }, []string{unedited}, 0},
		"an edit that nobody could make": {func(e *evidence) {
			e.edited = []owed{{testChat, -7, 2}}
			e.received[testChat][1].frozen = true
		}, nil, 0},
		"a burst": {func(e *evidence) {
			for post := range int64(13) {
				e.owe(testChat, 100+post, noon.Add(time.Hour+time.Duration(post)*700*time.Millisecond), 1)
			}
		}, []string{overRate}, 0},
		"the rate itself": {func(e *evidence) {
			for post := range int64(50) {
				e.owe(testChat, 100+post, noon.Add(time.Hour+time.Duration(post)*1010*time.Millisecond), 1)
			}
		}, nil, 0},
		"albums over the limit a minute": {func(e *evidence) {
			for post := range int64(7) {
				e.owe(testChat, 100+post, noon.Add(time.Hour+time.Duration(post)*8*time.Second), 10)
			}
		}, []string{overRate}, 0},
		"a button that spins": {func(e *evidence) { e.clicks[0].answered = false }, []string{unanswered}, 0},
		"no screen":           {func(e *evidence) { e.clicks[1].screens, e.clicks[0].screens = []int64{5}, []int64{5} }, []string{unanswered}, 0},
		"the first click's screen came with the second's": {func(e *evidence) {
			e.clicks[0].screens, e.clicks[1].screens = []int64{15, 16}, []int64{15, 16}
		}, []string{unanswered}, 0},
		"somebody woken for nothing": {func(e *evidence) {
			e.wakings = []waking{{noon, testChat, 1, "unknown"}, {noon, testWall, 0, "paused"}}
		}, []string{woken, woken}, 0},
		"somebody woken before the fault that excuses it": {func(e *evidence) {
			e.wakings = []waking{{noon, testChat, 1, "parked"}}
			e.excuses = []excuse{{testChat, noon.Add(time.Second), noon.Add(time.Minute)}, {testWall, noon.Add(-time.Minute), noon.Add(time.Minute)}}
		}, []string{woken}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := calmDay()
			row.spoil(e)
			o := audit(*e)
			var found []string
			for _, f := range o.findings {
				found = append(found, f.kind)
			}
			require.Equal(t, row.found, found, "%v", o)
			require.Len(t, o.uncertain, row.uncertain)
		})
	}
}

// swap lets the chat's third post arrive before its second.
func (e *evidence) swap() {
	arrivals := e.received[testChat]
	arrivals[1], arrivals[2] = arrivals[2], arrivals[1]
	arrivals[1].at, arrivals[2].at = arrivals[2].at, arrivals[1].at
}

// part lets the third post arrive in parts.
func (e *evidence) part(destination string, parts ...sentences) {
	row, last := e.row(destination, 3), e.received[destination][2]
	row.messages, e.received[destination] = nil, e.received[destination][:2]
	for i, some := range parts {
		id := int64(30 + i)
		row.messages = append(row.messages, id)
		e.received[destination] = append(e.received[destination],
			arrival{owner: -7, post: 3, ids: []int64{id}, at: last.at.Add(time.Duration(i) * time.Second), sentences: some})
	}
}

// owe adds a post that was delivered as so many messages.
func (e *evidence) owe(destination string, post int64, at time.Time, messages int) {
	due := owed{destination, -7, post}
	ids := make([]int64, messages)
	for i := range ids {
		ids[i] = post*100 + int64(i)
	}
	e.owed = append(e.owed, due)
	e.ledger = append(e.ledger, delivery{id: post, owed: due, status: "sent", messages: ids})
	e.received[destination] = append(e.received[destination], arrival{owner: -7, post: post, ids: ids, at: at, sentences: whole})
	e.visible[post] = noon
}

func TestTheSameSeedIsTheSamePlan(t *testing.T) {
	t.Parallel()
	require.Equal(t, newPlan(7, shortScale()), newPlan(7, shortScale()))
	require.NotEqual(t, newPlan(7, shortScale()).faults, newPlan(8, shortScale()).faults)
}

func TestEveryStormHasTheCertainFaultsWithinItsTimeAndNoTargetTwiceAtOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		p := newPlan(seed, shortScale())
		had, busy := map[string]bool{}, map[string]time.Duration{}
		for _, f := range p.faults {
			had[f.kind] = true
			require.Less(t, f.at, p.lasting, "seed %d: %s", seed, f)
			key, _ := f.exclusive()
			require.GreaterOrEqual(t, f.at, busy[key], "seed %d: %s", seed, f)
			busy[key] = f.at + f.lasting
			require.NotEqual(t, botKicked, f.kind)
		}
		for _, kind := range certain {
			require.True(t, had[kind], "seed %d: %s", seed, kind)
		}
	}
}
