// Package inbox keeps on disk what a platform was told is taken, until it is: no platform sends that again. It knows nothing of
// what it keeps.
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

// Box is a folder with a file for each item. Its zero value keeps nothing.
type Box struct {
	Dir  string
	Most int // items; what comes on top of them is not taken
}

// Item is what is kept until Done.
type Item struct {
	Payload []byte
	At      time.Time // when it was put in
	path    string
}

// Put keeps a payload. When it returns, no crash and no loss of power takes it away. A full disk is a fault that says where.
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
	if len(names) > 0 { // behind what waits, also when the clock was set back since
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

// Left gives what is still to be done, the oldest first.
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
			continue // not ours
		}
		path := filepath.Join(b.Dir, name)
		payload, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // done meanwhile
		} else if err != nil {
			return nil, fmt.Errorf("read inbox: %w", err)
		}
		all = append(all, &Item{payload, time.Unix(0, nanos), path})
	}
	return all, nil
}

// Done forgets an item. One that is back after a crash is done twice: whoever takes items must bear that.
func (i *Item) Done() error {
	if err := os.Remove(i.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take out of inbox: %w", err)
	}
	return nil
}

// names are sorted, and so by time.
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
