package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/wire"
)

// file is a file of a call: the form's field, and what is in it. One that is read while it is sent is the call's only
// one.
type file struct {
	field, name string
	content     []byte
	read        *File
}

// call makes one call and decodes Telegram's result into result. Its errors are *Error.
func (c *Client) call(ctx context.Context, method string, params, result any, files ...file) error {
	if strings.HasPrefix(method, "send") {
		if err := c.awaitTurn(ctx, method, result); err != nil {
			return err
		}
	}
	return c.callWithin(ctx, c.timeout, method, params, result, files)
}

// awaitTurn waits until the bot may send again. A wait that the call has no time for is a refusal that was foreseen.
func (c *Client) awaitTurn(ctx context.Context, method string, result any) error {
	messages := 1
	if several, ok := result.(*album); ok {
		messages = several.want
	}
	for ; c.pace != nil && messages > 0; messages-- {
		if err := c.pace.Wait(ctx); err != nil {
			return &Error{Class: RateLimited, Method: method, RetryAfter: time.Second, Description: "too many messages of this bot wait", cause: err}
		}
	}
	return nil
}

func (c *Client) callWithin(ctx context.Context, timeout time.Duration, method string, params, result any, files []file) error {
	if len(files) == 0 || files[0].read == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	is := c.now()
	req, err := is.request(ctx, method, params, files)
	if err != nil { // which may quote what was to be sent, so it stays here
		return &Error{Class: Internal, Method: method, Description: "the request could not be built"}
	}
	answer, failure := is.wire.Do(req, maxAnswer)
	if failure != nil {
		return &Error{Class: Class(failure.Outcome()), Method: method, HTTPStatus: failure.Status, Description: failure.Reason,
			Written: failure.Written, Timeout: failure.Timeout, cause: failure.Unwrap()}
	}
	fault := read(method, answer, result)
	if fault == nil {
		return nil
	}
	fault.Method, fault.HTTPStatus, fault.Written = method, answer.Status, answer.Written
	fault.Description = is.wire.Redact(fault.Description)
	return fault
}

// request is the call as JSON, or as a form if it has files. Its body can be sent again if a kept-alive connection
// turns out to be closed before the first byte, unless a file is read into it.
func (a *access) request(ctx context.Context, method string, params any, files []file) (*http.Request, error) {
	body, err := encodeJSON(params)
	kind, end := "application/json", []byte(nil)
	if err == nil && len(files) > 0 {
		body, end, kind, err = form(body, files)
	}
	if err != nil {
		return nil, err
	}
	read := (*File)(nil)
	if len(files) > 0 {
		read = files[0].read
	}
	if read == nil {
		body = append(body, end...)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.address+method, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", kind)
	if read != nil {
		req.Body, req.GetBody = io.NopCloser(io.MultiReader(bytes.NewReader(body), read.Content, bytes.NewReader(end))), nil
		req.ContentLength = -1
		if read.Size >= 0 {
			req.ContentLength = int64(len(body)) + read.Size + int64(len(end))
		}
	}
	return req, nil
}

// encodeJSON leaves <, > and & as they are: a request is read by people too, in the sandbox and in captures.
func encodeJSON(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// form is the members of a JSON object and the files as multipart/form-data, with its content type. A file that is read
// while it is sent belongs between body and end.
func form(object []byte, files []file) (body, end []byte, kind string, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, nil, "", err
	}
	var out bytes.Buffer
	writer := multipart.NewWriter(&out) // into memory, which never fails
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text := string(fields[name])
		if text[0] == '"' { // in a form a text stands as it is
			_ = json.Unmarshal(fields[name], &text)
		}
		_ = writer.WriteField(name, text)
	}
	for _, f := range files {
		part, _ := writer.CreateFormFile(f.field, f.name)
		_, _ = part.Write(f.content)
	}
	begun := out.Len()
	err = writer.Close()
	return out.Bytes()[:begun], out.Bytes()[begun:], writer.FormDataContentType(), err
}

// read decodes a success into result, and classifies anything else.
func read(method string, answer wire.Answer, result any) *Error {
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
	known := json.Unmarshal(answer.Body, &envelope) == nil && envelope.OK != nil
	success := wire.Success(answer.Status)
	switch {
	case known && *envelope.OK && success && len(envelope.Result) > 0:
		if json.Unmarshal(envelope.Result, result) != nil {
			return &Error{Class: OutcomeUnknown, Description: "the result is not what the method returns"}
		}
		return nil
	case known && !*envelope.OK:
		refused := refusal{
			method: method, httpStatus: answer.Status, code: envelope.ErrorCode, description: envelope.Description,
			retryAfter: seconds(envelope.Parameters.RetryAfter.String(), answer.Header),
		}
		refused.migrateTo, _ = envelope.Parameters.MigrateToChatID.Int64()
		return classify(refused)
	case success:
		// Telegram has answered, so it has acted; only what it did is lost.
		return &Error{Class: OutcomeUnknown, Description: "an answer that is not Telegram's"}
	}
	// A proxy's page, or a server that is not Telegram: only the status speaks. The page itself stays unread.
	return classify(refusal{method: method, httpStatus: answer.Status, code: answer.Status, foreign: true,
		description: http.StatusText(answer.Status), retryAfter: seconds("", answer.Header)})
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
		return max(time.Until(at), 0)
	}
	return 0
}

// internal is the error of a call that was wrong before it was made.
func internal(method string, err error) *Error {
	return &Error{Class: Internal, Method: method, Description: err.Error()}
}

// photoName is the name of an uploaded file. Telegram looks at the extension before it looks at the bytes.
func photoName(i int) string { return fmt.Sprintf("photo%d.jpg", i+1) }
