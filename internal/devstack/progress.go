package devstack

import (
	"fmt"
	"sync"
	"time"
)

// progress passes steps on, one at a time.
type progress struct{ say func(step string) }

func newProgress(report func(string)) progress {
	if report == nil {
		return progress{say: func(string) {}}
	}
	var one sync.Mutex
	return progress{say: func(step string) {
		one.Lock()
		defer one.Unlock()
		report(step)
	}}
}

// tick repeats step with the time it has taken so far, every few seconds,
// until the returned function is called.
func tick(say func(string), step string) (stop func()) {
	if say == nil {
		return func() {}
	}
	begin := time.Now()
	ticker := time.NewTicker(5 * time.Second)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				say(fmt.Sprintf("%s (%d s so far)", step, int(time.Since(begin).Seconds())))
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}
