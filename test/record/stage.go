package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/workflows"
)

// identity is what clients and workers call themselves, in place of a process id and a machine's name.
const identity = "recorder"

// stage is the scene of all branches: the server, the worker of workflows, and the hosts.
type stage struct {
	dir     string
	full    int
	address string
	server  *exec.Cmd
	log     *os.File
	client  client.Client
	control worker.Worker
	hosts   map[string]*host
	plays   *plays
}

// plays are those of a stage, by workflow id.
type plays struct {
	mu   sync.Mutex
	byID map[string]*play
}

// of finds the play that an activity belongs to.
func (all *plays) of(ctx context.Context) *play {
	all.mu.Lock()
	defer all.mu.Unlock()
	id, _, _ := strings.Cut(activity.GetInfo(ctx).WorkflowExecution.ID, "-session-")
	return all.byID[id]
}

// openStage starts everything. full is the number of events after which the server asks for a new run, 0 for its own.
func openStage(ctx context.Context, program string, full int) (*stage, error) {
	s := &stage{full: full, hosts: map[string]*host{}, plays: &plays{byID: map[string]*play{}}}
	if err := s.open(ctx, program); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stage) open(ctx context.Context, program string) (err error) {
	if s.dir, err = os.MkdirTemp("", "longshift-record-"); err != nil {
		return err
	}
	if err := s.startServer(program); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	if s.client, err = s.dial(ctx); err != nil {
		said, _ := os.ReadFile(s.log.Name())
		return fmt.Errorf("reach the server: %w; it said: %q", err, said[max(0, len(said)-1000):])
	}
	s.control = worker.New(s.client, signals.Queue, options())
	workflows.Register(s.control)
	for _, steps := range []any{&forgeSteps{s.plays}, &arrivalSteps{s.plays}, &accountSteps{cooling: map[string][]signals.Cooling{}}} {
		s.control.RegisterActivity(steps)
	}
	if err := s.control.Start(); err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	for _, h := range []*host{{id: steady}, {id: doomed, mortal: true}, {id: restarting}, {id: vanishing, mortal: true}} {
		s.hosts[h.id] = h
	}
	return s.startHosts(ctx)
}

// options are those of the worker program, with quick heartbeats.
func options() worker.Options {
	return worker.Options{
		WorkerStopTimeout: 5 * time.Second, MaxHeartbeatThrottleInterval: 100 * time.Millisecond,
		Interceptors: []interceptor.WorkerInterceptor{&activities.Interceptor{Redact: redact.New()}},
	}
}

func (s *stage) startServer(program string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	if s.log, err = os.Create(filepath.Join(s.dir, "server.log")); err != nil {
		return err
	}
	s.address = fmt.Sprintf("127.0.0.1:%d", port)
	args := []string{"server", "start-dev", "--ip", "127.0.0.1", "--port", fmt.Sprint(port), "--headless",
		"--db-filename", filepath.Join(s.dir, "temporal.db")}
	for _, a := range signals.Attributes() {
		args = append(args, "--search-attribute", a.Name+"="+a.Type)
	}
	if s.full > 0 {
		args = append(args, "--dynamic-config-value", fmt.Sprintf("limit.historyCount.suggestContinueAsNew=%d", s.full))
	}
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = s.log, s.log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.server = cmd
	return nil
}

// dial opens a connection of its own, as soon as the server answers.
func (s *stage) dial(ctx context.Context) (client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	quiet := tlog.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	for {
		c, err := client.DialContext(ctx, client.Options{HostPort: s.address, Identity: identity, Logger: quiet})
		if err == nil || ctx.Err() != nil {
			return c, err
		}
	}
}

// close ends everything that was started, in the reverse order.
func (s *stage) close() (err error) {
	for _, h := range s.hosts {
		h.stop()
	}
	if s.control != nil {
		s.control.Stop()
	}
	if s.client != nil {
		s.client.Close()
	}
	if s.server != nil {
		err = s.server.Process.Kill()
		_ = s.server.Wait() // it was killed, and says so
	}
	if s.log != nil {
		err = errors.Join(err, s.log.Close())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
