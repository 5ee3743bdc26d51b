package route

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/rivo/uniseg"

	"vestnik/internal/notice"
)

// Load reads a routes file in which destinations fall back on the given
// defaults. Its error is a Faults with everything that is wrong in the file, but
// for unknown keys: of those the first of each entry.
func Load(text []byte, defaults Defaults) (*Routes, error) {
	l := &loader{defaults: defaults, routes: &Routes{text: string(text)}}
	parsed, err := parser.ParseBytes(text, 0)
	if err != nil {
		l.broken(err)
	} else if documents := slices.DeleteFunc(parsed.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil }); len(documents) == 0 {
		l.fault(0, "", "the file is empty; it needs destinations and rules")
	} else if len(documents) > 1 {
		l.fault(documents[1].Body.GetToken().Position.Line, "", "a second YAML document; put everything into one")
	} else {
		l.read(documents[0].Body)
	}
	if err := l.faults.orNil(); err != nil {
		return nil, err
	}
	return l.routes, nil
}

type loader struct {
	defaults Defaults
	routes   *Routes
	faults   Faults
}

// file is a routes file.
type file struct {
	Destinations value[list[destinationKeys]] `yaml:"destinations"`
	Rules        value[list[ruleKeys]]        `yaml:"rules"`
}

// read goes through the destinations first, whatever their order in the file,
// so that rules can be checked against them.
func (l *loader) read(document ast.Node) {
	var root value[file]
	// A key that is there twice has been found by the parser; here it is one that is merged in as well.
	if err := yaml.NodeToValue(document, &root, yaml.DisallowUnknownField(), yaml.AllowDuplicateMapKey()); err != nil {
		l.broken(err)
		return
	}
	if !given(l, root, "") && root.is.Destinations.line == 0 {
		return
	}
	for i, entry := range entries(l, root.is.Destinations, "destinations") {
		l.readDestination(entry, fmt.Sprintf("destination %d", i+1))
	}
	for i, entry := range entries(l, root.is.Rules, "rules") {
		l.readRule(entry, strconv.Itoa(i+1))
	}
}

// entries are the elements of one of the two lists, which must have some.
func entries[T any](l *loader, listed value[list[T]], key string) list[T] {
	if len(listed.is) == 0 {
		l.fault(listed.line, "", "no %s; list at least one under %s", key, key)
	}
	return listed.is
}

// Bounds of a destination's settings.
const (
	minRatePerSec = 0.001 // one in a quarter of an hour
	maxRatePerSec = 30    // Telegram's bulk limit for one bot
	maxPerMinute  = maxRatePerSec * 60
	maxMedia      = 50
	maxFrame      = 500 // letters of a header or footer
)

// Bounds of a text's length on a VK wall: the least leaves room for a title and
// the source link, which are never cut.
const (
	minText = notice.MinVKUnits
	maxText = 100_000
)

var environmentName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// destinationKeys are what an entry under destinations says.
type destinationKeys struct {
	ID             value[name]           `yaml:"id"`
	RatePerSec     value[float64]        `yaml:"rate_per_sec"`
	PerMinute      value[float64]        `yaml:"per_minute"`
	MaxMedia       value[float64]        `yaml:"max_media"`
	AttachMedia    value[bool]           `yaml:"attach_media"`
	MaxText        value[float64]        `yaml:"max_text"`
	Silent         value[bool]           `yaml:"silent"`
	Header         value[string]         `yaml:"header"`
	Footer         value[string]         `yaml:"footer"`
	Replace        list[replacementKeys] `yaml:"replace"`
	LinkPreview    value[bool]           `yaml:"link_preview"`
	ContactButtons value[bool]           `yaml:"contact_buttons"`
	ParseMode      value[string]         `yaml:"parse_mode"`
	OnUnknown      value[string]         `yaml:"on_unknown"`
	TokenEnv       value[string]         `yaml:"token_env"`
	QuietHours     value[string]         `yaml:"quiet_hours"`
	Approval       approvalKeys          `yaml:",inline"`
}

type approvalKeys struct {
	Approve      value[bool]   `yaml:"approve"`
	ApproveAfter value[string] `yaml:"approve_after"`
	ApproveThen  value[string] `yaml:"approve_then"`
}

type replacementKeys struct {
	Find value[string] `yaml:"find"`
	With value[string] `yaml:"with"`
}

func (l *loader) readDestination(entry value[destinationKeys], where string) {
	given(l, entry, where)
	id := entry.is.ID
	if id.line == 0 {
		if entry.wrong == nil {
			l.fault(entry.line, where, "no id; say where posts go, for example id: telegram:-1001234567890")
		}
		return
	}
	destination, ok := l.destination(id, where+": id")
	if !ok {
		return
	}
	for _, other := range l.routes.targets {
		if other.Destination.Place() == destination.Place() {
			l.fault(id.line, where, "%s and %s are one place; keep one of them", other.Destination, destination)
		}
	}
	l.routes.targets = append(l.routes.targets, Target{destination, l.settings(destination, entry.is, where)})
}

