package activities

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/vk"
)

const (
	// editAttempts is how many times an edit is tried, hours apart in the end,
	// before it is given up.
	editAttempts = 12
	// editAgain is after how long an edit that could not be made is due for the
	// second time.
	editAgain = 10 * time.Minute
)

// EditOptions are for EditOnTelegram and EditOnVK, which the lane runs itself.
// The messages are out already, so an edit does not hold up its lane for long:
// what can't be edited within a minute is due again later.
func EditOptions(destination, summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           protocol.Platform(destination),
		StartToCloseTimeout: 2 * time.Minute,
		HeartbeatTimeout:    HeartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 3, MaximumInterval: 20 * time.Second, MaximumAttempts: 4,
		},
		Summary: summary,
	}
}

// editor edits one message in a platform's own way. It may be repeated: to make
// a message what it is already changes nothing.
type editor interface {
	edit(ctx context.Context, e *editJob) error
	// remove removes it, or where that can't be done takes away what it shows.
	remove(ctx context.Context, e *editJob) error
	// classify says what an error of either means.
	classify(err error) refusal
}

// editJob is an edit with all that is needed to edit one of its messages.
type editJob struct {
	*db.Edit

	post   db.Post
	target route.Target
	at     int // the index in Parts of the message to be edited
}

func (e *editJob) part() db.PartToEdit { return e.Parts[e.at] }

// emptied is the version that a message shows which can't be removed.
var emptied = []byte("emptied")

// version is what the messages are to show.
func (e *editJob) version() []byte {
	if e.TakenBack {
		return emptied
	}
	return e.post.Version()
}

// refusal is what becomes of an edit that was no success.
type refusal struct {
	// status ends the edit; "" puts it off.
	status     string
	gone       bool // the message is: the others may still be edited
	reason     string
	again      bool // soon: the platform was not reached
	retryAfter time.Duration
}

// EditOnTelegram edits the next message of a delivery in a chat.
func (t *Telegram) EditOnTelegram(ctx context.Context, request protocol.EditMessage) (protocol.MessageEdited, error) {
	return t.editNext(ctx, request, &telegramEditor{Telegram: t})
}

// EditOnVK edits the post of a delivery on a wall.
func (v *VK) EditOnVK(ctx context.Context, request protocol.EditMessage) (protocol.MessageEdited, error) {
	return v.editNext(ctx, request, &vkEditor{VK: v})
}

// editNext edits the next message that does not show what its post says.
func (o *Outbound) editNext(ctx context.Context, request protocol.EditMessage, editor editor) (protocol.MessageEdited, error) {
	defer beat(ctx, nothing)()
	edit, err := o.Ledger.OpenEdit(ctx, request.EditID, activity.GetInfo(ctx).Attempt == 1)
	if err != nil || edit == nil {
		return protocol.MessageEdited{Status: protocol.EditDone}, err
	}
	e := &editJob{Edit: edit}
	if e.post, err = o.Posts.Get(ctx, edit.Delivery.OwnerID, edit.Delivery.PostID); err != nil {
		return protocol.MessageEdited{}, err
	}
	if edit.Delivery.ReplyTo != 0 {
		e.post = e.post.AsUpdate()
	}
	destination, err := route.ParseDestination(edit.Delivery.Destination)
	if err != nil {
		return protocol.MessageEdited{}, err
	}
	var configured bool
	if e.target, configured = o.Routes().Target(destination); !configured {
		return o.finish(ctx, e, protocol.EditRefused, "the destination is not configured any more")
	}
	if !e.post.BlankedAt.IsZero() && !e.TakenBack {
		return o.finish(ctx, e, protocol.EditRefused, db.ErrBlanked.Error())
	}
	if !e.next() {
		return o.finishAll(ctx, e)
	}
	waitForSlot(ctx, request.EditAt)
	change := editor.edit
	if e.TakenBack {
		change = editor.remove
	}
	if err := change(ctx, e); err != nil {
		refused := editor.classify(err)
		if !refused.gone {
			return o.putOff(ctx, e, refused, err)
		}
		e.Parts[e.at].Gone = true
	}
	e.Parts[e.at].Version = e.version()
	if err := o.Ledger.PartShows(ctx, e.Delivery.ID, e.part()); err != nil {
		return protocol.MessageEdited{}, err
	}
	o.Log.InfoContext(ctx, "message edited", "delivery", e.Delivery.ID, "destination", e.Delivery.Destination,
		"post", protocol.WallPost(e.post.OwnerID, e.post.PostID), "cause", e.Cause, "part", e.part().Part+1, "gone", e.part().Gone)
	if e.next() {
		return protocol.MessageEdited{Status: protocol.EditPending}, nil
	}
	return o.finishAll(ctx, e)
}

// next finds the next message that shows an older version: in its words, or in
// its photos; or that is to be removed.
func (e *editJob) next() bool {
	for i, part := range e.Parts {
		if !part.Gone && !part.Behind && !bytes.Equal(part.Version, e.version()) && (e.TakenBack || !part.Wordless || len(e.exchanges(i)) > 0) {
			e.at = i
			return true
		}
	}
	return false
}

