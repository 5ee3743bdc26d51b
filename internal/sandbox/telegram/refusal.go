package telegram

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"vestnik/internal/sandbox/core"
)

// refusal is an error answer of the Bot API.
type refusal struct {
	code        int
	description string
	retryAfter  int
	migrateTo   int64
	raw         string // the server's own code, shown where an album item fails
}

func refuse(code int, format string, args ...any) *refusal {
	return &refusal{code: code, description: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *refusal {
	return refuse(400, "Bad Request: "+format, args...)
}

func forbidden(format string, args ...any) *refusal {
	return refuse(403, "Forbidden: "+format, args...)
}

func tooMany(wait time.Duration) *refusal {
	seconds := max(int((wait+time.Second-1)/time.Second), 1)
	return &refusal{code: 429, description: fmt.Sprintf("Too Many Requests: retry after %d", seconds), retryAfter: seconds}
}

func migrated(to int64) *refusal {
	return &refusal{code: 400, description: "Bad Request: group chat was upgraded to a supergroup chat", migrateTo: to}
}

func (e *refusal) answer() core.Answer {
	body := map[string]any{"ok": false, "error_code": e.code, "description": e.description}
	header := map[string]string{}
	switch {
	case e.retryAfter > 0:
		body["parameters"] = map[string]any{"retry_after": e.retryAfter}
		header["Retry-After"] = strconv.Itoa(e.retryAfter)
	case e.migrateTo != 0:
		body["parameters"] = map[string]any{"migrate_to_chat_id": e.migrateTo}
	}
	return core.Answer{Status: e.code, Header: header, Body: core.Encode(body), Refused: true}
}

// faultAnswer gives a fault the form of a Bot API error.
func faultAnswer(fault *core.Fault, _ *core.Form) core.Answer {
	e := refuse(cmp.Or(fault.Code, fault.Status, 500), "")
	switch {
	case fault.MigrateToChatID != 0:
		e = migrated(fault.MigrateToChatID)
	case fault.RetryAfter > 0 || e.code == 429:
		e = tooMany(time.Duration(fault.RetryAfter) * time.Second)
	}
	e.description = cmp.Or(fault.Description, e.description, http.StatusText(e.code), "Error")
	a := e.answer()
	a.Status = cmp.Or(fault.Status, e.code)
	return a
}
