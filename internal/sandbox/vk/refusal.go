package vk

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"vestnik/internal/sandbox/core"
)

// refusal is an error answer of the VK API.
type refusal struct {
	code    int
	subcode int
	message string
	extra   map[string]any
	status  int // HTTP; 200 if 0
}

func refuse(code int, format string, args ...any) *refusal {
	return &refusal{code: code, message: fmt.Sprintf(format, args...)}
}

// standard is an error in VK's own words.
func standard(code int) *refusal { return refuse(code, "%s", messages[code]) }

func badParameter(format string, args ...any) *refusal {
	return refuse(100, "One of the parameters specified was missing or invalid: "+format, args...)
}

// answer puts the error into VK's envelope: HTTP 200, with the request's parameters repeated, but for the token.
func (e *refusal) answer(f *core.Form) core.Answer {
	params := []map[string]string{}
	for _, name := range slices.Sorted(slices.Values(f.Names)) {
		if value, sent := f.Fields[name]; sent {
			params = append(params, map[string]string{"key": name, "value": value.Text})
		}
	}
	body := map[string]any{"error_code": e.code, "error_msg": e.message, "request_params": params}
	if e.subcode != 0 {
		body["error_subcode"] = e.subcode
	}
	maps.Copy(body, e.extra)
	return core.Answer{Status: cmp.Or(e.status, 200), Body: core.Encode(map[string]any{"error": body}), Refused: true}
}

// messages are VK's own words for the error codes that a fault can name without a text (VK API documentation,
// "Errors").
var messages = map[int]string{
	1: "Unknown error occurred", 2: "Application is disabled. Enable your application or use test mode",
	3: "Unknown method passed", 4: "Incorrect signature", 5: "User authorization failed: invalid access_token (4).",
	6: "Too many requests per second", 7: "Permission to perform this action is denied", 8: "Invalid request",
	9: "Flood control", 10: "Internal server error", 11: "In test mode application should be disabled or user should be authorized",
	14: "Captcha needed", 15: "Access denied", 16: "HTTP authorization failed", 17: "Validation required",
	18: "User was deleted or banned", 19: "Content blocked", 20: "Permission to perform this action is denied for non-standalone applications",
	21: "Permission to perform this action is allowed only for Standalone and OpenAPI applications", 22: "Upload error",
	23: "This method was disabled", 24: "Confirmation required", 25: "Token confirmation required",
	27: "Group authorization failed: method is unavailable with group auth.", 28: "Application authorization failed: method is unavailable with service token.",
	29: "Rate limit reached", 30: "This profile is private", 36: "Method execution was interrupted due to timeout",
	37: "User was banned", 100: "One of the parameters specified was missing or invalid", 103: "Out of limits", 104: "Not found",
	105: "Couldn't save file", 113: "Invalid user id", 114: "Invalid album id", 118: "Invalid server", 121: "Invalid hash",
	125: "Invalid group id", 129: "Invalid photo", 203: "Access to group denied", 210: "Access to wall's post denied",
	214: "Access to adding post denied", 219: "Advertisement post was recently added", 220: "Too many recipients",
	222: "Hyperlinks are forbidden", 224: "Too many ads posts", 225: "Donut is disabled", 300: "This album is full",
	1051: "Method is unavailable for this profile type", 1117: "Access token has expired", 3102: "Specified link is incorrect (can't find source)",
	3300: "Recaptcha needed", 11500: "Action confirmation required",
}

// faultAnswer gives a fault the form of a VK error, or of the proxy before it.
func faultAnswer(fault *core.Fault, f *core.Form) core.Answer {
	if fault.Code == 0 && fault.Description == "" && len(fault.Extra) == 0 {
		return page(cmp.Or(fault.Status, http.StatusBadGateway))
	}
	code := cmp.Or(fault.Code, 1)
	e := &refusal{code: code, message: cmp.Or(fault.Description, cmp.Or(messages[code], "Error")),
		extra: fault.Extra, status: fault.Status}
	if code == 14 && fault.Extra == nil { // as it is since 2025: the picture is a stub, the answer is the redirect
		e.extra = map[string]any{"captcha_sid": "123456789012", "captcha_img": "https://api.vk.com/captcha.php?sid=123456789012&s=1",
			"redirect_uri": "https://id.vk.com/not_robot_captcha?domain=vk.com&session_token=sandbox"}
	}
	return e.answer(f)
}

// page is what a proxy before VK answers.
func page(status int) core.Answer {
	text := strconv.Itoa(status) + " " + http.StatusText(status)
	return core.Answer{Status: status, Header: map[string]string{"Content-Type": "text/html"}, Refused: true,
		Body: []byte("<html><head><title>" + text + "</title></head><body><h1>" + text + "</h1></body></html>")}
}
