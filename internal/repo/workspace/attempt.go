package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/longshift/longshift/internal/fault"
)

// attempt is one attempt's access to the workspace of its task.
type attempt struct {
	id     string
	fence  int
	place  place
	locks  locks
	open   func(id string, fence int, p place, st state) *opened
	closed atomic.Bool
}

// locked runs an operation that writes locally or on the remote. Only one runs at a time.
func (a *attempt) locked(ctx context.Context, do func(*opened) error) error {
	release, err := a.locks.task(ctx, a.id)
	if err != nil {
		return err
	}
	defer release()
	return a.reading(ctx, func(o *opened) error {
		if err := o.steps.finish(ctx); err != nil {
			return err
		}
		return do(o)
	})
}

// reading runs an operation that only reads. It takes no lock, because a push can hold the lock as long as the remote takes.
func (a *attempt) reading(ctx context.Context, do func(*opened) error) error {
	if a.closed.Load() {
		return errors.New("the workspace was closed")
	}
	if err := a.checkFence(); err != nil {
		return err
	}
	st, err := a.place.readState()
	if errors.Is(err, fs.ErrNotExist) {
		return a.gone("it has no state")
	} else if err != nil {
		return err
	}
	if st.Record.Fence != a.fence {
		return a.gone("its preparation was not finished")
	}
	o := a.open(a.id, a.fence, a.place, st)
	if info, err := os.Lstat(a.place.work()); err != nil || !info.IsDir() {
		return a.gone("its work tree is missing")
	}
	if _, err := os.Stat(a.place.git()); err != nil {
		return a.gone("its git folder is missing")
	}
	if err := o.enforce(ctx); err != nil {
		return err
	}
	return do(o)
}

// wrap says what an operation was about, if it has failed.
func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (a *attempt) gone(why string) error {
	return fault.New(fault.NotFound, "the workspace of task %s is not on this host: %s", a.id, why).
		WithHint("prepare it again")
}

func (a *attempt) checkFence() error {
	now, err := a.place.readFence()
	switch {
	case err != nil:
		return err
	case now > a.fence:
		return fenced(a.id, a.fence, now)
	case now == 0:
		return a.gone("it has no fence")
	case now < a.fence:
		return a.gone(fmt.Sprintf("it was prepared for attempt %d, not %d", now, a.fence))
	}
	return nil
}
