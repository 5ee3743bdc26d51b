package vk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"vestnik/internal/wire"
)

// Error is every failure of this package. Its text is safe to log: the method, the codes, the class and VK's message,
// shortened, without the queries of URLs. The captcha's addresses are not in it, because they open a session.
type Error struct {
	Class   Class
	Policy  Policy
	Method  string // as in the VK API, wall.post say; "upload" for the upload host
	Purpose Purpose
	Code    int // VK's error_code; 0 when the answer was not VK's
	Subcode int
	Message string
	// HTTPStatus is 0 when no answer came. VK answers its own errors with 200.
	HTTPStatus int
	// CaptchaSID and CaptchaImg name a picture captcha; since 2025 both may be missing or a stub, and RedirectURI is
	// where a person proves to be one.
	CaptchaSID  string
	CaptchaImg  string
	RedirectURI string
	// Written reports that VK may have had the whole request. See MayHaveHappened.
	Written bool
	// Timeout reports that a deadline passed.
	Timeout bool

	cause error
}

func (e *Error) Error() string {
	text := "vk: " + e.Method + ": " + string(e.Class)
	switch {
	case e.Subcode != 0:
		text += fmt.Sprintf(" %d/%d", e.Code, e.Subcode)
	case e.Code != 0:
		text += fmt.Sprintf(" %d", e.Code)
	case e.HTTPStatus != 0:
		text += fmt.Sprintf(" HTTP %d", e.HTTPStatus)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Unwrap gives context.Canceled or context.DeadlineExceeded when one of them ended the call, else nil.
func (e *Error) Unwrap() error { return e.cause }

// Action is what to do about the error; the Policy has the rest.
func (e *Error) Action() Action { return e.Policy.Action }

// Reason is the policy's slug, fit for a park reason or a metric label.
func (e *Error) Reason() string { return e.Policy.Reason }

// MayHaveHappened reports that nobody can know whether VK did what was asked. Repeating wall.post with the same guid
// within an hour is safe all the same; after that, look at the wall first.
func (e *Error) MayHaveHappened() bool {
	switch e.Class {
	case OutcomeUnknown, Temporary:
		return e.Purpose != Reading
	case Unavailable:
		return e.Purpose != Reading && e.Written
	}
	return false
}

// GoString is Error, so that %#v prints neither the addresses of a captcha nor anything else that Error leaves out.
func (e *Error) GoString() string { return e.Error() }

// MarshalJSON gives what Error says, in fields.
func (e *Error) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Class   Class  `json:"class"`
		Reason  string `json:"reason"`
		Method  string `json:"method"`
		Code    int    `json:"code,omitempty"`
		Subcode int    `json:"subcode,omitempty"`
		Status  int    `json:"http_status,omitempty"`
		Message string `json:"message"`
	}{e.Class, e.Policy.Reason, e.Method, e.Code, e.Subcode, e.HTTPStatus, e.Message})
}

// Purpose is what a call is for. The same answer means different things to a reader and to a writer.
type Purpose string

// The purposes.
const (
	Reading Purpose = "reading" // walls and names
	Writing Purpose = "writing" // wall.post, wall.edit
	Media   Purpose = "media"   // the photo steps before a wall.post
)

// Class says what kind of answer it was, whoever asked.
type Class string

// The classes.
const (
	RateLimited    Class = wire.RateLimited    // too many requests per second
	FloodControl   Class = "flood_control"     // too many alike; the pause grows with each
	QuotaExceeded  Class = "quota_exceeded"    // a limit per hour or day
	Temporary      Class = "temporary"         // VK's own trouble; a write may have been done
	Unavailable    Class = wire.Unavailable    // a gateway's answer in place of VK's
	Unreachable    Class = wire.Unreachable    // the request was not sent whole: nothing happened
	OutcomeUnknown Class = wire.OutcomeUnknown // sent whole, and no answer can be read
	Captcha        Class = "captcha"           // a person has to prove to be one
	Confirmation   Class = "confirmation"      // a person has to confirm or validate the account
	KeyInvalid     Class = "key_invalid"       // the key is wrong, expired, revoked, or its app or owner is gone
	KeyUnfit       Class = "key_unfit"         // a good key of a kind or with rights that do not reach this far
	AccessDenied   Class = "access_denied"     // this wall, to this key
	WallGone       Class = "wall_gone"         // deleted, banned, or no such wall
	PostRefused    Class = "post_refused"      // 214: the wall does not take posts from this key
	SlotTaken      Class = "slot_taken"        // 214: something else is scheduled for that minute
	LinksForbidden Class = "links_forbidden"   // 222
	CopyrightWrong Class = "copyright_wrong"   // 3102
	MediaRefused   Class = "media_refused"     // a photo or attachment
	UploadFailed   Class = "upload_failed"     // the upload has to start over with a new address
	BadRequest     Class = wire.BadRequest     // a parameter
	Bug            Class = "bug"               // ours: a method, version or script that cannot be
	UnknownCode    Class = "unknown_code"      // not in the catalogue
)

