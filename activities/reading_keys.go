package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"vestnik/db"
	"vestnik/internal/vk"
)

// keyCools is the least time for which a key that VK has stopped makes no calls.
const keyCools = 15 * time.Minute

// ReadingKeys are the keys that read walls. They share the calls, and stand in
// for each other: one that VK stops cools down, and the call is made with the next.
type ReadingKeys struct {
	// Keys are those of VK_TOKEN now; it gives a key the same Pace each time.
	Keys  func() []ReadingKey
	Store *db.Walls
	// Quota is the calls of wall.get that each may make in any 24 hours.
	Quota int
}

// ReadingKey is one of them.
type ReadingKey struct {
	Name   string // without being it (db.KeyName)
	Client *vk.Client
	// Pace bounds its calls a second in this process.
	Pace *rate.Limiter
}

// Budget is the calls of wall.get that all may make in 24 hours.
func (k *ReadingKeys) Budget() int { return k.Quota * len(k.Keys()) }

// namesOf are the keys' names in the order of the configuration.
func namesOf(keys []ReadingKey) []string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = key.Name
	}
	return names
}

// keysPausedError means that VK has stopped all keys.
type keysPausedError struct{ reason string }

func (e *keysPausedError) Error() string { return "the reading keys must wait: " + e.reason }

// mustWait reports whether no reading key may make a call now, and one may later.
func mustWait(err error) bool {
	return errors.Is(err, errBudgetSpent) || errors.As(err, new(*keysPausedError))
}

// reading makes a call with the key that has made the fewest. counted: it counts
// in the day's quota. errBudgetSpent and *keysPausedError if no key may.
func reading[T any](ctx context.Context, k *ReadingKeys, counted bool, call func(context.Context, *vk.Client) (T, error)) (answer T, err error) {
	for {
		key, captcha, err := k.choose(ctx, counted)
		if err != nil {
			return answer, err
		}
		if err := key.Pace.Wait(ctx); err != nil {
			return answer, err
		}
		if counted {
			if err := k.Store.SpendCall(ctx, key.Name); err != nil {
				return answer, err
			}
		}
		answer, err = call(vk.WithCaptcha(ctx, captcha), key.Client)
		var failure *vk.Error
		if !errors.As(err, &failure) || !stopsKey(failure) {
			return answer, err
		}
		pause := db.KeyPause{Until: time.Now().Add(max(failure.Policy.Delay(1, time.Now()), keyCools)), Reason: failure.Reason()}
		if failure.Action() == vk.CaptchaNeeded {
			pause.Captcha = captchaOf(failure)
		}
		if err := k.Store.PauseKey(ctx, key.Name, pause); err != nil {
			return answer, err
		}
	}
}

func stopsKey(failure *vk.Error) bool {
	switch failure.Action() {
	case vk.ParkKey, vk.CaptchaNeeded, vk.LongCooldown:
		return true
	}
	return false
}

// choose finds the key for the next call, and what a person has answered to its
// captcha, which is good for that call.
func (k *ReadingKeys) choose(ctx context.Context, counted bool) (chosen ReadingKey, captcha vk.CaptchaAnswer, err error) {
	keys := k.Keys()
	states, err := k.Store.Keys(ctx, namesOf(keys), time.Now().Add(-24*time.Hour))
	if err != nil {
		return chosen, captcha, err
	}
	var paused *keysPausedError
	best := -1
	for i, state := range states {
		switch {
		case state.Paused():
			paused = &keysPausedError{reason: state.Reason}
		case counted && state.Used >= k.Quota:
		case best < 0 || state.Used < states[best].Used:
			best = i
		}
	}
	switch {
	case best >= 0:
	case paused != nil:
		return chosen, captcha, paused
	default:
		return chosen, captcha, errBudgetSpent
	}
	if state := states[best]; state.Answer != "" {
		captcha = captchaAnswer(state.Captcha, state.Answer)
		if _, err := k.Store.ResumeKeys(ctx, state.Name); err != nil {
			return chosen, captcha, fmt.Errorf("use the answer to a captcha: %w", err)
		}
	}
	return keys[best], captcha, nil
}
