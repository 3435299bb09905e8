package gateway

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"sync"
	"sync/atomic"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Spec says what a session is and what it may spend.
type Spec struct {
	ID         string  // the session's id; the ledger remembers it
	BudgetUSD  float64 // what the session may spend over all its attempts, the ledger's included; 0 = no ceiling, < 0 = nothing
	Ledger     string  // file the usage is written to, JSON lines; it survives the process, and a reopened session goes on from it
	Transcript string  // file, JSON lines of request and answer; "" = none
}

// Session is one agent session's account at the gateway. Its methods may be called from anywhere at any time.
type Session struct {
	gateway    *Gateway
	id         string
	token      string
	base       string
	transcript *transcript
	ctx        context.Context // ends when the session does; calls in flight end with it
	cancel     context.CancelFunc
	lastCall   atomic.Int64 // Unix nanoseconds

	mu       sync.Mutex
	ledger   *ledger
	account  account
	state    State
	throttle throttle
	limited  string // the model that state.Limit was met with
	active   int    // requests being served, waiting ones included
	held     int64  // bytes of request bodies in memory
	drained  chan struct{}
	closed   bool
}

// Open starts a session, or goes on with one whose ledger is there. A ledger that another session holds is a conflict.
func (g *Gateway) Open(spec Spec) (*Session, error) {
	switch {
	case spec.ID == "":
		return nil, fault.New(fault.Input, "model session without an id")
	case spec.Ledger == "" || spec.Ledger == spec.Transcript:
		return nil, fault.New(fault.Input, "model session %s: the ledger needs a file of its own, not %q", spec.ID, spec.Ledger)
	case math.IsNaN(spec.BudgetUSD):
		return nil, fault.New(fault.Input, "model session %s: the budget is not a number", spec.ID)
	}
	l, past, err := openLedger(spec.Ledger, spec.ID, g.now)
	if err != nil {
		return nil, err
	}
	t, err := openTranscript(spec.Transcript, g.log)
	if err != nil {
		_ = l.close()
		return nil, err
	}
	s := &Session{gateway: g, id: spec.ID, token: newToken(), ledger: l, transcript: t, drained: make(chan struct{})}
	s.account = account{spent: past.cost, totals: past.counts, calls: past.calls, ceiling: ceilingOf(spec.BudgetUSD)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if err := g.register(s); err != nil {
		s.end(0)
		return nil, err
	}
	return s, nil
}

// register makes the session reachable.
func (g *Gateway) register(s *Session) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.server == nil || g.closed {
		return fault.New(fault.Stopping, "open model session %s: the gateway is not running", s.id)
	}
	s.base = g.base + "/s/" + s.token
	g.sessions[sha256.Sum256([]byte(s.token))] = s
	return nil
}

// newToken gives 256 random bits as text that fits a path, a header and an environment variable.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// BaseURL is the model endpoint of this session alone. The token is in its path, because a subscription login leaves no
// room for ours in the headers.
func (s *Session) BaseURL() string { return s.base }

// Upstream is where the calls of a session go in the end, as people are told it.
func (s *Session) Upstream() string { return s.gateway.host() }

// Token is what the agent shows in place of a key. It is worth nothing for another session, anywhere else, or after Close.
func (s *Session) Token() string { return s.token }

// Granted tells whether the operator lets the model's vendor run a tool for agents.
func (s *Session) Granted(tool string) bool { return s.gateway.Granted(tool) }

// Kind is how calls are shown to be ours now: a subscription login needs headers that only the agent can send. A source
// that has no credential gives APIKey; the session's first call then tells what is wrong with it.
func (s *Session) Kind(ctx context.Context) Kind {
	c, err := s.gateway.credential(ctx)
	if err != nil {
		return APIKey
	}
	return c.Kind
}

// Usage is what the session has used over all its attempts. Calls in flight are not in it.
func (s *Session) Usage() task.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.account.usage()
}

// SetBudget changes what the session may spend over all its attempts, as Spec.BudgetUSD does. Calls that wait are judged again.
func (s *Session) SetBudget(usd float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account.ceiling = ceilingOf(usd)
	if !s.account.exhausted() {
		s.state.BudgetRefused = false
	}
	s.wake()
}

// Close makes the token worthless, waits briefly for calls in flight, ends the rest, and gives the session's usage.
func (s *Session) Close() task.Usage {
	s.gateway.mu.Lock()
	delete(s.gateway.sessions, sha256.Sum256([]byte(s.token)))
	s.gateway.mu.Unlock()
	s.end(s.gateway.limits.grace)
	return s.Usage()
}
