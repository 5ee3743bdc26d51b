package telegram

import (
	"fmt"
	"regexp"
	"time"

	"vestnik/internal/wire"
)

// Error is every failure of this package. Its text is safe to log: the method, the code, the class and Telegram's
// description, shortened, without anything quoted from what was sent and without the queries of URLs.
type Error struct {
	Class      Class
	Method     string // as in the Bot API, sendMessage say
	HTTPStatus int    // 0 when no answer came
	Code       int    // Telegram's error_code; the HTTP status when the answer was not Telegram's
	// Description is Telegram's own, made safe as above, or what went wrong when Telegram said nothing.
	Description string
	// RetryAfter is how long Telegram wants nothing sent to the chat; 0 when it did not say.
	RetryAfter time.Duration
	// MigrateToChatID is the supergroup a group has become; 0 except for class Migrated.
	MigrateToChatID int64
	// FailedItem is the 1-based number of the album item that Telegram names as the cause; 0 when it names none.
	FailedItem int
	// ItemClass is, for class MediaItem, what was wrong with that item; "" when its text is not in the catalogue.
	ItemClass Class
	// Written reports that Telegram may have had the whole request. See MayHaveHappened.
	Written bool
	// Timeout reports that a deadline passed.
	Timeout bool
	// Blocked reports that a private chat's user has blocked the bot, is deleted, or never started it.
	Blocked bool

	cause error
}

func (e *Error) Error() string {
	text := "telegram: " + e.Method + ": " + string(e.Class)
	if e.Code != 0 {
		text += fmt.Sprintf(" %d", e.Code)
	} else if e.HTTPStatus != 0 {
		text += fmt.Sprintf(" HTTP %d", e.HTTPStatus)
	}
	if e.FailedItem != 0 {
		text += fmt.Sprintf(" item %d", e.FailedItem)
	}
	if e.Description != "" {
		text += ": " + e.Description
	}
	if e.RetryAfter != 0 {
		text += fmt.Sprintf(" (retry after %s)", e.RetryAfter)
	}
	return text
}

// Unwrap gives context.Canceled or context.DeadlineExceeded when one of them ended the call, else nil.
func (e *Error) Unwrap() error { return e.cause }

// Action is what to do about the error; see [Class.Action].
func (e *Error) Action() Action { return e.Class.Action() }

// MayHaveHappened reports that nobody can know whether Telegram did what was asked: the outcome is unknown, or a server
// failed (5xx) with the whole request in its hands.
func (e *Error) MayHaveHappened() bool {
	return e.Class == OutcomeUnknown ||
		e.Class == Unavailable && e.Written && e.HTTPStatus >= 500
}

// Class says what an error means to whoever made the call.
type Class string

