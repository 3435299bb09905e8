package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

const (
	upWithin    = 60 * time.Second // for the server or the worker to be ready
	workerGrace = 90 * time.Second // for the worker to put its sessions away
	serverGrace = 20 * time.Second
)

// stack is a Temporal server and a worker on this machine, as far as we have started them.
type stack struct {
	p       *program
	options client.Options // how clients reach the server
	role    config.Role    // what the worker does
	env     []string       // of the worker
	line    func(string)   // takes each line that a child writes

	server, worker *child
	client         client.Client
}

// serverFlags say what server to start.
type serverFlags struct {
	port, uiPort int
	headless     bool
	namespace    string
	database     string // file; "" keeps everything in memory
}

// arguments are those of the official command line's "server start-dev", which the bundled server takes too.
func (f serverFlags) arguments() []string {
	args := []string{"server", "start-dev", "--ip", "127.0.0.1", "--port", strconv.Itoa(f.port), "--namespace", f.namespace, "--log-level", "warn"}
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
	path, err := s.p.serverBinary()
	if err != nil {
		return err
	}
	if s.server, err = startChild("server", path, f.arguments(), s.p.bareEnv(), s.line); err != nil {
		return fault.New(fault.Infra, "%w", err).WithHint("set LONGSHIFT_DEVSERVER to a server binary that runs here")
	}
	return s.waitServer(ctx)
}

// waitServer connects as soon as the server answers.
func (s *stack) waitServer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, upWithin)
	defer cancel()
	for {
		c, err := dial(ctx, s.options)
		if err == nil {
			if s.client != nil {
				s.client.Close()
			}
			s.client = c
			return nil
		}
		select {
		case <-s.server.done:
			return fault.New(fault.Infra, "the Temporal server did not start: %s", s.server.ended())
		case <-ctx.Done():
			return s.late(ctx, "the Temporal server is not ready after %s", upWithin)
		case <-s.p.clock.after(100 * time.Millisecond):
		}
	}
}

func (s *stack) late(ctx context.Context, format string, args ...any) error {
	if ctx.Err() == context.Canceled {
		return ctx.Err()
	}
	return fault.New(fault.Infra, format, args...).WithHint("see `longshift doctor`")
}

// startWorker starts a worker and waits until it takes work.
func (s *stack) startWorker(ctx context.Context) error {
	path, err := s.p.workerBinary()
	if err != nil {
		return err
	}
	before := s.pollers(ctx)
	if s.worker, err = startChild("worker", path, nil, s.env, s.line); err != nil {
		return fault.New(fault.Infra, "%w", err).WithHint("set LONGSHIFT_WORKER to a worker binary that runs here")
	}
	return s.waitWorker(ctx, before)
}

// pollers gives, for each queue of the worker, who has polled it and when.
func (s *stack) pollers(ctx context.Context) []map[string]time.Time {
	var all []map[string]time.Time
	for _, q := range queuesOf(s.role) {
		polls, err := polls(ctx, s.client, q)
		if err != nil {
			polls = nil // unknown; the next look tells
		}
		all = append(all, polls)
	}
	return all
}

// waitWorker returns when somebody has polled each queue anew. Times are compared with the server's own only.
func (s *stack) waitWorker(ctx context.Context, before []map[string]time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, upWithin)
	defer cancel()
	for {
		ready := true
		for i, now := range s.pollers(ctx) {
			ready = ready && polledAnew(before[i], now)
		}
		if ready {
			return nil
		}
		select {
		case <-s.worker.done:
			return fault.New(fault.Infra, "the worker did not start: %s", s.worker.ended())
		case <-ctx.Done():
			return s.late(ctx, "the worker takes no work after %s", upWithin)
		case <-s.p.clock.after(100 * time.Millisecond):
		}
	}
}

// queue is a task queue and what is polled there.
type queue struct {
	name string
	kind enumspb.TaskQueueType
	what string
}

// queuesOf are the queues that every worker of a role polls.
func queuesOf(role config.Role) []queue {
	var queues []queue
	if role.Control() {
		queues = append(queues, queue{signals.Queue, enumspb.TASK_QUEUE_TYPE_WORKFLOW, "workflows"})
	}
	if role.Host() {
		queues = append(queues, queue{signals.QueueHosts, enumspb.TASK_QUEUE_TYPE_ACTIVITY, "agents"})
	}
	return queues
}

// queueDescriber is what asking for pollers needs of the client.
type queueDescriber interface {
	DescribeTaskQueue(ctx context.Context, taskqueue string, kind enumspb.TaskQueueType) (*workflowservice.DescribeTaskQueueResponse, error)
}

// polls gives who has polled a queue in the last minutes, and when last.
func polls(ctx context.Context, c queueDescriber, q queue) (map[string]time.Time, error) {
	call, cancel := answer(ctx)
	defer cancel()
	d, err := c.DescribeTaskQueue(call, q.name, q.kind)
	if err != nil {
		return nil, err
	}
	all := map[string]time.Time{}
	for _, poller := range d.GetPollers() {
		all[poller.GetIdentity()] = poller.GetLastAccessTime().AsTime()
	}
	return all, nil
}

func polledAnew(before, now map[string]time.Time) bool {
	for who, at := range now {
		if !at.Equal(before[who]) {
			return true
		}
	}
	return false
}

// stop ends the worker, then the server.
func (s *stack) stop() {
	if s.worker != nil {
		s.worker.stop(workerGrace)
	}
	if s.client != nil {
		s.client.Close()
	}
	if s.server != nil {
		s.server.stop(serverGrace)
	}
}

// serverBinary finds the server: LONGSHIFT_DEVSERVER, beside this program, or on PATH, ours or the official one.
func (p *program) serverBinary() (string, error) {
	return p.binary("LONGSHIFT_DEVSERVER", "a Temporal server", "longshift-devserver", "temporal")
}

// workerBinary finds the worker: LONGSHIFT_WORKER, beside this program, or on PATH.
func (p *program) workerBinary() (string, error) {
	return p.binary("LONGSHIFT_WORKER", "the worker", "longshift-worker")
}

func (p *program) binary(variable, what string, names ...string) (string, error) {
	if path := p.env.Get(variable); path != "" {
		if !filepath.IsAbs(path) {
			if found, err := p.findProgram(path); err == nil {
				return found, nil
			}
			path = p.resolve(path)
		}
		if !executable(path) {
			return "", fault.New(fault.NotFound, "%s=%q: no program there", variable, path).WithHint("give the path of %s", what)
		}
		return path, nil
	}
	for _, name := range names {
		if beside := filepath.Join(filepath.Dir(p.env.Executable), name); p.env.Executable != "" && executable(beside) {
			return beside, nil
		}
		if found, err := p.findProgram(name); err == nil {
			return found, nil
		}
	}
	return "", fault.New(fault.NotFound, "%s is not beside this program and not on PATH", names[0]).WithHint("install it, or set %s to its path", variable)
}

// freePort finds a port of this machine that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// portFree tells whether a port can be listened on.
func portFree(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	l.Close()
	return true
}

// makeData makes the data folder, for this user alone: it will hold workspaces and logs.
func makeData(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.New(fault.Denied, "make data folder: %w", err).WithHint("set LONGSHIFT_DATA to a folder that you can write to")
	}
	return nil
}
