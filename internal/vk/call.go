package vk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/SevereCloud/vksdk/v2/api"
	"github.com/SevereCloud/vksdk/v2/object"

	"vestnik/internal/wire"
)

// purposeKey carries the purpose of a call through the library, which passes nothing on but the context.
type purposeKey struct{}

// call asks the library to call a method and hands VK's response to decode. A response that decode refuses (it is not
// what the method returns) is an error like any other: for a write nobody knows what happened. Its errors are *Error.
func (c *Client) call(ctx context.Context, purpose Purpose, method string, params api.Params,
	decode func(response json.RawMessage) error) error {
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, purposeKey{}, purpose), c.timeout)
	defer cancel()
	if answer, answered := ctx.Value(captchaKey{}).(CaptchaAnswer); answered {
		maps.Copy(params, answer.params())
	}
	response, err := c.sdk.Request(method, params.WithContext(ctx))
	if err != nil {
		return err
	}
	if err := decode(response); err != nil {
		return &Error{Class: OutcomeUnknown, Method: method, Purpose: purpose, HTTPStatus: http.StatusOK, Written: true,
			Message: "not what the method returns: " + err.Error(), Policy: transportPolicy(method, OutcomeUnknown)}
	}
	return nil
}

// handle is the library's handler: it makes one call. What the library's own handler leaves open is mended here.
func (c *Client) handle(method string, sets ...api.Params) (api.Response, error) {
	ctx, form := context.Background(), url.Values{}
	for _, params := range sets {
		for name, value := range params {
			switch name {
			case ":context":
				ctx, _ = value.(context.Context)
			case "access_token": // goes into a header
			default:
				form.Set(name, api.FmtValue(value, 0))
			}
		}
	}
	purpose, _ := ctx.Value(purposeKey{}).(Purpose)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.sdk.MethodURL+method, strings.NewReader(form.Encode()))
	if err != nil {
		return api.Response{}, bug(purpose, method, "the request could not be built")
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("User-Agent", c.sdk.UserAgent)
	answer, failure := c.wire.Do(req, maxAnswer)
	status := answer.Status
	var response json.RawMessage
	var fault *Error
	if failure == nil {
		response, fault = read(purpose, method, answer)
	} else {
		status, fault = failure.Status, noAnswer(failure, Class(failure.Outcome()))
		fault.Policy = transportPolicy(method, fault.Class)
	}
	if fault != nil {
		fault.Method, fault.Purpose, fault.HTTPStatus, fault.Message = method, purpose, status, c.wire.Redact(fault.Message)
		return api.Response{}, fault
	}
	return api.Response{Response: object.RawMessage(response)}, nil
}

// noAnswer is the error of an exchange that brought no answer.
func noAnswer(failure *wire.Failure, class Class) *Error {
	return &Error{Class: class, Message: failure.Reason, Written: failure.Written, Timeout: failure.Timeout, cause: failure.Unwrap()}
}

// read gives the response in an answer, or what VK said against it.
func read(purpose Purpose, method string, answer wire.Answer) (json.RawMessage, *Error) {
	var envelope struct {
		Response json.RawMessage `json:"response"`
		Error    json.RawMessage `json:"error"`
		// Errors of the authorization server, and of an upload host, stand beside the text.
		ErrorCode        flexInt    `json:"error_code"`
		ErrorDescription flexString `json:"error_description"`
	}
	decodeErr := json.Unmarshal(answer.Body, &envelope)
	// With a 2xx VK has acted, and only what it did is lost; any other status is taken as "not done", which for a
	// gateway's 502 and 504 nobody can promise.
	class := OutcomeUnknown
	if !wire.Success(answer.Status) {
		class = Unavailable
	}
	broken := &Error{Class: class, Written: answer.Written, Policy: transportPolicy(method, class)}
	switch {
	case decodeErr == nil && len(envelope.Error) > 0 && !isNull(envelope.Error):
		refused := decodeRefusal(envelope.Error)
		refused.code = cmp.Or(refused.code, int(envelope.ErrorCode))
		refused.message = cmp.Or(refused.message, string(envelope.ErrorDescription))
		if refused.code != 0 || refused.message != "" {
			fault := classify(purpose, refused)
			fault.Written = answer.Written
			return nil, fault
		}
		broken.Message = "an error without a code"
	case class == Unavailable:
		// A 5xx with a valid response in it is a failure too: something between VK and us has said so.
		broken.Message = "an answer that is not VK's: " + http.StatusText(answer.Status)
	case decodeErr != nil:
		broken.Message = "an answer that is not VK's"
	case len(envelope.Response) == 0 || isNull(envelope.Response):
		broken.Message = "an empty response"
	default:
		return envelope.Response, nil
	}
	return nil, broken
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// askTime bounds one question to VK.
const askTime = 10 * time.Second

// Ask asks VK, and once more when the key has made its calls of this second:
// there may be many walls, and workers use the key too. It gives up after 10 s.
func Ask(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	for try := 1; ; try++ {
		err := ask(ctx)
		var failure *Error
		if !errors.As(err, &failure) || failure.Action() != RateLimit {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(failure.Policy.Delay(try, time.Now())):
		}
	}
}
