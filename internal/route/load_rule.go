package route

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"vestnik/internal/petpost"
)

const anyType = "any"

func (l *loader) readRule(node ast.Node, name string) {
	where := "rule " + name
	fields := l.fields(node, where, "name", "types", "animals", "include", "include_regex",
		"exclude", "exclude_regex", "has_phone", "min_confidence", "approve", "approve_after", "approve_then", "walls", "to")
	if fields == nil {
		return
	}
	r := rule{name: name}
	if named := fields["name"]; named != nil {
		if text, ok := l.text(named, where+": name"); ok && strings.TrimSpace(text) != "" {
			r.name = "«" + strings.TrimSpace(text) + "»"
		}
	}
	r.types = l.types(fields["types"], node, where)
	r.animals = l.animals(fields["animals"], where+": animals")
	r.include = append(l.words(fields["include"], where+": include"), l.regexes(fields["include_regex"], where+": include_regex")...)
	r.exclude = append(l.words(fields["exclude"], where+": exclude"), l.regexes(fields["exclude_regex"], where+": exclude_regex")...)
	r.walls = l.walls(fields["walls"], where+": walls")
	if wanted := fields["has_phone"]; wanted != nil {
		hasPhone := l.truth(wanted, where+": has_phone")
		r.hasPhone = &hasPhone
	}
	if least := fields["min_confidence"]; least != nil {
		r.minConfidence, _ = l.number(least, where+": min_confidence", 0, 1)
	}
	if approve := fields["approve"]; approve != nil {
		r.approve = l.truth(approve, where+": approve")
	}
	r.approval.Asks = r.approve || r.minConfidence > 0
	l.silence(fields, where, &r.approval)
	r.to = l.to(fields["to"], node, where)
	l.routes.rules = append(l.routes.rules, r)
}

// types must be said: a rule for everything is rarely meant.
func (l *loader) types(node, rule ast.Node, where string) []petpost.Type {
	names := l.texts(node, where+": types")
	if len(names) == 0 {
		l.fault(rule, where, "no types; say which posts, for example types: [lost], or [%s]", anyType)
		return nil
	}
	var types []petpost.Type
	for _, name := range names {
		kind := petpost.Type(name.text)
		switch {
		case name.text == anyType && len(names) == 1:
			return nil
		case name.text == anyType:
			l.fault(name.node, where+": types", "%s stands alone or not at all", anyType)
		case !slices.Contains(petpost.Types, kind):
			l.fault(name.node, where+": types", "%q is no type; known types: %s, %s", name.text, list(petpost.Types), anyType)
		default:
			types = append(types, kind)
		}
	}
	return types
}

var animals = []petpost.Animal{petpost.Dog, petpost.Cat, petpost.Other, ""}

func (l *loader) animals(node ast.Node, where string) []petpost.Animal {
	var chosen []petpost.Animal
	for _, name := range l.texts(node, where) {
		i := slices.IndexFunc(animals, func(animal petpost.Animal) bool { return animalName(animal) == name.text })
		if i < 0 {
			l.fault(name.node, where, "%q is no animal; known animals: %s", name.text, list(animals))
			continue
		}
		chosen = append(chosen, animals[i])
	}
	return chosen
}

// words reads words and phrases; the star is only an ending.
func (l *loader) words(node ast.Node, where string) []pattern {
	var patterns []pattern
	for _, entry := range l.texts(node, where) {
		p := pattern{shown: strconv.Quote(entry.text)}
		for field := range strings.FieldsSeq(entry.text) {
			stem, starred := strings.CutSuffix(field, string(anyEnding))
			split := wordsOf(stem)
			if len(split) == 0 || strings.ContainsRune(stem, anyEnding) {
				l.fault(entry.node, where, "%q: write words of letters and digits, a star only after at least one; for more use %s_regex",
					entry.text, strings.TrimSpace(where[strings.LastIndex(where, ":")+1:]))
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

func (l *loader) regexes(node ast.Node, where string) []pattern {
	var patterns []pattern
	for _, entry := range l.texts(node, where) {
		regex, err := regexp.Compile("(?i)" + entry.text)
		if err != nil {
			l.fault(entry.node, where, "%v (RE2 syntax: no look-around, no back-references)", err)
			continue
		}
		patterns = append(patterns, pattern{shown: "/" + entry.text + "/", regex: regex})
	}
	return patterns
}

var (
	numberedWall = regexp.MustCompile(`^(id|club|public|event)(\d+)$`)
	wallName     = regexp.MustCompile(`^[a-z0-9_][a-z0-9_.]{1,63}$`)
)

func (l *loader) walls(node ast.Node, where string) []wall {
	var walls []wall
	for _, entry := range l.texts(node, where) {
		w, ok := parseWall(entry.text)
		if !ok {
			l.fault(entry.node, where, "%q is no wall; write an owner id (-123456) or a screen name (poteryashki_demo)", entry.text)
			continue
		}
		walls = append(walls, w)
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

func (l *loader) to(node, rule ast.Node, where string) []Destination {
	var entries []ast.Node
	if node != nil {
		entries = l.items(node)
	}
	if len(entries) == 0 {
		l.fault(rule, where, "no to; say where its posts go, with ids from destinations")
	}
	var to []Destination
	for _, entry := range entries {
		destination, ok := l.destination(entry, where+": to")
		if !ok {
			continue
		}
		if _, listed := l.routes.Target(destination); !listed {
			l.fault(entry, where+": to", "%s is not listed under destinations", destination)
			continue
		}
		if slices.Contains(to, destination) {
			l.fault(entry, where+": to", "%s is there twice", destination)
			continue
		}
		to = append(to, destination)
	}
	return to
}

type textNode struct {
	text string
	node ast.Node
}

// texts are the elements of a list of texts; none if the key is absent.
func (l *loader) texts(node ast.Node, where string) []textNode {
	if node == nil {
		return nil
	}
	var texts []textNode
	for _, item := range l.items(node) {
		if text, ok := l.text(item, where); ok {
			texts = append(texts, textNode{text, item})
		}
	}
	return texts
}
