package activities

import (
	"context"
	"errors"
	"maps"
	"time"

	"vestnik/internal/photo"
	"vestnik/internal/post"
	"vestnik/internal/vk"
)

const (
	// maxUploads is how often the upload of one photo begins again.
	maxUploads = 3
	// maxUploadWait is the longest pause before that; what takes longer costs
	// the photo.
	maxUploadWait = 15 * time.Second
	// uploadTime bounds the uploads for one attempt at a delivery, fetching
	// aside: whoever looks for a pet waits for the words, and the lane for its
	// turn.
	uploadTime = time.Minute
)

// keyCooldown is for how long the media key makes no calls, and why.
type keyCooldown struct {
	until  time.Time
	reason string
}

// upload puts photos on the wall's server, one after the other, and remembers
// each, so that a repetition goes on where this one stopped.
func (a *WallAlbum) upload(ctx context.Context, j *sendJob, photos []int) album {
	saved, err := a.Ledger.SavedPhotos(ctx, j.ID, j.post.Photos)
	if err != nil {
		a.Log.WarnContext(ctx, "saved photos not known", "delivery", j.ID, "error", err)
	}
	var missing []int
	for _, index := range photos {
		if photo := j.post.Photos[index]; photo.Kind == "video" { // only its frame could be uploaded
			saved[index] = photo.Ref()
		}
		if saved[index] == "" {
			missing = append(missing, index)
		}
	}
	uploaded := album{how: albumUploaded, wanted: len(photos), reason: a.stopped()}
	if uploaded.reason == "" {
		a.uploadMissing(ctx, j, missing, saved, &uploaded)
	}
	for _, index := range photos {
		if name := saved[index]; name != "" {
			uploaded.attachments = append(uploaded.attachments, name)
		}
	}
	if len(uploaded.attachments) == 0 {
		uploaded.how = albumNone
	}
	return uploaded
}

// uploadMissing uploads photos until one fails for a reason that the others would
// meet too, adds their names to saved, and says in the album why some are missing.
func (a *WallAlbum) uploadMissing(ctx context.Context, j *sendJob, missing []int, saved map[int]string, uploaded *album) {
	pictures := a.fetch(ctx, j, missing)
	ctx, cancel := context.WithTimeout(ctx, uploadTime)
	defer cancel()
	for _, index := range missing {
		name, err := "", pictures[index].err
		if err == nil {
			name, err = a.uploadOne(ctx, j, pictures[index].Bytes)
		}
		if err == nil {
			saved[index] = name
			if err := a.Ledger.SavePhoto(ctx, j.ID, index, j.post.Photos[index], name); err != nil {
				a.Log.WarnContext(ctx, "uploaded photo not remembered", "delivery", j.ID, "error", err)
			}
			continue
		}
		if ctx.Err() != nil {
			uploaded.reason = "out_of_time"
			return
		}
		var failure *photo.Error
		uploaded.reason = uploadReason(err)
		uploaded.late = uploaded.late || errors.As(err, &failure) && failure.Temporary()
		a.Log.WarnContext(ctx, "photo not uploaded", "delivery", j.ID, "photo", index, "error", err)
		if a.concernsAll(err) {
			return
		}
	}
}

