package vk_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"vestnik/internal/vk"
)

// Every failure is an *Error: its class says what VK meant, its policy what to do and for how long, and it knows
// whether the post may be there all the same.
func ExampleError() {
	answers := []string{
		`{"error":{"error_code":6,"error_msg":"Too many requests per second"}}`,
		`{"error":{"error_code":9,"error_msg":"Flood control"}}`,
		`{"error":{"error_code":15,"error_msg":"Access denied"}}`,
		`{"error":{"error_code":222,"error_msg":"Hyperlinks are forbidden"}}`,
		`{"error":{"error_code":10,"error_msg":"Internal server error"}}`,
		`not VK's answer`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, answers[0])
		answers = answers[1:]
	}))
	defer server.Close()
	client, err := vk.New(vk.Config{Token: "key", BaseURL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}

	for len(answers) > 0 {
		_, err := client.WallPost(context.Background(), vk.WallPost{OwnerID: -7, Message: "Пропала кошка", GUID: "once"})
		var refused *vk.Error
		if errors.As(err, &refused) {
			fmt.Println(refused.Class, refused.Action(), refused.Reason(), refused.MayHaveHappened())
		}
	}
	// Output:
	// rate_limited rate_limit too_many_per_second false
	// flood_control long_cooldown flood_control false
	// access_denied park_wall access_denied false
	// links_forbidden strip_links links_forbidden false
	// temporary retry vk_internal_error true
	// outcome_unknown retry outcome_unknown true
}

// A policy's pause doubles with each repetition, up to its longest; some actions are good for a few attempts only.
func ExamplePolicy() {
	flood := vk.Policy{Action: vk.LongCooldown, Wait: 15 * time.Minute, MaxWait: time.Hour}
	for n := range 4 {
		fmt.Println(flood.Delay(n+1, time.Now()))
	}
	links := vk.Policy{Action: vk.StripLinks, Attempts: 1, Then: vk.ParkWall}
	fmt.Println(links.After(1), links.After(2))
	// Output:
	// 15m0s
	// 30m0s
	// 1h0m0s
	// 1h0m0s
	// strip_links park_wall
}
