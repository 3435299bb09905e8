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
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpguard"
	"github.com/longshift/longshift/task"
)

// address is where an agent's process reports: a port, a token and the tools of a role. It has one session after another when the process
// goes on from one to the next.
type address struct {
	url, token string
	server     *http.Server
	session    atomic.Pointer[Session] // nil between two

	listed chan struct{} // closed when the agent has listed the tools
	once   sync.Once
}

// listen serves the tools of the role on a free port of 127.0.0.1.
func listen(role task.Role, log *slog.Logger) (*address, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fault.New(fault.Infra, "listen for reports: %w", err)
	}
	a := &address{url: "http://" + l.Addr().String() + "/mcp", token: rand.Text(), listed: make(chan struct{})}
	a.server = &http.Server{
		Handler: httpguard.Hosts(nil).Guard(a.handler(role)), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() {
		if err := a.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("The server for an agent's reports has stopped", "error", err)
		}
	}()
	return a, nil
}

// handler lets through whoever has the token.
func (a *address) handler(role task.Role) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: Server, Title: "Longshift", Version: "1"}, nil)
	for _, t := range Tools(role) {
		server.AddTool(t.described(), a.call(t))
	}
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			out, err := next(ctx, method, r)
			if method == "tools/list" && err == nil {
				a.once.Do(func() { close(a.listed) })
			}
			return out, err
		}
	})
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(token), []byte(a.token)) != 1 {
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

// call handles calls of a tool. What is wrong with one is an answer to the agent, which can send another.
func (a *address) call(t Tool) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s := a.session.Load()
		if s == nil {
			return nil, errors.New("no session runs at this moment")
		}
		arguments := r.Params.Arguments
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}")
		}
		if err := s.wait(ctx, t.Name, arguments); err != nil {
			return nil, err
		}
		id, _ := r.Params.Meta["claudecode/toolUseId"].(string)
		text, failed := s.answer(t, id, arguments)
		return &mcp.CallToolResult{IsError: failed, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
}

// wait waits until the agent has listed the tools.
func (a *address) wait(ctx context.Context) error {
	select {
	case <-a.listed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the agent to list the tools that it reports by: %w", context.Cause(ctx))
	}
}

func (a *address) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if a.server.Shutdown(ctx) != nil {
		_ = a.server.Close()
	}
}
