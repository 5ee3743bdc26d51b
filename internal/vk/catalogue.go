package vk

import (
	"strings"
	"time"

	"vestnik/internal/wire"
)

// entry is one answer of VK and what it means to a reader and to a writer. What it means to the photo steps follows
// from the writer's policy (see mediaPolicy) unless media is set.
type entry struct {
	code    int
	subcode int    // 0 for any
	text    string // part of the message, lower-cased; "" for the code's default
	class   Class
	read    Policy
	write   Policy
	media   *Policy
}

// The policies, as the table spells them.
func retry(reason string) Policy {
	return Policy{Action: Retry, Reason: reason, Wait: time.Second, MaxWait: time.Minute}
}

func retryThen(reason string, attempts int, wait time.Duration, then Action) Policy {
	return Policy{Action: Retry, Reason: reason, Wait: wait, MaxWait: 4 * wait, Attempts: attempts, Then: then}
}

func cooldown(reason string, first, longest time.Duration) Policy {
	return Policy{Action: LongCooldown, Reason: reason, Wait: first, MaxWait: longest}
}

func nextDay(reason string) Policy {
	return Policy{Action: LongCooldown, Reason: reason, Wait: time.Hour, MaxWait: 24 * time.Hour, NextDay: true}
}

func parkKey(reason string) Policy      { return Policy{Action: ParkKey, Reason: reason} }
func parkWall(reason string) Policy     { return Policy{Action: ParkWall, Reason: reason} }
func parkDelivery(reason string) Policy { return Policy{Action: ParkDelivery, Reason: reason} }
func fail(reason string) Policy         { return Policy{Action: Fail, Reason: reason} }
func noMedia(reason string) Policy      { return Policy{Action: MediaFallback, Reason: reason} }

// restart begins the upload again, three times at most, then publishes without the photo.
func restart(reason string) *Policy {
	return &Policy{Action: RestartUpload, Reason: reason, Wait: time.Second, MaxWait: 4 * time.Second, Attempts: 3,
		Then: MediaFallback}
}

// both is an entry that means the same to readers and writers.
func both(code int, class Class, policy Policy) entry {
	return entry{code: code, class: class, read: policy, write: policy}
}

// when is an entry that means the same to readers and writers, for a subcode or a text only.
func when(code, subcode int, text string, class Class, policy Policy) entry {
	return entry{code: code, subcode: subcode, text: text, class: class, read: policy, write: policy}
}

// key is an entry that stops the key.
func key(code int, class Class, reason string) entry { return both(code, class, parkKey(reason)) }

