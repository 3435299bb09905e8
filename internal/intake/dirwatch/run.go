package dirwatch

import (
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

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
