package route

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vestnik/internal/petpost"
)

const anyType = "any"

// ruleKeys are what an entry under rules says.
type ruleKeys struct {
	Name          value[string]  `yaml:"name"`
	Types         list[string]   `yaml:"types"`
	Animals       list[string]   `yaml:"animals"`
	Include       list[string]   `yaml:"include"`
	IncludeRegex  list[string]   `yaml:"include_regex"`
	Exclude       list[string]   `yaml:"exclude"`
	ExcludeRegex  list[string]   `yaml:"exclude_regex"`
	HasPhone      value[bool]    `yaml:"has_phone"`
	MinConfidence value[float64] `yaml:"min_confidence"`
	Approval      approvalKeys   `yaml:",inline"`
	Walls         list[string]   `yaml:"walls"`
	To            list[name]     `yaml:"to"`
}

func (l *loader) readRule(entry value[ruleKeys], ordinal string) {
	where, keys := "rule "+ordinal, entry.is
	given(l, entry, where)
	if entry.wrong != nil && keys.Types == nil && keys.To == nil {
		return
	}
	r := rule{name: ordinal}
	if given(l, keys.Name, where+": name") && strings.TrimSpace(keys.Name.is) != "" {
		r.name = "«" + strings.TrimSpace(keys.Name.is) + "»"
	}
	r.types = l.types(keys.Types, entry.line, where)
	r.animals = l.animals(keys.Animals, where+": animals")
	r.include = append(l.words(keys.Include, where+": include"), l.regexes(keys.IncludeRegex, where+": include_regex")...)
	r.exclude = append(l.words(keys.Exclude, where+": exclude"), l.regexes(keys.ExcludeRegex, where+": exclude_regex")...)
	r.walls = l.walls(keys.Walls, where+": walls")
	if given(l, keys.HasPhone, where+": has_phone") {
		r.hasPhone = &keys.HasPhone.is
	}
	number(l, keys.MinConfidence, where+": min_confidence", 0, 1, &r.minConfidence)
	set(l, keys.Approval.Approve, where+": approve", &r.approve)
	r.approval.Asks = r.approve || r.minConfidence > 0
	l.silence(keys.Approval, where+": ", &r.approval)
	r.to = l.to(keys.To, entry.line, where)
	l.routes.rules = append(l.routes.rules, r)
}

// types must be said: a rule for everything is rarely meant.
func (l *loader) types(names list[string], line int, where string) (types []petpost.Type) {
	if len(names) == 0 {
		l.fault(line, where, "no types; say which posts, for example types: [lost], or [%s]", anyType)
	}
	for _, entry := range names {
		kind := petpost.Type(entry.is)
		switch {
		case !given(l, entry, where+": types"):
		case entry.is == anyType && len(names) == 1:
			return nil
		case entry.is == anyType:
			l.fault(entry.line, where+": types", "%s stands alone or not at all", anyType)
		case !slices.Contains(petpost.Types, kind):
			l.fault(entry.line, where+": types", "%q is no type; known types: %s, %s", entry.is, joined(petpost.Types), anyType)
		default:
			types = append(types, kind)
		}
	}
	return types
}

var animals = []petpost.Animal{petpost.Dog, petpost.Cat, petpost.Other, ""}

func (l *loader) animals(names list[string], where string) (chosen []petpost.Animal) {
	for _, entry := range names {
		i := slices.IndexFunc(animals, func(animal petpost.Animal) bool { return animalName(animal) == entry.is })
		switch {
		case !given(l, entry, where):
		case i < 0:
			l.fault(entry.line, where, "%q is no animal; known animals: %s", entry.is, joined(animals))
		default:
			chosen = append(chosen, animals[i])
		}
	}
	return chosen
}

// words reads words and phrases; the star is only an ending.
func (l *loader) words(entries list[string], where string) (patterns []pattern) {
	for _, entry := range entries {
		given(l, entry, where)
		p := pattern{shown: strconv.Quote(entry.is)}
		for field := range strings.FieldsSeq(entry.is) {
			stem, starred := strings.CutSuffix(field, string(anyEnding))
			split := wordsOf(stem)
			if len(split) == 0 || strings.ContainsRune(stem, anyEnding) {
				l.fault(entry.line, where, "%q: write words of letters and digits, a star only after at least one; for more use %s_regex",
					entry.is, strings.TrimSpace(where[strings.LastIndex(where, ":")+1:]))
				p.words = nil
				break
			}
			if starred {
				split[len(split)-1] = append(split[len(split)-1], anyEnding)
			}
			p.words = append(p.words, split...)
		}
		if len(p.words) > 0 {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

func (l *loader) regexes(entries list[string], where string) (patterns []pattern) {
	for _, entry := range entries {
		regex, err := regexp.Compile("(?i)" + entry.is)
		switch {
		case !given(l, entry, where):
		case err != nil:
			l.fault(entry.line, where, "%v (RE2 syntax: no look-around, no back-references)", err)
		default:
			patterns = append(patterns, pattern{shown: "/" + entry.is + "/", regex: regex})
		}
	}
	return patterns
}

var (
	numberedWall = regexp.MustCompile(`^(id|club|public|event)(\d+)$`)
	wallName     = regexp.MustCompile(`^[a-z0-9_][a-z0-9_.]{1,63}$`)
)

func (l *loader) walls(entries list[string], where string) (walls []wall) {
	for _, entry := range entries {
		w, ok := parseWall(entry.is)
		switch {
		case !given(l, entry, where):
		case !ok:
			l.fault(entry.line, where, "%q is no wall; write an owner id (-123456) or a screen name (poteryashki_demo)", entry.is)
		default:
			walls = append(walls, w)
		}
	}
	return walls
}

// parseWall reads -123456, club123456, id5, a screen name, and the address of
// any of these on VK.
func parseWall(text string) (wall, bool) {
	name := strings.ToLower(strings.TrimSpace(text))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	for _, host := range []string{"m.vk.com/", "m.vk.ru/", "vk.com/", "vk.ru/", "@"} {
		name = strings.TrimPrefix(name, host)
	}
	if owner, err := parseID(name); err == nil {
		return wall{owner: owner}, true
	}
	if numbered := numberedWall.FindStringSubmatch(name); numbered != nil {
		owner, err := parseID(numbered[2])
		if numbered[1] != "id" {
			owner = -owner
		}
		return wall{owner: owner}, err == nil
	}
	return wall{name: name}, wallName.MatchString(name) && strings.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz")
}

func (l *loader) to(ids list[name], line int, where string) (to []Destination) {
	if len(ids) == 0 {
		l.fault(line, where, "no to; say where its posts go, with ids from destinations")
	}
	where += ": to"
	for _, id := range ids {
		destination, ok := l.destination(id, where)
		_, listed := l.routes.Target(destination)
		switch {
		case !ok:
		case !listed:
			l.fault(id.line, where, "%s is not listed under destinations", destination)
		case slices.Contains(to, destination):
			l.fault(id.line, where, "%s is there twice", destination)
		default:
			to = append(to, destination)
		}
	}
	return to
}