// finishAll ends an edit all of whose messages show what they should.
func (o *Outbound) finishAll(ctx context.Context, e *editJob) (protocol.MessageEdited, error) {
	there, gone, behind := 0, 0, 0
	for _, part := range e.Parts {
		switch {
		case part.Gone:
			gone++
		case part.Behind && e.TakenBack:
			behind++
		case part.Behind:
			gone++
		default:
			there++
		}
	}
	switch {
	case behind > 0:
		return o.finish(ctx, e, protocol.EditRefused, fmt.Sprintf("%d of its messages stay in the group that the chat was before", behind))
	case e.TakenBack && there > 0:
		return o.finish(ctx, e, protocol.EditDone, fmt.Sprintf("%d of its messages can't be deleted: they are emptied", there))
	case e.TakenBack:
		return o.finish(ctx, e, protocol.EditDone, "")
	case gone > 0 && there == 0:
		return o.finish(ctx, e, protocol.EditGone, "the message is not there any more")
	case gone > 0:
		return o.finish(ctx, e, protocol.EditDone, fmt.Sprintf("%d of its messages are not there any more", gone))
	default:
		return o.finish(ctx, e, protocol.EditDone, "")
	}
}

// finish records how an edit ended, unless there is something new to do.
func (o *Outbound) finish(ctx context.Context, e *editJob, status, reason string) (protocol.MessageEdited, error) {
	finished, err := o.Ledger.FinishEdit(ctx, e.Edit, status, reason)
	if err != nil {
		return protocol.MessageEdited{}, err
	}
	if !finished {
		return protocol.MessageEdited{Status: protocol.EditPending}, nil
	}
	return protocol.MessageEdited{Status: status, Reason: reason}, nil
}

// putOff records why a message could not be edited: for good, or for now.
func (o *Outbound) putOff(ctx context.Context, e *editJob, refused refusal, cause error) (protocol.MessageEdited, error) {
	o.Log.WarnContext(ctx, "message not edited", "delivery", e.Delivery.ID, "destination", e.Delivery.Destination,
		"reason", refused.reason, "status", refused.status, "error", cause)
	if refused.status == "" && e.Attempts >= editAttempts && refused.retryAfter == 0 {
		refused.status, refused.reason = protocol.EditFailed, "given up: "+refused.reason
	}
	if refused.status != "" {
		return o.finish(ctx, e, refused.status, refused.reason)
	}
	again := editAgain
	if refused.retryAfter > 0 { // the whole destination is
		again = 0
	}
	if err := o.Ledger.PostponeEdit(ctx, e.ID, refused.reason, again); err != nil {
		return protocol.MessageEdited{}, err
	}
	if refused.retryAfter > 0 {
		if err := o.Ledger.Cool(ctx, e.Delivery.DestinationID, refused.retryAfter, refused.reason); err != nil {
			return protocol.MessageEdited{}, err
		}
	}
	options := temporal.ApplicationErrorOptions{
		NonRetryable: !refused.again, NextRetryDelay: refused.retryAfter, Details: []any{protocol.Refusal{Reason: refused.reason}},
	}
	kind := protocol.ErrRetryLater
	if refused.retryAfter > 0 {
		kind, options.NonRetryable, options.Category = protocol.ErrRateLimited, true, temporal.ApplicationErrorCategoryBenign
	}
	return protocol.MessageEdited{}, temporal.NewApplicationErrorWithOptions(cause.Error(), kind, options)
}

type vkEditor struct {
	*VK
}

// edit replaces the post, photos included, because VK takes a post without
// them for one that has none. A user's key may edit what a community's may not.
func (v *vkEditor) edit(ctx context.Context, e *editJob) error {
	key, err := v.key(e)
	if err != nil {
		return err
	}
	j := &sendJob{Delivery: e.Delivery, post: e.post, target: e.target}
	sender := &vkSender{VK: v.VK}
	message := sender.wording(j, len(e.post.Photos))
	draft := wallDraft{
		WallPost: vk.WallPost{OwnerID: e.target.Destination.Owner, Copyright: message.Copyright},
		album:    v.Album.attach(ctx, j, message.Photos),
	}
	for {
		draft.word(sender.wording(j, len(draft.album.attachments)))
		err := key.WallEdit(ctx, e.part().MessageIDs[0], draft.WallPost)
		if err == nil && draft.album.late {
			return errPhotosLate
		}
		lighter, mended := draft.without(err)
		if !mended {
			return err
		}
		if lighter.unnamed {
			j.NamesRefused, lighter.unnamed = true, false
			lighter.album = v.Album.attach(ctx, j, message.Photos)
		}
		draft = lighter
	}
}

// remove deletes the post. VK has no answer of its own for a post that is gone:
// the wall shows.
func (v *vkEditor) remove(ctx context.Context, e *editJob) error {
	key, err := v.key(e)
	if err != nil {
		return err
	}
	owner, postID := e.target.Destination.Owner, e.part().MessageIDs[0]
	if err = key.WallDelete(ctx, owner, postID); err != nil && v.Walls != nil {
		if _, look := v.Walls.readPost(ctx, owner, postID); errors.Is(look, db.ErrNotFound) {
			err = nil
		}
	}
	e.Parts[e.at].Gone = err == nil
	return err
}

// key is the one that may edit: a user's, if there is one.
func (v *vkEditor) key(e *editJob) (*vk.Client, error) {
	if uploader := v.Album.Uploader(); uploader != nil {
		return uploader, nil
	}
	return v.Keys(e.target.Destination)
}

// classify leaves a post alone that VK does not let us edit: a community's key may
// not (27), and nobody may after a day.
func (v *vkEditor) classify(err error) refusal {
	var failure *vk.Error
	switch {
	case errors.Is(err, errPhotosLate):
		return refusal{reason: "photos_late"}
	case !errors.As(err, &failure):
		return refusal{reason: "not_configured"}
	}
	refused := refusal{reason: failure.Reason()}
	switch failure.Action() {
	case vk.Retry, vk.RateLimit:
		refused.again = true
	case vk.LongCooldown: // of another key, or method, than deliveries: theirs find out for themselves
	default:
		refused.status, refused.reason = protocol.EditRefused, fmt.Sprintf("VK %d: %s", failure.Code, failure.Reason())
	}
	return refused
}
