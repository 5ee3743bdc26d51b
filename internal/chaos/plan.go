package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"vestnik/internal/sandbox"
)

// scale is how large a storm is.
type scale struct {
	posts, walls, chats, vk, users int
	lasting                        time.Duration // faults and posts; what follows is calm
	calm                           time.Duration // how long everything may take to come to rest
	every                          time.Duration // mean time between two faults
	workers, apis                  int
	people                         bool   // faults that only a person can mend, too
	without                        string // kinds of faults that are left out of the plan, or all
	from                           string // a commit whose build is upgraded from in the middle; empty: none
	cluster                        bool   // Temporal is a cluster of processes on Postgres, not the dev server
}

func shortScale() scale {
	return scale{posts: 40, walls: 4, chats: 2, vk: 1, users: 10, lasting: 40 * time.Second, calm: 3 * time.Minute, every: 4 * time.Second, workers: 1, apis: 1}
}

// fault is something that goes wrong at a time of the storm.
type fault struct {
	at, lasting time.Duration
	kind        string
	target      string // a link, a destination, a method
	which       int    // of several workers or deliveries, whichever there are then
	killed      bool   // kill -9 in place of a request to stop
	injected    sandbox.Fault
}

// The kinds of faults.
const (
	workerKilled       = "worker killed"
	workerFrozen       = "worker frozen"
	rollout            = "rollout"
	apiKilled          = "api killed"
	postgresDown       = "postgres down"
	temporalDown       = "temporal down"
	linkStalled        = "link stalled"
	linkDropped        = "link dropped"
	laneTerminated     = "lane terminated"
	deliveryTerminated = "delivery terminated"
	platformFault      = "platform"
	botKicked          = "bot kicked"
	captchaAsked       = "captcha asked"
	chatUpgraded       = "chat upgraded"
	upgraded           = "upgraded" // once, from the version that the storm began with
)

func (f fault) String() string {
	text := f.kind
	if f.target != "" {
		text += " " + f.target
	}
	if f.killed {
		text += " with -9"
	}
	if f.lasting > 0 {
		text += fmt.Sprintf(" for %.1f s", f.lasting.Seconds())
	}
	return text
}

// publication is a post that somebody writes on a wall.
type publication struct {
	at     time.Duration
	wall   int
	photos int
	length int           // sentences beyond the first; many make several messages
	edited time.Duration // how long after at the author adds a reward; 0: never
}

// plan is all that a seed decides before a storm begins.
type plan struct {
	scale
	seed   uint64
	faults []fault
	posts  []publication
}

// frequent are the kinds of faults beyond those that every storm has.
var frequent = []string{
	workerKilled, workerFrozen, rollout, apiKilled, postgresDown, temporalDown, linkStalled, linkStalled, linkDropped,
	laneTerminated, deliveryTerminated, deliveryTerminated, platformFault, platformFault, platformFault, platformFault,
}

// page is how many posts a reading of a wall brings.
const page = 20

// certain are the faults that even the shortest storm has.
var certain = []string{workerKilled, postgresDown, temporalDown, laneTerminated, deliveryTerminated, linkStalled, rollout, platformFault, chatUpgraded}

func newPlan(seed uint64, s scale) *plan {
	p := &plan{scale: s, seed: seed}
	random := rand.New(rand.NewPCG(seed, 0))
	for number := range s.posts {
		post := publication{
			at:   time.Duration(float64(s.lasting) * 0.9 * float64(number) / float64(s.posts)).Truncate(time.Second), // several at once
			wall: random.IntN(s.walls),
		}
		switch random.IntN(12) {
		case 0:
			post.length = 50 + random.IntN(70)
		case 1, 2:
			post.edited = time.Duration(1+random.IntN(20)) * time.Second
		default:
			post.photos = max(0, random.IntN(5)-2)
		}
		p.posts = append(p.posts, post)
	}
	if s.from != "" { // what the version before does with those is not what is promised now
		for i := range p.posts {
			p.posts[i].length, p.posts[i].edited = 0, 0
		}
	}
	newer := make([]int, s.walls)
	for i, post := range slices.Backward(p.posts) {
		if newer[post.wall]++; newer[post.wall] >= page {
			p.posts[i].edited = 0 // nobody would look so far down for half an hour
		}
	}
	planned := slices.Clone(certain)
	if s.people {
		planned = append(planned, botKicked, captchaAsked)
	}
	for len(planned) < int(s.lasting/s.every) {
		planned = append(planned, frequent[random.IntN(len(frequent))])
	}
	for _, kind := range planned {
		for tries := 0; tries < 5; tries++ {
			if p.place(random, p.newFault(random, kind)) {
				break
			}
		}
	}
	p.faults = slices.DeleteFunc(p.faults, func(f fault) bool {
		return s.without == "all" || slices.Contains(strings.Split(s.without, ","), f.kind) ||
			f.kind == rollout && s.from != "" // there is one already
	})
	if s.from != "" {
		p.faults = append(p.faults, fault{at: s.lasting / 2, kind: upgraded})
	}
	slices.SortStableFunc(p.faults, func(a, b fault) int { return int(a.at - b.at) })
	return p
}

