package dev

import (
	"context"
	"strconv"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/child"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

const (
	serverName = "server" // of the child, in what it says and what is said of it

	upWithin    = 60 * time.Second // for the server or the worker to be ready
	workerGrace = 90 * time.Second // for the worker to put its sessions away
	serverGrace = 20 * time.Second
)

// stack is a Temporal server and a worker on this machine, as far as we have started them.
type stack struct {
	env       environ.Environ
	clock     environ.Clock
	options   client.Options // how clients reach the server
	role      config.Role    // of the worker
	workerEnv []string
	line      func(string) // takes each line that a child writes

	server, worker *child.Child
	forgets        bool // the server keeps nothing on disk
	client         client.Client
}

func newStack(u Uses, role config.Role, line func(string)) *stack {
	return &stack{env: u.Env, clock: u.Clock, role: role, line: line}
}

// serverFlags say what server to start.
type serverFlags struct {
	port, uiPort int
	headless     bool
	namespace    string
	database     string // file; "" keeps everything in memory
}

// arguments are those of the official command line's "server start-dev", which the bundled server takes too. Its warnings are not shown:
// on a busy machine its own maintenance warns of late heartbeats, which no one can do anything about.
func (f serverFlags) arguments() []string {
	args := []string{"server", "start-dev", "--ip", "127.0.0.1", "--port", strconv.Itoa(f.port),
		"--namespace", f.namespace, "--log-level", "error"}
	if f.headless {
		args = append(args, "--headless")
	} else {
		args = append(args, "--ui-port", strconv.Itoa(f.uiPort))
	}
	if f.database != "" {
		args = append(args, "--db-filename", f.database)
	}
	for _, a := range signals.Attributes() {
		args = append(args, "--search-attribute", a.Name+"="+a.Type)
	}
	return args
}

// startServer starts a server and waits until it answers.
func (s *stack) startServer(ctx context.Context, f serverFlags) error {
	path, err := serverBinary(s.env)
	if err != nil {
		return err
	}
	s.forgets = f.database == ""
	if s.server, err = child.Start(serverName, "/", path, f.arguments(), s.env.Bare(), s.line); err != nil {
		return fault.New(fault.Infra, "%w", err).WithHint("set LONGSHIFT_DEVSERVER to a server binary that runs here")
	}
	return s.waitServer(ctx)
}

// waitServer connects as soon as the server answers.
func (s *stack) waitServer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, upWithin)
	defer cancel()
	for {
		c, err := server.Dial(ctx, s.options)
		if err == nil {
			if s.client != nil {
				s.client.Close()
			}
			s.client = c
			return nil
		}
		select {
		case <-s.server.Exited():
			return fault.New(fault.Infra, "the Temporal server did not start: %s", s.server.Ended())
		case <-ctx.Done():
			return s.late(ctx, "the Temporal server is not ready after %s", upWithin)
		case <-s.clock.After(100 * time.Millisecond):
		}
	}
}

func (s *stack) late(ctx context.Context, format string, args ...any) error {
	if ctx.Err() == context.Canceled {
		return ctx.Err()
	}
	return fault.New(fault.Infra, format, args...).WithHint("see `longshift doctor`")
}

// startWorker starts a worker and waits until it takes work. Its folder is the person's, because paths in its environment may be relative.
func (s *stack) startWorker(ctx context.Context) error {
	path, err := workerBinary(s.env)
	if err != nil {
		return err
	}
	before := s.pollers(ctx)
	if s.worker, err = child.Start("worker", s.env.Dir, path, nil, s.workerEnv, s.line); err != nil {
		return fault.New(fault.Infra, "%w", err).WithHint("set LONGSHIFT_WORKER to a worker binary that runs here")
	}
	return s.waitWorker(ctx, before)
}

// pollers returns the polls of each queue of the worker.
func (s *stack) pollers(ctx context.Context) []map[string]time.Time {
	var all []map[string]time.Time
	for _, q := range queuesOf(s.role) {
		polls, err := server.Pollers(ctx, s.client, q.name, q.kind)
		if err != nil {
			polls = nil // unknown; the next look tells
		}
		all = append(all, polls)
	}
	return all
}

// waitWorker returns when the worker has polled each queue. Times are compared with the server's own only.
func (s *stack) waitWorker(ctx context.Context, before []map[string]time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, upWithin)
	defer cancel()
	for {
		ready, own := true, s.ownPollers()
		for i, now := range s.pollers(ctx) {
			ready = ready && polledAnew(before[i], now, own)
		}
		if ready {
			return nil
		}
		select {
		case <-s.worker.Exited():
			return fault.New(fault.Infra, "the worker did not start: %s", s.worker.Ended())
		case <-ctx.Done():
			return s.late(ctx, "the worker takes no work after %s", upWithin)
		case <-s.clock.After(100 * time.Millisecond):
		}
	}
}

// stop ends the worker, then the server.
func (s *stack) stop() {
	if s.worker != nil {
		s.worker.Stop(workerGrace)
	}
	if s.client != nil {
		s.client.Close()
	}
	if s.server != nil {
		s.server.Stop(serverGrace)
	}
}
