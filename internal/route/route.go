// Package route decides which posts go to which destinations.
//
// A routes file (ROUTES_FILE) is YAML: destinations, and rules that send posts to
// them. docs/routes.md has its keys. A post goes to every destination that at
// least one rule sends it to, once.
package route

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"vestnik/internal/notice"
	"vestnik/internal/petpost"
)

// Routes is a set of rules over a set of destinations. It does not change and
// is safe for use from several goroutines.
type Routes struct {
	targets []Target
	rules   []rule
	text    string // of the file
}

// impliedVersion is the version of the rules that hold without a routes file.
const impliedVersion = "implied"

// Version names the rules: 12 digits of the hash of their file's text, or
// [impliedVersion].
func (r *Routes) Version() string {
	if r.text == "" {
		return impliedVersion
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(r.text)))[:12]
}

// Text is the routes file; empty if there is none.
func (r *Routes) Text() string { return r.text }

// Target is a destination with how it wants its posts.
type Target struct {
	Destination Destination
	Settings    Settings
}

// FirstWeight is what the first message about a post counts for in the limit of
// messages a minute: an album one for each item.
func (t Target) FirstWeight(post petpost.Post) int {
	if t.Destination.Platform != Telegram {
		return 1
	}
	return notice.PlanTelegram(post, t.Settings.TelegramOptions())[0].Weight
}

// Decision says whether a post goes to a destination, and why. Reasons name
// rules and the words of rules, never words of the post.
type Decision struct {
	Destination Destination
	Matched     bool
	// Approval is how a person is asked before it goes: as the rule says, or, if
	// a rule asks nobody, as the destination does.
	Approval Approval
	// Unsure: a person is asked only because its type is not sure.
	Unsure bool
	Reason string
	// Refusals are why it does not go there, one for each rule that sends there.
	Refusals []Refusal
}

// Match decides for every destination, in the order of the file, and lists
// those the post goes to. watched is the name under which its wall is watched,
// "" where that is not known.
func (r *Routes) Match(post petpost.Post, watched string) ([]Destination, []Decision) {
	var matched []Destination
	decisions := make([]Decision, 0, len(r.targets))
	text := newSearchText(post)
	results := make([]result, len(r.rules))
	for i, rule := range r.rules {
		results[i] = rule.decide(post, watched, text)
	}
	for _, target := range r.targets {
		decision := r.decide(target, results)
		if decision.Matched {
			matched = append(matched, target.Destination)
		}
		decisions = append(decisions, decision)
	}
	return matched, decisions
}

// decide says of one destination what the rules that send there have found.
func (r *Routes) decide(target Target, results []result) Decision {
	decision := Decision{Destination: target.Destination, Approval: target.Settings.Approval}
	const none = -1
	sends, asks := none, none // the first rule that does; one that wants the post's type asks before any other
	var no []string
	reason := func(i int) string { return "rule " + r.rules[i].name + ": " + results[i].reason }
	for i, rule := range r.rules {
		switch {
		case !slices.Contains(rule.to, target.Destination):
		case results[i].asks:
			if asks == none || results[asks].other && !results[i].other {
				asks = i
			}
		case results[i].matched:
			if sends == none {
				sends = i
			}
		default:
			no = append(no, reason(i))
			decision.Refusals = append(decision.Refusals, results[i].refusal)
		}
	}
	switch {
	case sends != none:
		decision.Matched, decision.Reason, decision.Refusals = true, reason(sends), nil
		if decision.Approval.Asks {
			decision.Reason += ", a person approves it first"
		}
	case asks != none:
		decision.Matched, decision.Reason, decision.Refusals = true, reason(asks), nil
		decision.Unsure = results[asks].unsure && !decision.Approval.Asks
		if decision.Approval = r.rules[asks].approval; results[asks].other && decision.Approval.After > 0 {
			decision.Approval.Then = Drop // silence doesn't make it what the rule wants
		}
	case len(no) > 0:
		decision.Reason = strings.Join(no, "; ")
	default:
		decision.Reason = "no rule sends here"
	}
	return decision
}

// Targets are all destinations with their settings, in the order of the file.
func (r *Routes) Targets() []Target { return slices.Clone(r.targets) }

// Target looks a destination up.
func (r *Routes) Target(destination Destination) (Target, bool) {
	for _, target := range r.targets {
		if target.Destination == destination {
			return target, true
		}
	}
	return Target{}, false
}

// Named is [Routes.Target] by the destination's name.
func (r *Routes) Named(name string) (Target, bool) {
	destination, err := ParseDestination(name)
	if err != nil {
		return Target{}, false
	}
	return r.Target(destination)
}

// Implied is what holds without a routes file: posts about lost pets go to
// whichever of the two destinations is enabled; nil means not enabled.
func Implied(telegram, vk *Target) *Routes {
	routes := &Routes{}
	implied := rule{name: "«lost»", types: []petpost.Type{petpost.Lost}}
	for _, target := range []*Target{telegram, vk} {
		if target != nil {
			routes.targets = append(routes.targets, *target)
			implied.to = append(implied.to, target.Destination)
		}
	}
	routes.rules = []rule{implied}
	return routes
}