// place finds a time for a fault at which nothing else befalls its target, and
// reports whether there is one.
func (p *plan) place(random *rand.Rand, f fault) bool {
	target, apart := f.exclusive()
	for range 50 {
		f.at = p.lasting/20 + time.Duration(random.Float64()*0.75*float64(p.lasting))
		if !slices.ContainsFunc(p.faults, func(other fault) bool {
			same, _ := other.exclusive()
			return same == target && f.at < other.at+other.lasting+apart && other.at < f.at+f.lasting+apart
		}) {
			p.faults = append(p.faults, f)
			return true
		}
	}
	return false
}

// exclusive is what a fault has for itself, and for how long before and after.
func (f fault) exclusive() (target string, apart time.Duration) {
	switch {
	case f.target == telegramLink, f.injected.Platform == sandbox.Telegram && f.injected.Chat == "":
		return "guide", guideTries
	case f.kind == linkStalled, f.kind == linkDropped:
		return f.target, time.Second
	case f.kind == rollout:
		return f.kind, 20 * time.Second // as long as the server may need to know a version
	case f.kind == platformFault, f.kind == botKicked, f.kind == captchaAsked:
		return f.kind + f.target, time.Second
	}
	return f.kind, time.Second
}

// What the guide meets on its way to Telegram is less than its three attempts
// take (call timeout 5 s, then 1 s and 2 s between them): beyond that it gives
// up, as its specification says, and that would be no finding.
const (
	guideStall = 8 * time.Second
	guideDrop  = 2 * time.Second
	guideTries = 18 * time.Second
)

func (p *plan) newFault(random *rand.Rand, kind string) fault {
	f := fault{kind: kind, which: random.IntN(1 << 16)}
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(random.Int64N(int64(most-least)))
	}
	destinations := p.destinations()
	switch kind {
	case workerFrozen:
		f.lasting = between(3*time.Second, 14*time.Second)
	case postgresDown, temporalDown:
		f.lasting, f.killed = between(time.Second, 8*time.Second), random.IntN(2) == 0
	case linkStalled:
		f.target, f.lasting = linkNames[random.IntN(len(linkNames))], between(3*time.Second, 15*time.Second)
		if f.target == telegramLink {
			f.lasting = min(f.lasting, guideStall)
		}
	case linkDropped:
		f.target, f.lasting = linkNames[random.IntN(len(linkNames))], between(500*time.Millisecond, 6*time.Second)
		if f.target == telegramLink {
			f.lasting = min(f.lasting, guideDrop)
		}
	case laneTerminated, deliveryTerminated:
		f.target = destinations[random.IntN(len(destinations))]
	case botKicked:
		f.target, f.lasting = chatName(random.IntN(p.chats)), between(8*time.Second, 15*time.Second)
	case captchaAsked:
		f.target, f.lasting = targetName(random.IntN(p.vk)), between(8*time.Second, 15*time.Second)
	case chatUpgraded:
		f.target = chatName(p.chats - 1)
	case platformFault:
		choice := p.faultPresets()[random.IntN(len(p.faultPresets()))]
		f.injected, f.lasting = choice.Fault, choice.lasting
		if choice.chat != nil {
			f.injected.Chat = choice.chat(random)
		}
		f.target = choice.name + " " + f.injected.Method + " " + f.injected.Chat
	}
	return f
}

