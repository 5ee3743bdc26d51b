package vk

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slug is how the tests write a policy: action, and reason where it matters.
func slug(p Policy) string { return string(p.Action) + " " + p.Reason }

func TestEveryErrorOfVKHasItsMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, subcode int
		text          string
		class         Class
		read, write   string
		media         string
	}{
		{1, 0, "Unknown error occurred", Temporary, "retry vk_unknown_error", "retry vk_unknown_error", "retry vk_unknown_error"},
		{2, 0, "Application is disabled", KeyInvalid, "park_key app_disabled", "park_key app_disabled", "media_fallback app_disabled"},
		{3, 0, "Unknown method passed", Bug, "fail unknown_method", "fail unknown_method", "media_fallback unknown_method"},
		{4, 0, "Incorrect signature", KeyInvalid, "park_key bad_signature", "park_key bad_signature", "media_fallback bad_signature"},
		{5, 0, "User authorization failed: invalid access_token (4).", KeyInvalid, "park_key key_invalid", "park_key key_invalid", "media_fallback key_invalid"},
		{5, 0, "User authorization failed: access_token was given to another ip address.", KeyUnfit, "park_key key_bound_to_ip", "park_key key_bound_to_ip", "media_fallback key_bound_to_ip"},
		{5, 0, "User authorization failed: method is unavailable with group auth.", KeyUnfit, "park_key community_key_not_allowed", "park_key community_key_not_allowed", "media_fallback community_key_not_allowed"},
		{6, 0, "Too many requests per second", RateLimited, "rate_limit too_many_per_second", "rate_limit too_many_per_second", "rate_limit too_many_per_second"},
		{7, 0, "Permission to perform this action is denied", KeyUnfit, "park_key permission_denied", "park_key permission_denied", "media_fallback permission_denied"},
		{8, 0, "Invalid request", Bug, "fail bad_request", "fail bad_request", "media_fallback bad_request"},
		{8, 0, "Invalid request: try again", Temporary, "retry bad_request", "retry bad_request", "retry bad_request"},
		{8, 0, "Invalid request: method is unavailable without access token", KeyInvalid, "park_key key_missing", "park_key key_missing", "media_fallback key_missing"},
		{9, 0, "Flood control", FloodControl, "long_cooldown flood_control", "long_cooldown flood_control", "long_cooldown flood_control"},
		{10, 0, "Internal server error", Temporary, "retry vk_internal_error", "retry vk_internal_error", "retry vk_internal_error"},
		{11, 0, "In test mode application should be disabled", KeyInvalid, "park_key app_in_test_mode", "park_key app_in_test_mode", "media_fallback app_in_test_mode"},
		{12, 0, "Unable to compile code", Bug, "fail script_compile", "fail script_compile", "media_fallback script_compile"},
		{13, 0, "Runtime error occurred during code invocation", Bug, "fail script_runtime", "fail script_runtime", "media_fallback script_runtime"},
		{14, 0, "Captcha needed", Captcha, "captcha_needed captcha", "captcha_needed captcha", "captcha_needed captcha"},
		{15, 0, "Access denied", AccessDenied, "park_wall access_denied", "park_wall access_denied", "media_fallback access_denied"},
		{15, 0, "Access denied: token required", KeyInvalid, "park_key key_missing", "park_key key_missing", "media_fallback key_missing"},
		{15, 1133, "Access denied: no access to call this method", KeyUnfit, "park_key method_not_allowed", "park_key method_not_allowed", "media_fallback method_not_allowed"},
		{15, 1134, "Access denied: app type", KeyUnfit, "park_key app_type_not_allowed", "park_key app_type_not_allowed", "media_fallback app_type_not_allowed"},
		{16, 0, "HTTP authorization failed", Bug, "fail https_required", "fail https_required", "media_fallback https_required"},
		{17, 0, "Validation required", Confirmation, "park_key validation_required", "park_key validation_required", "media_fallback validation_required"},
		{18, 0, "User was deleted or banned", WallGone, "park_wall owner_deleted", "park_key owner_deleted", "media_fallback owner_deleted"},
		{19, 0, "Content blocked", WallGone, "park_wall content_blocked", "park_wall content_blocked", "media_fallback content_blocked"},
		{20, 0, "Permission denied for non-standalone applications", KeyUnfit, "park_key app_type_not_allowed", "park_key app_type_not_allowed", "media_fallback app_type_not_allowed"},
		{21, 0, "Permission allowed only for standalone and OpenAPI applications", KeyUnfit, "park_key app_type_not_allowed", "park_key app_type_not_allowed", "media_fallback app_type_not_allowed"},
		{22, 0, "Upload error", UploadFailed, "fail upload", "media_fallback upload", "restart_upload upload"},
		{23, 0, "This method was disabled", KeyUnfit, "park_key method_disabled", "park_key method_disabled", "media_fallback method_disabled"},
		{24, 0, "Confirmation required", Confirmation, "park_key confirmation_required", "park_key confirmation_required", "media_fallback confirmation_required"},
		{25, 0, "Token confirmation required", Confirmation, "park_key key_confirmation", "park_key key_confirmation", "media_fallback key_confirmation"},
		{27, 0, "Group authorization failed: method is unavailable with group auth.", KeyUnfit, "park_key community_key_not_allowed", "park_key community_key_not_allowed", "media_fallback community_key_not_allowed"},
		{28, 0, "Application authorization failed: method is unavailable with service token.", KeyUnfit, "park_key service_key_not_allowed", "park_key service_key_not_allowed", "media_fallback service_key_not_allowed"},
		{29, 0, "Rate limit reached", QuotaExceeded, "long_cooldown method_quota", "long_cooldown method_quota", "media_fallback method_quota"},
		{30, 0, "This profile is private", AccessDenied, "park_wall private_profile", "park_wall private_profile", "media_fallback private_profile"},
		{32, 0, "Need wait", Unavailable, "retry need_wait", "retry need_wait", "retry need_wait"},
		{33, 0, "Not implemented yet", Bug, "park_key not_implemented", "park_key not_implemented", "media_fallback not_implemented"},
		{34, 0, "Client version deprecated", Bug, "park_key client_version_deprecated", "park_key client_version_deprecated", "media_fallback client_version_deprecated"},
		{35, 0, "Client update needed", Bug, "park_key client_update_needed", "park_key client_update_needed", "media_fallback client_update_needed"},
		{36, 0, "Method execution was interrupted due to timeout", Temporary, "retry method_timed_out", "retry method_timed_out", "retry method_timed_out"},
		{37, 0, "User was banned", KeyInvalid, "park_key user_banned", "park_key user_banned", "media_fallback user_banned"},
		{38, 0, "Unknown application", KeyInvalid, "park_key unknown_app", "park_key unknown_app", "media_fallback unknown_app"},
		{39, 0, "Unknown user", WallGone, "park_wall unknown_user", "park_wall unknown_user", "media_fallback unknown_user"},
		{40, 0, "Unknown group", WallGone, "park_wall unknown_group", "park_wall unknown_group", "media_fallback unknown_group"},
		{41, 0, "Additional signup required", Confirmation, "park_key signup_required", "park_key signup_required", "media_fallback signup_required"},
		{42, 0, "IP is not allowed", KeyUnfit, "park_key ip_not_allowed", "park_key ip_not_allowed", "media_fallback ip_not_allowed"},
		{43, 0, "Section is temporary unavailable", QuotaExceeded, "long_cooldown section_unavailable", "long_cooldown section_unavailable", "long_cooldown section_unavailable"},
		{100, 0, "One of the parameters specified was missing or invalid: owner_id is undefined", BadRequest, "park_wall bad_parameter", "fail bad_parameter", "media_fallback bad_parameter"},
		{100, 0, "One of the parameters specified was missing or invalid: link_photo_sizing_rule", MediaRefused, "fail bad_parameter", "media_fallback link_without_picture", "media_fallback link_without_picture"},
		{100, 0, "One of the parameters specified was missing or invalid: attachments is invalid", MediaRefused, "fail bad_parameter", "media_fallback bad_attachment", "media_fallback bad_attachment"},
		{100, 0, "One of the parameters specified was missing or invalid: photo is undefined", MediaRefused, "fail bad_parameter", "media_fallback bad_attachment", "media_fallback bad_attachment"},
		{100, 0, "One of the parameters specified was missing or invalid: publish_date", BadRequest, "fail bad_parameter", "fail bad_publish_date", "media_fallback bad_publish_date"},
		{101, 0, "Invalid application API ID", KeyInvalid, "park_key bad_app_id", "park_key bad_app_id", "media_fallback bad_app_id"},
		{103, 0, "Out of limits", QuotaExceeded, "long_cooldown out_of_limits", "long_cooldown out_of_limits", "long_cooldown out_of_limits"},
		{104, 0, "Not found", WallGone, "park_wall not_found", "fail not_found", "media_fallback not_found"},
		{105, 0, "Couldn't save file", UploadFailed, "retry cannot_save_file", "retry cannot_save_file", "restart_upload cannot_save_file"},
		{106, 0, "Unable to process action", UploadFailed, "retry cannot_process", "retry cannot_process", "restart_upload cannot_process"},
		{113, 0, "Invalid user id", WallGone, "park_wall invalid_user_id", "park_wall invalid_user_id", "media_fallback invalid_user_id"},
		{114, 0, "Invalid album id", UploadFailed, "fail invalid_album", "media_fallback invalid_album", "restart_upload invalid_album"},
		{118, 0, "Invalid server", UploadFailed, "fail invalid_server", "media_fallback invalid_server", "restart_upload invalid_server"},
		{121, 0, "Invalid hash", UploadFailed, "fail invalid_hash", "media_fallback invalid_hash", "restart_upload invalid_hash"},
		{122, 0, "Invalid photos", MediaRefused, "fail invalid_photos", "media_fallback invalid_photos", "media_fallback invalid_photos"},
		{125, 0, "Invalid group id", WallGone, "park_wall invalid_group_id", "park_wall invalid_group_id", "media_fallback invalid_group_id"},
		{129, 0, "Invalid photo", MediaRefused, "fail invalid_photo", "media_fallback invalid_photo", "media_fallback invalid_photo"},
		{146, 0, "The mobile number of the user is unknown", Confirmation, "park_key mobile_not_activated", "park_key mobile_not_activated", "media_fallback mobile_not_activated"},
		{150, 0, "Invalid timestamp", Bug, "fail bad_timestamp", "fail bad_timestamp", "media_fallback bad_timestamp"},
		{200, 0, "Access denied", MediaRefused, "park_wall album_access", "media_fallback album_access", "media_fallback album_access"},
		{201, 0, "Access denied", MediaRefused, "park_wall audio_access", "media_fallback audio_access", "media_fallback audio_access"},
		{203, 0, "Access to group denied", AccessDenied, "park_wall group_access", "park_wall group_access", "media_fallback group_access"},
		{204, 0, "Access denied: user was banned for this action", MediaRefused, "park_wall video_access", "media_fallback video_access", "media_fallback video_access"},
		{210, 0, "Access to wall's post denied", AccessDenied, "park_wall wall_access", "park_wall wall_access", "media_fallback wall_access"},
		{211, 0, "Access to wall's comment denied", AccessDenied, "fail comment_access", "fail comment_access", "media_fallback comment_access"},
		{212, 0, "Access to post comments denied", AccessDenied, "fail comment_access", "fail comment_access", "media_fallback comment_access"},
		{213, 0, "Access to status replies denied", AccessDenied, "fail comment_access", "fail comment_access", "media_fallback comment_access"},
		{214, 0, "Access to adding post denied", PostRefused, "park_wall post_refused", "park_wall post_refused", "media_fallback post_refused"},
		{214, 0, "Access to adding post denied: you can only add 50 posts a day", QuotaExceeded, "long_cooldown posts_per_day", "long_cooldown posts_per_day", "long_cooldown posts_per_day"},
		{214, 0, "Access to adding post denied: can only schedule 25 posts on a day", QuotaExceeded, "long_cooldown scheduled_per_day", "long_cooldown scheduled_per_day", "long_cooldown scheduled_per_day"},
		{214, 0, "Access to adding post denied: a post is already scheduled for this time", SlotTaken, "fail slot_taken", "retry slot_taken", "retry slot_taken"},
		{214, 0, "Access to adding post denied: wall is closed", PostRefused, "park_wall wall_closed", "park_wall wall_closed", "media_fallback wall_closed"},
		{214, 0, "Access to adding post denied: method is unavailable with group auth", KeyUnfit, "park_key community_key_not_allowed", "park_key community_key_not_allowed", "media_fallback community_key_not_allowed"},
		{219, 0, "Advertisement post was recently added", QuotaExceeded, "long_cooldown ad_post_recently", "long_cooldown ad_post_recently", "long_cooldown ad_post_recently"},
		{220, 0, "Too many recipients", QuotaExceeded, "fail too_many_recipients", "long_cooldown too_many_recipients", "long_cooldown too_many_recipients"},
		{222, 0, "Hyperlinks are forbidden", LinksForbidden, "fail links_forbidden", "strip_links links_forbidden", "media_fallback links_forbidden"},
		{223, 0, "Too many replies", QuotaExceeded, "long_cooldown too_many_replies", "long_cooldown too_many_replies", "long_cooldown too_many_replies"},
		{224, 0, "Too many ads posts", QuotaExceeded, "long_cooldown ad_posts_per_day", "long_cooldown ad_posts_per_day", "long_cooldown ad_posts_per_day"},
		{225, 0, "Donut is disabled", BadRequest, "park_delivery donut_disabled", "park_delivery donut_disabled", "media_fallback donut_disabled"},
		{228, 0, "", UnknownCode, "retry unknown_code", "retry unknown_code", "retry unknown_code"},
		{300, 0, "This album is full", MediaRefused, "fail album_full", "media_fallback album_full", "media_fallback album_full"},
		{601, 0, "You have requested too many actions this day", QuotaExceeded, "long_cooldown actions_per_day", "long_cooldown actions_per_day", "long_cooldown actions_per_day"},
		{703, 0, "2FA required", Confirmation, "park_key two_factor_required", "park_key two_factor_required", "media_fallback two_factor_required"},
		{704, 0, "2FA required", Confirmation, "park_key two_factor_required", "park_key two_factor_required", "media_fallback two_factor_required"},
		{1051, 0, "This method is unavailable for this profile type", KeyUnfit, "park_key vk_id_key_not_allowed", "park_key vk_id_key_not_allowed", "media_fallback vk_id_key_not_allowed"},
		{1105, 0, "Too many auth attempts, try again later", FloodControl, "long_cooldown too_many_auth_attempts", "long_cooldown too_many_auth_attempts", "long_cooldown too_many_auth_attempts"},
		{1114, 0, "Anonymous token has expired", KeyInvalid, "park_key anonymous_key", "park_key anonymous_key", "media_fallback anonymous_key"},
		{1116, 0, "Anonymous token is invalid", KeyInvalid, "park_key anonymous_key", "park_key anonymous_key", "media_fallback anonymous_key"},
		{1117, 0, "Access token has expired", KeyInvalid, "park_key key_expired", "park_key key_expired", "media_fallback key_expired"},
		{1118, 0, "Anonymous token ip mismatch", KeyInvalid, "park_key anonymous_key", "park_key anonymous_key", "media_fallback anonymous_key"},
		{1160, 0, "Original photo was changed", MediaRefused, "fail photo_changed", "media_fallback photo_changed", "media_fallback photo_changed"},
		{1260, 0, "Invalid screen name", WallGone, "park_wall invalid_screen_name", "park_wall invalid_screen_name", "media_fallback invalid_screen_name"},
		{3102, 0, "Specified link is incorrect (can't find source)", CopyrightWrong, "fail copyright_not_found", "drop_copyright copyright_not_found", "media_fallback copyright_not_found"},
		{3300, 0, "Recaptcha needed", Confirmation, "park_key recaptcha_needed", "park_key recaptcha_needed", "media_fallback recaptcha_needed"},
		{3301, 0, "Phone validation needed", Confirmation, "park_key phone_validation_needed", "park_key phone_validation_needed", "media_fallback phone_validation_needed"},
		{3302, 0, "Password validation needed", Confirmation, "park_key password_validation_needed", "park_key password_validation_needed", "media_fallback password_validation_needed"},
		{3303, 0, "Otp app validation needed", Confirmation, "park_key otp_validation_needed", "park_key otp_validation_needed", "media_fallback otp_validation_needed"},
		{3304, 0, "Email confirmation needed", Confirmation, "park_key email_validation_needed", "park_key email_validation_needed", "media_fallback email_validation_needed"},
		{3609, 0, "Token extension required", KeyInvalid, "park_key key_extension_required", "park_key key_extension_required", "media_fallback key_extension_required"},
		{3610, 0, "User is deactivated", KeyInvalid, "park_key user_deactivated", "park_key user_deactivated", "media_fallback user_deactivated"},
		{3611, 0, "Service is deactivated for user", KeyInvalid, "park_key service_deactivated", "park_key service_deactivated", "media_fallback service_deactivated"},
		{9999, 0, "HTTP method is not supported", Bug, "fail http_method", "fail http_method", "media_fallback http_method"},
		{11500, 0, "CheckUserAction", Confirmation, "park_key action_confirmation", "park_key action_confirmation", "media_fallback action_confirmation"},
		{424242, 0, "Something new", UnknownCode, "retry unknown_code", "retry unknown_code", "retry unknown_code"},
	} {
		t.Run(fmt.Sprintf("%d/%d %s", c.code, c.subcode, c.text), func(t *testing.T) {
			t.Parallel()
			r := refusal{code: c.code, subcode: c.subcode, message: c.text}
			for purpose, want := range map[Purpose]string{Reading: c.read, Writing: c.write, Media: c.media} {
				got := classify(purpose, r)
				require.Equal(t, c.class, got.Class)
				require.Equal(t, want, slug(got.Policy), purpose)
				require.Equal(t, c.code, got.Code)
				require.Equal(t, c.subcode, got.Subcode)
			}
		})
	}
}

