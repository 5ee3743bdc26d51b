package activities

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"golang.org/x/sync/errgroup"

	"vestnik/db/guidedb"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
)

const (
	// photosAtOnce bounds how many photos are fetched at the same time: it is
	// the editors' own server, and each may take 5 MB of memory.
	photosAtOnce = 4
	// photoAgain is how long after a passing fault a photo gets its second
	// chance.
	photoAgain = 2 * time.Second
)

// CheckPhotos looks at photos of the guide that are due: whether they are
// there and whether Telegram would take them by their address. What it finds
// is kept photo by photo.
func (a *Content) CheckPhotos(ctx context.Context, input protocol.CheckPhotosInput) (protocol.CheckPhotosResult, error) {
	due, err := a.imports.ClaimDuePhotos(ctx, time.Now(), input.MaxPhotos)
	if err != nil {
		return protocol.CheckPhotosResult{}, err
	}
	findings := make([]guidedb.PhotoFinding, len(due))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(photosAtOnce)
	for n, photo := range due {
		group.Go(func() error {
			finding, err := a.lookAt(ctx, photo.URL)
			if err != nil {
				return err
			}
			findings[n] = finding
			activity.RecordHeartbeat(ctx, n)
			return a.imports.RecordPhoto(ctx, photo.ID, finding, time.Now())
		})
	}
	if err := group.Wait(); err != nil {
		return protocol.CheckPhotosResult{}, err
	}
	result := protocol.CheckPhotosResult{Checked: len(due)}
	for _, finding := range findings {
		if finding.Reason != "" {
			result.Bad++
		}
	}
	return result, nil
}

// lookAt fails only when ctx ends.
func (a *Content) lookAt(ctx context.Context, address string) (guidedb.PhotoFinding, error) {
	picture, err := a.pictures.Fetch(ctx, address)
	if fault := new(photo.Error); errors.As(err, &fault) && fault.Temporary() {
		select {
		case <-time.After(photoAgain):
			picture, err = a.pictures.Fetch(ctx, address)
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return guidedb.PhotoFinding{}, ctx.Err()
	}
	if err != nil {
		fault := new(photo.Error)
		return guidedb.PhotoFinding{Reason: err.Error(), Passing: errors.As(err, &fault) && fault.Temporary()}, nil
	}
	hash := sha256.Sum256(picture.Bytes)
	finding := guidedb.PhotoFinding{
		Hash: hash[:], MediaType: picture.Format.ContentType(), Bytes: int64(len(picture.Bytes)),
		Width: picture.Width, Height: picture.Height,
	}
	if err := photo.TelegramByURL.Check(picture); err != nil {
		finding.Reason = err.Error()
	}
	return finding, nil
}
