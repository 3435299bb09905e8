package slack

import (
	"context"
	"sync"
)

// maxTwins bounds the messages that are remembered; the newest stay. Both events of one come within seconds, or, after a failure, minutes.
const maxTwins = 500

// twins makes one of the two events that Slack sends for a mention in a channel, app_mention and message: the first that is handled counts, and the
// other one is dropped. Neither type is always the one to drop, because an app may be subscribed to the other one alone, and either may fail. The
// event that was handled is handled again when it is delivered again: its answer may not have been shown. It is safe for concurrent use.
type twins struct {
	mu      sync.Mutex
	running map[string]chan struct{} // by the message's ID; closed when its event has been handled, or has failed
	handled map[string]string        // the type of the event that was handled, by the message's ID
	order   []string                 // the IDs in handled, the oldest first
}

// begin reports whether an event is to be handled. While another one of the same message is, it waits for its end. After true, the caller calls end.
func (w *twins) begin(ctx context.Context, id, kind string) (bool, error) {
	for {
		w.mu.Lock()
		other := w.running[id]
		before, known := w.handled[id]
		mine := other == nil && (!known || before == kind)
		if mine {
			if w.running == nil {
				w.running, w.handled = map[string]chan struct{}{}, map[string]string{}
			}
			w.running[id] = make(chan struct{})
		}
		w.mu.Unlock()
		if other == nil {
			return mine, nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// end ends what begin has begun. One that has failed leaves the message to the other event.
func (w *twins) end(id, kind string, handled bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.running[id])
	delete(w.running, id)
	if _, known := w.handled[id]; known || !handled {
		return
	}
	w.handled[id] = kind
	if w.order = append(w.order, id); len(w.order) > maxTwins {
		delete(w.handled, w.order[0])
		w.order = w.order[1:]
	}
}
