package vk

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"vestnik/internal/wire"
)

// exchange is what one call and the adapter tell each other; it travels in the request's context, because the
// library passes nothing else through.
type exchange struct {
	method  string
	purpose Purpose

	answered bool // a response arrived and was read whole
	status   int  // HTTP status, 0 when no headers came
	response json.RawMessage
	fault    *Error
}

type exchangeKey struct{}

// errJudged is what the library is told when the adapter has judged the answer itself.
var errJudged = errors.New("vk: judged by the adapter")

// adapter is the transport of the library's HTTP client. It reads the answer within limits, follows no redirect, and
// leaves its judgement in the exchange.
type adapter struct {
	transport http.RoundTripper
	token     string
}

// RoundTrip implements http.RoundTripper. What it returns is always plain JSON that the library can digest.
func (a *adapter) RoundTrip(req *http.Request) (*http.Response, error) {
	ex, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		ex = &exchange{method: req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:]}
	}
	a.judge(ex, req)
	if ex.fault != nil {
		return nil, errJudged
	}
	body := append(append([]byte(`{"response":`), ex.response...), '}')
	return &http.Response{
		StatusCode: http.StatusOK, Request: req, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

// judge makes the exchange and leaves its response or its fault.
func (a *adapter) judge(ex *exchange, req *http.Request) {
	answer, err := wire.Do(a.transport, req, maxAnswer)
	var failure *wire.Failure
	if errors.As(err, &failure) {
		ex.status = failure.Status
		ex.fault = unanswered(ex, failure)
	} else {
		ex.status = answer.Status
		a.read(ex, answer)
	}
	if ex.fault != nil {
		ex.fault.Method, ex.fault.Purpose, ex.fault.HTTPStatus = ex.method, ex.purpose, ex.status
		ex.fault.Message = a.redact(ex.fault.Message)
	}
}

func (a *adapter) read(ex *exchange, answer wire.Answer) {
	success := answer.Status >= 200 && answer.Status < 300
	var envelope struct {
		Response json.RawMessage `json:"response"`
		Error    json.RawMessage `json:"error"`
		// Errors of the authorization server, and of an upload host, stand beside the text.
		ErrorCode        flexInt    `json:"error_code"`
		ErrorDescription flexString `json:"error_description"`
	}
	decodeErr := json.Unmarshal(answer.Body, &envelope)
	switch {
	case decodeErr == nil && len(envelope.Error) > 0 && !isNull(envelope.Error):
		refusal := decodeRefusal(envelope.Error)
		if refusal.code == 0 {
			refusal.code = int(envelope.ErrorCode)
		}
		if refusal.message == "" {
			refusal.message = string(envelope.ErrorDescription)
		}
		if refusal.code != 0 || refusal.message != "" {
			ex.fault = judge(ex.purpose, refusal)
			ex.fault.Written = answer.Written
			return
		}
		ex.fault = broken(ex, answer, "an error without a code")
	case !success:
		// A 5xx with a valid response in it is a failure too: something between VK and us has said so.
		ex.fault = broken(ex, answer, "an answer that is not VK's: "+http.StatusText(answer.Status))
	case decodeErr != nil:
		ex.fault = broken(ex, answer, "an answer that is not VK's")
	case len(envelope.Response) == 0 || isNull(envelope.Response):
		ex.fault = broken(ex, answer, "an empty response")
	default:
		ex.answered, ex.response = true, envelope.Response
	}
}

// broken is the error of an answer that cannot be read. With a 2xx VK has acted, and only what it did is lost; any
// other status is taken as "not done", which for a gateway's 502 and 504 nobody can promise.
func broken(ex *exchange, answer wire.Answer, message string) *Error {
	class := OutcomeUnknown
	if answer.Status < 200 || answer.Status > 299 {
		class = Unavailable
	}
	return &Error{Class: class, Message: message, Written: answer.Written, Policy: transportPolicy(ex.method, class)}
}

// unanswered is the error of an exchange that brought no answer.
func unanswered(ex *exchange, failure *wire.Failure) *Error {
	class := Unreachable
	switch {
	case failure.Status != 0 && (failure.Status < 200 || failure.Status > 299):
		class = Unavailable
	case failure.Written || failure.Status != 0:
		class = OutcomeUnknown
	}
	return &Error{Class: class, Message: failure.Reason, Written: failure.Written, Timeout: failure.Timeout,
		Policy: transportPolicy(ex.method, class), cause: failure.Unwrap()}
}

// redact takes the key out of a text. Older versions of the API echo it in error messages' parameters.
func (a *adapter) redact(text string) string {
	text = strings.ReplaceAll(text, a.token, "***")
	return strings.ReplaceAll(text, url.QueryEscape(a.token), "***")
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }
