package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Spec identifies a session and sets its budget.
type Spec struct {
	ID         string  // stored in the ledger
	BudgetUSD  float64 // budget over all attempts, including those in the ledger; 0 = no ceiling, < 0 = nothing may be spent
	Ledger     string  // JSON lines file for usage; a reopened session continues from it
	Transcript string  // JSON lines file for requests and answers; "" = none

	API   API      // that the session may use; Anthropic when empty
	Model string   // that the session may ask for, beside those that its agent needs for small things; any when empty
	Tools []string // granted tools of the vendor that this session may use, such as "web_search"
	Token string   // of a closed session whose agent's process goes on with this one; "" for a new one
}

// Session is one agent session: what it may ask for, and the calls that are being served. Its methods are safe for concurrent use.
type Session struct {
	gateway    *Gateway
	api        *api
	id         string
	token      string
	base       string
	transcript *transcript
	model      string
	tools      []string
	ctx        context.Context // canceled when the session ends, and calls in flight with it
	cancel     context.CancelFunc
	lastCall   atomic.Int64 // Unix nanoseconds

	mu      sync.Mutex // guards account and health too
	account account
	health  health
	active  int   // requests being served, including waiting ones
	held    int64 // bytes of request bodies in memory
	drained chan struct{}
	closed  bool
}

// Open starts a session, or resumes one from its ledger. A ledger that another session holds is a conflict.
func (g *Gateway) Open(spec Spec) (*Session, error) {
	switch {
	case spec.ID == "":
		return nil, fault.New(fault.Input, "model session without an id")
	case spec.Ledger == "" || spec.Ledger == spec.Transcript:
		return nil, fault.New(fault.Input, "model session %s: the ledger needs a file of its own, not %q", spec.ID, spec.Ledger)
	case math.IsNaN(spec.BudgetUSD):
		return nil, fault.New(fault.Input, "model session %s: the budget is not a number", spec.ID)
	}
	api := g.apis[cmp.Or(spec.API, Anthropic)]
	if api == nil {
		return nil, fault.New(fault.Denied, "this host has no key for the API of %s", spoken[spec.API]).WithHint("set %s", keyNames[spec.API])
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
	s := &Session{gateway: g, api: api, id: spec.ID, token: cmp.Or(spec.Token, newToken()), transcript: t,
		model: spec.Model, tools: spec.Tools, drained: make(chan struct{})}
	s.account = account{mu: &s.mu, ledger: l, log: g.log.With("session", s.id),
		spent: past.cost, totals: past.counts, calls: past.calls, ceiling: ceilingOf(spec.BudgetUSD)}
	s.health = health{mu: &s.mu, now: g.now, limitOf: api.limit}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if err := g.register(s); err != nil {
		s.end(0)
		return nil, err
	}
	return s, nil
}

// register makes the session reachable by its token.
func (g *Gateway) register(s *Session) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.server == nil || g.closed {
		return fault.New(fault.Stopping, "open model session %s: the gateway is not running", s.id)
	}
	key := sha256.Sum256([]byte(s.token))
	if g.sessions[key] != nil {
		return fault.New(fault.Internal, "open model session %s: the session with its token is still open", s.id)
	}
	s.base = g.base + "/s/" + s.token
	g.sessions[key] = s
	return nil
}

// newToken returns 256 random bits in a form that fits a path, a header and an environment variable.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// BaseURL is the model endpoint of this session. The token is part of the path, because a subscription login occupies
// the headers.
func (s *Session) BaseURL() string { return s.base }

// Upstream is the host that calls go to, for messages.
func (s *Session) Upstream() string { return s.api.host() }

// Token is what the agent sends in place of a key. It is valid for this session only, until Close.
func (s *Session) Token() string { return s.token }

// Granted reports whether the operator and this session let the model's vendor run a tool.
func (s *Session) Granted(tool string) bool {
	return s.gateway.Granted(tool) && slices.Contains(s.tools, tool)
}

// Kind is how calls authenticate now: with a subscription login the agent has to send its own headers. When the
// credential source fails it returns APIKey, and the first call reports the error.
func (s *Session) Kind(ctx context.Context) Kind {
	c, err := s.api.credential(ctx)
	if err != nil {
		return APIKey
	}
	return c.Kind
}

// Usage is the session's usage over all attempts, without calls in flight.
func (s *Session) Usage() task.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.account.usage()
}

// SetBudget changes the budget, with the meaning of Spec.BudgetUSD. Waiting calls are judged again.
func (s *Session) SetBudget(usd float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account.ceiling = ceilingOf(usd)
	if !s.account.exhausted() {
		s.account.refused = false
	}
	s.account.wake()
}

// Close revokes the token, gives calls in flight a short grace period, cancels the rest, and returns the session's
// usage.
func (s *Session) Close() task.Usage {
	s.gateway.mu.Lock()
	delete(s.gateway.sessions, sha256.Sum256([]byte(s.token)))
	s.gateway.mu.Unlock()
	s.end(s.gateway.limits.grace)
	return s.Usage()
}
