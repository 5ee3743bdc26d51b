package console

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"vestnik/db"
	"vestnik/internal/post"
)

// titles are for the eye: a page without is better than none.
func (c *console) titles(ctx context.Context) db.Titles {
	if c.Ledger == nil {
		return nil
	}
	known, err := c.Ledger.Titles(ctx)
	if err != nil {
		return nil // what the page is about meets the same trouble, and says so
	}
	return known
}

// Titled is the title of a destination or of a wall by its name.
func (p pageData) Titled(name string) string { return p.titles.Of(name) }

// About is the subject of a decision in words.
func (p pageData) About(subject string) string {
	if filter, ok := strings.CutPrefix(subject, allOf+"?"); ok {
		query, _ := url.ParseQuery(filter) // it was made by us
		about := p.Lang.say("nav.deliveries") + ": " + p.Lang.name("status", cmp.Or(query.Get("status"), filterWaiting))
		if chat := query.Get("destination"); chat != "" {
			about += ", " + p.titles.Of(chat)
		}
		if kind := query.Get("type"); kind != "" {
			about += ", " + p.Lang.name("type", kind)
		}
		if query.Has("from") || query.Has("to") {
			about += ", " + query.Get("from") + "…" + query.Get("to")
		}
		return about
	}
	kind, name, _ := strings.Cut(subject, "/")
	switch kind {
	case "delivery":
		return p.Lang.say("delivery.message") + " " + name
	case "case":
		return p.Lang.say("case.number") + " " + name
	case "destination", "wall":
		return p.titles.Of(name)
	case "post":
		if ref, err := post.ParseID(name); err == nil {
			return strings.TrimSpace(p.Lang.say("delivery.post") + " " + name + " " + p.titles.Wall(ref.OwnerID, ""))
		}
	}
	return p.Lang.name("subject", subject)
}

// WallOf is the title of a wall by its owner; name is that under which it is
// read, "" if it is not.
func (p pageData) WallOf(ownerID int64, name string) string { return p.titles.Wall(ownerID, name) }