// Action says what to do about an error.
type Action string

// The actions. Keys, walls and deliveries are parked until a person acts.
const (
	// Retry: the same again, a short while later; a write with the same guid.
	Retry Action = "retry"
	// RateLimit: the same again after a second or more; the attempt does not count.
	RateLimit Action = "rate_limit"
	// LongCooldown: nothing of this kind with this key for Policy.Delay; the delivery waits.
	LongCooldown Action = "long_cooldown"
	// ParkKey: no call of this purpose with this key will succeed.
	ParkKey Action = "park_key"
	// ParkWall: no call for this wall with this key will succeed; other walls go on.
	ParkWall Action = "park_wall"
	// ParkDelivery: this one delivery; the wall goes on.
	ParkDelivery Action = "park_delivery"
	// CaptchaNeeded: park, with the captcha; the answer goes into the next call.
	CaptchaNeeded Action = "captcha_needed"
	// MediaFallback: publish without this media.
	MediaFallback Action = "media_fallback"
	// RestartUpload: begin again with a new upload address, which is good for one use.
	RestartUpload Action = "restart_upload"
	// StripLinks: publish again without hyperlinks.
	StripLinks Action = "strip_links"
	// DropCopyright: publish again without the copyright parameter.
	DropCopyright Action = "drop_copyright"
	// Fail: this request will never succeed as it is.
	Fail Action = "fail"
)

// Policy is an action with its measures.
type Policy struct {
	Action Action
	// Reason is a slug that says why, for park reasons, logs and metrics.
	Reason string
	// Wait is the pause before the first repetition; it doubles with each until MaxWait.
	Wait, MaxWait time.Duration
	// NextDay makes the pause last until VK's next day, Moscow time, if that is longer.
	NextDay bool
	// Attempts is how many repetitions Action is good for; then comes Then. 0 leaves it to the caller.
	Attempts int
	Then     Action
}

// moscow is VK's day. It has had no daylight saving since 2014, so the offset needs no zone database.
var moscow = time.FixedZone("MSK", 3*60*60)

// Delay is the pause before repetition number n, counted from 1. Short pauses get up to half a second of jitter on
// top, so that several workers do not come back at once.
func (p Policy) Delay(n int, now time.Time) time.Duration {
	wait := p.Wait
	for range max(n, 1) - 1 {
		if wait >= p.MaxWait {
			break
		}
		wait *= 2
	}
	if p.MaxWait > 0 {
		wait = min(wait, p.MaxWait)
	}
	if p.NextDay {
		y, m, d := now.In(moscow).Date()
		// Five minutes into the day: nobody has seen at which second VK's counters start anew.
		wait = max(wait, time.Date(y, m, d+1, 0, 5, 0, 0, moscow).Sub(now))
	}
	if wait < time.Minute {
		wait += rand.N(500 * time.Millisecond)
	}
	return wait
}

// After is the action for repetition number n, counted from 1: Action until its attempts are used up, then Then.
func (p Policy) After(n int) Action {
	if p.Attempts > 0 && n > p.Attempts && p.Then != "" {
		return p.Then
	}
	return p.Action
}

// refusal is VK's error object, read leniently.
type refusal struct {
	code, subcode                       int
	message                             string
	captchaSID, captchaImg, redirectURI string
}

// decodeRefusal reads an error object in which any field may have any type, or a bare text in its place.
// request_params are left where they are: they repeat what was sent, in older versions the key as well.
func decodeRefusal(raw json.RawMessage) refusal {
	var text flexString
	if _ = text.UnmarshalJSON(raw); text != "" {
		return refusal{message: string(text)}
	}
	var object flexObject[struct {
		Code        flexInt    `json:"error_code"`
		Subcode     flexInt    `json:"error_subcode"`
		Message     flexString `json:"error_msg"`
		Text        flexString `json:"error_text"`
		CaptchaSID  flexString `json:"captcha_sid"`
		CaptchaImg  flexString `json:"captcha_img"`
		RedirectURI flexString `json:"redirect_uri"`
	}]
	_ = object.UnmarshalJSON(raw)
	v := object.value
	r := refusal{code: int(v.Code), subcode: int(v.Subcode), message: string(v.Message),
		captchaSID: string(v.CaptchaSID), captchaImg: string(v.CaptchaImg), redirectURI: string(v.RedirectURI)}
	r.message = cmp.Or(r.message, string(v.Text))
	return r
}
