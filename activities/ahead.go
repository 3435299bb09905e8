package activities

import (
	"context"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
)

// Warmer is an agent that can start its process before it is told what to do.
type Warmer interface {
	Warm(ctx context.Context, s agent.Session) error
	Cool(session string)
}

// aheadTime is how long an agent that was started ahead waits. A task that is parked meanwhile holds nothing after it.
const aheadTime = time.Minute

// ahead holds the agents that were started while git or the checks of their task still ran, and the system texts of roles,
// which are the same for every session of a role in one task.
type ahead struct {
	mu       sync.Mutex
	sessions map[string]*early // by session id
	systems  map[systemKey]systemText
}

// early is one agent that was started ahead. ready is closed when it stands or has failed.
type early struct {
	task  string
	ready chan struct{}
	gate  *gateway.Session // nil when it failed
	agent Warmer
	stop  *time.Timer
}

type systemKey struct {
	ref      Ref
	role     task.Role
	standing prompt.Standing
}

type systemText struct {
	place // as it was then; confine looks at it anew
	text  string
}

// startAhead starts the agent of the session that comes next, while the step that was asked for it does its own work.
// It is a wager: when the session never comes, the agent ends by itself; when it fails, the session starts as any other.
func (h *Host) startAhead(ctx context.Context, next *SessionInput) {
	if next == nil || h.Gateway == nil {
		return
	}
	w, ok := h.Agents[next.Agent].(Warmer)
	if !ok {
		return
	}
	e := &early{task: next.TaskID, ready: make(chan struct{}), agent: w}
	h.ahead.mu.Lock()
	_, already := h.ahead.sessions[next.ID]
	if !already {
		if h.ahead.sessions == nil {
			h.ahead.sessions = map[string]*early{}
		}
		h.ahead.sessions[next.ID] = e
	}
	h.ahead.mu.Unlock()
	if already {
		return
	}
	go func() {
		if err := h.warm(context.WithoutCancel(ctx), *next, e); err != nil {
			h.Log.WarnContext(ctx, "Agent not started ahead", "session", next.ID, "error", err)
		}
		if e.gate == nil {
			h.unlist(next.ID, e)
		}
		close(e.ready)
	}()
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
		gone.task = e.task
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

// mostSystems bounds the system texts that are kept: tasks that end badly are never cleaned up.
const mostSystems = 64

// system gives the workspace's folder and the system text of a role. The first session of a role reads the base commit for it.
func (h *Host) system(ctx context.Context, in SessionInput) (systemText, error) {
	standing := in.Prompt.Standing
	standing.Structured = in.structured()
	key := systemKey{in.Ref, in.Role, standing}
	h.ahead.mu.Lock()
	known, ok := h.ahead.systems[key]
	h.ahead.mu.Unlock()
	if ok {
		return known, nil
	}
	tree, err := h.Workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return systemText{}, err
	}
	defer tree.Close()
	text, err := prompt.System(in.Role, standing, func(path string) ([]byte, bool, error) { return tree.File(ctx, path) })
	if err != nil {
		return systemText{}, err
	}
	where, err := h.placeOf(ctx, tree)
	if err != nil {
		return systemText{}, err
	}
	known = systemText{where, text}
	h.ahead.mu.Lock()
	defer h.ahead.mu.Unlock()
	if h.ahead.systems == nil || len(h.ahead.systems) >= mostSystems {
		h.ahead.systems = map[systemKey]systemText{}
	}
	h.ahead.systems[key] = known
	return known, nil
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
