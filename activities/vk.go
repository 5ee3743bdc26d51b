package activities

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"time"

	"go.temporal.io/sdk/activity"

	"vestnik/db"
	"vestnik/internal/compose"
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
	// Walls reads a wall back; nil if there is no key that may.
	Walls *Walls
	// Album gets a post's photos onto a wall.
	Album *WallAlbum
}

// SendToVK sends a delivery to a wall.
func (v *VK) SendToVK(ctx context.Context, request protocol.SendPart) (protocol.PartSent, error) {
	return v.sendNext(ctx, request, &vkCourier{VK: v})
}

type vkCourier struct {
	*VK

	message notice.VKPost
}

func (v *vkCourier) plan(c *consignment) ([]int, error) {
	v.message = compose.VK(c.post, c.target, c.ReplyTo)
	c.shown = db.Shown{Kind: "post", Version: c.post.Version()}
	return []int{1}, nil
}

// settleUncertain relies on the guid while it holds. Later it looks for the
// post on the wall, and only if that can't be done, or in vain, the policy on
// unknown outcomes decides.
func (v *vkCourier) settleUncertain(ctx context.Context, c *consignment, uncertainty db.Uncertainty) ([]int64, error) {
	if time.Since(uncertainty.Since) < guidHolds {
		return nil, nil
	}
	looked := false
	if v.Walls != nil {
		postID, err := v.Walls.FindNotice(ctx, c.target.Destination.Owner, c.OwnerID, c.PostID, uncertainty.Since)
		switch {
		case err == nil && postID != 0:
			return []int64{postID}, nil
		case err == nil:
			looked = true
		default:
			v.Log.WarnContext(ctx, "the wall can't be read back", "delivery", c.ID, "destination", c.Destination, "error", err)
		}
	}
	if !looked && c.target.Settings.OnUnknown == route.Park && uncertainty.Unforgiven > 0 {
		return nil, askPerson(uncertainty.Unforgiven)
	}
	return nil, nil
}

// send posts to the wall, leaving out what VK refuses: the source's copyright
// mark, links, photos.
func (v *vkCourier) send(ctx context.Context, c *consignment, request protocol.SendPart) error {
	key, err := v.Keys(c.target.Destination)
	if err != nil {
		return parked("not_configured", err)
	}
	post := vk.WallPost{
		OwnerID: c.target.Destination.Owner, FromGroup: v.FromGroup, Silent: c.target.Settings.Silent,
		Copyright: v.message.Copyright,
		GUID:      guid(c.Destination, c.OwnerID, c.PostID), Captcha: captchaAnswer(c.Captcha, request.CaptchaKey),
	}
	draft := wallDraft{WallPost: post, album: v.Album.attach(ctx, c, v.message.Photos)}
	for {
		draft.word(v.wording(c, len(draft.album.attachments)))
		var postID int64
		lighter, mended := draft, false
		err := v.attempt(ctx, c, draft.album.rung(),
			func(ctx context.Context) (ids []int64, err error) {
				postID, err = key.WallPost(ctx, draft.WallPost)
				return []int64{postID}, err
			},
			func(err error) verdict {
				lighter, mended = draft.without(err)
				return v.judge(ctx, c, err, mended)
			})
		switch {
		case err == nil && draft.album.how == albumByName:
			if v.Album.check(ctx, c, postID, len(draft.Attachments)) && v.Album.Uploader != nil {
				draft.album = v.Album.upload(ctx, c, v.message.Photos)
				draft.word(v.wording(c, len(draft.album.attachments)))
				v.Album.edit(ctx, c, postID, draft.WallPost)
			}
			return nil
		case err == nil || !mended:
			return err
		case lighter.unnamed:
			c.NamesRefused = true
			lighter.album = v.Album.attach(ctx, c, v.message.Photos)
			lighter.unnamed = false
		}
		draft = lighter
	}
}

// wording is what a post says that shows so many of its photos.
func (v *vkCourier) wording(c *consignment, photos int) notice.VKPost {
	target := c.target
	target.Settings.MaxMedia = min(target.Settings.MaxMedia, photos)
	return compose.VK(c.post, target, c.ReplyTo)
}

