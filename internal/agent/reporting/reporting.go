// Package reporting serves the tools by which agents report, over the Model Context Protocol: each session has a port of the loopback
// interface and a token of its own, and the tools of its role. It checks what is reported and keeps what it accepts on disk before it
// answers. It may not judge the work, and knows no driver.
package reporting

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpguard"
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
	role   task.Role
	file   string
	token  string
	url    string
	server *http.Server // nil without one
	hide   func(string) string
	now    func() time.Time

	listed chan struct{} // closed when the agent has listed the tools
	once   sync.Once

	mu      sync.Mutex
	kept    *kept
	about   *About       // nil until Begin
	inTurn  agent.InTurn // that a call waits for; nil for nothing
	reports []Report
}

// Keep opens the reporting end of a session without a server: the calls come by Call.
func Keep(spec Spec) (*Session, error) {
	k, past, err := openKept(spec.File)
	if err != nil {
		return nil, err
	}
	s := &Session{role: spec.Role, file: spec.File, token: rand.Text(), hide: spec.Hide, now: spec.Now, kept: k, listed: make(chan struct{})}
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
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		_ = s.kept.close()
		return nil, fault.New(fault.Infra, "listen for reports: %w", err)
	}
	s.url = "http://" + l.Addr().String() + "/mcp"
	s.server = &http.Server{
		Handler: httpguard.Hosts(nil).Guard(s.handler()), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(spec.Log.Handler(), slog.LevelDebug),
	}
	go func() {
		if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			spec.Log.Error("The server for an agent's reports has stopped", "error", err)
		}
	}()
	return s, nil
}

// handler lets through whoever has the token.
func (s *Session) handler() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: Server, Title: "Longshift", Version: "1"}, nil)
	for _, t := range Tools(s.role) {
		server.AddTool(t.described(), s.call(t))
	}
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			out, err := next(ctx, method, r)
			if method == "tools/list" && err == nil {
				s.once.Do(func() { close(s.listed) })
			}
			return out, err
		}
	})
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "this address takes the reports of one session, with that session's token", http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostCall)
		inner.ServeHTTP(w, r)
	})
}

// mostCall limits the body of a call, in bytes. A plan, the largest report, has at most half of it.
const mostCall = 1 << 20

// Endpoint is what the session's agent needs. It is valid until Close.
func (s *Session) Endpoint() *agent.Reports {
	e := &agent.Reports{Server: Server, URL: s.url, Token: s.token, Wait: s.Wait, Order: s.order, Ended: func() bool {
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

// Wait waits until the agent has listed the tools.
func (s *Session) Wait(ctx context.Context) error {
	select {
	case <-s.listed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the agent to list the tools that it reports by: %w", context.Cause(ctx))
	}
}

// Begin says what the session works on, and hands over the reports of its earlier attempts.
func (s *Session) Begin(a About) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.about = &a
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
	if err := dropLast(s.file); err != nil {
		return fault.New(fault.Infra, "take back the session's last report: %w", err)
	}
	s.reports = s.reports[:len(s.reports)-1]
	return nil
}

// Close revokes the token. A call in progress ends first.
func (s *Session) Close() {
	if s.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if s.server.Shutdown(ctx) != nil {
			_ = s.server.Close()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.kept.close()
}
