package activities

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/vk"
)

// guidHolds is how long after the first attempt a repetition with the same
// guid is safe: VK keeps it for an hour, and clocks and queues take their part.
const guidHolds = 50 * time.Minute

// VK sends posts to VK walls.
type VK struct {
	*Outbound

	// Keys finds the client that may post to a destination.
	Keys func(route.Destination) (*vk.Client, error)
	// FromGroup posts in the community's name.
	FromGroup bool
	// Timeout is how long one call may take.
	Timeout time.Duration
	// Walls reads a wall back; nil if there is no key that may.
	Walls *Walls
	// Album gets a post's photos onto a wall.
	Album *WallAlbum
}

// SendToVK sends a delivery to a wall.
func (v *VK) SendToVK(ctx context.Context, request protocol.SendPart) (protocol.PartSent, error) {
	return v.sendNext(ctx, request, &vkSender{VK: v})
}

type vkSender struct {
	*VK

	message notice.VKPost
}

func (v *vkSender) progress() []any { return nothing() }

// reach is not needed: a repetition with the same guid is safe, and later the
// wall is looked at.
func (v *vkSender) reach(context.Context, *sendJob) error { return nil }

func (v *vkSender) plan(j *sendJob) []int {
	v.message = notice.PlanVK(j.post, j.target.VKOptions(j.ReplyTo))
	j.shown = db.Shown{Kind: "post", Version: j.post.Version()}
	return []int{1}
}

// keysAgain is for how long a delivery is put off because no reading key may make
// a call.
const keysAgain = time.Minute

// settleUncertain relies on the guid while it holds. Later it looks for the
// post on the wall; if that can't be done at all, the policy on unknown outcomes
// decides. While the reading keys must wait the delivery does, too, and its lane
// goes on.
func (v *vkSender) settleUncertain(ctx context.Context, j *sendJob) ([]int64, error) {
	if time.Since(j.uncertainty.Since) < guidHolds {
		return nil, nil
	}
	found, err := v.lookOnWall(ctx, j)
	switch {
	case err == nil:
		return found, nil
	case mustWait(err):
		return nil, cmp.Or(v.Ledger.PutOff(ctx, j.ID, keysAgain), notNow("reading_keys_wait", err.Error()))
	case readableLater(err):
		return nil, v.unreached(ctx, j, err)
	case !unreadable(err):
		return nil, err
	case j.target.Settings.OnUnknown == route.Park && j.uncertainty.Unacknowledged > 0:
		return nil, askPerson(j.uncertainty.Unacknowledged)
	}
	return nil, nil
}

// lookOnWall finds the post that an attempt of unknown outcome may have left on
// the wall; nil if there is none.
func (v *vkSender) lookOnWall(ctx context.Context, j *sendJob) (found []int64, err error) {
	if v.Walls == nil {
		return nil, errNoReadingKey
	}
	postID, err := v.Walls.FindNotice(ctx, j.target.Destination.Owner, j.OwnerID, j.PostID, j.uncertainty.Since)
	if err != nil {
		v.Log.WarnContext(ctx, "the wall can't be read back", "delivery", j.ID, "destination", j.Destination, "error", err)
		return nil, err
	}
	if postID != 0 {
		found = []int64{postID}
	}
	return found, nil
}

var errNoReadingKey = errors.New("there is no key that may read the wall")

// readableLater reports whether a wall that can't be read now can be in a while.
func readableLater(err error) bool {
	var failure *vk.Error
	return errors.As(err, &failure) && (failure.Action() == vk.Retry || failure.Action() == vk.RateLimit)
}

// unreadable reports whether the wall itself is why it can't be read, or that there
// is no key; else it is a fault of our own.
func unreadable(err error) bool {
	return errors.Is(err, errNoReadingKey) || errors.Is(err, errManyPosts) || errors.As(err, new(*vk.Error))
}