// faultPreset is what a platform does now and then: so many calls are met, or all
// within a time.
type faultPreset struct {
	name    string
	chat    func(*rand.Rand) string
	lasting time.Duration
	sandbox.Fault
}

func (p *plan) faultPresets() []faultPreset {
	chat := func(random *rand.Rand) string { return fmt.Sprint(chatID(random.IntN(p.chats))) }
	wall := func(random *rand.Rand) string { return fmt.Sprint(targetID(random.IntN(p.vk))) }
	telegram := func(name string, f sandbox.Fault) faultPreset {
		f.Platform = sandbox.Telegram
		return faultPreset{name: name, chat: chat, Fault: f}
	}
	vk := func(name, method string, f sandbox.Fault) faultPreset {
		f.Platform, f.Method = sandbox.VK, method
		if method == "wall.post" {
			return faultPreset{name: name, chat: wall, Fault: f}
		}
		return faultPreset{name: name, Fault: f}
	}
	anybody := func(name, method string, f sandbox.Fault) faultPreset {
		f.Platform, f.Method = sandbox.Telegram, method
		return faultPreset{name: name, lasting: guideDrop, Fault: f}
	}
	lasting := func(preset faultPreset, time time.Duration) faultPreset { preset.lasting = time; return preset }
	return []faultPreset{
		telegram("asks to wait", sandbox.Fault{Code: 429, RetryAfter: 3, Times: 1}),
		telegram("500", sandbox.Fault{Status: 500, Times: 2}),
		telegram("502 as a page", sandbox.Fault{Status: 502, Body: "<html>Bad Gateway</html>", Times: 2}),
		telegram("no gzip", sandbox.Fault{GzipGarbage: true, Times: 1}),
		telegram("cuts", sandbox.Fault{Reset: true, Times: 1}),
		telegram("accepts and cuts", sandbox.Fault{AcceptThenFail: true, Reset: true, Times: 1}),
		telegram("accepts and says 500", sandbox.Fault{AcceptThenFail: true, Times: 1}),
		telegram("hangs", sandbox.Fault{Hang: true, Times: 1}),
		telegram("accepts and hangs", sandbox.Fault{AcceptThenFail: true, Hang: true, Times: 1}),
		telegram("is slow", sandbox.Fault{DelayMS: 2000, Times: 6}),
		telegram("refuses a photo", sandbox.Fault{Method: "sendPhoto", Code: 400, Description: "Bad Request: wrong type of the web page content", Times: 1}),
		lasting(telegram("is down", sandbox.Fault{Status: 503}), 20*time.Second),
		anybody("500 to the guide", "answerCallbackQuery", sandbox.Fault{Status: 500, Times: 2}),
		anybody("500 to anybody", "sendMessage", sandbox.Fault{Status: 500, Times: 2}),
		anybody("500 to the guide", "getChatMember", sandbox.Fault{Status: 500, Times: 2}),
		vk("too fast", "wall.post", sandbox.Fault{Code: 6, Description: "Too many requests per second", Times: 2}),
		vk("internal error", "wall.post", sandbox.Fault{Code: 10, Description: "Internal server error", Times: 2}),
		vk("502 as a page", "wall.post", sandbox.Fault{Status: 502, Body: "<html>Bad Gateway</html>", Times: 2}),
		vk("cuts", "wall.post", sandbox.Fault{Reset: true, Times: 1}),
		vk("accepts and cuts", "wall.post", sandbox.Fault{AcceptThenFail: true, Reset: true, Times: 2}),
		vk("accepts and says 502", "wall.post", sandbox.Fault{AcceptThenFail: true, Times: 1}),
		vk("accepts and hangs", "wall.post", sandbox.Fault{AcceptThenFail: true, Hang: true, Times: 1}),
		lasting(vk("is down", "wall.post", sandbox.Fault{Status: 503, Body: "<html>maintenance</html>"}), 20*time.Second),
		vk("hangs", "wall.get", sandbox.Fault{Hang: true, Times: 1}),
		vk("internal error", "wall.get", sandbox.Fault{Code: 10, Description: "Internal server error", Times: 3}),
		vk("cuts", "wall.get", sandbox.Fault{Reset: true, Times: 3}),
		lasting(vk("is down", "wall.get", sandbox.Fault{Status: 503, Body: "<html>maintenance</html>"}), 10*time.Second),
	}
}
