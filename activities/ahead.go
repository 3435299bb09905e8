package activities

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/gateway"
)

// Warmer is an agent whose process can be started before its prompt is known.
type Warmer interface {
	Warm(ctx context.Context, s agent.Session) error
	Cool(session string)
}

// aheadTime is how long a prestarted agent waits for its session. After that a parked task holds no process.
const aheadTime = time.Minute

// mostAhead bounds the prestarted agents of a host, beside those that run in its slots.
const mostAhead = 2

// leastFree is the free memory, in bytes, that prestarting an agent requires: a few times what one takes.
const leastFree = 1 << 30

// ahead holds the agents that were prestarted while git or the checks of their task still ran, and the system texts of roles, which are
// the same for every session of a role in one task.
type ahead struct {
	mu       sync.Mutex
	sessions map[string]*early // by session id
	started  int               // so many so far
	systems  map[systemKey]systemText
}

// early is one prestarted agent. ready is closed when it has started or failed.
type early struct {
	task  string
	n     int // its number on this host
	ready chan struct{}
	gate  *gateway.Session // nil when it failed
	agent Warmer
	stop  *time.Timer
}

// startAhead prestarts the agent of the next session while a step does its own work. When the session never comes, the agent ends by
// itself; when the start fails, the session starts its agent as usual.
func (h *Host) startAhead(ctx context.Context, next *SessionInput) {
	if next == nil || h.Gateway == nil || h.lacksMemory() || outOfTouch(ctx) { // without the server the session will not come soon
		return
	}
	w, ok := h.Agents[next.Agent].(Warmer)
	if !ok {
		return
	}
	e := &early{task: next.TaskID, ready: make(chan struct{}), agent: w}
	tooMany, ok := h.ahead.list(next.ID, e)
	if !ok {
		return
	}
	go func() {
		for _, id := range tooMany {
			h.dropAhead(id)
		}
		if h.ahead.lists(next.ID, e) { // else it was dropped meanwhile
			if err := h.warm(context.WithoutCancel(ctx), *next, e); err != nil {
				h.Log.WarnContext(ctx, "Agent not started ahead", "session", next.ID, "error", err)
			}
		}
		if e.gate == nil {
			h.unlist(next.ID, e)
		}
		close(e.ready)
	}()
}

// lacksMemory tells whether too little memory is free for prestarting an agent.
func (h *Host) lacksMemory() bool {
	if h.FreeMemory == nil {
		return false
	}
	free, known := h.FreeMemory()
	return known && free < leastFree
}

// list adds an agent, and returns the sessions whose agents have to end first: the oldest. It is false when the session has one already.
func (a *ahead) list(id string, e *early) (tooMany []string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions[id] != nil {
		return nil, false
	}
	if over := len(a.sessions) + 1 - mostAhead; over > 0 {
		oldest := slices.SortedFunc(maps.Keys(a.sessions), func(x, y string) int { return a.sessions[x].n - a.sessions[y].n })
		tooMany = oldest[:over]
	}
	if a.sessions == nil {
		a.sessions = map[string]*early{}
	}
	a.started++
	e.n = a.started
	a.sessions[id] = e
	return tooMany, true
}

// lists tells whether an entry is still current.
func (a *ahead) lists(id string, e *early) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id] == e
}

// unlist removes an entry if it is still current.
func (h *Host) unlist(id string, e *early) {
	h.ahead.mu.Lock()
	defer h.ahead.mu.Unlock()
	if h.ahead.sessions[id] == e {
		delete(h.ahead.sessions, id)
	}
}

func (h *Host) warm(ctx context.Context, in SessionInput, e *early) error {
	rec, err := openRecord(h.Data, in)
	if err != nil {
		return err
	}
	if rec.begun() {
		return nil
	}
	s, err := h.start(ctx, in, rec)
	if err != nil {
		return err
	}
	gate, err := openGate(h, in, rec)
	if err != nil {
		return err
	}
	if _, err := h.confine(ctx, &s, in, gate); err != nil {
		gate.Close()
		return err
	}
	if err := e.agent.Warm(ctx, s); err != nil {
		gate.Close()
		return err
	}
	e.gate = gate
	e.stop = time.AfterFunc(aheadTime, func() { h.dropAhead(in.ID) })
	return nil
}

// takeAhead returns the model endpoint of the session's prestarted agent, or nil. It waits for one that is just starting or ending, so that
// two never have the session.
func (h *Host) takeAhead(id string) *gateway.Session {
	for {
		h.ahead.mu.Lock()
		e := h.ahead.sessions[id]
		h.ahead.mu.Unlock()
		if e == nil {
			return nil
		}
		<-e.ready
		h.ahead.mu.Lock()
		mine := h.ahead.sessions[id] == e
		if mine {
			delete(h.ahead.sessions, id)
		}
		h.ahead.mu.Unlock()
		if mine {
			if e.stop != nil {
				e.stop.Stop()
			}
			return e.gate
		}
	}
}

// dropAhead ends a prestarted agent. Until it has ended it counts.
func (h *Host) dropAhead(id string) {
	gone := &early{ready: make(chan struct{})}
	h.ahead.mu.Lock()
	e := h.ahead.sessions[id]
	if e != nil {
		gone.task, gone.n = e.task, e.n
		h.ahead.sessions[id] = gone
	}
	h.ahead.mu.Unlock()
	if e == nil {
		return
	}
	<-e.ready
	if e.gate != nil {
		e.stop.Stop()
		e.agent.Cool(id)
		e.gate.Close()
	}
	h.unlist(id, gone)
	close(gone.ready)
}

// forget drops what is in memory for a task, and ends its prestarted agents.
func (h *Host) forget(taskID string) {
	h.ahead.mu.Lock()
	var waiting []string
	for id, e := range h.ahead.sessions {
		if e.task == taskID {
			waiting = append(waiting, id)
		}
	}
	for key := range h.ahead.systems {
		if key.ref.TaskID == taskID {
			delete(h.ahead.systems, key)
		}
	}
	h.ahead.mu.Unlock()
	for _, id := range waiting {
		h.dropAhead(id)
	}
}
