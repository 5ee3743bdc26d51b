package vk

import (
	"context"
	"errors"
	"time"
)

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
