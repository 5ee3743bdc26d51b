package activities

import (
	"bytes"
	"context"
	"slices"
	"time"

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
	jobs := toHash(posts, known)
	// A host is not to blame for photos that were not reached: they are cancelled,
	// and did not time out.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := time.NewTimer(hashTime)
	defer over.Stop()
	waiting, done := make(chan hashJob, len(jobs)), make(chan hashJob, len(jobs))
	for _, job := range jobs {
		waiting <- job
	}
	close(waiting)
	for range photosAtOnce {
		go func() {
			for job := range waiting {
				if picture, err := a.Pictures.Fetch(ctx, job.link); err == nil && ctx.Err() == nil {
					job.hash, _ = photo.Hash(picture) // of a broken one there is none
				}
				done <- job
			}
		}()
	}
	for range jobs {
		select {
		case job := <-done:
			posts[job.post].Photos[job.photo].Hash = job.hash
		case <-over.C:
			a.Log.InfoContext(ctx, "photos not looked at in time", "photos", len(jobs))
			cancel()
		case <-ctx.Done():
		}
	}
	for i := range posts {
		posts[i].NotePhotos()
	}
}

// hashJob is a photo of a post to be looked at.
type hashJob struct {
	post, photo int // their indexes
	link        string
	hash        post.PhotoHash
}

// toHash are the photos to be looked at, of posts about animals whose contents are not known.
func toHash(posts []petpost.Post, known map[int64][]byte) (jobs []hashJob) {
	for i, post := range posts {
		if !post.Reading.Type.HasAnimal() || bytes.Equal(known[post.PostID], post.ContentHash) {
			continue
		}
		for k, photo := range post.Photos[:min(len(post.Photos), hashedPhotos)] {
			if size, found := sizeToHash(photo.Sizes); found && photo.Kind == "" {
				jobs = append(jobs, hashJob{post: i, photo: k, link: size.URL})
			}
		}
	}
	return jobs
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
