package rehearse

import (
	"context"
	"time"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/route"
)

// Comparison is what other rules would have made of the posts of a time.
type Comparison struct {
	Since        time.Time `json:"since"`
	Posts        int       `json:"posts"` // that were looked at
	Destinations []Totals  `json:"destinations"`
	Changes      []Change  `json:"changes"`
}

// Totals counts the posts for one destination.
type Totals struct {
	Destination string `json:"destination"`
	Today       int    `json:"today"`          // by the rules of today
	Then        int    `json:"then"`           // by the others
	Asks        int    `json:"asks,omitempty"` // of which a person would be asked first
	New         int    `json:"new"`
	Gone        int    `json:"gone"`
	// Cases are the animals among the new ones: a case is one message within
	// CASE_WINDOW, and those that were told are not told again.
	Cases int `json:"cases"`
}

// Change is a post that goes to a destination by the one rules and not by the other.
type Change struct {
	Post        string         `json:"post"`
	PostedAt    time.Time      `json:"posted_at"`
	Type        petpost.Type   `json:"type"`
	Animal      petpost.Animal `json:"animal"`
	Destination string         `json:"destination"`
	Sends       bool           `json:"sends"`          // by the other rules
	Asks        bool           `json:"asks,omitempty"` // a person first
	Reason      string         `json:"reason"`         // of the other rules
}

// Compare asks two sets of rules about the stored posts since a time. walls are the
// names under which walls are watched, by their owners.
func Compare(ctx context.Context, posts *db.Posts, walls map[int64]string, today, then *route.Routes, since time.Time) (Comparison, error) {
	c := &comparing{Comparison: Comparison{Since: since, Destinations: []Totals{}, Changes: []Change{}}, cases: map[string]map[int64]bool{}, at: map[string]int{}}
	for _, routes := range []*route.Routes{today, then} {
		for _, target := range routes.Targets() {
			c.totals(target.Destination.String())
		}
	}
	err := posts.Written(ctx, since, func(batch []db.Post) error {
		for _, post := range batch {
			c.Posts++
			c.compare(post, decide(today, post, walls), decide(then, post, walls))
		}
		return nil
	})
	for destination, cases := range c.cases {
		c.totals(destination).Cases = len(cases)
	}
	return c.Comparison, err
}

type comparing struct {
	Comparison

	at    map[string]int            // of a destination among the totals
	cases map[string]map[int64]bool // of the new posts of a destination
}

// totals are those of a destination; they may move when another is asked for.
func (c *comparing) totals(destination string) *Totals {
	if _, known := c.at[destination]; !known {
		c.at[destination] = len(c.Destinations)
		c.Destinations = append(c.Destinations, Totals{Destination: destination})
		c.cases[destination] = map[int64]bool{}
	}
	return &c.Destinations[c.at[destination]]
}

// decide is what rules say about a post, by destination.
func decide(routes *route.Routes, post db.Post, walls map[int64]string) map[string]route.Decision {
	_, decisions := routes.Match(post, walls[post.OwnerID])
	decided := map[string]route.Decision{}
	for _, decision := range decisions {
		decided[decision.Destination.String()] = decision
	}
	return decided
}

func (c *comparing) compare(post db.Post, today, then map[string]route.Decision) {
	for i := range c.Destinations {
		total := &c.Destinations[i]
		was, is := today[total.Destination].Matched, then[total.Destination].Matched
		asks := is && then[total.Destination].Approval.Asks
		total.Today += count(was)
		total.Then += count(is)
		total.Asks += count(asks)
		if was == is {
			continue
		}
		total.New += count(is)
		total.Gone += count(was)
		if is {
			c.cases[total.Destination][post.CaseID] = true
		}
		reason := "no such destination"
		if decision, there := then[total.Destination]; there {
			reason = decision.Reason
		}
		c.Changes = append(c.Changes, Change{
			Post: post.ID.String(), PostedAt: post.PostedAt, Type: post.Reading.Type, Animal: post.Reading.Animal,
			Destination: total.Destination, Sends: is, Asks: asks, Reason: reason,
		})
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
