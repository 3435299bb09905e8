package program

import (
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
)

// Events sends what an attempt tells. Refusals come from other goroutines than the rest.
type Events struct {
	mu   sync.Mutex
	now  func() time.Time
	emit func(agent.Event)
}

// NewEvents sends events to emit, with their times.
func NewEvents(now func() time.Time, emit func(agent.Event)) *Events {
	return &Events{now: now, emit: emit}
}

func (s *Events) Send(e agent.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Time = s.now()
	s.emit(e)
}

// Deadline ends a process that does not exit by itself. Its zero value is ready for use.
type Deadline struct {
	mu  sync.Mutex
	cut *time.Timer
}

// Set has f called after the time, unless a time is set already.
func (d *Deadline) Set(after time.Duration, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cut == nil {
		d.cut = time.AfterFunc(after, f)
	}
}

// Stop takes it back.
func (d *Deadline) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cut != nil {
		d.cut.Stop()
	}
}

// Ending is the first decision that ends a session. Its zero value is ready for use.
type Ending struct {
	mu    sync.Mutex
	first *agent.Decision
}

// End keeps a decision that ends the session, and reports whether it is the first.
func (e *Ending) End(d agent.Decision) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.first != nil {
		return false
	}
	e.first = &d
	return true
}

// Over returns the decision that ends the session, nil if there is none.
func (e *Ending) Over() *agent.Decision {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.first
}
