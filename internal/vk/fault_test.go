package vk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/vk"
)

func hangUp(say string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		if say == "" {
			_ = conn.(*net.TCPConn).SetLinger(0)
		}
		_, _ = io.WriteString(conn, say)
		_ = conn.Close()
	}
}

func with(handler http.HandlerFunc, header, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(header, value)
		handler(w, r)
	}
}

// badAnswers are answers that are not VK's, and what they mean to somebody who publishes.
var badAnswers = map[string]struct {
	handler http.HandlerFunc
	class   vk.Class
	status  int
}{
	"502 as a page":                 {with(answer(502, "<html>SECRET Мурка</html>"), "Content-Type", "text/html"), vk.Unavailable, 502},
	"502 claiming to be gzip":       {with(answer(502, "<html>SECRET Мурка</html>"), "Content-Encoding", "gzip"), vk.Unavailable, 502},
	"502 gzip of nothing":           {with(answer(502, ""), "Content-Encoding", "gzip"), vk.Unavailable, 502},
	"503 with nothing":              {answer(503, ""), vk.Unavailable, 503},
	"500 with a success in it":      {answer(500, `{"response":{"post_id":5}}`), vk.Unavailable, 500},
	"a redirect":                    {with(answer(302, ""), "Location", "/elsewhere?access_token=SECRET"), vk.Unavailable, 302},
	"a permanent redirect":          {with(answer(308, ""), "Location", "https://login.example/SECRET"), vk.Unavailable, 308},
	"403 of a filter":               {answer(403, "blocked"), vk.Unavailable, 403},
	"200 as a page":                 {answer(200, "<html>SECRET Мурка</html>"), vk.OutcomeUnknown, 200},
	"200 claiming to be gzip":       {with(answer(200, "<html>SECRET Мурка</html>"), "Content-Encoding", "gzip"), vk.OutcomeUnknown, 200},
	"200 with nothing":              {answer(200, ""), vk.OutcomeUnknown, 200},
	"an empty object":               {answer(200, `{}`), vk.OutcomeUnknown, 200},
	"a null response":               {answer(200, `{"response":null}`), vk.OutcomeUnknown, 200},
	"a response of another type":    {answer(200, `{"response":[]}`), vk.OutcomeUnknown, 200},
	"a post without an id":          {answer(200, `{"response":{"post_id":0}}`), vk.OutcomeUnknown, 200},
	"an error without a code":       {answer(200, `{"error":{}}`), vk.OutcomeUnknown, 200},
	"an error with code 0":          {answer(200, `{"error":{"error_code":0}}`), vk.OutcomeUnknown, 200},
	"truncated JSON":                {answer(200, `{"response":{"post_id":5`), vk.OutcomeUnknown, 200},
	"more than eight megabytes":     {answer(200, `{"response":{"post_id":5,"x":"`+strings.Repeat("x", 8<<20)+`"}}`), vk.OutcomeUnknown, 200},
	"a reset":                       {hangUp(""), vk.OutcomeUnknown, 0},
	"the end in the middle":         {hangUp("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"response\""), vk.OutcomeUnknown, 200},
	"something that is not HTTP":    {hangUp("SECRET Мурка\r\n\r\n"), vk.OutcomeUnknown, 0},
	"no answer within the deadline": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, vk.OutcomeUnknown, 0},
}

func TestEveryKindOfBadAnswerIsATypedErrorToBeRetriedWithTheSameGuid(t *testing.T) {
	t.Parallel()
	for name, c := range badAnswers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.handler)
			client := newClient(t, s.URL, func(c *vk.Config) { c.Timeout = 5 * time.Second })
			err := publish(t, client)
			fault := refused(t, err)
			require.Equal(t, c.class, fault.Class, err)
			require.Equal(t, c.status, fault.HTTPStatus)
			require.Equal(t, vk.Retry, fault.Action())
			require.Equal(t, "wall.post", fault.Method)
			require.True(t, fault.Written)
			require.True(t, fault.MayHaveHappened())
			require.NotContains(t, err.Error(), "html")
			require.Equal(t, 1, s.count(), "one call is one request")
		})
	}
}

func TestWhatFailsBeforeTheRequestIsOutIsUnreachableAndDidNotHappen(t *testing.T) {
	t.Parallel()
	closed := serve(t, answer(200, "{}"))
	closed.Close()
	untrusted := httptest.NewUnstartedServer(answer(200, "{}"))
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	for _, address := range []string{closed.URL, untrusted.URL} {
		fault := refused(t, publish(t, newClient(t, address)))
		require.Equal(t, vk.Unreachable, fault.Class)
		require.Equal(t, vk.Retry, fault.Action())
		require.False(t, fault.Written)
		require.False(t, fault.MayHaveHappened())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newClient(t, serve(t, answer(200, "{}")).URL).WallGet(ctx, -7, 5, 0)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, vk.Unreachable, refused(t, err).Class)
}

