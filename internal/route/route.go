// Package route decides which posts go to which destinations.
//
// A routes file (ROUTES_FILE) is YAML with two lists:
//
//	destinations:
//	  - id: telegram:-1001234567890/12   # chat, topic 12
//	    rate_per_sec: 0.5
//	    per_minute: 20
//	    max_media: 10
//	    header: "Помогите найти!"
//	  - id: vk:-123456
//	    attach_media: true
//	    token_env: VK_OUT_TOKEN_NORTH    # another token than the platform's own
//
//	rules:
//	  - name: пропавшие собаки с телефоном
//	    types: [lost, sighting]
//	    animals: [dog]
//	    has_phone: true
//	    include: [устиновский, "ленинск*"]
//	    exclude: ["щенки в добрые руки"]
//	    exclude_regex: ['прода(ю|м|ётся)']
//	    walls: [poteryashki_demo, -123456]
//	    to: [telegram:-1001234567890/12, vk:-123456]
//
// A destination's keys, all but id with a default:
//
//	id            telegram:<chat>[/<thread>] or vk:<owner>; topic 1 is General
//	rate_per_sec  messages a second, more than 0, at most 30
//	per_minute    messages a minute, an album counting one per photo; 0 means no such limit
//	max_media     photos per post, 0 to 50 (VK: 10)
//	attach_media  photos at all
//	max_text      characters of a post's text, 256 to 100000 (VK; Telegram's limits are its own)
//	silent        without a sound (VK: without notifying subscribers)
//	header        a line of your own above every post, at most 500 letters
//	footer        the same below
//	replace       list of find (a regular expression) and with (its replacement, $1 its group; left out: a cut),
//	              for the words of authors
//	link_preview  the source link's preview under posts without photos (Telegram)
//	contact_buttons  the contacts under messages, too, as buttons: phones to copy, chats in
//	              messengers, the author's page, the post; albums can't have any (Telegram)
//	parse_mode    HTML or MarkdownV2 (Telegram)
//	on_unknown    retry or park, when nobody can know whether a message went out
//	token_env     the environment variable that holds this destination's token
//	quiet_hours   hours in which nothing is sent, such as 23:00-07:00 (BOT_TIMEZONE) or
//	              23:00-07:00 Asia/Yekaterinburg; what is owed waits. none: send at any hour
//	approve       true: nothing goes there until a person approves it
//	approve_after how long a person may take, such as 30m, 1m to 168h; left out: no limit
//	approve_then  what happens after that: publish, or drop (the default)
//
// A rule's keys:
//
//	name           how the rule is called in reasons
//	types          petpost types, or [any]; required
//	animals        dog, cat, other, unknown; none given: any
//	include        words or phrases, one of which must occur
//	include_regex  regular expressions (RE2), one of which must match
//	exclude        words or phrases, none of which may occur
//	exclude_regex  regular expressions, none of which may match
//	min_confidence 0 to 1: a post whose type is less sure waits for a person (make eval says how many do)
//	approve        true: its posts go only when a person approves them
//	approve_after  how long a person may take who is asked, for approve or min_confidence; left out: no limit
//	approve_then   what happens after that: publish, or drop (the default)
//	has_phone      true: only posts with a phone; false: only posts without
//	walls          owner ids, screen names or addresses of the walls posts must come from
//	to             ids of destinations; required
//
// Where both include and include_regex are given, one hit in either is
// enough. Words match whole words whatever the case, ё is е, and a star
// stands for any ending: "ленинск*". Regular expressions ignore case too,
// unless they say (?-i). Both look at the author's text and the reposted one.
//
// A post goes to every destination that at least one rule sends it to, once.
// If one of them asks nobody, nobody is asked, unless the destination asks; where
// both ask, the rule says how long.
// YAML anchors and merge keys (<<) work. Unknown keys and everything else that
// cannot be meant are refused, all at once, with their lines.
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
	return notice.PlanTelegram(post, t.Settings.TelegramOptions()).Steps[0].Weight
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
		decision := Decision{Destination: target.Destination, Approval: target.Settings.Approval}
		var yes, asks, no []string
		asking := 0 // the first rule that asks a person
		for i, rule := range r.rules {
			if !slices.Contains(rule.to, target.Destination) {
				continue
			}
			reason := "rule " + rule.name + ": " + results[i].reason
			switch {
			case results[i].asks:
				asks = append(asks, reason)
				if len(asks) == 1 {
					asking = i
				}
			case results[i].matched:
				yes = append(yes, reason)
			default:
				no = append(no, reason)
				decision.Refusals = append(decision.Refusals, results[i].refusal)
			}
		}
		if len(yes) == 0 && len(asks) > 0 {
			decision.Unsure = results[asking].unsure && !decision.Approval.Asks
			decision.Approval = r.rules[asking].approval
		}
		switch {
		case len(yes)+len(asks) > 0:
			decision.Matched, decision.Reason, decision.Refusals = true, append(yes, asks...)[0], nil
			if len(yes) > 0 && decision.Approval.Asks {
				decision.Reason += ", a person approves it first"
			}
			matched = append(matched, target.Destination)
		case len(no) > 0:
			decision.Reason = strings.Join(no, "; ")
		default:
			decision.Reason = "no rule sends here"
		}
		decisions = append(decisions, decision)
	}
	return matched, decisions
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