func TestEveryEntryOfTheCatalogueCanBeReached(t *testing.T) {
	t.Parallel()
	for i, e := range catalogue {
		require.Equal(t, strings.ToLower(e.text), e.text)
		require.NotEmpty(t, e.class)
		require.NotEmpty(t, e.read.Action)
		require.NotEmpty(t, e.write.Action)
		for _, policy := range []Policy{e.read, e.write} { // it becomes a search attribute, of 255 characters at most
			require.Regexp(t, `^[a-z0-9_]{1,64}$`, policy.Reason)
		}
		got := lookUp(refusal{code: e.code, subcode: e.subcode, message: "x " + e.text})
		require.Equal(t, e.write, got.write, "entry %d, code %d %q", i, e.code, e.text)
	}
}

func TestAPoliciesPausesGrowToTheirBound(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	flood := classify(Writing, refusal{code: 9}).Policy
	require.Equal(t, 15*time.Minute, flood.Delay(1, now))
	require.Equal(t, 30*time.Minute, flood.Delay(2, now))
	require.Equal(t, time.Hour, flood.Delay(3, now))
	require.Equal(t, 24*time.Hour, flood.Delay(1_000_000, now))
	require.Equal(t, 15*time.Minute, flood.Delay(0, now))

	quota := classify(Reading, refusal{code: 29}).Policy
	require.Equal(t, time.Hour, quota.Delay(1, now))

	for range 50 {
		wait := classify(Writing, refusal{code: 6}).Policy.Delay(1, now)
		require.GreaterOrEqual(t, wait, time.Second)
		require.Less(t, wait, 1500*time.Millisecond)
	}
}