func TestTheCodeOfAnErrorSurvivesWhateverTheOtherFieldsAre(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"error":{"error_code":14,"error_msg":"Captcha needed","captcha_sid":123456,"captcha_img":"https://api.vk.com/captcha.php?sid=SECRET"}}`: 14,
		`{"error":{"error_code":5,"error_msg":"x","request_params":[{"key":"owner_id","value":-7},{"key":"access_token","value":"SECRET"}]}}`:     5,
		`{"error":{"error_code":"15","error_msg":"Access denied","error_subcode":"1133"}}`:                                                        15,
		`{"error":{"error_code":17,"redirect_uri":"https://login.vk.com/?act=SECRET","error_msg":["x"]}}`:                                         17,
		`{"error":"access_denied","error_code":28,"error_description":"method is unavailable with service token"}`:                                28,
		`{"error":{"error_code":10,"error_msg":"Internal server error"},"response":null}`:                                                         10,
	} {
		fault := refused(t, publish(t, newClient(t, serve(t, answer(200, body)).URL)))
		require.Equal(t, want, fault.Code, body)
		require.NotEqual(t, vk.UnknownCode, fault.Class, body)
		printed, err := json.Marshal(fault)
		require.NoError(t, err)
		require.NotContains(t, string(printed), "SECRET")
	}
	fault := refused(t, publish(t, newClient(t, serve(t, answer(401, `{"error":"invalid_client","error_description":"client is gone"}`)).URL)))
	require.Equal(t, vk.UnknownCode, fault.Class)
	require.Equal(t, "invalid_client", fault.Message)
}

func TestACaptchaComesWithAllThatAPersonNeedsAndPrintsNoneOfIt(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"error":{"error_code":14,"error_msg":"Captcha needed","captcha_sid":"77","captcha_img":"https://api.vk.com/captcha.php?sid=77",
		"redirect_uri":"https://id.vk.ru/not_robot_captcha?session_token=SECRET","captcha_ts":1.5,"captcha_attempt":1}}`))
	fault := refused(t, publish(t, newClient(t, s.URL)))
	require.Equal(t, vk.CaptchaNeeded, fault.Action())
	require.Equal(t, "77", fault.CaptchaSID)
	require.Equal(t, "https://api.vk.com/captcha.php?sid=77", fault.CaptchaImg)
	require.Equal(t, "https://id.vk.ru/not_robot_captcha?session_token=SECRET", fault.RedirectURI)
	require.Equal(t, "vk: wall.post: captcha 14: Captcha needed", fault.Error())
}

func TestAMessageThatEchoesTheKeyIsPrintedWithoutIt(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(map[string]any{"error": map[string]any{"error_code": 5, "error_msg": "invalid access_token " + token + " at https://x.example/?t=" + token}})
	require.NoError(t, err)
	fault := refused(t, publish(t, newClient(t, serve(t, answer(200, string(body))).URL)))
	require.Contains(t, fault.Message, "***")
}

func TestTheSameCodeMeansDifferentThingsToReadersWritersAndPhotoSteps(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"error":{"error_code":15,"error_msg":"Access denied: this wall is available only for community members"}}`))
	client := newClient(t, s.URL)
	_, err := client.WallGet(t.Context(), -7, 5, 0)
	require.Equal(t, vk.ParkWall, refused(t, err).Action())
	require.Equal(t, vk.Reading, refused(t, err).Purpose)
	require.Equal(t, vk.ParkWall, refused(t, publish(t, client)).Action())
	_, err = client.GetWallUploadServer(t.Context(), 7)
	require.Equal(t, vk.MediaFallback, refused(t, err).Action())
}

// FuzzAnyAnswerIsASuccessOrATypedError sends arbitrary bytes as the answer's body.
func FuzzAnyAnswerIsASuccessOrATypedError(f *testing.F) {
	f.Add(200, []byte(`{"response":{"post_id":"5"}}`))
	f.Add(200, []byte(`{"error":{"error_code":1e400}}`))
	f.Add(500, []byte(`{"error":[{"error_code":6}]}`))
	f.Add(200, []byte(`{"error":true,"response":{"post_id":-1}}`))
	bodies := make(chan func(http.ResponseWriter), 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { (<-bodies)(w) }))
	f.Cleanup(server.Close)
	client, err := vk.New(vk.Config{Token: token, BaseURL: server.URL})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		bodies <- func(w http.ResponseWriter) {
			w.WriteHeader(200 + (status%400+400)%400)
			_, _ = w.Write(body)
		}
		id, err := client.WallPost(t.Context(), vk.WallPost{OwnerID: -7, Message: "x"})
		if err == nil {
			require.Positive(t, id)
			return
		}
		var fault *vk.Error
		require.ErrorAs(t, err, &fault)
		require.NotEmpty(t, fault.Class)
		require.NotEmpty(t, fault.Action())
		require.LessOrEqual(t, len([]rune(fmt.Sprint(err))), 300)
	})
}
