package route

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/rivo/uniseg"

	"vestnik/internal/notice"
)

// Load reads a routes file in which destinations fall back on the given
// defaults. Its error is a Faults with everything that is wrong in the file.
func Load(yaml []byte, defaults Defaults) (*Routes, error) {
	document, root := parseDocument(yaml)
	l := &loader{document: document, defaults: defaults, routes: &Routes{text: string(yaml)}}
	switch {
	case len(l.faults) > 0 && root == nil:
	case root == nil:
		l.fault(nil, "", "the file is empty; it needs destinations and rules")
	default:
		l.read(root)
	}
	if err := l.faults.orNil(); err != nil {
		return nil, err
	}
	return l.routes, nil
}

type loader struct {
	*document
	defaults Defaults
	routes   *Routes
}

// read goes through the destinations first, whatever their order in the file,
// so that rules can be checked against them.
func (l *loader) read(root ast.Node) {
	lists := l.fields(root, "", "destinations", "rules")
	if lists == nil {
		return
	}
	for i, entry := range l.entries(lists, "destinations") {
		l.readDestination(entry, fmt.Sprintf("destination %d", i+1))
	}
	for i, entry := range l.entries(lists, "rules") {
		l.readRule(entry, strconv.Itoa(i+1))
	}
}

// entries are the elements of one of the two lists, which must have some.
func (l *loader) entries(lists map[string]ast.Node, key string) []ast.Node {
	var entries []ast.Node
	if lists[key] != nil {
		entries = l.items(lists[key])
	}
	if len(entries) == 0 {
		l.fault(lists[key], "", "no %s; list at least one under %s", key, key)
	}
	return entries
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

func (l *loader) readDestination(node ast.Node, where string) {
	fields := l.fields(node, where, "id", "rate_per_sec", "per_minute", "max_media", "attach_media", "max_text", "silent",
		"header", "footer", "replace", "link_preview", "contact_buttons", "parse_mode", "on_unknown", "token_env", "quiet_hours", "approve", "approve_after", "approve_then")
	if fields == nil {
		return
	}
	if fields["id"] == nil {
		l.fault(node, where, "no id; say where posts go, for example id: telegram:-1001234567890")
		return
	}
	destination, ok := l.destination(fields["id"], where+": id")
	if !ok {
		return
	}
	for _, other := range l.routes.targets {
		if other.Destination.Place() == destination.Place() {
			l.fault(fields["id"], where, "%s and %s are one place; keep one of them", other.Destination, destination)
		}
	}
	l.routes.targets = append(l.routes.targets, Target{destination, l.settings(destination, fields, where)})
}

func (l *loader) settings(destination Destination, fields map[string]ast.Node, where string) Settings {
	s, most := l.defaults.Telegram, maxMedia
	foreign, there := []string{"max_text"}, "in a Telegram chat"
	if destination.Platform == VK {
		s, most = l.defaults.VK, notice.MaxVKMedia
		foreign, there = []string{"link_preview", "contact_buttons", "parse_mode"}, "on a VK wall"
	}
	for _, key := range foreign {
		if node := fields[key]; node != nil {
			l.fault(node, where, "%s means nothing %s; remove it", key, there)
		}
	}
	for key, node := range fields {
		place := where + ": " + key
		switch key {
		case "rate_per_sec":
			if rate, ok := l.number(node, place, minRatePerSec, maxRatePerSec); ok {
				s.RatePerSec = rate
			}
		case "per_minute":
			if count, ok := l.whole(node, place, 0, maxPerMinute); ok {
				s.PerMinute = count
			}
		case "max_media":
			if count, ok := l.whole(node, place, 0, most); ok {
				s.MaxMedia = count
			}
		case "max_text":
			if count, ok := l.whole(node, place, minText, maxText); ok {
				s.MaxText = count
			}
		case "attach_media":
			s.AttachMedia = l.truth(node, place)
		case "silent":
			s.Silent = l.truth(node, place)
		case "link_preview":
			s.LinkPreview = l.truth(node, place)
		case "contact_buttons":
			s.ContactButtons = l.truth(node, place)
		case "header":
			s.Header = l.frame(node, place)
		case "footer":
			s.Footer = l.frame(node, place)
		case "replace":
			s.Replace = l.replacements(node, place)
		case "parse_mode":
			s.ParseMode = oneOf(l, node, place, notice.HTML, notice.MarkdownV2)
		case "on_unknown":
			s.OnUnknown = oneOf(l, node, place, Retry, Park)
		case "approve":
			s.Approval.Asks = l.truth(node, place)
		case "quiet_hours":
			if text, ok := l.text(node, place); ok && text != "none" {
				var err error
				if s.Quiet, err = ParseQuietHours(text, s.Quiet.Zone); err != nil {
					l.fault(node, place, "%v", err)
				}
			} else {
				s.Quiet = QuietHours{}
			}
		case "token_env":
			name, ok := l.text(node, place)
			if ok && !environmentName.MatchString(name) {
				// The value may be a token put here by mistake: do not repeat it.
				l.fault(node, place, "this is no name of an environment variable; put the token there and its name here, for example TG_TOKEN_NORTH")
			}
			s.TokenEnv = name
		}
	}
	l.silence(fields, where, &s.Approval)
	return s
}

// Bounds of approve_after.
const (
	minApproval = time.Minute
	maxApproval = 7 * 24 * time.Hour
)

// silence reads what happens when nobody answers whoever asks for approval.
func (l *loader) silence(fields map[string]ast.Node, where string, approval *Approval) {
	after, then := fields["approve_after"], fields["approve_then"]
	if after == nil {
		if then != nil {
			l.fault(then, where, "approve_then needs approve_after: how long a person may take")
		}
		return
	}
	if !approval.Asks {
		l.fault(after, where, "approve_after without approve: true: nobody is asked")
	}
	text, ok := l.text(after, where+": approve_after")
	wait, err := time.ParseDuration(text)
	if ok && (err != nil || wait < minApproval || wait > maxApproval) {
		l.fault(after, where, "approve_after: %q is no time from 1m to 168h; write for example 30m", text)
	}
	approval.After, approval.Then = wait, Drop
	if then != nil {
		approval.Then = oneOf(l, then, where+": approve_then", Publish, Drop)
	}
}

func (l *loader) frame(node ast.Node, where string) string {
	text, ok := l.text(node, where)
	if ok && uniseg.GraphemeClusterCount(text) > maxFrame {
		l.fault(node, where, "longer than %d letters", maxFrame)
	}
	return strings.TrimSpace(text)
}

func (l *loader) replacements(node ast.Node, where string) (all []notice.Replacement) {
	for _, entry := range l.items(node) {
		fields := l.fields(entry, where, "find", "with")
		if fields == nil || fields["find"] == nil {
			l.fault(entry, where, "no find; say what is replaced, for example find: 'подпишитесь.*', with: ''")
			continue
		}
		found := l.regexes(fields["find"], where+": find")
		r := notice.Replacement{}
		if with := fields["with"]; with != nil {
			r.With, _ = l.text(with, where+": with")
		}
		for _, pattern := range found {
			r.Find = pattern.regex
			all = append(all, r)
		}
	}
	return all
}

func oneOf[T ~string](l *loader, node ast.Node, where string, allowed ...T) T {
	text, ok := l.text(node, where)
	if ok && !slices.Contains(allowed, T(text)) {
		l.fault(node, where, "%q is not one of %s", text, list(allowed))
	}
	return T(text)
}

func (l *loader) destination(node ast.Node, where string) (Destination, bool) {
	name, ok := l.destinationName(node, where)
	if !ok {
		return Destination{}, false
	}
	destination, err := ParseDestination(name)
	if err != nil {
		l.fault(node, where, "%v", err)
		return Destination{}, false
	}
	return destination, true
}

// destinationName also puts together again what the YAML parser takes for a
// key and a value: [vk:-5] inside curly brackets.
func (l *loader) destinationName(node ast.Node, where string) (string, bool) {
	mapping, is := l.resolve(node).(*ast.MappingNode)
	if !is || len(mapping.Values) != 1 {
		return l.text(node, where)
	}
	rest, ok := l.text(mapping.Values[0].Value, where)
	return mapping.Values[0].Key.GetToken().Value + ":" + rest, ok
}