// lookBeforeFailing is for a refusal that would end a delivery some attempt of
// which may have arrived: VK has been seen to take a post, answer with nothing,
// and refuse the repeated guid. What is on the wall has arrived. A delivery whose
// wall can't be read does not fail: it tries again, or waits for a person.
func (v *vkSender) lookBeforeFailing(ctx context.Context, j *sendJob, refused *refusedSend) (found []int64, err error) {
	found, err = v.lookOnWall(ctx, j)
	switch {
	case found != nil:
		v.Log.InfoContext(ctx, "VK refuses what its wall shows: an earlier attempt has arrived", "delivery", j.ID, "destination", j.Destination)
		return found, nil
	case err == nil:
	case readableLater(err):
		refused.ending.Outcome, refused.ending.Status, refused.errorType = db.OutcomeRetry, protocol.StatusSending, protocol.ErrRetryLater
	default:
		refused.ending.Outcome, refused.ending.Status, refused.ending.Reason = db.OutcomeParked, protocol.StatusUnknown, protocol.ReasonOutcomeUnknown
		refused.errorType, refused.reason = protocol.ErrUnknownParked, protocol.ReasonOutcomeUnknown
	}
	return nil, refused.cause
}

// send posts to the wall, leaving out what VK refuses: the source's copyright
// mark, links, photos.
func (v *vkSender) send(ctx context.Context, j *sendJob) error {
	key, err := v.Keys(j.target.Destination)
	if err != nil {
		return parked("not_configured", err)
	}
	post := vk.WallPost{
		OwnerID: j.target.Destination.Owner, FromGroup: v.FromGroup, Silent: j.target.Settings.Silent,
		Copyright: v.message.Copyright,
		GUID:      guid(j.Destination, j.OwnerID, j.PostID), Captcha: captchaAnswer(j.Captcha, j.request.CaptchaKey),
	}
	draft := wallDraft{WallPost: post, album: v.Album.attach(ctx, j, v.message.Photos)}
	for {
		draft.word(v.wording(j, len(draft.album.attachments)))
		var postID int64
		lighter, mended := draft, false
		var refused *refusedSend
		err := v.attempt(ctx, j, v.Timeout, draft.album.rung(),
			func(ctx context.Context) (ids []int64, err error) {
				if postID, err = key.WallPost(ctx, draft.WallPost); err == nil {
					return []int64{postID}, nil
				}
				lighter, mended = draft.without(err)
				refused = v.classify(ctx, j, err, mended)
				if refused.ending.Outcome != db.OutcomeRejected || j.uncertainty.Attempts == 0 {
					return nil, err
				}
				if ids, err = v.lookBeforeFailing(ctx, j, refused); err == nil {
					postID = ids[0]
				}
				return ids, err
			},
			func(error) *refusedSend { return refused })
		switch {
		case err == nil:
			v.completePhotos(ctx, j, postID, draft)
			return nil
		case !mended:
			return err
		case lighter.unnamed:
			j.NamesRefused = true
			lighter.album = v.Album.attach(ctx, j, v.message.Photos)
			lighter.unnamed = false
		}
		draft = lighter
	}
}

// completePhotos uploads the photos of a post that shows them only by name, where VK
// has taken the names and dropped the photos, and sees to it that late ones follow.
func (v *vkSender) completePhotos(ctx context.Context, j *sendJob, postID int64, draft wallDraft) {
	if draft.album.how == albumByName && v.Album.check(ctx, j, postID, len(draft.album.attachments)) && v.Album.Uploader() != nil {
		draft.album = v.Album.upload(ctx, j, v.message.Photos)
		draft.word(v.wording(j, len(draft.album.attachments)))
		v.Album.edit(ctx, j, postID, draft.WallPost)
	}
	if !draft.album.late {
		return
	}
	if err := v.Ledger.PhotosFollow(ctx, j.ID, time.Minute); err != nil {
		v.Log.WarnContext(ctx, "the post stays without its photos", "delivery", j.ID, "error", err)
	}
}

// wording is what a post says that shows so many of its photos.
func (v *vkSender) wording(j *sendJob, photos int) notice.VKPost {
	target := j.target
	target.Settings.MaxMedia = min(target.Settings.MaxMedia, photos)
	return notice.PlanVK(j.post, target.VKOptions(j.ReplyTo))
}

