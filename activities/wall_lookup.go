package activities

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"vestnik/db"
	"vestnik/internal/post"
	"vestnik/internal/vk"
)

// FindNotice looks on a destination wall for the post that is about a
// source post, not older than since, and returns its id, 0 if there is none.
func (a *Walls) FindNotice(ctx context.Context, wallOwner, ownerID, postID int64, since time.Time) (int64, error) {
	since = since.Add(-time.Minute) // clocks differ
	id := post.ID{OwnerID: ownerID, PostID: postID}
	for offset, pages := 0, 0; pages < 3; pages++ {
		page, err := a.wallGet(ctx, wallOwner, vk.MaxPage, offset)
		if err != nil {
			return 0, err
		}
		older := len(page.Items) < vk.MaxPage
		for _, raw := range page.Items {
			post, err := vk.DecodePost(raw)
			if err != nil {
				continue
			}
			if !post.Pinned && post.PostedAt.Before(since) {
				older = true
				continue
			}
			if endsWith(post.Text, id) || endsWith(post.Source, id) {
				return post.PostID, nil
			}
		}
		if older {
			return 0, nil
		}
		offset += len(page.Items) - 1
	}
	return 0, fmt.Errorf("wall %d since %s: %w", wallOwner, since.Format(time.RFC3339), errManyPosts)
}

var errManyPosts = errors.New("too many posts to look through")

// wallPost is the name of a wall post.
var wallPost = regexp.MustCompile(`wall-?\d+_\d+`)

// endsWith reports whether a post is the last that a text names: so a notice names
// its source. Those before it are only spoken of: a repost's, a link's.
func endsWith(text string, id post.ID) bool {
	names := wallPost.FindAllString(text, -1)
	return len(names) > 0 && names[len(names)-1] == id.String()
}

// FreshPhotos reads a post's photos again, because their links have died.
func (a *Walls) FreshPhotos(ctx context.Context, ownerID, postID int64) ([]post.Photo, error) {
	post, err := a.readPost(ctx, ownerID, postID)
	return post.Photos, err
}

// FreshMedia is FreshPhotos with the post's files.
func (a *Walls) FreshMedia(ctx context.Context, ownerID, postID int64) ([]post.Photo, error) {
	post, err := a.readPost(ctx, ownerID, postID)
	return post.Media(), err
}

// CountPhotos is how many photos a post shows, and documents and videos,
// which may be pictures that VK has no preview of yet.
func (a *Walls) CountPhotos(ctx context.Context, ownerID, postID int64) (int, error) {
	post, err := a.readPost(ctx, ownerID, postID)
	shown := 0
	for _, photo := range post.Photos {
		if photo.Kind != "video" { // it stands among the attachments, too
			shown++
		}
	}
	for _, attachment := range post.Attachments {
		if attachment.Kind == "video" || attachment.Kind == "doc" {
			shown++
		}
	}
	return shown, err
}

func (a *Walls) readPost(ctx context.Context, ownerID, postID int64) (post.Post, error) {
	id := post.ID{OwnerID: ownerID, PostID: postID}
	items, err := a.byID(ctx, id)
	if err != nil {
		return post.Post{}, err
	}
	readable, _ := vk.Readable(items)
	if len(readable) == 0 {
		return post.Post{}, fmt.Errorf("%s is gone: %w", id, db.ErrNotFound)
	}
	return readable[0].Post, nil
}
