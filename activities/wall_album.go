package activities

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"golang.org/x/time/rate"

	"vestnik/db"
	"vestnik/internal/vk"
)

// How the photos of a wall post go, for the record of attempts.
const (
	albumByName   = "named"  // VK's own photos, named as attachments
	albumUploaded = "upload" // uploaded again
	albumNone     = "text"
)

// WallAlbum gets a post's photos onto a VK wall. The cheap way is to name the
// photos, which VK has already; it may drop them without a word, so the post
// is read back, and a wall that does not show them gets them uploaded from
// then on. None of this ever costs a delivery: at worst it goes as text.
type WallAlbum struct {
	Ledger   *db.Ledger
	Pictures Pictures
	// Uploader is the client with the media key; nil if there is none.
	Uploader func() *vk.Client
	// Pace is how fast the media key may call.
	Pace *rate.Limiter
	// Walls reads posts back; nil if there is no key that may.
	Walls *Walls
	Log   *slog.Logger

	mu       sync.Mutex
	cooldown keyCooldown
}

// album is the photos that go with a wall post.
type album struct {
	attachments []string
	how         string // albumByName, albumUploaded or albumNone
	reason      string // why photos are missing, "" if none is
	wanted      int
	late        bool // the host of some that are missing does not answer now
}

// rung is how the photos go, how many of them, and why not all.
func (a album) rung() string {
	switch {
	case len(a.attachments) == a.wanted:
		return a.how
	case len(a.attachments) == 0:
		return fmt.Sprintf("%s: %s", albumNone, a.reason)
	}
	return fmt.Sprintf("%s %d/%d: %s", a.how, len(a.attachments), a.wanted, a.reason)
}

// withoutPhotos is the album of a post whose photos can't go.
func withoutPhotos(wanted int, reason string) album {
	return album{how: albumNone, wanted: wanted, reason: reason}
}

// attach gets photos of a post, given by their indexes, ready to go with it.
func (a *WallAlbum) attach(ctx context.Context, j *sendJob, photos []int) album {
	if len(photos) == 0 {
		return album{how: albumNone}
	}
	if j.NamesRefused {
		return a.upload(ctx, j, photos)
	}
	named := album{how: albumByName, wanted: len(photos), reason: "no_name"}
	for _, index := range photos {
		if name := j.post.Photos[index].Ref(); name != "" {
			named.attachments = append(named.attachments, name)
		}
	}
	if len(named.attachments) == 0 {
		return a.upload(ctx, j, photos)
	}
	return named
}

// check reads a post back whose photos were named, and returns true if the wall
// does not show all of them. If it shows none, that is remembered for the posts to
// come; one that vanishes among others is one that nobody may see.
func (a *WallAlbum) check(ctx context.Context, j *sendJob, postID int64, named int) (dropped bool) {
	if a.Walls == nil {
		return false
	}
	shown, err := a.Walls.CountPhotos(ctx, j.target.Destination.Owner, postID)
	if err != nil {
		a.Log.InfoContext(ctx, "post not read back", "delivery", j.ID, "error", err)
		return false
	}
	if shown >= named {
		return false
	}
	a.Log.WarnContext(ctx, "the wall dropped photos that were named", "delivery", j.ID, "destination", j.Destination, "named", named, "shown", shown)
	if shown > 0 {
		return true
	}
	if err := a.Ledger.RefuseNames(ctx, j.DestinationID); err != nil {
		a.Log.WarnContext(ctx, "not remembered", "destination", j.Destination, "error", err)
	}
	return true
}

// edit makes a post what it is to be, where the media key may do that.
func (a *WallAlbum) edit(ctx context.Context, j *sendJob, postID int64, post vk.WallPost) {
	for try := 1; ; try++ {
		_, err := inTurn(ctx, a, func() (struct{}, error) { return struct{}{}, a.Uploader().WallEdit(ctx, postID, post) })
		if err == nil {
			return
		}
		if !uploadAgain(ctx, err, try) {
			a.Log.WarnContext(ctx, "the post stays without its photos", "delivery", j.ID, "error", err)
			return
		}
	}
}