// classify reads the catalogue's policy for VK's answer as what happens to the
// delivery. Repeating with the same guid is safe, so an unknown outcome is
// simply tried again.
//
// mended: the next call leaves out what VK refuses now.
func (v *vkSender) classify(ctx context.Context, j *sendJob, err error, mended bool) *refusedSend {
	var failure *vk.Error
	if !errors.As(err, &failure) {
		failure = &vk.Error{Class: vk.Bug, Message: "no answer of VK's"}
	}
	attempt := int(activity.GetInfo(ctx).Attempt)
	refused := &refusedSend{cause: err, ending: db.Ending{
		Code: failure.Code, Error: failure.Error(), Status: protocol.StatusSending, Reason: failure.Reason(),
	}}
	action := failure.Policy.After(attempt)
	if failure.Action() == vk.LongCooldown { // each of them has ended its turn
		action = failure.Policy.After(j.uncertainty.RateLimited + 1)
	}
	switch {
	case mended:
		refused.ending.Outcome = db.OutcomeDegraded
		refused.errorType, refused.reason = protocol.ErrRejected, failure.Reason()
		return refused
	case dispensable(action): // and there is nothing left to leave out
		action = cmp.Or(failure.Policy.Then, vk.Fail)
	}
	switch action {
	case vk.Retry, vk.RateLimit:
		refused.ending.Outcome, refused.errorType = db.OutcomeRetry, protocol.ErrRetryLater
		refused.retryAfter = failure.Policy.Delay(attempt, time.Now())
		refused.ending.RetryAfter = refused.retryAfter
		if failure.MayHaveHappened() {
			refused.ending.Outcome, refused.errorType = db.OutcomeUnknown, protocol.ErrOutcomeUnknown
		}
	case vk.LongCooldown:
		refused.retryAfter = failure.Policy.Delay(j.uncertainty.RateLimited+1, time.Now())
		refused.ending.Outcome, refused.ending.RetryAfter, refused.ending.Cool = db.OutcomeRateLimited, refused.retryAfter, refused.retryAfter
		refused.ending.Status = protocol.StatusPending
		refused.ending.Reason = fmt.Sprintf("VK asks to wait: %s, %s", failure.Reason(), refused.retryAfter.Round(time.Second))
		refused.errorType, refused.reason = protocol.ErrRateLimited, failure.Reason()
	case vk.CaptchaNeeded:
		refused = park(refused, protocol.ReasonCaptcha, true)
		refused.ending.Captcha = captchaOf(failure)
	case vk.ParkKey, vk.ParkWall:
		refused = park(refused, failure.Reason(), true)
	case vk.ParkDelivery:
		refused = park(refused, failure.Reason(), false)
	default:
		refused.ending.Outcome, refused.ending.Status = db.OutcomeRejected, protocol.StatusFailed
		refused.ending.Reason = failure.Error()
		refused.errorType, refused.reason = protocol.ErrRejected, failure.Reason()
	}
	return refused
}

func park(r *refusedSend, reason string, pauseLane bool) *refusedSend {
	r.ending.Outcome, r.ending.Status, r.ending.Reason, r.ending.Pause = db.OutcomeParked, protocol.StatusParked, reason, pauseLane
	r.errorType, r.reason = protocol.ErrParked, reason
	return r
}

func captchaOf(failure *vk.Error) *protocol.Captcha {
	return &protocol.Captcha{SID: failure.CaptchaSID, Picture: failure.CaptchaImg, RedirectURI: failure.RedirectURI}
}

// captchaAnswer is an operator's answer as VK takes it: the text of a picture,
// or, where VK has sent a person to a page of its own, the token it gave.
func captchaAnswer(asked *protocol.Captcha, answer string) vk.CaptchaAnswer {
	if answer == "" {
		return vk.CaptchaAnswer{}
	}
	captcha := vk.CaptchaAnswer{Key: answer}
	if asked != nil {
		captcha.SID = asked.SID
		if asked.RedirectURI != "" {
			captcha.SuccessToken = answer
		}
	}
	return captcha
}

// guid is the same for every attempt at a delivery, and for no other.
func guid(destination string, ownerID, postID int64) string {
	sum := sha256.Sum256([]byte(protocol.DeliveryWorkflowID(destination, ownerID, postID)))
	return hex.EncodeToString(sum[:16])
}
