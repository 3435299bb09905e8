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

// Warmer is an agent that can start its process before it is told what to do.
type Warmer interface {
	Warm(ctx context.Context, s agent.Session) error
	Cool(session string)
}

// aheadTime is how long an agent that was started ahead waits. A task that is parked meanwhile holds nothing after it.
const aheadTime = time.Minute

// mostAhead is how many agents that were started ahead a host holds, beside those that run in its slots.
const mostAhead = 2

// leastFree is how much memory has to be free, in bytes, before one is started that nobody has asked for: a few times what it takes.
const leastFree = 1 << 30

// ahead holds the agents that were started while git or the checks of their task still ran, and the system texts of roles,
// which are the same for every session of a role in one task.
type ahead struct {
	mu       sync.Mutex
	sessions map[string]*early // by session id
	started  int               // so many so far
	systems  map[systemKey]systemText
}

// early is one agent that was started ahead. ready is closed when it stands or has failed.
type early struct {
	task  string
	n     int // the manieth of this host
	ready chan struct{}
	gate  *gateway.Session // nil when it failed
	agent Warmer
	stop  *time.Timer
}

// startAhead starts the agent of the session that comes next, while the step that was asked for it does its own work.
// It is a wager: when the session never comes, the agent ends by itself; when it fails, the session starts as any other.
func (h *Host) startAhead(ctx context.Context, next *SessionInput) {
	if next == nil || h.Gateway == nil || h.lacksMemory() || outOfTouch(ctx) { // without the server the session does not come soon
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
		if h.ahead.lists(next.ID, e) { // else it was given up meanwhile
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

// lacksMemory tells whether what runs may need all the memory there is.
func (h *Host) lacksMemory() bool {
	if h.FreeMemory == nil {
		return false
	}
	free, known := h.FreeMemory()
	return known && free < leastFree
}

// list enters an agent that is to be started, and gives the sessions whose agents have to go first: the oldest. It is false when the
// session has one.
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

// lists tells whether an entry is still the one of its session.
func (a *ahead) lists(id string, e *early) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id] == e
}

// unlist forgets an entry, if it is still the one that is listed.
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
	s, err := h.standing(ctx, in, rec)
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

// takeAhead gives the model endpoint of an agent that was started ahead for the session, or nil. It waits for one that is
// just being started or ended, so that two never have the session.
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

// dropAhead ends an agent that was started ahead and never asked for. Until it is gone its place is taken.
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

// forget drops what is kept in memory for a task, and ends the agents that were started ahead for it.
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
