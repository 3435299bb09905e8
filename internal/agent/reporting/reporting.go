// Package reporting serves the tools by which agents report, over the Model Context Protocol: each session has a port of the loopback
// interface and a token of its own, and the tools of its role. It checks what is reported and keeps what it accepts on disk before it
// answers. It may not judge the work, and knows no driver.
package reporting

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Server is the name of the server, under which agents list its tools.
const Server = "longshift"

// Spec identifies a session.
type Spec struct {
	Role task.Role
	File string              // accepted reports are appended to it, as JSON lines; a session that is opened again continues from it
	Hide func(string) string // hides secrets in JSON, before anything is checked or kept
	Now  func() time.Time
	Log  *slog.Logger
}

// About is what a session works on. It is known only when the session begins.
type About struct {
	Deliverable *task.Deliverable // nil for planner and reviewer
	Plan        *task.Plan        // nil before there is one
	Confirms    bool              // a review approves only when the session has verified each deliverable that has passed
	Accepted    func(Report)      // told of each accepted report before the agent is answered; those of earlier attempts come first
}

// Session is the reporting end of one agent session. Its methods are safe for concurrent use.
type Session struct {
	role task.Role
	file string
	at   *address // nil without a server
	hide func(string) string
	now  func() time.Time

	mu      sync.Mutex
	kept    *kept
	about   *About       // nil until Begin
	before  int          // reports of earlier attempts
	inTurn  agent.InTurn // that a call waits for; nil for nothing
	reports []Report
}

// Keep opens the reporting end of a session without a server: the calls come by Call.
func Keep(spec Spec) (*Session, error) {
	k, past, err := openKept(spec.File)
	if err != nil {
		return nil, err
	}
	s := &Session{role: spec.Role, file: spec.File, hide: spec.Hide, now: spec.Now, kept: k}
	for _, call := range past {
		r, err := s.read(call)
		if err != nil {
			_ = k.close()
			return nil, fault.New(fault.Internal, "%s holds a report that can't be read: %w", spec.File, err)
		}
		s.reports = append(s.reports, r)
	}
	return s, nil
}

// Open serves a session on a free port of 127.0.0.1 until Close.
func Open(spec Spec) (*Session, error) {
	s, err := Keep(spec)
	if err != nil {
		return nil, err
	}
	if s.at, err = listen(spec.Role, spec.Log); err != nil {
		_ = s.kept.close()
		return nil, err
	}
	s.at.session.Store(s)
	return s, nil
}

// Follow serves a session of the same role at the address of one that has left it.
func (s *Session) Follow(spec Spec) (*Session, error) {
	if spec.Role != s.role {
		return nil, fault.New(fault.Internal, "a session of role %s can't follow one of role %s", spec.Role, s.role)
	}
	next, err := Keep(spec)
	if err != nil {
		return nil, err
	}
	next.at = s.at
	if !next.at.session.CompareAndSwap(nil, next) {
		_ = next.kept.close()
		return nil, fault.New(fault.Internal, "the session before still takes reports")
	}
	return next, nil
}

// Endpoint is what the session's agent needs. It is valid until Close.
func (s *Session) Endpoint() *agent.Reports {
	e := &agent.Reports{Server: Server, URL: s.at.url, Token: s.at.token, Wait: s.at.wait, Order: s.order, Ended: func() bool {
		_, ended := s.Ended()
		return ended
	}}
	for _, t := range Tools(s.role) {
		e.Tools = append(e.Tools, t.Name)
	}
	return e
}

func (s *Session) order(inTurn agent.InTurn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inTurn = inTurn
}

// wait waits until a call's turn has come.
func (s *Session) wait(ctx context.Context, tool string, arguments json.RawMessage) error {
	s.mu.Lock()
	inTurn := s.inTurn
	s.mu.Unlock()
	if inTurn == nil {
		return nil
	}
	return inTurn(ctx, tool, arguments)
}

// Role is the role whose tools the session has.
func (s *Session) Role() task.Role { return s.role }

// Begin says what the session works on, and hands over the reports of its earlier attempts.
func (s *Session) Begin(a About) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.about, s.before = &a, len(s.reports)
	for _, r := range s.reports {
		a.Accepted(r)
	}
}

// Ended returns the report that has ended the session.
func (s *Session) Ended() (Report, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end()
}

func (s *Session) end() (Report, bool) {
	for _, r := range s.reports {
		if r.Ends {
			return r, true
		}
	}
	return Report{}, false
}

// Reopen takes back the report that has ended the session, also after Close. Nothing has been accepted after it. The file only becomes
// shorter, for which a full disk has room.
func (s *Session) Reopen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ended := s.end(); !ended {
		return nil
	}
	return s.keepOnly(len(s.reports) - 1)
}

// Distrust takes back all reports since Begin, also after Close: somebody else may have driven the agent.
func (s *Session) Distrust() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keepOnly(s.before)
}

func (s *Session) keepOnly(n int) error {
	if n >= len(s.reports) {
		return nil
	}
	if err := keepLines(s.file, n); err != nil {
		return fault.New(fault.Infra, "take back %d reports of the session: %w", len(s.reports)-n, err)
	}
	s.reports = s.reports[:n]
	return nil
}

// Leave ends the session and leaves its address to the one that follows, because the agent's process goes on. Until then no report is taken
// there.
func (s *Session) Leave() {
	s.at.session.Store(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.kept.close()
}

// Close revokes the token. A call in progress ends first.
func (s *Session) Close() {
	if s.at != nil {
		s.at.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.kept.close()
}
