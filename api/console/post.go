package console

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/rehearse"
	"vestnik/internal/route"
)

// postView is a stored post, delivered or not.
type postView struct {
	Post       db.Post
	Source     string
	Deliveries []db.DeliveryRow
	// Elsewhere are the destinations that it does not go to, each with why not.
	Elsewhere []notSent
	TooOld    bool // to go anywhere by itself
}

// notSent is a destination that a post does not go to.
type notSent struct {
	Destination string
	// Refusals are why, by rule; none where no rule sends anything.
	Refusals []route.Refusal
	Matched  bool // a rule wants it by now
	Messages []rehearse.Message
}

// elsewhere finds why a post does not go where it has no delivery.
func (c *console) elsewhere(ctx context.Context, stored db.Post, deliveries []db.DeliveryRow) ([]notSent, error) {
	if c.Routes == nil || !stored.BlankedAt.IsZero() {
		return nil, nil
	}
	plan, err := c.Steering.Plan(ctx)
	if err != nil {
		return nil, err
	}
	watched := ""
	for _, wall := range plan.Walls {
		if wall.OwnerID == stored.OwnerID {
			watched = wall.Name
		}
	}
	var list []notSent
	routes := c.Routes()
	_, decisions := routes.Match(stored, watched)
	for _, decision := range decisions {
		name := decision.Destination.String()
		if slices.ContainsFunc(deliveries, func(d db.DeliveryRow) bool { return d.Destination == name }) {
			continue
		}
		target, _ := routes.Target(decision.Destination)
		list = append(list, notSent{name, decision.Refusals, decision.Matched, rehearse.Messages(stored, target)})
	}
	return list, nil
}

// sendPost sends a stored post where it was not sent.
func (c *console) sendPost(w http.ResponseWriter, r *http.Request) {
	ref, err := post.ParseID(r.PathValue("post"))
	if err != nil {
		c.showNotFound(w, r)
		return
	}
	destination, err := route.ParseDestination(r.PostForm.Get("destination"))
	var id int64
	if err == nil {
		id, err = c.Steering.Deliver(r.Context(), ref.OwnerID, ref.PostID, destination)
	}
	c.Log.InfoContext(r.Context(), "operator sends a post", "post", ref.String(), "delivery", id, "error", err)
	c.back(w, r, Path+"posts/"+ref.String(), languageOf(r).say("done.deliver", id), err)
}

// postFilter is what the list of posts is narrowed by.
type postFilter struct {
	Search, Type string
	Days         int // how far back
	before       string
}

const (
	// daysSearched is how far back a list of posts goes unless it is asked for
	// more, and maxDays how far it can.
	daysSearched = 30
	maxDays      = 180
	maxSearch    = 200 // bytes
)

// Link is the address of the list with another type and other days, or of the
// page that follows before.
func (f postFilter) Link(kind string, days int, before string) string {
	query := url.Values{}
	for key, value := range map[string]string{"q": f.Search, "type": kind, "before": before} {
		if value != "" {
			query.Set(key, value)
		}
	}
	if days != daysSearched {
		query.Set("days", strconv.Itoa(days))
	}
	return "/console/posts?" + query.Encode()
}

type postsView struct {
	Filter postFilter
	Types  []petpost.Type
	Spans  []int // of days, to choose from
	Rows   []db.PostGlance
	Older  string // what the next page follows, "" on the last
}

// readPostFilter reads the filter from a query, and what it asks the store for.
func readPostFilter(query url.Values, now time.Time) (filter postFilter, wanted db.PostFilter, err error) {
	filter = postFilter{Search: strings.TrimSpace(query.Get("q")), Type: query.Get("type"), Days: daysSearched, before: query.Get("before")}
	wanted = db.PostFilter{Type: filter.Type, Search: filter.Search, Limit: defaultListed, Until: now}
	if len(filter.Search) > maxSearch {
		return filter, wanted, refuse("search", maxSearch)
	}
	if query.Has("days") {
		if filter.Days, err = strconv.Atoi(query.Get("days")); err != nil || filter.Days < 1 || filter.Days > maxDays {
			return filter, wanted, refuse("days", maxDays)
		}
	}
	wanted.Since = now.AddDate(0, 0, -filter.Days)
	if filter.before == "" {
		return filter, wanted, nil
	}
	at, name, _ := strings.Cut(filter.before, "/")
	seconds, notTime := strconv.ParseInt(at, 10, 64)
	wanted.Until = time.Unix(seconds, 0)
	if wanted.Before, err = post.ParseID(name); err != nil || notTime != nil {
		err = refuse("page.before")
	}
	return filter, wanted, err
}