// catalogue holds every code that the schema (5.199), the documentation or users of the API report for the methods we
// call, the more special entries of a code before its default: the first whose code, subcode and text fit is the one.
var catalogue = []entry{
	both(1, Temporary, retry("vk_unknown_error")),
	key(2, KeyInvalid, "app_disabled"),
	both(3, Bug, fail("unknown_method")),
	key(4, KeyInvalid, "bad_signature"),
	when(5, 0, "ip address", KeyUnfit, parkKey("key_bound_to_ip")),
	when(5, 0, "group auth", KeyUnfit, parkKey("community_key_not_allowed")),
	key(5, KeyInvalid, "key_invalid"),
	both(6, RateLimited, Policy{Action: RateLimit, Reason: "too_many_per_second", Wait: time.Second, MaxWait: 30 * time.Second}),
	key(7, KeyUnfit, "permission_denied"),
	when(8, 0, "access token", KeyInvalid, parkKey("key_missing")),
	when(8, 0, "try again", Temporary, retryThen("bad_request", 1, time.Second, Fail)),
	both(8, Bug, fail("bad_request")),
	both(9, FloodControl, cooldown("flood_control", 15*time.Minute, 24*time.Hour)),
	both(10, Temporary, retry("vk_internal_error")),
	key(11, KeyInvalid, "app_in_test_mode"),
	both(12, Bug, fail("script_compile")),
	both(13, Bug, fail("script_runtime")),
	both(14, Captcha, Policy{Action: CaptchaNeeded, Reason: "captcha"}),
	when(15, 1133, "", KeyUnfit, parkKey("method_not_allowed")),
	when(15, 1134, "", KeyUnfit, parkKey("app_type_not_allowed")),
	when(15, 0, "token required", KeyInvalid, parkKey("key_missing")),
	both(15, AccessDenied, parkWall("access_denied")),
	both(16, Bug, fail("https_required")),
	key(17, Confirmation, "validation_required"),
	{code: 18, class: WallGone, read: parkWall("owner_deleted"), write: parkKey("owner_deleted")},
	both(19, WallGone, parkWall("content_blocked")),
	key(20, KeyUnfit, "app_type_not_allowed"),
	key(21, KeyUnfit, "app_type_not_allowed"),
	{code: 22, class: UploadFailed, read: fail("upload"), write: noMedia("upload"), media: restart("upload")},
	key(23, KeyUnfit, "method_disabled"),
	key(24, Confirmation, "confirmation_required"),
	key(25, Confirmation, "key_confirmation"),
	key(27, KeyUnfit, "community_key_not_allowed"),
	key(28, KeyUnfit, "service_key_not_allowed"),
	{code: 29, class: QuotaExceeded, read: cooldown("method_quota", time.Hour, 24*time.Hour), write: cooldown("method_quota", time.Hour, 24*time.Hour), media: &Policy{Action: MediaFallback, Reason: "method_quota"}},
	both(30, AccessDenied, parkWall("private_profile")),
	both(32, Unavailable, Policy{Action: Retry, Reason: "need_wait", Wait: 2 * time.Minute, MaxWait: 10 * time.Minute}),
	key(33, Bug, "not_implemented"),
	key(34, Bug, "client_version_deprecated"),
	key(35, Bug, "client_update_needed"),
	both(36, Temporary, retry("method_timed_out")),
	key(37, KeyInvalid, "user_banned"),
	key(38, KeyInvalid, "unknown_app"),
	both(39, WallGone, parkWall("unknown_user")),
	both(40, WallGone, parkWall("unknown_group")),
	key(41, Confirmation, "signup_required"),
	key(42, KeyUnfit, "ip_not_allowed"),
	both(43, QuotaExceeded, cooldown("section_unavailable", 15*time.Minute, 6*time.Hour)),

	{code: 100, text: "link_photo_sizing_rule", class: MediaRefused, read: fail("bad_parameter"), write: noMedia("link_without_picture")},
	{code: 100, text: "attachment", class: MediaRefused, read: fail("bad_parameter"), write: noMedia("bad_attachment")},
	{code: 100, text: "photo", class: MediaRefused, read: fail("bad_parameter"), write: noMedia("bad_attachment")},
	{code: 100, text: "publish_date", class: BadRequest, read: fail("bad_parameter"), write: fail("bad_publish_date")},
	{code: 100, class: BadRequest, read: parkWall("bad_parameter"), write: fail("bad_parameter")},
	key(101, KeyInvalid, "bad_app_id"),
	both(103, QuotaExceeded, cooldown("out_of_limits", time.Hour, 24*time.Hour)),
	{code: 104, class: WallGone, read: parkWall("not_found"), write: fail("not_found")},
	{code: 105, class: UploadFailed, read: retryThen("cannot_save_file", 2, time.Second, Fail), write: retryThen("cannot_save_file", 2, time.Second, Fail), media: restart("cannot_save_file")},
	{code: 106, class: UploadFailed, read: retryThen("cannot_process", 2, time.Second, Fail), write: retryThen("cannot_process", 2, time.Second, Fail), media: restart("cannot_process")},
	both(113, WallGone, parkWall("invalid_user_id")),
	{code: 114, class: UploadFailed, read: fail("invalid_album"), write: noMedia("invalid_album"), media: restart("invalid_album")},
	{code: 118, class: UploadFailed, read: fail("invalid_server"), write: noMedia("invalid_server"), media: restart("invalid_server")},
	{code: 121, class: UploadFailed, read: fail("invalid_hash"), write: noMedia("invalid_hash"), media: restart("invalid_hash")},
	{code: 122, class: MediaRefused, read: fail("invalid_photos"), write: noMedia("invalid_photos")},
	both(125, WallGone, parkWall("invalid_group_id")),
	{code: 129, class: MediaRefused, read: fail("invalid_photo"), write: noMedia("invalid_photo")},
	key(146, Confirmation, "mobile_not_activated"),
	both(150, Bug, fail("bad_timestamp")),

	{code: 200, class: MediaRefused, read: parkWall("album_access"), write: noMedia("album_access")},
	{code: 201, class: MediaRefused, read: parkWall("audio_access"), write: noMedia("audio_access")},
	both(203, AccessDenied, parkWall("group_access")),
	{code: 204, class: MediaRefused, read: parkWall("video_access"), write: noMedia("video_access")},
	both(210, AccessDenied, parkWall("wall_access")),
	both(211, AccessDenied, fail("comment_access")),
	both(212, AccessDenied, fail("comment_access")),
	both(213, AccessDenied, fail("comment_access")),
	when(214, 0, "posts a day", QuotaExceeded, nextDay("posts_per_day")),
	when(214, 0, "posts per day", QuotaExceeded, nextDay("posts_per_day")),
	when(214, 0, "posts on a day", QuotaExceeded, nextDay("scheduled_per_day")),
	{code: 214, text: "already scheduled", class: SlotTaken, read: fail("slot_taken"), write: Policy{Action: Retry, Reason: "slot_taken", Wait: time.Minute, MaxWait: 10 * time.Minute}},
	when(214, 0, "group auth", KeyUnfit, parkKey("community_key_not_allowed")),
	when(214, 0, "wall is closed", PostRefused, parkWall("wall_closed")),
	both(214, PostRefused, parkWall("post_refused")),
	both(219, QuotaExceeded, cooldown("ad_post_recently", time.Hour, 6*time.Hour)),
	{code: 220, class: QuotaExceeded, read: fail("too_many_recipients"), write: Policy{Action: LongCooldown, Reason: "too_many_recipients", Wait: time.Hour, MaxWait: time.Hour, Attempts: 1, Then: ParkDelivery}},
	{code: 222, class: LinksForbidden, read: fail("links_forbidden"), write: Policy{Action: StripLinks, Reason: "links_forbidden", Attempts: 1, Then: ParkWall}},
	both(223, QuotaExceeded, cooldown("too_many_replies", time.Hour, 6*time.Hour)),
	both(224, QuotaExceeded, nextDay("ad_posts_per_day")),
	both(225, BadRequest, parkDelivery("donut_disabled")),
	{code: 300, class: MediaRefused, read: fail("album_full"), write: noMedia("album_full")},
	both(601, QuotaExceeded, nextDay("actions_per_day")),
	key(703, Confirmation, "two_factor_required"),
	key(704, Confirmation, "two_factor_required"),

	key(1051, KeyUnfit, "vk_id_key_not_allowed"),
	both(1105, FloodControl, cooldown("too_many_auth_attempts", time.Hour, 24*time.Hour)),
	key(1114, KeyInvalid, "anonymous_key"),
	key(1116, KeyInvalid, "anonymous_key"),
	key(1117, KeyInvalid, "key_expired"),
	key(1118, KeyInvalid, "anonymous_key"),
	{code: 1160, class: MediaRefused, read: fail("photo_changed"), write: noMedia("photo_changed")},
	both(1260, WallGone, parkWall("invalid_screen_name")),
	{code: 3102, class: CopyrightWrong, read: fail("copyright_not_found"), write: Policy{Action: DropCopyright, Reason: "copyright_not_found", Attempts: 1, Then: Fail}},
	key(3300, Confirmation, "recaptcha_needed"),
	key(3301, Confirmation, "phone_validation_needed"),
	key(3302, Confirmation, "password_validation_needed"),
	key(3303, Confirmation, "otp_validation_needed"),
	key(3304, Confirmation, "email_validation_needed"),
	key(3609, KeyInvalid, "key_extension_required"),
	key(3610, KeyInvalid, "user_deactivated"),
	key(3611, KeyInvalid, "service_deactivated"),
	both(9999, Bug, fail("http_method")),
	key(11500, Confirmation, "action_confirmation"),
}

