package opencode

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/acp"
	"github.com/longshift/longshift/internal/agent/jsonrpc"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Run runs one session to its end. In addition to agent.Agent: if the model endpoint is down or overloaded for longer than the binary
// retries, the error is of kind fault.Infra and the outcome is set too; the session can be resumed.
func (d *Driver) Run(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
	if err := program.CheckWithKey(s, programName); err != nil {
		return agent.Outcome{}, err
	}
	release, err := d.running.Claim(s.ID)
	if err != nil {
		return agent.Outcome{}, err
	}
	defer release()
	defer program.ClearTmp(s)
	ctx, cancel := program.WithWall(ctx, s)
	defer cancel()
	ctx, stop := whileServed(ctx, s)
	defer stop()
	a := &attempt{d: d, s: s, events: program.NewEvents(d.cfg.Now, emit), calls: newCalls()}
	if s.Resume {
		a.id = program.KeptID(s, idName, sessionID)
	}
	if ctx.Err() == nil {
		if err := a.run(ctx); err != nil {
			return agent.Outcome{}, err
		}
	}
	return a.outcome(ctx)
}

// attempt is one process of a session.
type attempt struct {
	d *Driver
	s agent.Session

	proc   *process.Process
	client *acp.Client
	events *program.Events
	calls  *calls
	spoken spoken

	// Of the goroutine that talks, until it has ended.
	id      string // of the conversation; of an earlier attempt until this one has opened it
	resumed bool
	usage   task.Usage
	done    bool           // the agent has finished
	ended   string         // why its last turn ended, in the words of the protocol
	failed  *jsonrpc.Error // of the last prompt

	answers sync.WaitGroup // goroutines that answer the binary
	notes   notes          // prompts that run beside the first

	exit   process.Exit
	stderr string

	opened   atomic.Pointer[string] // id, once the binary has opened it
	held     sync.Once              // writes down that the conversation holds the prompt
	deadline program.Deadline
}

// run starts the binary, talks to it and follows its output until it has ended. An error means that the session could not run or had to be
// stopped.
func (a *attempt) run(ctx context.Context) (err error) {
	if a.proc, err = a.d.start(ctx, a.s); err != nil {
		return err
	}
	a.client = acp.New(a.proc.Stdin())
	asking, noMore := context.WithCancel(ctx)
	defer noMore()
	if a.s.Reports != nil {
		a.s.Reports.Order(a.inTurn(asking))
	}
	talked := make(chan error, 1)
	go func() {
		err := a.talk(asking)
		if err != nil {
			a.proc.Stop()
		}
		a.client.Close() // it exits then
		a.stopAfter(a.d.cfg.Grace)
		talked <- err
	}()
	broken, err := a.client.Read(a.proc.Stdout(), programName, acp.Handler{
		Update: a.update(asking),
		Ask:    func(_ string, q acp.Question) error { return a.question(asking, q) },
	})
	if err != nil {
		a.proc.Stop()
	}
	a.exit, a.stderr = a.proc.Wait(), a.proc.Stderr()
	noMore()
	if talk := <-talked; talk != nil {
		err = talk
	}
	a.answers.Wait()
	a.deadline.Stop()
	if broken > 0 {
		a.d.log.WarnContext(ctx, "opencode wrote lines that can't be read", "session", a.s.ID, "lines", broken)
	}
	return err
}

// start prepares the session's state folder and starts the binary.
func (d *Driver) start(ctx context.Context, s agent.Session) (*process.Process, error) {
	text, err := settings(s)
	if err != nil {
		return nil, fault.New(fault.Internal, "write opencode's settings: %w", err)
	}
	return program.Start(ctx, s, program.Launch{
		Name: programName, Package: "opencode-ai", Version: d.cfg.Version, Binary: d.cfg.Binary, Args: []string{"acp", "--cwd", s.Dir},
		Env: d.environment(s, text), Prepare: func() error { return prepare(s) }, Grace: d.cfg.Grace, Log: d.log,
	})
}

// cancel has the binary end its turn, and ends the process if it does not.
func (a *attempt) cancel(grace time.Duration) {
	a.stopAfter(grace) // first, because a binary that does not read blocks us
	a.client.Cancel(a.id)
}

// stopAfter ends the process if it is still there after the time.
func (a *attempt) stopAfter(grace time.Duration) {
	a.deadline.Set(grace, func() { a.proc.Stop() })
}

// errSpent is the cause when the model endpoint's quota is used up. until is when it is available again, zero if that is unknown.
type errSpent struct{ until time.Time }

func (errSpent) Error() string { return "the quota is used up" }

// pause is how long the binary may wait by itself for a quota.
const pause = time.Minute

// errOutage is the cause when the model endpoint has failed every call for long.
var errOutage = errors.New("the model endpoint has failed every call for minutes")

// outage is how long the binary may repeat calls that fail.
const outage = 3 * time.Minute

// whileServed ends a session's context when the endpoint's quota is used up for long, or when it has failed every call for long. The binary would
// repeat its calls without an end, with nothing to be seen.
func whileServed(ctx context.Context, s agent.Session) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := func() { cancel(context.Canceled) }
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				if why := unserved(s, now); why != nil {
					cancel(why)
				}
			}
		}
	}()
	return ctx, stop
}

// unserved returns why the session gets no answers; nil while it may get some.
func unserved(s agent.Session, now time.Time) error {
	if s.Spent != nil {
		if until, spent := s.Spent(); spent && (until.IsZero() || until.After(now.Add(pause))) {
			return errSpent{until}
		}
	}
	if s.Failing != nil {
		if since := s.Failing(); !since.IsZero() && now.Sub(since) > outage {
			return errOutage
		}
	}
	return nil
}

// spent returns the cause if the session's quota is used up.
func spent(ctx context.Context) (errSpent, bool) {
	return errors.AsType[errSpent](context.Cause(ctx))
}
