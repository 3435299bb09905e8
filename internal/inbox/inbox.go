// Package inbox stores on disk what was acknowledged to a platform and is not yet handled, since the platform won't
// deliver it again. It may not interpret what it stores.
package inbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/disk"
)

// Box is a folder with one file per item. The zero value stores nothing.
type Box struct {
	Dir  string
	Most int // maximum number of items; Put fails beyond it
}

// Item is stored until Done.
type Item struct {
	Payload []byte
	At      time.Time // when it was stored
	path    string
}

// Put stores a payload durably: it survives a crash and a power failure. It returns a fault with the folder's name when
// the disk is full.
func (b Box) Put(payload []byte, now time.Time) (_ *Item, err error) {
	defer func() {
		if err != nil {
			err = disk.Fault(err, b.Dir)
		}
	}()
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make inbox: %w", err)
	}
	names, err := b.names()
	if err != nil || len(names) >= b.Most {
		return nil, errors.Join(err, fmt.Errorf("inbox %s is full: %d items wait", b.Dir, len(names)))
	}
	stamp := now.UnixNano()
	if len(names) > 0 { // after all waiting items, even if the clock was set back
		last, _, _ := strings.Cut(names[len(names)-1], "-")
		if nanos, err := strconv.ParseInt(last, 10, 64); err == nil {
			stamp = max(stamp, nanos+1)
		}
	}
	f, err := os.CreateTemp(b.Dir, ".new-*")
	if err != nil {
		return nil, fmt.Errorf("put into inbox: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(payload)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, fmt.Errorf("put into inbox: %w", err)
	}
	path := filepath.Join(b.Dir, fmt.Sprintf("%019d%s", stamp, strings.TrimPrefix(filepath.Base(f.Name()), ".new")))
	if err = os.Rename(f.Name(), path); err != nil {
		return nil, fmt.Errorf("put into inbox: %w", err)
	}
	return &Item{payload, now, path}, sync(b.Dir)
}

// Left returns the items that are not done, oldest first.
func (b Box) Left() ([]*Item, error) {
	names, err := b.names()
	if err != nil {
		return nil, fmt.Errorf("read inbox: %w", err)
	}
	var all []*Item
	for _, name := range names {
		stamp, _, _ := strings.Cut(name, "-")
		nanos, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			continue // a foreign file
		}
		path := filepath.Join(b.Dir, name)
		payload, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // done in the meantime
		} else if err != nil {
			return nil, fmt.Errorf("read inbox: %w", err)
		}
		all = append(all, &Item{payload, time.Unix(0, nanos), path})
	}
	return all, nil
}

// Done removes an item. A crash can bring it back, so handling an item must be idempotent.
func (i *Item) Done() error {
	if err := os.Remove(i.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take out of inbox: %w", err)
	}
	return nil
}

// names are sorted by time.
func (b Box) names() ([]string, error) {
	entries, err := os.ReadDir(b.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func sync(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("keep inbox: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
