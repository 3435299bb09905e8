package agenttest

import (
	"slices"
	"sync"

	"github.com/longshift/longshift/internal/agent"
)

// Events collects what a driver reports. It is safe for concurrent use.
type Events struct {
	mu  sync.Mutex
	all []agent.Event
}

// Emit takes an event.
func (e *Events) Emit(v agent.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, v)
}

// All lists the events so far.
func (e *Events) All() []agent.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all)
}

// Of lists those of a kind.
func (e *Events) Of(kind agent.EventKind) []agent.Event {
	return slices.DeleteFunc(e.All(), func(v agent.Event) bool { return v.Kind != kind })
}
