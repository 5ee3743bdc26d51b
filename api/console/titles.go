package console

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"vestnik/internal/post"
	"vestnik/internal/route"
)

// titles are what chats and walls call themselves, by the names of destinations
// and of walls.
type titles map[string]string

// titles returns those that are known. They are for the eye: a page without is
// better than none. Of several chats with one title, each shows its name, too.
func (c *console) titles(ctx context.Context) titles {
	if c.Ledger == nil {
		return nil
	}
	known, err := c.Ledger.Titles(ctx)
	if err != nil {
		return nil // what the page is about meets the same trouble, and tells
	}
	bearers := map[string]int{}
	for name, title := range known {
		if _, err := route.ParseDestination(name); err == nil {
			bearers[title]++
		}
	}
	for name, title := range maps.Clone(known) {
		if bearers[title] > 1 {
			known[name] = title + " (" + name + ")"
		}
	}
	return known
}

// of is the title under a name, which stands for itself where there is none.
func (t titles) of(name string) string { return cmp.Or(t[name], name) }

// Titled is the title of a destination or of a wall by its name.
func (p pageData) Titled(name string) string { return p.titles.of(name) }

// About is the subject of a decision in words.
func (p pageData) About(subject string) string {
	if filter, ok := strings.CutPrefix(subject, allOf+"?"); ok {
		query, _ := url.ParseQuery(filter) // it was made by us
		about := p.Lang.say("nav.deliveries") + ": " + p.Lang.name("status", cmp.Or(query.Get("status"), filterWaiting))
		if chat := query.Get("destination"); chat != "" {
			about += ", " + p.titles.of(chat)
		}
		return about
	}
	kind, name, _ := strings.Cut(subject, "/")
	switch kind {
	case "delivery":
		return p.Lang.say("delivery.message") + " " + name
	case "case":
		return p.Lang.say("case.number") + " " + name
	case "destination":
		return p.titles.of(name)
	case "post":
		if ref, err := post.ParseID(name); err == nil {
			return strings.TrimSpace(p.Lang.say("delivery.post") + " " + name + " " + p.titles.wall(ref.OwnerID, ""))
		}
	}
	return p.Lang.name("subject", subject)
}

// WallOf is the title of a wall by its owner; name is that under which it is
// read, "" if it is not.
func (p pageData) WallOf(ownerID int64, name string) string { return p.titles.wall(ownerID, name) }

func (t titles) wall(ownerID int64, name string) string {
	return cmp.Or(t[fmt.Sprintf("vk:%d", ownerID)], name)
}
