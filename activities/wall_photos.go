package activities

import (
	"bytes"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"vestnik/internal/petpost"
	"vestnik/internal/photo"
	"vestnik/internal/post"
)

const (
	// hashTime is how long a reading waits for what its photos look like, and
	// hashFetch how long one of them may take.
	hashTime  = 1500 * time.Millisecond
	hashFetch = time.Second
	// hashedPhotos is how many photos of a post are looked at: the animal comes first.
	hashedPhotos = 4
	// hashedSide is how many pixels the shorter side of a photo has that is looked
	// at, at least.
	hashedSide = 130
)

// HashOptions are for the pictures of [Walls]. A host that does not answer is left
// alone for a while, and by nobody else.
func HashOptions(options photo.Options) photo.Options {
	options.Timeout, options.MaxBytes = hashFetch, photo.TelegramByURL.MaxBytes
	return options
}

// hashPhotos notes what the photos of posts about animals look like, of those whose
// contents are not known. A hash that did not come in time is none.
func (a *Walls) hashPhotos(ctx context.Context, posts []petpost.Post, known map[int64][]byte) {
	// A host is not to blame for photos that were not reached: they are cancelled,
	// and did not time out.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer time.AfterFunc(hashTime, cancel).Stop()
	var group errgroup.Group
	group.SetLimit(photosAtOnce)
	for _, post := range posts {
		if !post.Reading.Type.HasAnimal() || bytes.Equal(known[post.PostID], post.ContentHash) {
			continue
		}
		for i := range post.Photos[:min(len(post.Photos), hashedPhotos)] {
			group.Go(func() error { a.hashPhoto(ctx, &post.Photos[i]); return nil })
		}
	}
	if _ = group.Wait(); ctx.Err() != nil {
		a.Log.InfoContext(ctx, "not all photos looked at in time")
	}
	for i := range posts {
		posts[i].NotePhotos()
	}
}

// hashPhoto has none for one of no size that fits, and a broken one.
func (a *Walls) hashPhoto(ctx context.Context, of *post.Photo) {
	size, found := sizeToHash(of.Sizes)
	if !found || of.Kind != "" {
		return
	}
	if picture, err := a.Pictures.Fetch(ctx, size.URL); err == nil && ctx.Err() == nil {
		of.Hash, _ = photo.Hash(picture)
	}
}

// sizeToHash is the smallest size that is large enough; false if none is, or VK
// names no sizes. One that VK has cut to other proportions is none.
func sizeToHash(sizes []post.Size) (post.Size, bool) {
	for _, size := range slices.Backward(sizes) {
		best := sizes[0] // and whole; the sides of the others are rounded
		cut := size.Width*best.Height - size.Height*best.Width
		if min(size.Width, size.Height) >= hashedSide && max(cut, -cut) <= best.Width+best.Height {
			return size, true
		}
	}
	return post.Size{}, false
}
