package starter

import (
	"slices"
	"time"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
)

// Owed returns the deliveries that the rules make of a post, and what they decided
// for every destination. watched is the name under which its wall is watched.
func Owed(routes *route.Routes, post petpost.Post, watched string) ([]db.Owed, []route.Decision) {
	destinations, decisions := routes.Match(post, watched)
	owed := make([]db.Owed, len(destinations))
	for i, destination := range destinations {
		target, _ := routes.Target(destination)
		at := slices.IndexFunc(decisions, func(d route.Decision) bool { return d.Destination == destination })
		owed[i] = owedTo(target, post, decisions[at].Approval)
		if decisions[at].Unsure {
			owed[i].Ask = protocol.ReasonUnsure
		}
	}
	return owed, decisions
}

// Update returns what it takes to tell a destination news about a case that was
// told there, whatever its rules say; false if the news is older than maxAge or
// the destination is not configured.
func Update(routes *route.Routes, post petpost.Post, name string, maxAge time.Duration) (db.Owed, bool) {
	target, configured := routes.Named(name)
	if !configured || time.Since(post.Written()) > maxAge {
		return db.Owed{}, false
	}
	return owedTo(target, post, target.Settings.Approval), true
}

// owedTo is a delivery to a destination, about which a person may be asked first.
func owedTo(target route.Target, post petpost.Post, approval route.Approval) db.Owed {
	owed := db.Owed{Destination: target.Destination.String(), Weight: target.FirstWeight(post)}
	if approval.Asks {
		owed.Ask, owed.AskFor, owed.Silence = protocol.ReasonApproval, approval.After, string(approval.Then)
	}
	return owed
}