func TestADaysLimitLastsUntilTheNextDayInMoscow(t *testing.T) {
	t.Parallel()
	limit := classify(Writing, refusal{code: 214, message: "you can only add 50 posts a day"}).Policy
	for now, want := range map[string]string{
		"2026-11-20T12:00:00+03:00": "2026-11-21T00:05:00+03:00",
		"2026-11-20T22:30:00Z":      "2026-11-22T00:05:00+03:00", // half past one of the 21st in Moscow
		"2026-12-31T23:59:00+03:00": "2027-01-01T00:59:00+03:00", // never less than an hour
	} {
		at, err := time.Parse(time.RFC3339, now)
		require.NoError(t, err)
		until, err := time.Parse(time.RFC3339, want)
		require.NoError(t, err)
		require.Equal(t, until.Sub(at), limit.Delay(1, at), now)
	}
}

func TestAPolicyGivesWayWhenItsAttemptsAreUsedUp(t *testing.T) {
	t.Parallel()
	unknown := classify(Writing, refusal{code: 424242}).Policy
	for n, want := range map[int]Action{1: Retry, 3: Retry, 4: ParkDelivery, 9: ParkDelivery} {
		require.Equal(t, want, unknown.After(n))
	}
	upload := classify(Media, refusal{code: 22}).Policy
	require.Equal(t, RestartUpload, upload.After(3))
	require.Equal(t, MediaFallback, upload.After(4))
	require.Equal(t, Retry, classify(Writing, refusal{code: 10}).Policy.After(99), "the caller counts")
}

