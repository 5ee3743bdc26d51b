package activities

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/photo"
	"vestnik/internal/telegram"
)

const (
	// photosTime bounds the fetching of all photos for one attempt at a part of
	// a delivery: whoever looks for a pet waits for the words, and the lane for
	// its turn. fetchTime is the share that one try at one photo may take, so
	// that there is time left for a smaller size.
	photosTime = 10 * time.Second
	fetchTime  = 7 * time.Second
	// photosFollow is for how long photos are tried again that are late.
	photosFollow = time.Hour
	// maxFetches is how often a photo is asked for whose host is in trouble.
	maxFetches = 3
	// smallerSide is the longer side, in pixels, of the smaller size.
	smallerSide = 1280
)

// Pictures gets pictures from the internet.
type Pictures interface {
	Fetch(ctx context.Context, link string) (photo.Picture, error)
	// Open gets a file of any kind, to be read as it comes.
	Open(ctx context.Context, link, name string, most int64) (*photo.File, error)
	// Avoids reports whether the link's host is left alone because it has not
	// answered; TookTooLong counts that it did not answer somebody else.
	Avoids(link string) bool
	TookTooLong(link string)
}

// errPhotosLate means that the host of some photos does not answer now.
var errPhotosLate = errors.New("the host of the photos does not answer")

// photoLadder is how the media of a delivery go: by URL, uploaded, uploaded
// smaller, or not at all; an animation's still takes the place of a smaller one,
// and a document has none. Each photo is on a rung of its own, and only ever
// comes down; the ledger remembers.
type photoLadder struct {
	*Telegram

	j         *sendJob
	rungs     map[int]db.Rung
	refreshed bool
	until     time.Time // when the time for fetching is over
	fetched   map[int]fetched
}

// fetched is what came of fetching a photo.
type fetched struct {
	photo.Picture

	err error
}

// wantedPhoto is a photo, by its index in the post, that is to be fetched and to
// keep a platform's rules.
type wantedPhoto struct {
	index int
	link  string
	rules photo.Rules
}

// fetchPhotos gets photos, some at once, until ctx ends, and makes them fit. They
// are returned by their indexes.
func fetchPhotos(ctx context.Context, from Pictures, wanted []wantedPhoto) map[int]fetched {
	photos := make([]fetched, len(wanted))
	var group errgroup.Group
	group.SetLimit(photosAtOnce)
	for i, want := range wanted {
		group.Go(func() error {
			photos[i].Picture, photos[i].err = fetchPhoto(ctx, from, want.link)
			return nil
		})
	}
	_ = group.Wait()
	byIndex := make(map[int]fetched, len(wanted))
	for i, got := range photos {
		if got.err == nil {
			got.Picture, got.err = photo.Fit(got.Picture, wanted[i].rules)
		}
		byIndex[wanted[i].index] = got
	}
	return byIndex
}

// errNotReached is of a photo whose time was over before its host was asked.
var errNotReached = &photo.Error{Kind: photo.Unreachable, Reason: "there was no time left to ask for it"}

// fetchPhoto gives a host that is in trouble some seconds.
func fetchPhoto(ctx context.Context, from Pictures, link string) (photo.Picture, error) {
	if ctx.Err() != nil { // the host is not to blame
		return photo.Picture{}, errNotReached
	}
	for try := 1; ; try++ {
		tryCtx, cancel := context.WithTimeout(ctx, fetchTime)
		picture, err := from.Fetch(tryCtx, link)
		cancel()
		var failure *photo.Error
		if !errors.As(err, &failure) || failure.Kind != photo.Unreachable || try == maxFetches || ctx.Err() != nil {
			return picture, err
		}
		pause(ctx, time.Duration(try)*time.Second)
	}
}

func (t *Telegram) climb(ctx context.Context, j *sendJob) (*photoLadder, error) {
	ladder := &photoLadder{Telegram: t, j: j, until: time.Now().Add(photosTime), fetched: map[int]fetched{}}
	if len(j.post.Photos) == 0 {
		return ladder, nil
	}
	var err error
	if ladder.rungs, err = t.Ledger.PhotoRungs(ctx, j.ID); err != nil {
		return nil, err
	}
	if err = ladder.skipRefusedLinks(ctx); err == nil {
		ladder.startFiles()
	}
	return ladder, err
}

