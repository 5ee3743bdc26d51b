package relay

import (
	"context"
	"errors"
	"time"

	"vestnik/internal/vk"
)

// askTime bounds one question to VK.
const askTime = 10 * time.Second

// AskVK asks VK once more when the key has made its calls of this second: there
// may be many walls, and workers use the key too.
func AskVK(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	for try := 1; ; try++ {
		err := ask(ctx)
		var failure *vk.Error
		if !errors.As(err, &failure) || failure.Action() != vk.RateLimit {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(failure.Policy.Delay(try, time.Now())):
		}
	}
}
