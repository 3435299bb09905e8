// Package dirwatch tells when something happens to the files of one folder, which may come and go. It uses the notices of the operating
// system and no timer. It reads no file and decides nothing.
package dirwatch

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/longshift/longshift/internal/fault"
)

// Change is what has happened since the last one was received.
type Change struct {
	Wrote bool      // a file is new, or was written to; or the folder is another one
	Gone  bool      // a file is gone, or the folder
	At    time.Time // of the last of these things
}

// Watcher watches one folder. It must be closed.
type Watcher struct {
	chain   []string // folders from the top to the one that counts
	counts  func(name string) bool
	now     func() time.Time
	notices *fsnotify.Watcher
	changes chan Change
	closed  chan struct{}
	done    chan struct{}
}

// New watches the folder at path below top. The folder need not be there; top must be. Only files whose name counts are told of.
func New(top, path string, counts func(name string) bool) (*Watcher, error) {
	w := &Watcher{chain: []string{filepath.Clean(top)}, counts: counts, now: time.Now, changes: make(chan Change), closed: make(chan struct{}), done: make(chan struct{})}
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

// Changes gives one Change for all that has happened since the last one was received. It is closed when nothing can be told any more.
func (w *Watcher) Changes() <-chan Change { return w.changes }

// Close ends the watching.
func (w *Watcher) Close() {
	close(w.closed)
	w.notices.Close()
	<-w.done
}

// folder is the one that counts.
func (w *Watcher) folder() string { return w.chain[len(w.chain)-1] }

// arm watches all folders of the chain that are there. Each is watched by its inode, so a folder that was replaced needs a new watch, and
// everything that happened before that is not told.
func (w *Watcher) arm() error {
	for _, old := range w.notices.WatchList() {
		_ = w.notices.Remove(old) // one whose folder is gone is gone with it
	}
	for i, dir := range w.chain {
		err := w.notices.Add(dir)
		if i > 0 && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) {
			return nil // its parent is watched, and tells when it is made
		}
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}
