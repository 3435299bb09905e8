// Package dirwatch reports changes to the files of one folder, which may be created and removed. It uses the notifications of the
// operating system and no timer. It reads no file and decides nothing.
package dirwatch

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/longshift/longshift/internal/fault"
)

// Change summarizes what has happened since the last Change was received.
type Change struct {
	Wrote bool      // a file was created or written, or the folder was replaced
	Gone  bool      // a file or the folder was removed
	At    time.Time // time of the last event
}

// Watcher watches one folder. Close it after use.
type Watcher struct {
	chain   []string // folders from top down to the watched one
	counts  func(name string) bool
	now     func() time.Time
	notices *fsnotify.Watcher
	changes chan Change
	closed  chan struct{}
	done    chan struct{}
}

// New watches the folder at path below top. The folder need not exist; top must. Only files whose name passes counts are reported.
func New(top, path string, counts func(name string) bool) (*Watcher, error) {
	w := &Watcher{chain: []string{filepath.Clean(top)}, counts: counts, now: time.Now,
		changes: make(chan Change), closed: make(chan struct{}), done: make(chan struct{})}
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(path)), "/") {
		if part != "." {
			w.chain = append(w.chain, filepath.Join(w.chain[len(w.chain)-1], part))
		}
	}
	var err error
	if w.notices, err = fsnotify.NewWatcher(); err != nil {
		return nil, limit(err)
	}
	if err := w.arm(); err != nil {
		w.notices.Close()
		return nil, limit(err)
	}
	go w.run()
	return w, nil
}

func limit(err error) error {
	f := fault.New(fault.Infra, "watch for changes of files: %w", err)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		return f.WithHint("close other programs that watch files, or raise fs.inotify.max_user_watches and max_user_instances")
	}
	return f
}

// Changes receives one Change for everything since the last receive. The channel is closed when watching has failed or ended.
func (w *Watcher) Changes() <-chan Change { return w.changes }

func (w *Watcher) Close() {
	close(w.closed)
	w.notices.Close()
	<-w.done
}

// folder is the watched folder.
func (w *Watcher) folder() string { return w.chain[len(w.chain)-1] }

// arm adds watches for the folders of the chain that exist. A watch follows the inode, so a folder that was replaced needs a new watch,
// and events before that are not reported.
func (w *Watcher) arm() error {
	for _, old := range w.notices.WatchList() {
		_ = w.notices.Remove(old) // the watch of a removed folder is already gone
	}
	for i, dir := range w.chain {
		err := w.notices.Add(dir)
		if i > 0 && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) {
			return nil // the watch of its parent reports its creation
		}
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// run merges events until somebody receives the Change.
func (w *Watcher) run() {
	defer close(w.done)
	defer close(w.changes)
	var pending Change
	for {
		var out chan<- Change
		if pending.Wrote || pending.Gone {
			out = w.changes
		}
		select {
		case e, ok := <-w.notices.Events:
			if !ok || !w.take(e, &pending) {
				return
			}
		case _, ok := <-w.notices.Errors: // events were lost, so anything may have happened
			if !ok {
				return
			}
			pending.Wrote, pending.Gone, pending.At = true, true, w.now()
		case out <- pending:
			pending = Change{}
		case <-w.closed:
			return
		}
	}
}

// take adds an event to the pending Change. It returns false when watching can't continue.
func (w *Watcher) take(e fsnotify.Event, pending *Change) bool {
	if slices.Contains(w.chain, e.Name) {
		if e.Op == fsnotify.Chmod || e.Op == fsnotify.Write {
			return true
		}
		pending.Wrote, pending.Gone, pending.At = true, true, w.now()
		return w.arm() == nil
	}
	if filepath.Dir(e.Name) != w.folder() || !w.counts(filepath.Base(e.Name)) {
		return true
	}
	if e.Has(fsnotify.Create) || e.Has(fsnotify.Write) {
		pending.Wrote, pending.At = true, w.now()
	}
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		pending.Gone, pending.At = true, w.now()
	}
	return true
}
