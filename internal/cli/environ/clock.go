package environ

import (
	"context"
	"time"
)

// Clock is the time, which tests turn by hand.
type Clock struct {
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

// SystemClock is the time of this machine.
func SystemClock() Clock { return Clock{time.Now, time.After} }

// Pause waits, or returns false when ctx has ended.
func (c Clock) Pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-c.After(d):
		return true
	}
}
