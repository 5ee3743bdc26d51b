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
	message string
	extra   map[string]any
	status  int // HTTP; 200 if 0
}

func refuse(code int, format string, args ...any) *refusal {
	return &refusal{code: code, message: fmt.Sprintf(format, args...)}
}

// standard is an error in VK's own words.
func standard(code int) *refusal { return refuse(code, "%s", cmp.Or(messages[code], "Error")) }

func badParameter(format string, args ...any) *refusal {
	return refuse(100, messages[100]+": "+format, args...)
}

// answer puts the error into VK's envelope: HTTP 200, with the request's parameters repeated, but for the token.
func (e *refusal) answer(f *core.Form) core.Answer {
	params := []map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		params = append(params, map[string]string{"key": name, "value": f.Fields[name]})
	}
	body := map[string]any{"error_code": e.code, "error_msg": e.message, "request_params": params}
	maps.Copy(body, e.extra)
	return core.Answer{Status: cmp.Or(e.status, 200), Body: core.Encode(map[string]any{"error": body}), Refused: true}
}

// messages are VK's own words for the error codes that the sandbox answers, or a fault names without a text (VK API
// documentation, "Errors").
var messages = map[int]string{
	1: "Unknown error occurred", 3: "Unknown method passed", 5: "User authorization failed: invalid access_token (4).",
	6: "Too many requests per second", 8: "Invalid request", 9: "Flood control", 10: "Internal server error",
	14: "Captcha needed", 15: "Access denied", 17: "Validation required", 18: "User was deleted or banned",
	27: "Group authorization failed: method is unavailable with group auth.",
	28: "Application authorization failed: method is unavailable with service token.",
	29: "Rate limit reached", 100: "One of the parameters specified was missing or invalid", 113: "Invalid user id",
	121: "Invalid hash", 125: "Invalid group id", 210: "Access to wall's post denied", 214: "Access to adding post denied",
	222: "Hyperlinks are forbidden", 3102: "Specified link is incorrect (can't find source)",
}

// faultAnswer gives a fault the form of a VK error, or of the proxy before it.
func faultAnswer(fault *core.Fault, f *core.Form) core.Answer {
	if fault.Code == 0 && fault.Description == "" && len(fault.Extra) == 0 {
		return page(cmp.Or(fault.Status, http.StatusBadGateway))
	}
	e := standard(cmp.Or(fault.Code, 1))
	e.message, e.extra, e.status = cmp.Or(fault.Description, e.message), fault.Extra, fault.Status
	if e.code == 14 && e.extra == nil { // as it is since 2025: the picture is a stub, the answer is the redirect
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