// unknownCode is for what the catalogue does not have: three repetitions, spaced, then a person.
var unknownCode = entry{
	class: UnknownCode,
	read:  retryThen("unknown_code", 3, 10*time.Second, ParkWall),
	write: retryThen("unknown_code", 3, 10*time.Second, ParkDelivery),
}

// transportPolicy is for answers that are not VK's. A write is repeated with the same guid. What saving a photo twice
// does, nobody has written down, so a save without an answer begins again with a new upload.
func transportPolicy(method string, class Class) Policy {
	switch {
	case class == UploadFailed:
		return *restart("upload_host")
	case class == Bug:
		return fail("bug")
	case method == "photos.saveWallPhoto" && class != Unreachable:
		return *restart(string(class))
	}
	return retry(string(class))
}

// bug is the error of a call that was wrong before it was made.
func bug(purpose Purpose, method, message string) *Error {
	return &Error{Class: Bug, Method: method, Purpose: purpose, Message: message, Policy: transportPolicy(method, Bug)}
}

// classify looks VK's error up in the catalogue.
func classify(purpose Purpose, r refusal) *Error {
	found := lookUp(r)
	e := &Error{
		Class: found.class, Code: r.code, Subcode: r.subcode, Message: wire.Safe(r.message),
		CaptchaSID: r.captchaSID, CaptchaImg: r.captchaImg, RedirectURI: r.redirectURI,
	}
	switch purpose {
	case Reading:
		e.Policy = found.read
	case Media:
		e.Policy = mediaPolicy(found)
	default:
		e.Policy = found.write
	}
	return e
}

func lookUp(r refusal) entry {
	text := strings.ToLower(r.message)
	for _, e := range catalogue {
		if e.code == r.code && (e.subcode == 0 || e.subcode == r.subcode) && strings.Contains(text, e.text) {
			return e
		}
	}
	return unknownCode
}

// mediaPolicy is what an answer to a photo step means. Whatever stops the media key, its rights or its wall costs the
// photo, not the delivery: a person is told, and the text goes out. A passing trouble passes here too; a captcha and a
// long pause say for how long the key had better not be used.
func mediaPolicy(found entry) Policy {
	if found.media != nil {
		return *found.media
	}
	switch found.write.Action {
	case Retry:
		policy := found.write
		if policy.Then != "" {
			policy.Then = MediaFallback
		}
		return policy
	case RateLimit, LongCooldown, CaptchaNeeded, MediaFallback:
		return found.write
	}
	return noMedia(found.write.Reason)
}