// judge reads the catalogue's policy for VK's answer as what happens to the
// delivery. Repeating with the same guid is safe, so an unknown outcome is
// simply tried again.
//
// mended: the next call leaves out what VK refuses now.
func (v *vkCourier) judge(ctx context.Context, c *consignment, err error, mended bool) verdict {
	var failure *vk.Error
	if !errors.As(err, &failure) {
		failure = &vk.Error{Class: vk.Bug, Message: "no answer of VK's"}
	}
	attempt := int(activity.GetInfo(ctx).Attempt)
	judged := verdict{cause: err, ending: db.Ending{
		Code: failure.Code, Error: failure.Error(), Status: protocol.StatusSending, Reason: failure.Reason(),
	}}
	action := failure.Policy.After(attempt)
	switch {
	case mended:
		judged.ending.Outcome = db.OutcomeDegraded
		judged.errorType, judged.refusal.Reason = protocol.ErrRejected, failure.Reason()
		return judged
	case dispensable(action): // and there is nothing left to leave out
		action = cmp.Or(failure.Policy.Then, vk.Fail)
	}
	switch action {
	case vk.Retry, vk.RateLimit:
		judged.ending.Outcome, judged.errorType = db.OutcomeRetry, protocol.ErrRetryLater
		judged.retryAfter = failure.Policy.Delay(attempt, time.Now())
		judged.ending.RetryAfter = judged.retryAfter
		if failure.MayHaveHappened() {
			judged.ending.Outcome, judged.errorType = db.OutcomeUnknown, protocol.ErrOutcomeUnknown
		}
	case vk.LongCooldown:
		judged.retryAfter = failure.Policy.Delay(v.cooldowns(ctx, c)+1, time.Now())
		judged.ending.Outcome, judged.ending.RetryAfter = db.OutcomeRateLimited, judged.retryAfter
		judged.ending.Status = protocol.StatusPending
		judged.ending.Reason = fmt.Sprintf("VK asks to wait: %s, %s", failure.Reason(), judged.retryAfter.Round(time.Second))
		judged.errorType, judged.refusal.Reason = protocol.ErrRateLimited, failure.Reason()
	case vk.CaptchaNeeded:
		judged = park(judged, protocol.ReasonCaptcha, true)
		judged.ending.Captcha = &db.Captcha{SID: failure.CaptchaSID, Picture: failure.CaptchaImg, RedirectURI: failure.RedirectURI}
	case vk.ParkKey, vk.ParkWall:
		judged = park(judged, failure.Reason(), true)
	case vk.ParkDelivery:
		judged = park(judged, failure.Reason(), false)
	default:
		judged.ending.Outcome, judged.ending.Status = db.OutcomeRejected, protocol.StatusFailed
		judged.ending.Reason = failure.Error()
		judged.errorType, judged.refusal.Reason = protocol.ErrRejected, failure.Reason()
	}
	return judged
}

func park(v verdict, reason string, pauseLane bool) verdict {
	v.ending.Outcome, v.ending.Status, v.ending.Reason = db.OutcomeParked, protocol.StatusParked, reason
	v.errorType, v.refusal = protocol.ErrParked, protocol.Refusal{Reason: reason, PauseLane: pauseLane}
	return v
}

// cooldowns counts how often this delivery was told to wait, for the pauses
// that double.
func (v *vkCourier) cooldowns(ctx context.Context, c *consignment) int {
	attempts, err := v.Ledger.Attempts(ctx, c.ID)
	if err != nil {
		return 0 // the shortest pause will do
	}
	count := 0
	for _, attempt := range attempts {
		if attempt.Outcome == db.OutcomeRateLimited {
			count++
		}
	}
	return count
}

// captchaAnswer is an operator's answer as VK takes it: the text of a picture,
// or, where VK has sent a person to a page of its own, the token it gave.
func captchaAnswer(asked *db.Captcha, answer string) vk.CaptchaAnswer {
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

// namesPost finds the name of a post in a text, whole.
func namesPost(text string, ownerID, postID int64) bool {
	name := regexp.MustCompile(regexp.QuoteMeta(protocol.WallPost(ownerID, postID)) + `(\D|$)`)
	return name.MatchString(text)
}
