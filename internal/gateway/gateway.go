// Package gateway is the worker's model endpoint: a reverse proxy on loopback between the agents of this host and the
// APIs of Anthropic (Messages) and OpenAI (Responses, Chat Completions), or servers that speak like them. It passes on allowed requests, adds the key, counts cost, enforces each session's budget,
// detects used-up quota and refused logins, and writes a transcript. It may not start processes, decide what a session
// does next, or listen anywhere but on loopback. No key and no header ever reaches its logs, its ledger or its
// transcript.
package gateway

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/httpguard"
)

// Gateway serves the sessions of a worker.
type Gateway struct {
	apis     map[API]*api
	granted  []serverTool
	pass     map[string]bool // what the operator allows in addition to the list, by name
	dropped  seen            // betas that were dropped and logged
	now      func() time.Time
	log      *slog.Logger
	client   *http.Client
	limits   limits
	unpriced seen // models that were already warned about

	mu       sync.Mutex
	server   *http.Server
	base     string
	sessions map[[sha256.Size]byte]*Session
	closed   bool
}

// limits holds timeouts for clients. Answers have none: a model may think for long.
type limits struct {
	header time.Duration // for the header of a request
	body   time.Duration // for the body of a request
	idle   time.Duration // for a connection without a request
	grace  time.Duration // for calls in flight when a session or the gateway closes
}

// lastBytes is how long Close waits for the ends of answers to be sent.
const lastBytes = 250 * time.Millisecond

// New returns a gateway that does not listen before Start.
func New(c Config) (*Gateway, error) {
	granted, err := parseGrants(c.Tools)
	if err != nil {
		return nil, err
	}
	g := &Gateway{
		apis: map[API]*api{}, now: c.Now, log: c.Log, client: upstreamClient(c.Client), granted: granted, pass: map[string]bool{},
		limits:   limits{header: 10 * time.Second, body: time.Minute, idle: 2 * time.Minute, grace: 2 * time.Second},
		sessions: map[[sha256.Size]byte]*Session{},
	}
	if err := g.serve(Anthropic, c.Endpoint, anthropic(granted)); err != nil {
		return nil, err
	}
	if c.OpenAI != nil {
		if err := g.serve(OpenAI, *c.OpenAI, openAI()); err != nil {
			return nil, err
		}
	}
	for _, name := range c.Pass {
		g.pass[name] = true
	}
	if g.now == nil {
		g.now = time.Now
	}
	g.log = cmp.Or(g.log, slog.New(slog.DiscardHandler))
	if len(c.Pass)+len(c.Tools) > 0 {
		g.log.Warn("agents may send the model's vendor more than the list", "pass", c.Pass, "tools", c.Tools)
	}
	return g, nil
}

// Granted reports whether the operator lets the model's vendor run a tool for agents.
func (g *Gateway) Granted(tool string) bool {
	return slices.ContainsFunc(g.granted, func(t serverTool) bool { return t.name == tool })
}

// Start listens on a free port of 127.0.0.1 and serves until Close is called, also after the end of ctx: answers that are on their way when the
// worker stops are still to arrive.
func (g *Gateway) Start(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.server != nil {
		return errors.New("gateway: started twice, or after its close")
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for agents: %w", err)
	}
	g.server = &http.Server{
		Handler:           httpguard.Hosts(nil).Guard(g),
		ReadHeaderTimeout: g.limits.header,
		IdleTimeout:       g.limits.idle,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(g.log.Handler(), slog.LevelDebug),
	}
	g.base = "http://" + l.Addr().String()
	go func() {
		if err := g.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			g.log.ErrorContext(ctx, "model gateway stopped", "error", err)
		}
	}()
	return nil
}

// Close ends every session: calls in flight get a short grace period and are then canceled. Then it stops listening.
func (g *Gateway) Close() error {
	g.mu.Lock()
	server, sessions := g.server, g.sessions
	g.sessions, g.closed = map[[sha256.Size]byte]*Session{}, true
	g.mu.Unlock()
	var ending sync.WaitGroup
	for _, s := range sessions {
		ending.Go(func() { s.end(g.limits.grace) })
	}
	ending.Wait()
	if server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastBytes)
	defer cancel()
	if server.Shutdown(ctx) == nil {
		return nil
	}
	return server.Close() // mostly connections without a request
}

// session returns the open session of a token, or nil.
func (g *Gateway) session(token string) *Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.sessions[sha256.Sum256([]byte(token))]
	if s == nil || subtle.ConstantTimeCompare([]byte(s.token), []byte(token)) != 1 {
		return nil
	}
	return s
}
