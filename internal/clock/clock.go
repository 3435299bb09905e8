// Package clock waits by the machine's clock. It is a leaf: who waits takes a function of Sleep's form, so that tests need not wait.
package clock

import (
	"context"
	"time"
)

// Sleep waits for d, or until ctx ends: then it returns the error of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