func (l *loader) settings(destination Destination, keys destinationKeys, where string) Settings {
	s, most, there := l.defaults.Telegram, maxMedia, "in a Telegram chat"
	foreign := map[string]int{"max_text": keys.MaxText.line}
	if destination.Platform == VK {
		s, most, there = l.defaults.VK, notice.MaxVKMedia, "on a VK wall"
		foreign = map[string]int{"link_preview": keys.LinkPreview.line, "contact_buttons": keys.ContactButtons.line, "parse_mode": keys.ParseMode.line}
	}
	for key, line := range foreign {
		if line > 0 {
			l.fault(line, where, "%s means nothing %s; remove it", key, there)
		}
	}
	where += ": "
	number(l, keys.RatePerSec, where+"rate_per_sec", minRatePerSec, maxRatePerSec, &s.RatePerSec)
	number(l, keys.PerMinute, where+"per_minute", 0, maxPerMinute, &s.PerMinute)
	number(l, keys.MaxMedia, where+"max_media", 0, float64(most), &s.MaxMedia)
	number(l, keys.MaxText, where+"max_text", minText, maxText, &s.MaxText)
	set(l, keys.AttachMedia, where+"attach_media", &s.AttachMedia)
	set(l, keys.Silent, where+"silent", &s.Silent)
	set(l, keys.LinkPreview, where+"link_preview", &s.LinkPreview)
	set(l, keys.ContactButtons, where+"contact_buttons", &s.ContactButtons)
	l.frame(keys.Header, where+"header", &s.Header)
	l.frame(keys.Footer, where+"footer", &s.Footer)
	if keys.Replace != nil {
		s.Replace = l.replacements(keys.Replace, where+"replace")
	}
	oneOf(l, keys.ParseMode, where+"parse_mode", &s.ParseMode, notice.HTML, notice.MarkdownV2)
	oneOf(l, keys.OnUnknown, where+"on_unknown", &s.OnUnknown, Retry, Park)
	set(l, keys.Approval.Approve, where+"approve", &s.Approval.Asks)
	l.silence(keys.Approval, where, &s.Approval)
	if hours := keys.QuietHours; given(l, hours, where+"quiet_hours") {
		var err error
		zone := s.Quiet.Zone
		if s.Quiet = (QuietHours{}); hours.is != "none" {
			if s.Quiet, err = ParseQuietHours(hours.is, zone); err != nil {
				l.fault(hours.line, where+"quiet_hours", "%v", err)
			}
		}
	}
	set(l, keys.TokenEnv, where+"token_env", &s.TokenEnv)
	if token := keys.TokenEnv; token.line > 0 && token.wrong == nil && !environmentName.MatchString(token.is) {
		// The value may be a token put here by mistake: do not repeat it.
		l.fault(token.line, where+"token_env", "this is no name of an environment variable; put the token there and its name here, for example TG_TOKEN_NORTH")
	}
	return s
}

// Bounds of approve_after.
const (
	minApproval = time.Minute
	maxApproval = 7 * 24 * time.Hour
)

// silence reads what happens when nobody answers whoever asks for approval.
func (l *loader) silence(keys approvalKeys, where string, approval *Approval) {
	after, then := keys.ApproveAfter, keys.ApproveThen
	if !given(l, after, where+"approve_after") {
		if then.line > 0 {
			l.fault(then.line, where+"approve_then", "approve_then needs approve_after: how long a person may take")
		}
		return
	}
	if !approval.Asks {
		l.fault(after.line, where+"approve_after", "approve_after without approve: true: nobody is asked")
	}
	wait, err := time.ParseDuration(after.is)
	if err != nil || wait < minApproval || wait > maxApproval {
		l.fault(after.line, where+"approve_after", "%q is no time from 1m to 168h; write for example 30m", after.is)
	}
	approval.After, approval.Then = wait, Drop
	oneOf(l, then, where+"approve_then", &approval.Then, Publish, Drop)
}

func (l *loader) frame(text value[string], where string, frame *string) {
	set(l, text, where, frame)
	if *frame = strings.TrimSpace(*frame); uniseg.GraphemeClusterCount(text.is) > maxFrame {
		l.fault(text.line, where, "longer than %d letters", maxFrame)
	}
}

func (l *loader) replacements(entries list[replacementKeys], where string) (all []notice.Replacement) {
	for _, entry := range entries {
		find := entry.is.Find
		if given(l, entry, where) && find.line == 0 {
			l.fault(entry.line, where, "no find; say what is replaced, for example find: 'подпишитесь.*', with: ''")
		}
		with := ""
		set(l, entry.is.With, where+": with", &with)
		if find.line > 0 {
			for _, pattern := range l.regexes(list[string]{find}, where+": find") {
				all = append(all, notice.Replacement{Find: pattern.regex, With: with})
			}
		}
	}
	return all
}

func oneOf[T ~string](l *loader, v value[string], where string, setting *T, allowed ...T) {
	switch {
	case !given(l, v, where):
	case !slices.Contains(allowed, T(v.is)):
		l.fault(v.line, where, "%q is not one of %s", v.is, joined(allowed))
	default:
		*setting = T(v.is)
	}
}

func (l *loader) destination(id value[name], where string) (Destination, bool) {
	if !given(l, id, where) {
		return Destination{}, false
	}
	destination, err := ParseDestination(string(id.is))
	if err != nil {
		l.fault(id.line, where, "%v", err)
	}
	return destination, err == nil
}