func TestOnlyWritesMayHaveHappened(t *testing.T) {
	t.Parallel()
	for _, code := range []int{1, 10, 36} {
		for purpose, want := range map[Purpose]bool{Reading: false, Writing: true, Media: true} {
			e := classify(purpose, refusal{code: code})
			e.Purpose = purpose
			require.Equal(t, want, e.MayHaveHappened())
		}
	}
	e := classify(Writing, refusal{code: 6})
	e.Purpose = Writing
	require.False(t, e.MayHaveHappened())
}

func TestAnErrorObjectIsReadWhateverTypesItsFieldsHave(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]refusal{
		`{"error_code":14,"error_msg":"Captcha needed","captcha_sid":"123","captcha_img":"https://x"}`:       {code: 14, message: "Captcha needed", captchaSID: "123", captchaImg: "https://x"},
		`{"error_code":14,"captcha_sid":123456789012345,"captcha_ts":1.5,"redirect_uri":"https://id.vk.ru"}`: {code: 14, captchaSID: "123456789012345", redirectURI: "https://id.vk.ru"},
		`{"error_code":"15","error_subcode":"1133","error_msg":null}`:                                        {code: 15, subcode: 1133},
		`{"error_code":5,"error_msg":"x","request_params":[{"key":"count","value":5},7,null]}`:               {code: 5, message: "x"},
		`{"error_code":5,"request_params":{"a":1},"error_text":"только текст"}`:                              {code: 5, message: "только текст"},
		`"invalid_client"`: {message: "invalid_client"},
		`[]`:               {},
		`{}`:               {},
		`{"error_code":0}`: {},
	} {
		require.Equal(t, want, decodeRefusal(json.RawMessage(raw)), raw)
	}
}

func FuzzDecodeRefusalNeverPanics(f *testing.F) {
	f.Add(`{"error_code":"15"}`)
	f.Add(`{"error_code":{"a":[1]},"error_msg":[]}`)
	f.Add(`"x`)
	f.Fuzz(func(t *testing.T, raw string) {
		for _, purpose := range []Purpose{Reading, Writing, Media} {
			e := classify(purpose, decodeRefusal(json.RawMessage(raw)))
			require.NotEmpty(t, e.Policy.Action)
			require.NotContains(t, e.Error(), "\n")
		}
	})
}