// The classes. Catalogue.go says which answer belongs to which.
const (
	// RateLimited: nothing may be sent to this chat for RetryAfter.
	RateLimited Class = wire.RateLimited
	// Unavailable: Telegram or a gateway in front of it answered 5xx, or an address in between redirected the call.
	// Telegram's own 5xx is taken as "not done", which the Bot API does not promise.
	Unavailable Class = wire.Unavailable
	// Unreachable: refused, no such host, TLS, or a deadline, before the whole request was sent. Nothing happened.
	Unreachable Class = wire.Unreachable
	// OutcomeUnknown: the request was sent whole, and no answer can be read.
	OutcomeUnknown Class = wire.OutcomeUnknown
	// Migrated: the group is a supergroup now; its new id is in MigrateToChatID.
	Migrated Class = "migrated"
	// Unauthorized: the token is wrong or was revoked.
	Unauthorized Class = "unauthorized"
	// Forbidden: kicked, blocked, or without the right to do this in the chat.
	Forbidden Class = "forbidden"
	// ChatNotFound: no such chat, as far as this bot may know.
	ChatNotFound Class = "chat_not_found"
	// ThreadNotFound: the forum topic is gone, or is General, which is named by leaving the thread out.
	ThreadNotFound Class = "thread_not_found"
	// TopicClosed: the forum topic is closed to the bot.
	TopicClosed Class = "topic_closed"
	// MediaInvalidURL: Telegram does not accept the photo's URL as one.
	MediaInvalidURL Class = "media_invalid_url"
	// MediaFetchFailed: Telegram could not download the URL. It remembers that for days.
	MediaFetchFailed Class = "media_fetch_failed"
	// MediaUnsupported: what Telegram got is no photo, or too large, or has impossible sides.
	MediaUnsupported Class = "media_unsupported"
	// MediaItem: one item of the album, FailedItem, is at fault; ItemClass says how.
	MediaItem Class = "media_item"
	// TooLong: the text or caption is over the limit.
	TooLong Class = "too_long"
	// CantParseEntities: the formatting is wrong, which is a bug of the renderer.
	CantParseEntities Class = "cant_parse_entities"
	// MessageGone: the message named in the call is gone, or is not one that can be changed in this way.
	MessageGone Class = "message_gone"
	// CantBeDeleted: Telegram keeps the message: it is older than 48 hours, and the bot no administrator.
	CantBeDeleted Class = "cant_be_deleted"
	// NotModified: the message already is what it should become.
	NotModified Class = "not_modified"
	// QueryTooOld: the button's query can no longer be answered; Telegram allows a short, unpublished time.
	QueryTooOld Class = "query_too_old"
	// NotAMember: Telegram does not know the user in that chat.
	NotAMember Class = "not_a_member"
	// BadRequest: any other refusal, final for this request.
	BadRequest Class = wire.BadRequest
	// Conflict: another process polls getUpdates with this token, or a webhook is set.
	Conflict Class = "conflict"
	// Internal: a bug on our side; nothing was sent, or this server does not know the method.
	Internal Class = "internal"
)

// Action says what to do about an error. The words are those of the design's error table.
type Action string

// The actions.
const (
	// Cool: send nothing to this chat for RetryAfter, then try again; the attempt does not count.
	Cool Action = "cool"
	// Retry: the same again, later, a bounded number of times.
	Retry Action = "retry"
	// AskOrRetry: nobody knows whether it happened; what to do is the operator's setting.
	AskOrRetry Action = "ask_or_retry"
	// Follow: send to the chat's new id and remember it.
	Follow Action = "follow"
	// Park: no call to this chat, or with this token, will succeed until a person acts.
	Park Action = "park"
	// OtherMedia: the next rung of the media ladder.
	OtherMedia Action = "other_media"
	// Thread: the topic rule: without a thread, or park.
	Thread Action = "thread"
	// Done: nothing is left to do.
	Done Action = "done"
	// Fail: this request will never succeed as it is.
	Fail Action = "fail"
)

// actions is total: a test goes through all classes.
var actions = map[Class]Action{
	RateLimited:       Cool,
	Unavailable:       Retry,
	Unreachable:       Retry,
	OutcomeUnknown:    AskOrRetry,
	Migrated:          Follow,
	Unauthorized:      Park,
	Forbidden:         Park,
	ChatNotFound:      Park,
	ThreadNotFound:    Thread,
	TopicClosed:       Thread,
	MediaInvalidURL:   OtherMedia,
	MediaFetchFailed:  OtherMedia,
	MediaUnsupported:  OtherMedia,
	MediaItem:         OtherMedia,
	TooLong:           Fail,
	CantParseEntities: Fail,
	MessageGone:       Fail,
	CantBeDeleted:     Fail,
	NotModified:       Done,
	QueryTooOld:       Done,
	NotAMember:        Fail,
	BadRequest:        Fail,
	Conflict:          Fail,
	Internal:          Fail,
}

// Action is what to do about an error of this class; Fail for a class that is not one of ours.
func (c Class) Action() Action {
	if action, ok := actions[c]; ok {
		return action
	}
	return Fail
}

// quotedText goes from the first quote to the last: what is quoted may hold quotes itself.
var quotedText = regexp.MustCompile(`(?s)".*"|".*$|'[^']*/[^']*'`)

// safeDescription makes Telegram's description fit for logs and tables. Parse errors quote tags out of the text, and
// button errors quote URLs; both may hold what a person wrote.
func safeDescription(description string, keepQuoted bool) string {
	if !keepQuoted {
		description = quotedText.ReplaceAllString(description, "…")
	}
	return wire.Safe(description)
}
