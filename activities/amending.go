package activities

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/vk"
)

// amendAttempts is how many times an amendment is tried, hours apart in the
// end, before it is given up.
const amendAttempts = 12

// AmendOptions are for AmendOnTelegram and AmendOnVK. The messages are out
// already, so an amendment does not hold up its lane for long: what can't be
// edited within a minute is put off, and queued again by a later scan.
func AmendOptions(destination, summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           protocol.Platform(destination),
		StartToCloseTimeout: 2 * time.Minute,
		HeartbeatTimeout:    10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 3, MaximumInterval: 20 * time.Second, MaximumAttempts: 4,
		},
		Summary: summary,
	}
}

// editor edits one message in a platform's own way. It may be repeated: to make
// a message what it is already changes nothing.
type editor interface {
	edit(ctx context.Context, e *edition) error
	// judge tells what an error of edit means.
	judge(err error) refusal
}

// edition is an amendment with all that is needed to edit one of its messages.
type edition struct {
	*db.Amendment

	post   db.Post
	target route.Target
	at     int // the index in Parts of the message to be edited
}

func (e *edition) part() db.PartToAmend { return e.Parts[e.at] }

// refusal is what becomes of an amendment whose edit was not a success.
type refusal struct {
	// status ends the amendment; "" puts it off.
	status     string
	gone       bool // the message is: the others may still be edited
	reason     string
	again      bool // soon: the platform was not reached
	retryAfter time.Duration
}

// AmendOnTelegram edits the next message of an amendment in a chat.
func (t *Telegram) AmendOnTelegram(ctx context.Context, request protocol.AmendPart) (protocol.PartAmended, error) {
	return t.amendNext(ctx, request, &telegramEditor{Telegram: t})
}

// AmendOnVK edits the post of an amendment on a wall.
func (v *VK) AmendOnVK(ctx context.Context, request protocol.AmendPart) (protocol.PartAmended, error) {
	return v.amendNext(ctx, request, &vkEditor{VK: v})
}

// amendNext edits the next message that does not show what its post says.
func (o *Outbound) amendNext(ctx context.Context, request protocol.AmendPart, editor editor) (protocol.PartAmended, error) {
	defer o.heartbeat(ctx)()
	amendment, err := o.Ledger.OpenAmendment(ctx, request.AmendmentID)
	if err != nil || amendment == nil {
		return protocol.PartAmended{Status: protocol.AmendDone}, err
	}
	e := &edition{Amendment: amendment}
	if e.post, err = o.Posts.Get(ctx, amendment.Delivery.OwnerID, amendment.Delivery.PostID); err != nil {
		return protocol.PartAmended{}, err
	}
	destination, err := route.ParseDestination(amendment.Delivery.Destination)
	if err != nil {
		return protocol.PartAmended{}, err
	}
	var configured bool
	if e.target, configured = o.Routes.Target(destination); !configured {
		return o.finish(ctx, e, protocol.AmendRefused, "the destination is not configured any more")
	}
	if !e.next() {
		return o.finishAll(ctx, e)
	}
	waitForSlot(ctx, request.EditAt)
	if err := editor.edit(ctx, e); err != nil {
		refused := editor.judge(err)
		if !refused.gone {
			return o.putOff(ctx, e, refused, err)
		}
		e.Parts[e.at].Gone = true
	}
	e.Parts[e.at].Version = e.post.Version()
	if err := o.Ledger.PartShows(ctx, e.Delivery.ID, e.part()); err != nil {
		return protocol.PartAmended{}, err
	}
	o.Log.InfoContext(ctx, "message amended", "delivery", e.Delivery.ID, "destination", e.Delivery.Destination,
		"post", protocol.WallPost(e.post.OwnerID, e.post.PostID), "cause", e.Cause, "part", e.part().Part+1, "gone", e.part().Gone)
	if e.next() {
		return protocol.PartAmended{Status: protocol.AmendPending}, nil
	}
	return o.finishAll(ctx, e)
}

// next finds the next message that shows an older version: in its words, or in
// its photos.
func (e *edition) next() bool {
	for i, part := range e.Parts {
		if !part.Gone && !bytes.Equal(part.Version, e.post.Version()) && (!part.Wordless || len(e.exchanges(i)) > 0) {
			e.at = i
			return true
		}
	}
	return false
}

