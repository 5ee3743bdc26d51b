package activities

import (
	"context"
	"errors"
	"slices"

	"go.temporal.io/sdk/activity"

	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
	"vestnik/internal/telegram"
)

const (
	// patience is how many attempts a photo's host gets that does not answer
	// before the post goes on without its best.
	patience = 3
	// smallerSide is the longer side, in pixels, of the smaller size.
	smallerSide = 1280
)

// Pictures gets pictures from the internet.
type Pictures interface {
	Fetch(ctx context.Context, link string) (photo.Picture, error)
}

// photoLadder is how the photos of a delivery go: by URL, uploaded, uploaded
// smaller, or not at all. Each photo is on a rung of its own, and only ever
// comes down; the ledger remembers.
type photoLadder struct {
	*Telegram

	c         *sendJob
	rungs     map[int]db.Rung
	refreshed bool
}

func (t *Telegram) climb(ctx context.Context, c *sendJob) (*photoLadder, error) {
	ladder := &photoLadder{Telegram: t, c: c}
	if len(c.post.Photos) == 0 {
		return ladder, nil
	}
	var err error
	if ladder.rungs, err = t.Ledger.PhotoRungs(ctx, c.ID); err != nil {
		return nil, err
	}
	return ladder, ladder.skipRefusedLinks(ctx)
}

// skipRefusedLinks begins with uploading where Telegram has refused a photo's
// link before, be it for another chat: it would refuse it again.
func (l *photoLadder) skipRefusedLinks(ctx context.Context) error {
	var links []string
	for _, photo := range l.c.post.Photos {
		if len(photo.Sizes) > 0 {
			links = append(links, photo.Sizes[0].URL)
		}
	}
	refused, err := l.Ledger.RefusedLinks(ctx, links...)
	if err != nil {
		return err
	}
	for index, photo := range l.c.post.Photos {
		if len(photo.Sizes) > 0 && refused[photo.Sizes[0].URL] && l.rungs[index] == db.RungURL {
			l.rungs[index] = db.RungUpload
		}
	}
	return nil
}

// load returns a step as it can go now, without the photos that can't, and the
// photos that go with it.
func (l *photoLadder) load(ctx context.Context, step notice.Step) (notice.Step, []telegram.Photo, error) {
	for {
		current := step.WithoutPhotos(l.dropped(step)...)
		photos, failed, err := l.gather(ctx, current)
		if err == nil {
			return current, photos, nil
		}
		if err := l.mend(ctx, failed, err); err != nil {
			return notice.Step{}, nil, err
		}
	}
}

func (l *photoLadder) dropped(step notice.Step) []int {
	var dropped []int
	for _, index := range step.Photos {
		if l.rungs[index] == db.RungDropped {
			dropped = append(dropped, index)
		}
	}
	return dropped
}

// gather gets the photos of a step, each as its rung says; failed is the photo
// that could not be got.
func (l *photoLadder) gather(ctx context.Context, step notice.Step) (photos []telegram.Photo, failed int, err error) {
	for _, index := range step.Photos {
		sizes := l.c.post.Photos[index].Sizes
		if len(sizes) == 0 {
			return nil, index, &photo.Error{Kind: photo.Gone, Reason: "VK names no link"}
		}
		if l.rungs[index] == db.RungURL {
			photos = append(photos, telegram.Photo{URL: sizes[0].URL})
			continue
		}
		size, rules := sizes[0], photo.TelegramUpload
		if l.rungs[index] == db.RungSmaller {
			size, rules = smaller(sizes), smallerRules()
		}
		picture, err := l.Pictures.Fetch(ctx, size.URL)
		if err == nil {
			picture, err = photo.Fit(picture, rules)
		}
		if err != nil {
			return nil, index, err
		}
		photos = append(photos, telegram.Photo{Bytes: picture.Bytes})
	}
	return photos, 0, nil
}

// smaller is the best size within smallerSide, or the least of them.
func smaller(sizes []db.PhotoSize) db.PhotoSize {
	for _, size := range sizes[1:] {
		if size.Width > 0 && max(size.Width, size.Height) <= smallerSide {
			return size
		}
	}
	return sizes[len(sizes)-1]
}

func smallerRules() photo.Rules {
	rules := photo.TelegramUpload
	rules.MaxSides = 2 * smallerSide
	return rules
}

// mend answers a photo that could not be got: dead links are read again from
// VK, once; a host that does not answer gets its time; then the photo comes
// down a rung.
func (l *photoLadder) mend(ctx context.Context, index int, err error) error {
	var failure *photo.Error
	if !errors.As(err, &failure) {
		return err
	}
	if failure.Temporary() && activity.GetInfo(ctx).Attempt < patience {
		return &refusedSend{errorType: protocol.ErrRetryLater, cause: err}
	}
	if failure.Kind == photo.Gone && !l.refreshed && l.Fresh != nil {
		l.refreshed = true
		photos, err := l.Fresh(ctx, l.c.OwnerID, l.c.PostID)
		if renewed, changed := withFreshLinks(l.c.post.Photos, photos); changed {
			l.c.post.Photos = renewed
			return nil
		}
		l.Log.InfoContext(ctx, "photo links not refreshed", "delivery", l.c.ID, "error", err)
	}
	return l.lowerOne(ctx, index)
}

// withFreshLinks is the photos with the links under which VK shows them now,
// and whether there are any. A photo that VK does not show keeps its own.
func withFreshLinks(photos, fresh []db.Photo) (renewed []db.Photo, changed bool) {
	renewed = slices.Clone(photos)
	for i, old := range renewed {
		same := slices.IndexFunc(fresh, func(p db.Photo) bool { return p.OwnerID == old.OwnerID && p.ID == old.ID })
		if same >= 0 && len(fresh[same].Sizes) > 0 {
			renewed[i].Sizes, changed = fresh[same].Sizes, true
		}
	}
	return renewed, changed
}

// lower answers Telegram's refusal of a step's photos. If it names the item,
// that one comes down a rung; if not, all those do that are highest up.
func (l *photoLadder) lower(ctx context.Context, step notice.Step, failedItem int) error {
	if len(step.Photos) == 1 {
		failedItem = 1
	}
	if failedItem > 0 && failedItem <= len(step.Photos) {
		index := step.Photos[failedItem-1]
		if l.rungs[index] == db.RungURL {
			if err := l.Ledger.RefuseLink(ctx, l.c.post.Photos[index].Sizes[0].URL); err != nil {
				return err
			}
		}
		return l.lowerOne(ctx, index)
	}
	highest := db.RungDropped
	for _, index := range step.Photos {
		highest = min(highest, l.rungs[index])
	}
	for _, index := range step.Photos {
		if l.rungs[index] == highest {
			if err := l.lowerOne(ctx, index); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *photoLadder) lowerOne(ctx context.Context, index int) error {
	rung := min(l.rungs[index]+1, db.RungDropped)
	if err := l.Ledger.LowerPhoto(ctx, l.c.ID, index, rung); err != nil {
		return err
	}
	if l.rungs == nil {
		l.rungs = map[int]db.Rung{}
	}
	l.rungs[index] = rung
	return nil
}

// rung names how a step's photos go, for the record: the lowest of them, or
// that there are none left.
func (l *photoLadder) rung(step notice.Step) string {
	if len(step.Photos) == 0 {
		return "text"
	}
	rungs := make([]db.Rung, len(step.Photos))
	for i, index := range step.Photos {
		rungs[i] = l.rungs[index]
	}
	return slices.Max(rungs).String()
}