// stopped is why no upload is to be tried now, "" if one is.
func (a *WallAlbum) stopped() string {
	if a.Uploader() == nil {
		return "no_media_key" // a notice at the start says so, and the doctor
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Now().Before(a.cooldown.until) {
		return a.cooldown.reason
	}
	return ""
}

// concernsAll reports whether an upload failed for a reason that holds for every
// photo: the key may not, or not there, or not now. A key that may not now is
// left alone for a while, the next posts' photos included.
func (a *WallAlbum) concernsAll(err error) bool {
	var failure *vk.Error
	if !errors.As(err, &failure) {
		return false
	}
	switch failure.Class {
	case vk.KeyInvalid, vk.KeyUnfit, vk.Confirmation, vk.AccessDenied, vk.WallGone:
		return true
	case vk.FloodControl, vk.QuotaExceeded, vk.Captcha:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.cooldown = keyCooldown{until: time.Now().Add(max(keyCools, failure.Policy.Wait)), reason: failure.Reason()}
		return true
	}
	return false
}

// uploadReason is a slug for why a photo could not be uploaded.
func uploadReason(err error) string {
	var refused *vk.Error
	var unfit *photo.Error
	switch {
	case errors.As(err, &refused):
		return refused.Reason()
	case errors.As(err, &unfit):
		return "photo_" + string(unfit.Kind)
	}
	return "upload"
}

// uploadOne takes the three steps of an upload, starting over with a new
// address as often as the catalogue says.
func (a *WallAlbum) uploadOne(ctx context.Context, j *sendJob, picture []byte) (string, error) {
	group := max(-j.target.Destination.Owner, 0)
	for try := 1; ; try++ {
		name, err := a.steps(ctx, group, picture)
		if err == nil || !uploadAgain(ctx, err, try) {
			return name, err
		}
	}
}

// fetch gets the bytes of photos, given by their indexes, fit for VK. Dead
// links are read again from VK, once.
func (a *WallAlbum) fetch(ctx context.Context, j *sendJob, photos []int) map[int]fetched {
	ctx, cancel := context.WithTimeout(ctx, photosTime)
	defer cancel()
	all := map[int]fetched{}
	gone := a.fetchInto(ctx, j, photos, all)
	if len(gone) == 0 || a.Walls == nil {
		return all
	}
	fresh, err := a.Walls.FreshPhotos(ctx, j.OwnerID, j.PostID)
	if renewed, changed := withFreshLinks(j.post.Photos, fresh); err == nil && changed {
		j.post.Photos = renewed
		a.fetchInto(ctx, j, gone, all)
	}
	return all
}

// fetchInto adds photos to all and returns those whose links are dead.
func (a *WallAlbum) fetchInto(ctx context.Context, j *sendJob, photos []int, all map[int]fetched) (gone []int) {
	var wanted []wantedPhoto
	for _, index := range photos {
		if sizes := j.post.Photos[index].Sizes; len(sizes) > 0 {
			wanted = append(wanted, wantedPhoto{index, sizes[0].URL, photo.VKUpload})
		} else {
			all[index] = fetched{err: &photo.Error{Kind: photo.Gone, Reason: "VK names no link"}}
		}
	}
	maps.Copy(all, fetchPhotos(ctx, a.Pictures, wanted))
	for _, index := range photos {
		if failure, is := errors.AsType[*photo.Error](all[index].err); is && failure.Kind == photo.Gone {
			gone = append(gone, index)
		}
	}
	return gone
}

// uploadAgain reports whether to repeat what has failed for the try-th time, and
// pauses before that.
func uploadAgain(ctx context.Context, err error, try int) bool {
	var failure *vk.Error
	if !errors.As(err, &failure) || try > maxUploads {
		return false
	}
	switch failure.Policy.After(try) {
	case vk.RestartUpload, vk.Retry, vk.RateLimit:
	default:
		return false
	}
	wait := failure.Policy.Delay(try, time.Now())
	if wait > maxUploadWait {
		return false
	}
	pause(ctx, wait)
	return ctx.Err() == nil
}

func (a *WallAlbum) steps(ctx context.Context, group int64, picture []byte) (string, error) {
	address, err := inTurn(ctx, a, func() (string, error) { return a.Uploader().GetWallUploadServer(ctx, group) })
	if err != nil {
		return "", err
	}
	uploaded, err := a.Uploader().UploadPhoto(ctx, address, picture)
	if err != nil {
		return "", err
	}
	saved, err := inTurn(ctx, a, func() (post.Photo, error) { return a.Uploader().SaveWallPhoto(ctx, group, uploaded) })
	if err != nil {
		return "", err
	}
	return saved.Ref(), nil
}

// inTurn makes a call when the media key may make its next. One that came too
// soon for VK has done nothing, and is made again.
func inTurn[T any](ctx context.Context, a *WallAlbum, call func() (T, error)) (T, error) {
	for try := 1; ; try++ {
		if err := a.Pace.Wait(ctx); err != nil {
			var none T
			return none, err
		}
		answer, err := call()
		var failure *vk.Error
		if !errors.As(err, &failure) || failure.Class != vk.RateLimited || try > maxUploads {
			return answer, err
		}
		pause(ctx, failure.Policy.Delay(try, time.Now()))
	}
}