// finishAll ends an amendment all of whose messages show what they should.
func (o *Outbound) finishAll(ctx context.Context, e *edition) (protocol.PartAmended, error) {
	there, gone := 0, 0
	for _, part := range e.Parts {
		if part.Gone {
			gone++
		} else {
			there++
		}
	}
	switch {
	case gone > 0 && there == 0:
		return o.finish(ctx, e, protocol.AmendGone, "the message is not there any more")
	case gone > 0:
		return o.finish(ctx, e, protocol.AmendDone, fmt.Sprintf("%d of its messages are not there any more", gone))
	default:
		return o.finish(ctx, e, protocol.AmendDone, "")
	}
}

// finish records how an amendment ended, unless there is something new to do.
func (o *Outbound) finish(ctx context.Context, e *edition, status, reason string) (protocol.PartAmended, error) {
	finished, err := o.Ledger.FinishAmendment(ctx, e.Amendment, status, reason)
	if err != nil {
		return protocol.PartAmended{}, err
	}
	if !finished {
		return protocol.PartAmended{Status: protocol.AmendPending}, nil
	}
	return protocol.PartAmended{Status: status, Reason: reason}, nil
}

// putOff records why a message could not be edited: for good, or for now.
func (o *Outbound) putOff(ctx context.Context, e *edition, refused refusal, cause error) (protocol.PartAmended, error) {
	o.Log.WarnContext(ctx, "message not amended", "delivery", e.Delivery.ID, "destination", e.Delivery.Destination,
		"reason", refused.reason, "status", refused.status, "error", cause)
	if refused.status == "" && e.Attempts >= amendAttempts && refused.retryAfter == 0 {
		refused.status, refused.reason = protocol.AmendFailed, "given up: "+refused.reason
	}
	if refused.status != "" {
		return o.finish(ctx, e, refused.status, refused.reason)
	}
	if err := o.Ledger.NoteAmendment(ctx, e.ID, refused.reason); err != nil {
		return protocol.PartAmended{}, err
	}
	options := temporal.ApplicationErrorOptions{
		NonRetryable: !refused.again, NextRetryDelay: refused.retryAfter, Details: []any{protocol.Refusal{Reason: refused.reason}},
	}
	kind := protocol.ErrRetryLater
	if refused.retryAfter > 0 {
		kind, options.NonRetryable, options.Category = protocol.ErrRateLimited, true, temporal.ApplicationErrorCategoryBenign
	}
	return protocol.PartAmended{}, temporal.NewApplicationErrorWithOptions(cause.Error(), kind, options)
}

type vkEditor struct {
	*VK
}

// edit replaces the post, photos included, because VK takes a post without
// them for one that has none. A user's key may edit what a community's may not.
func (v *vkEditor) edit(ctx context.Context, e *edition) error {
	key := v.Album.Uploader
	if key == nil {
		var err error
		if key, err = v.Keys(e.target.Destination); err != nil {
			return err
		}
	}
	c := &consignment{Delivery: e.Delivery, post: e.post, target: e.target}
	courier := &vkCourier{VK: v.VK}
	message := courier.wording(c, len(e.post.Photos))
	draft := wallDraft{
		WallPost: vk.WallPost{OwnerID: e.target.Destination.Owner, Copyright: message.Copyright},
		album:    v.Album.attach(ctx, c, message.Photos),
	}
	for {
		draft.word(courier.wording(c, len(draft.album.attachments)))
		err := key.WallEdit(ctx, e.part().MessageIDs[0], draft.WallPost)
		lighter, mended := draft.without(err)
		if !mended {
			return err
		}
		if lighter.unnamed {
			c.NamesRefused, lighter.unnamed = true, false
			lighter.album = v.Album.attach(ctx, c, message.Photos)
		}
		draft = lighter
	}
}

// judge leaves a post alone that VK does not let us edit: a community's key may
// not (27), and nobody may after a day.
func (v *vkEditor) judge(err error) refusal {
	var failure *vk.Error
	if !errors.As(err, &failure) {
		return refusal{reason: "not_configured"}
	}
	refused := refusal{reason: failure.Reason()}
	switch failure.Action() {
	case vk.Retry, vk.RateLimit:
		refused.again = true
	case vk.LongCooldown:
		refused.retryAfter = failure.Policy.Delay(1, time.Now())
	default:
		refused.status, refused.reason = protocol.AmendRefused, fmt.Sprintf("VK %d: %s", failure.Code, failure.Reason())
	}
	return refused
}
