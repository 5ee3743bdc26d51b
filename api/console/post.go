package console

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// postView is a stored post, delivered or not.
type postView struct {
	Post       db.Post
	Source     string
	Deliveries []db.DeliveryRow
}

func (c *console) showPost(w http.ResponseWriter, r *http.Request) {
	ref, err := post.ParseID(r.PathValue("post"))
	if err != nil {
		c.showNotFound(w, r)
		return
	}
	view := postView{Source: c.links.source(ref.OwnerID, ref.PostID)}
	if view.Post, err = c.Posts.Get(r.Context(), ref.OwnerID, ref.PostID); err == nil {
		view.Deliveries, err = c.Ledger.List(r.Context(), db.DeliveryFilter{
			Post: ref, Limit: maxListed,
		})
	}
	if err != nil {
		c.showFault(w, r, err)
		return
	}
	c.render(w, r, http.StatusOK, "post", view)
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
	for _, row := range set.Sent {
		done += " " + l.say("done.type.sent", row.ID, row.Destination)
	}
	c.back(w, r, "/console/posts/"+name, done, err)
}

func (c *console) opsSetType(w http.ResponseWriter, r *http.Request) {
	var wish struct {
		Type string `json:"type"`
		Note string `json:"note"`
	}
	if !readOps(w, r, &wish) {
		return
	}
	set, err := c.retype(r.Context(), r.PathValue("post"), wish.Type, wish.Note)
	c.opsAnswer(w, r, set, err)
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
