// Package clock waits by the machine's clock, and tells work that has to be in time when it is late. It is a leaf: who waits takes a function of
// Sleep's form, so that tests need not wait.
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

type limitKey struct{}

// WithLimit returns a context of work that must not begin to take effect once late returns an error.
func WithLimit(ctx context.Context, late func() error) context.Context {
	return context.WithValue(ctx, limitKey{}, late)
}

// Late returns why the work of ctx must not begin to take effect, nil while it may. It knows before ctx has ended: what would end it may run a
// moment later than the work in a process that was stopped and goes on.
func Late(ctx context.Context) error {
	if late, ok := ctx.Value(limitKey{}).(func() error); ok {
		return late()
	}
	return nil
}