func (c *console) posts(r *http.Request) (any, error) {
	filter, wanted, err := readPostFilter(r.URL.Query(), c.Now())
	if ref, notRef := post.ParseID(filter.Search); notRef == nil { // a post's address
		return nil, redirect(Path + "posts/" + ref.String())
	}
	view := postsView{Filter: filter, Types: petpost.Types, Spans: []int{1, 7, daysSearched, maxDays}}
	if err == nil {
		view.Rows, err = c.Posts.List(r.Context(), wanted)
	}
	if len(view.Rows) == defaultListed {
		last := view.Rows[defaultListed-1]
		view.Older = fmt.Sprintf("%d/%s", last.PostedAt.Unix(), last.ID)
	}
	return view, err
}

// refusal says why a rule does not send a post.
func (l language) refusal(refusal route.Refusal) string {
	is, wants := refusal.Is, slices.Clone(refusal.Wants)
	if kind := refusal.Condition; kind == route.ConditionType || kind == route.ConditionAnimal {
		is = l.name(kind, is)
		for i, want := range wants {
			wants[i] = l.name(kind, want)
		}
	}
	filled := strings.NewReplacer("{is}", is, "{wants}", strings.Join(wants, ", "))
	return l.say("why.rule", refusal.Rule, filled.Replace(l.say("why."+refusal.Condition)))
}

func (c *console) post(r *http.Request) (any, error) {
	ref, err := post.ParseID(r.PathValue("post"))
	if err != nil {
		return nil, db.ErrNotFound
	}
	view := postView{Source: c.links.source(ref.OwnerID, ref.PostID)}
	if view.Post, err = c.Posts.Get(r.Context(), ref.OwnerID, ref.PostID); err == nil {
		view.Deliveries, err = c.Ledger.List(r.Context(), db.DeliveryFilter{Post: ref, Limit: maxListed})
	}
	if err == nil {
		view.Elsewhere, err = c.elsewhere(r.Context(), view.Post, view.Deliveries)
		view.TooOld = c.MaxAge > 0 && c.Now().Sub(view.Post.PostedAt) > c.MaxAge
	}
	return view, err
}

// retype sets the type of a post.
func (c *console) retype(ctx context.Context, name, kind, note string) (db.TypeSet, error) {
	ref, err := post.ParseID(name)
	if err != nil {
		return db.TypeSet{}, refuse("posts.name", name)
	}
	if err := checkNote(&note); err != nil {
		return db.TypeSet{}, err
	}
	set, err := c.Steering.SetType(ctx, ref, petpost.Type(kind), note)
	c.Log.InfoContext(ctx, "operator set a type", "post", ref, "was", set.Was, "type", kind, "error", err)
	return set, err
}

func (c *console) setType(w http.ResponseWriter, r *http.Request) {
	name, kind := r.PathValue("post"), r.PostForm.Get("type")
	set, err := c.retype(r.Context(), name, kind, r.PostForm.Get("note"))
	l := languageOf(r)
	done := l.say("done.type", l.name("type", kind), l.count("done.type.owed", set.Owed), set.Suppressed)
	titles := c.titles(r.Context())
	for _, row := range set.Sent {
		done += " " + l.say("done.type.sent", row.ID, titles.Of(row.Destination))
	}
	c.back(w, r, "/console/posts/"+name, done, err)
}

func (c *console) opsSetType(r *http.Request) (any, error) {
	var wish struct {
		Type string `json:"type"`
		Note string `json:"note"`
	}
	if err := readOps(r, &wish); err != nil {
		return nil, err
	}
	return c.retype(r.Context(), r.PathValue("post"), wish.Type, wish.Note)
}

// decisionEvidence is what led to the type or the animal of a post.
type decisionEvidence struct {
	Field string
	Sums  []evidenceSum // the heaviest first
	Words []petpost.Evidence
}

// evidenceSum is what the evidence for one value weighs: for the one that was
// decided and for its runner-up.
type evidenceSum struct {
	Points string
	Weight int
}

// weigh sorts evidence by what it was for.
func weigh(evidence []petpost.Evidence) []decisionEvidence {
	var decisions []decisionEvidence
	for _, piece := range evidence {
		at := slices.IndexFunc(decisions, func(d decisionEvidence) bool { return d.Field == piece.Field })
		if at < 0 {
			at = len(decisions)
			decisions = append(decisions, decisionEvidence{Field: piece.Field})
		}
		decision := &decisions[at]
		decision.Words = append(decision.Words, piece)
		sum := slices.IndexFunc(decision.Sums, func(s evidenceSum) bool { return s.Points == piece.Points })
		if sum < 0 {
			decision.Sums = append(decision.Sums, evidenceSum{Points: piece.Points})
			sum = len(decision.Sums) - 1
		}
		decision.Sums[sum].Weight += piece.Weight
	}
	for _, decision := range decisions {
		slices.SortStableFunc(decision.Sums, func(a, b evidenceSum) int { return cmp.Compare(b.Weight, a.Weight) })
		slices.SortStableFunc(decision.Words, func(a, b petpost.Evidence) int { return cmp.Compare(b.Weight, a.Weight) })
	}
	return decisions
}
