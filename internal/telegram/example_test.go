package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"vestnik/internal/telegram"
)

// Every failure is an *Error: its class says what Telegram meant, its action what to do, and it knows whether the
// message may be there all the same.
func ExampleError() {
	answers := []struct {
		status int
		body   string
	}{
		{429, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}`},
		{400, `{"ok":false,"error_code":400,"description":"Bad Request: failed to get HTTP URL content"}`},
		{403, `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the supergroup chat"}`},
		{502, `<html><h1>502 Bad Gateway</h1></html>`},
		{200, `<html>not Telegram's answer</html>`},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answers[0].status)
		fmt.Fprint(w, answers[0].body)
		answers = answers[1:]
	}))
	defer server.Close()
	client, err := telegram.New(telegram.Config{Token: "4200:token", BaseURL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	for len(answers) > 0 {
		_, err := client.SendMessage(context.Background(), telegram.TextMessage{
			Target: telegram.Target{Chat: telegram.ChatOf(-1001234567890)}, Text: "Пропала кошка",
		})
		var refused *telegram.Error
		if errors.As(err, &refused) {
			fmt.Println(refused.Class, refused.Action(), refused.RetryAfter, refused.MayHaveHappened())
		}
	}
	// Output:
	// rate_limited cool 5s false
	// media_fetch_failed other_media 0s false
	// forbidden park 0s false
	// unavailable retry 0s true
	// outcome_unknown ask_or_retry 0s true
}
