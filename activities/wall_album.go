package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"vestnik/db"
	"vestnik/internal/photo"
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
	Uploader *vk.Client
	// Walls reads posts back; nil if there is no key that may.
	Walls *Walls
	Log   *slog.Logger
}

// attach returns the attachments for photos of a post, given by their indexes,
// and how they go.
func (a *WallAlbum) attach(ctx context.Context, c *consignment, photos []int) (attachments []string, how string) {
	if len(photos) == 0 {
		return nil, albumNone
	}
	if !c.NamesRefused {
		for _, index := range photos {
			if name := photoName(c.post.Photos[index]); name != "" {
				attachments = append(attachments, name)
			}
		}
		if len(attachments) > 0 {
			return attachments, albumByName
		}
	}
	if attachments = a.upload(ctx, c, photos); len(attachments) > 0 {
		return attachments, albumUploaded
	}
	return nil, albumNone
}

func photoName(photo db.Photo) string {
	return vk.Photo{OwnerID: photo.OwnerID, ID: photo.ID, AccessKey: photo.AccessKey}.Ref()
}

// upload puts photos on the wall's server, one after the other, and remembers
// each, so that a repetition goes on where this one stopped.
func (a *WallAlbum) upload(ctx context.Context, c *consignment, photos []int) []string {
	if a.Uploader == nil {
		a.Log.InfoContext(ctx, "post goes without its photos: VK_OUT_MEDIA_TOKEN is not set", "delivery", c.ID)
		return nil
	}
	saved, err := a.Ledger.SavedPhotos(ctx, c.ID)
	if err != nil {
		a.Log.WarnContext(ctx, "saved photos not known", "delivery", c.ID, "error", err)
	}
	var attachments []string
	for _, index := range photos {
		name, done := saved[index]
		if !done {
			if name, err = a.uploadOne(ctx, c, index); err != nil {
				a.Log.WarnContext(ctx, "photo not uploaded", "delivery", c.ID, "photo", index, "error", err)
				if keyUseless(err) {
					return attachments // the other photos would meet the same
				}
				continue
			}
			if err := a.Ledger.SavePhoto(ctx, c.ID, index, name); err != nil {
				a.Log.WarnContext(ctx, "uploaded photo not remembered", "delivery", c.ID, "error", err)
			}
		}
		attachments = append(attachments, name)
	}
	return attachments
}

// keyUseless tells whether an upload failed for a reason that holds for every
// photo: the key has not the right.
func keyUseless(err error) bool {
	var failure *vk.Error
	if !errors.As(err, &failure) {
		return false
	}
	return failure.Class == vk.KeyInvalid || failure.Class == vk.KeyUnfit || failure.Class == vk.Confirmation
}

// uploadOne takes the three steps of an upload, starting over with a new
// address as often as the catalogue says.
func (a *WallAlbum) uploadOne(ctx context.Context, c *consignment, index int) (string, error) {
	sizes := c.post.Photos[index].Sizes
	if len(sizes) == 0 {
		return "", &photo.Error{Kind: photo.Gone, Reason: "VK names no link"}
	}
	picture, err := a.Pictures.Fetch(ctx, sizes[0].URL)
	if err == nil {
		picture, err = photo.Fit(picture, photo.VKUpload)
	}
	if err != nil {
		return "", err
	}
	group := max(-c.target.Destination.Owner, 0)
	for try := 1; ; try++ {
		name, err := a.steps(ctx, group, picture.Bytes)
		var failure *vk.Error
		if err == nil || !errors.As(err, &failure) {
			return name, err
		}
		action := failure.Policy.After(try)
		if action != vk.RestartUpload && action != vk.Retry && action != vk.RateLimit || try > maxUploads {
			return "", err
		}
		pause(ctx, failure.Policy.Delay(try, time.Now()))
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
}

// maxUploads bounds the tries at one photo.
const maxUploads = 3

func (a *WallAlbum) steps(ctx context.Context, group int64, picture []byte) (string, error) {
	server, err := a.Uploader.GetWallUploadServer(ctx, group)
	if err != nil {
		return "", err
	}
	uploaded, err := a.Uploader.UploadPhoto(ctx, server.URL, picture)
	if err != nil {
		return "", err
	}
	saved, err := a.Uploader.SaveWallPhoto(ctx, group, uploaded)
	if err != nil {
		return "", err
	}
	return saved.Ref(), nil
}

// check reads a post back whose photos were named. If the wall does not show
// them, it is remembered, and the post gets them uploaded, by an edit, where
// the media key may do that.
func (a *WallAlbum) check(ctx context.Context, c *consignment, post vk.WallPost, postID int64, photos []int) {
	if a.Walls == nil {
		return
	}
	shown, err := a.Walls.CountPhotos(ctx, post.OwnerID, postID)
	if err != nil {
		a.Log.InfoContext(ctx, "post not read back", "delivery", c.ID, "error", err)
		return
	}
	if shown >= len(post.Attachments) {
		return
	}
	a.Log.WarnContext(ctx, "the wall dropped photos that were named: they are uploaded from now on",
		"delivery", c.ID, "destination", c.Destination, "named", len(post.Attachments), "shown", shown)
	if err := a.Ledger.RefuseNames(ctx, c.DestinationID); err != nil {
		a.Log.WarnContext(ctx, "not remembered", "destination", c.Destination, "error", err)
	}
	if post.Attachments = a.upload(ctx, c, photos); len(post.Attachments) == 0 {
		return
	}
	if err := a.Uploader.WallEdit(ctx, postID, post); err != nil {
		a.Log.WarnContext(ctx, "photos not added to the post", "delivery", c.ID, "error", fmt.Errorf("edit: %w", err))
	}
}