// skipRefusedLinks begins with uploading where Telegram has refused a photo's
// link before, be it for another chat: it would refuse it again.
func (l *photoLadder) skipRefusedLinks(ctx context.Context) error {
	var links []string
	for _, photo := range l.j.post.Photos {
		links = append(links, link(photo))
	}
	refused, err := l.Ledger.RefusedLinks(ctx, links...)
	if err != nil {
		return err
	}
	for index, photo := range l.j.post.Photos {
		if refused[link(photo)] && l.rungs[index] == db.RungURL {
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
		switch {
		case current.Kind == notice.Animation && l.rungs[current.Photos[0]] > db.RungUpload:
			current = current.Still(l.j.post.Photos[current.Photos[0]].File)
		case !l.uploadsFile(current):
		case step.Text != "" || !l.j.PutOff:
			return notice.Step{}, nil, errFollows
		default:
			return current, nil, nil
		}
		photos, failed := l.gather(ctx, current)
		if ctx.Err() != nil {
			return notice.Step{}, nil, ctx.Err()
		}
		if len(failed) == 0 {
			return current, photos, nil
		}
		for _, index := range failed {
			if err := l.mend(ctx, index, l.fetched[index].err, step.Text == ""); err != nil {
				return notice.Step{}, nil, err
			}
		}
	}
}

func (l *photoLadder) dropped(step notice.Step) []int {
	var dropped []int
	for _, index := range step.Photos {
		if l.rungs[index] == db.RungDropped || l.rungs[index] == db.RungSmaller && step.Kind == notice.Document {
			dropped = append(dropped, index)
		}
	}
	return dropped
}

// gather gets the photos of a step, each as its rung says; failed are the
// indexes of those that could not be got.
func (l *photoLadder) gather(ctx context.Context, step notice.Step) (photos []telegram.Photo, failed []int) {
	var wanted []wantedPhoto
	for _, index := range step.Photos {
		sizes := l.j.post.Photos[index].Sizes
		_, done := l.fetched[index]
		switch {
		case done:
		case link(l.j.post.Photos[index]) != "" && l.rungs[index] == db.RungURL:
			if l.Pictures.Avoids(link(l.j.post.Photos[index])) { // the platform would wait in vain, too
				l.fetched[index] = fetched{err: &photo.Error{Kind: photo.Avoided, Reason: "its host does not answer these minutes"}}
			}
		case len(sizes) == 0:
			l.fetched[index] = fetched{err: &photo.Error{Kind: photo.Gone, Reason: "VK names no link"}}
		case l.rungs[index] == db.RungSmaller:
			wanted = append(wanted, wantedPhoto{index, smaller(sizes).URL, smallerRules()})
		default:
			wanted = append(wanted, wantedPhoto{index, sizes[0].URL, photo.TelegramUpload})
		}
	}
	ctx, cancel := context.WithDeadline(ctx, l.until)
	defer cancel()
	maps.Copy(l.fetched, fetchPhotos(ctx, l.Pictures, wanted))
	for _, index := range step.Photos {
		got, uploaded := l.fetched[index]
		switch {
		case got.err != nil:
			failed = append(failed, index)
		case uploaded:
			photos = append(photos, telegram.Photo{Bytes: got.Bytes})
		default:
			photos = append(photos, telegram.Photo{URL: link(l.j.post.Photos[index])})
		}
	}
	return photos, failed
}

// link is where the platform gets a photo or a file by itself, "" if VK names no
// link.
func link(photo db.Photo) string {
	if photo.File == "" && len(photo.Sizes) > 0 {
		return photo.Sizes[0].URL
	}
	return photo.File
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
// VK, once; then the photo comes down a rung. errPhotosLate if its host does not
// answer: words do not wait for that, and photos alone, which a smaller size may
// help, and documents for no longer than photosFollow. An animation has its still.
func (l *photoLadder) mend(ctx context.Context, index int, err error, alone bool) error {
	var failure *photo.Error
	if !errors.As(err, &failure) {
		return err
	}
	if failure.Kind == photo.Gone && !l.refreshed && l.Fresh != nil {
		l.refreshed = true
		photos, err := l.Fresh(ctx, l.j.OwnerID, l.j.PostID)
		if renewed, changed := withFreshLinks(l.j.post.Photos, photos); changed {
			l.j.post.Photos = renewed
			clear(l.fetched)
			return nil
		}
		l.Log.InfoContext(ctx, "photo links not refreshed", "delivery", l.j.ID, "error", err)
	}
	helps := alone && failure.Kind != photo.Avoided && l.rungs[index] < db.RungSmaller && time.Now().Before(l.until)
	if item := l.j.post.Photos[index]; item.File != "" && l.rungs[index] < db.RungSmaller {
		helps = alone && len(item.Sizes) > 0
	}
	switch {
	case !failure.Temporary() || helps:
		return l.lowerOne(ctx, index)
	case alone && time.Since(l.j.FirstAttemptAt) > photosFollow:
		return l.lowerTo(ctx, index, db.RungDropped)
	}
	return errPhotosLate
}

// byURL reports whether the platform is to get some photo of a step by itself.
func (l *photoLadder) byURL(step notice.Step) bool {
	return slices.ContainsFunc(step.Photos, func(index int) bool { return l.rungs[index] == db.RungURL })
}

// tookTooLong is for a step whose photos the platform did not get in time: their
// hosts are counted as not answering, and the photos are uploaded from now on.
func (l *photoLadder) tookTooLong(ctx context.Context, step notice.Step) error {
	for _, index := range step.Photos {
		if l.rungs[index] != db.RungURL {
			continue
		}
		l.Pictures.TookTooLong(link(l.j.post.Photos[index]))
		if err := l.lowerTo(ctx, index, db.RungUpload); err != nil {
			return err
		}
	}
	return nil
}

// withFreshLinks is the photos with the links under which VK shows them now,
// and whether there are any. A photo that VK does not show keeps its own.
func withFreshLinks(photos, fresh []db.Photo) (renewed []db.Photo, changed bool) {
	renewed = slices.Clone(photos)
	for i, old := range renewed {
		same := slices.IndexFunc(fresh, func(p db.Photo) bool {
			return p.OwnerID == old.OwnerID && p.ID == old.ID && (p.File == "") == (old.File == "")
		})
		if same >= 0 && link(fresh[same]) != "" {
			renewed[i].Sizes, renewed[i].File, changed = fresh[same].Sizes, fresh[same].File, true
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
			if err := l.Ledger.RefuseLink(ctx, link(l.j.post.Photos[index])); err != nil {
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
	return l.lowerTo(ctx, index, min(l.rungs[index]+1, db.RungDropped))
}

func (l *photoLadder) lowerTo(ctx context.Context, index int, rung db.Rung) error {
	if err := l.Ledger.LowerPhoto(ctx, l.j.ID, index, rung); err != nil {
		return err
	}
	if l.rungs == nil {
		l.rungs = map[int]db.Rung{}
	}
	l.rungs[index] = rung
	delete(l.fetched, index)
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
