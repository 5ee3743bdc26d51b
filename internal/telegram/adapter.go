package telegram

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/wire"
)

// exchange is what one call and the adapter tell each other; it travels in the request's context, because the
// library passes nothing else through.
type exchange struct {
	method string
	files  bool // the form carries files: it must stay multipart

	answered bool // a success arrived and was read whole
	status   int  // HTTP status, 0 when no headers came
	result   json.RawMessage
	fault    *Error
}

type exchangeKey struct{}

// errJudged is what the library is told when the adapter has judged the answer itself.
var errJudged = errors.New("telegram: judged by the adapter")

// adapter is the library's HTTP client. It re-encodes forms without files as JSON, reads the answer within limits,
// follows no redirect, and leaves its judgement in the exchange.
type adapter struct {
	transport http.RoundTripper
	base      string
	token     string
}

// Do implements the library's HttpClient.
func (a *adapter) Do(req *http.Request) (*http.Response, error) {
	ex, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		ex = &exchange{method: req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:]}
	}
	if !ex.files {
		payload, err := formToJSON(ex.method, req)
		// The library writes the form from a goroutine of its own; closing our end lets it finish.
		_ = req.Body.Close()
		if err != nil {
			ex.fault = &Error{Class: Internal, Method: ex.method, Description: "the form could not be read back"}
			return nil, errJudged
		}
		req = asJSON(req, payload)
	}
	a.roundTrip(ex, req)
	if ex.fault != nil {
		return nil, errJudged
	}
	return &http.Response{
		StatusCode: ex.status, Header: http.Header{}, Request: req,
		Body: io.NopCloser(bytes.NewReader(append([]byte(`{"ok":true,"result":`), append(ex.result, '}')...))),
	}, nil
}

// roundTrip makes the exchange and judges it.
func (a *adapter) roundTrip(ex *exchange, req *http.Request) {
	answer, err := wire.Do(a.transport, req, maxAnswer)
	var failure *wire.Failure
	if errors.As(err, &failure) {
		ex.status = failure.Status
		ex.fault = unanswered(ex.method, failure)
		ex.fault.Description = a.redact(ex.fault.Description)
		return
	}
	ex.status = answer.Status

	var envelope struct {
		OK          *bool           `json:"ok"`
		Result      json.RawMessage `json:"result"`
		Description string          `json:"description"`
		ErrorCode   int             `json:"error_code"`
		Parameters  struct {
			RetryAfter      json.Number `json:"retry_after"`
			MigrateToChatID json.Number `json:"migrate_to_chat_id"`
		} `json:"parameters"`
	}
	decodeErr := json.Unmarshal(answer.Body, &envelope)
	success := answer.Status >= 200 && answer.Status < 300
	switch {
	case decodeErr == nil && envelope.OK != nil && *envelope.OK && success && len(envelope.Result) > 0:
		ex.answered, ex.result = true, envelope.Result
		return
	case decodeErr == nil && envelope.OK != nil && !*envelope.OK:
		refusal := refusal{
			method: ex.method, httpStatus: answer.Status, code: envelope.ErrorCode, description: envelope.Description,
			retryAfter: seconds(envelope.Parameters.RetryAfter.String(), answer.Header),
		}
		refusal.migrateTo, _ = envelope.Parameters.MigrateToChatID.Int64()
		ex.fault = judge(refusal)
	case success:
		// Telegram has answered, so it has acted; only what it did is lost.
		ex.fault = &Error{Class: OutcomeUnknown, Description: "an answer that is not Telegram's"}
	default:
		// A proxy's page, or a server that is not Telegram: only the status speaks. The page itself stays unread.
		ex.fault = judge(refusal{method: ex.method, httpStatus: answer.Status, code: answer.Status, foreign: true,
			description: http.StatusText(answer.Status), retryAfter: seconds("", answer.Header)})
	}
	ex.fault.Method, ex.fault.HTTPStatus, ex.fault.Written = ex.method, answer.Status, answer.Written
	ex.fault.Description = a.redact(ex.fault.Description)
}

// redact takes the token out of a text. Telegram does not repeat it; a proxy's answer may.
func (a *adapter) redact(text string) string {
	return strings.ReplaceAll(text, a.token, "***")
}

// unanswered is the error of an exchange that brought no answer.
func unanswered(method string, failure *wire.Failure) *Error {
	class := Unreachable
	switch {
	case failure.Status != 0 && (failure.Status < 200 || failure.Status > 299):
		class = Unavailable // refused, and the refusal was cut short: nothing was done
	case failure.Written || failure.Status != 0:
		class = OutcomeUnknown
	}
	return &Error{Class: class, Method: method, HTTPStatus: failure.Status, Description: failure.Reason,
		Written: failure.Written, Timeout: failure.Timeout, cause: failure.Unwrap()}
}

// seconds reads a waiting time from Telegram's parameters or, failing that, from the Retry-After header, which the
// Bot API server sends as well and which is all that a proxy sends.
func seconds(parameter string, header http.Header) time.Duration {
	for _, text := range []string{parameter, header.Get("Retry-After")} {
		if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 && n < 1e6 {
			return time.Duration(n * float64(time.Second))
		}
	}
	if at, err := http.ParseTime(header.Get("Retry-After")); err == nil {
		if wait := time.Until(at); wait > 0 {
			return wait
		}
	}
	return 0
}

// address is where a method is called when the library does not do it.
func (a *adapter) address(method string) string {
	return a.base + "/bot" + a.token + "/" + method
}
