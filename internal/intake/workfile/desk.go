package workfile

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Config is what each source of work files needs.
type Config struct {
	State string        // absolute path of a folder for marks about work: outside of the repositories, and the same after a restart
	Quiet time.Duration // nothing is listed until nobody has written to the files for so long
	Now   func() time.Time
	Log   *slog.Logger
}

// Filled returns c with the machine's clock and no log where it names none.
func (c Config) Filled() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Open opens a folder with the marks that a kind of source keeps about it. more tells work of this folder apart from other work there.
func (c Config) Open(ctx context.Context, kind string, r task.Repository, path, more string) (*MarkedFolder, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(c.State) {
		return nil, fault.New(fault.Input, "%s: the state folder %q is not an absolute path", kind, c.State)
	}
	f, err := Open(r, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	id := f.Slug(more)
	return &MarkedFolder{Folder: f, ID: id, Marks: NewMarks(c.State, kind+"-"+id)}, nil
}

// MarkedFolder is a folder that is open, with the marks about its files.
type MarkedFolder struct {
	*Folder
	ID    string // names the folder in the ids of its work
	Marks *Marks
	// MayGo says of a file that a crash has left aside whether its content may go, as Recover asks it, by all the marks there are.
	MayGo func(all []Mark, name string, content File, there bool) bool
}

// settle ends what a crash has left between the steps of a change. The caller holds the lock.
func (d *MarkedFolder) settle() error {
	if !d.LeftAside() {
		return nil
	}
	all, err := d.Marks.All()
	if err != nil {
		return err
	}
	return d.Recover(func(name string, content File, there bool) bool { return d.MayGo(all, name, content, there) })
}

// Quiet settles before a call that only reads.
func (d *MarkedFolder) Quiet(ctx context.Context) error {
	if !d.LeftAside() {
		return nil
	}
	return d.Locked(ctx, func([]Mark) error { return nil })
}

// Locked makes a change, with nothing half done in the folder and nobody else at it. do is given all the marks there are.
func (d *MarkedFolder) Locked(ctx context.Context, do func(all []Mark) error) error {
	release, err := d.Marks.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := d.settle(); err != nil {
		return err
	}
	all, err := d.Marks.All()
	if err != nil {
		return err
	}
	return do(all)
}
