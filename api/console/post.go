package console

import (
	"cmp"
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
