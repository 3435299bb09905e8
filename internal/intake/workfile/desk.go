package workfile

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Config is what every source of work files needs.
type Config struct {
	State string        // absolute path of a folder for marks: outside of the repositories and stable across restarts
	Quiet time.Duration // nothing is listed until the files were left alone for this long
	Now   func() time.Time
	Log   *slog.Logger
}

// Filled returns c with defaults: the machine's clock and no log.
func (c Config) Filled() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// Open opens a folder with the marks that a kind of source keeps for it. more separates different work of one folder.
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

// MarkedFolder is an opened folder with the marks for its files.
type MarkedFolder struct {
	*Folder
	ID    string // identifies the folder in the ids of its work
	Marks *Marks
	// MayGo decides, given all marks, whether the content of a file that a crash has left aside may be removed. See Recover.
	MayGo func(all []Mark, name string, content File, there bool) bool
}

// settle completes changes that a crash has interrupted. The caller holds the lock.
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

// Quiet calls settle before a call that only reads.
func (d *MarkedFolder) Quiet(ctx context.Context) error {
	if !d.LeftAside() {
		return nil
	}
	return d.Locked(ctx, func([]Mark) error { return nil })
}

// Locked runs do with the folder locked, after settle, and passes it all marks.
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
