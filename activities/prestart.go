package activities

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
)

// Warmer is an agent whose process can be started before its prompt is known.
type Warmer interface {
	Warm(ctx context.Context, s agent.Session) error
	Cool(session string)
}

// prestartedTime is how long a prestarted agent waits for its session. It ends then, so that a parked task holds no process.
const prestartedTime = time.Minute

// mostPrestarted limits the prestarted agents of a host. They don't count among those that run in its slots.
const mostPrestarted = 2

// leastFree is the free memory in bytes that prestarting an agent requires, a few times the need of one.
const leastFree = 1 << 30

// prestarter starts the agents of sessions that most likely follow, while git or the checks of their task still run.
type prestarter struct {
	data       string
	launcher   *launcher
	agents     map[string]agent.Agent
	freeMemory func() (bytes int64, known bool)
	log        *slog.Logger

	mu       sync.Mutex
	sessions map[string]*prestarted // by session id
	started  int                    // number of agents so far
}

// prestarted is one prestarted agent. ready is closed when it has started or failed.
type prestarted struct {
	task  string
	name  string // of the agent in the configuration
	n     int    // which agent of this host it is, from 1
	ready chan struct{}
	ends  *endpoints // nil when the start failed
	agent Warmer
	stop  *time.Timer
	begun bool // nothing has to end any more before it starts; guarded by prestarter.mu
}

// start prestarts the agent of the next session while a step does its own work. The agent ends after prestartedTime when the session does
// not come. When prestarting fails, the session starts its agent as usual.
func (p *prestarter) start(ctx context.Context, next *SessionInput) {
	if next == nil || !p.launcher.viaGateway() || p.lacksMemory() || outOfTouch(ctx) { // without the server the session does not come soon
		return
	}
	w, ok := p.agents[next.Agent].(Warmer)
	if !ok {
		return
	}
	p.begin(ctx, next, w, p.warm)
}

// begin has an agent be made ready for the session, in the background. It returns false when the session has one.
func (p *prestarter) begin(ctx context.Context, next *SessionInput, w Warmer, ready func(context.Context, SessionInput, *prestarted) error) bool {
	e := &prestarted{task: next.TaskID, name: next.Agent, ready: make(chan struct{}), agent: w}
	tooMany, ok := p.add(next.ID, e)
	if !ok {
		return false
	}
	go func() {
		for _, id := range tooMany {
			p.drop(id)
		}
		p.mu.Lock()
		e.begun = true
		p.mu.Unlock()
		if err := ready(context.WithoutCancel(ctx), *next, e); err != nil {
			p.log.WarnContext(ctx, "Agent not started ahead", "session", next.ID, "error", err)
		}
		if e.ends == nil {
			p.remove(next.ID, e)
		}
		close(e.ready)
	}()
	return true
}

// startEarly prestarts the agent of the next session when this one begins, which pays where this one is short. It takes a place
// that is free: no other agent ends for it, except where two sessions begin at the same moment.
func (p *prestarter) startEarly(ctx context.Context, next *SessionInput) {
	p.mu.Lock()
	full := len(p.sessions) >= mostPrestarted
	p.mu.Unlock()
	if !full {
		p.start(ctx, next)
	}
}

// lacksMemory tells whether too little memory is free for prestarting an agent.
func (p *prestarter) lacksMemory() bool {
	if p.freeMemory == nil {
		return false
	}
	free, known := p.freeMemory()
	return known && free < leastFree
}

// add adds an agent, and returns the sessions whose agents have to end first: the oldest. It returns false when the session already has
// one.
func (p *prestarter) add(id string, e *prestarted) (tooMany []string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions[id] != nil {
		return nil, false
	}
	if over := len(p.sessions) + 1 - mostPrestarted; over > 0 {
		oldest := slices.SortedFunc(maps.Keys(p.sessions), func(x, y string) int { return p.sessions[x].n - p.sessions[y].n })
		tooMany = oldest[:over]
	}
	if p.sessions == nil {
		p.sessions = map[string]*prestarted{}
	}
	p.started++
	e.n, e.begun = p.started, len(tooMany) == 0
	p.sessions[id] = e
	return tooMany, true
}

// holds tells whether the entry is still the one of its session.
func (p *prestarter) holds(id string, e *prestarted) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sessions[id] == e
}

// remove removes the entry if it is still the one of its session.
func (p *prestarter) remove(id string, e *prestarted) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions[id] == e {
		delete(p.sessions, id)
	}
}

func (p *prestarter) warm(ctx context.Context, in SessionInput, e *prestarted) error {
	if !p.holds(in.ID, e) { // it was dropped meanwhile
		return nil
	}
	rec, err := openRecord(p.data, in)
	if err != nil {
		return err
	}
	if rec.begun() {
		return nil
	}
	rec.goOn(nil)
	s, err := p.launcher.start(ctx, in, rec)
	if err != nil {
		return err
	}
	ends, err := p.launcher.open(in, rec)
	if err != nil {
		return err
	}
	seen, _, err := p.launcher.confine(ctx, &s, in, ends)
	if err != nil {
		ends.close()
		return err
	}
	ends.view = &seen
	if err := e.agent.Warm(ctx, s); err != nil {
		ends.close()
		return err
	}
	p.waits(in.ID, e, ends)
	return nil
}

// waits notes that the agent waits for its session.
func (p *prestarter) waits(id string, e *prestarted, ends *endpoints) {
	e.ends = ends
	e.stop = time.AfterFunc(prestartedTime, func() { p.drop(id) })
}
