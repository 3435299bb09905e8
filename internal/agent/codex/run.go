package codex

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/jsonrpc"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
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
	a := &attempt{d: d, s: s, report: &report{Events: program.NewEvents(d.cfg.Now, emit)}, calls: newCalls()}
	if s.Resume {
		a.thread = program.KeptID(s, threadName, program.UUID)
	}
	if ctx.Err() == nil {
		if err := a.run(ctx); err != nil {
			return agent.Outcome{}, err
		}
	}
	return a.outcome(ctx)
}

// attempt is one process of a session. Fields without a lock belong to the goroutine that reads the binary's output.
type attempt struct {
	d *Driver
	s agent.Session

	proc   *process.Process
	conn   *jsonrpc.Conn
	report *report
	calls  *calls

	thread  string // id of the conversation; of an earlier attempt until this one has opened it
	resumed bool   // the conversation is an earlier attempt's
	started bool
	turn    atomic.Pointer[string] // id of our turn; nil before it
	over    *turn                  // our turn, when it has ended
	broken  int                    // lines that are not messages

	answers     sync.WaitGroup // goroutines that answer the binary
	unconnected atomic.Pointer[error]

	exit   process.Exit
	stderr string

	ended     atomic.Bool // we are ending it: ctx has ended, or the grace period after its turn
	deadline  program.Deadline
	interrupt sync.Once
}

// run starts the binary and follows its output until it has ended. An error means that the session could not run or had to be stopped.
func (a *attempt) run(ctx context.Context) (err error) {
	if a.proc, err = a.d.start(ctx, a.s); err != nil {
		return err
	}
	a.conn = jsonrpc.New(a.proc.Stdin(), "")
	unhook := context.AfterFunc(ctx, a.windUp)
	defer unhook()
	asking, noMore := context.WithCancel(ctx)
	defer noMore()
	err = a.follow(asking)
	if err != nil {
		a.proc.Stop()
	}
	a.exit, a.stderr = a.proc.Wait(), a.proc.Stderr()
	noMore()
	a.answers.Wait()
	a.deadline.Stop()
	if a.broken > 0 {
		a.d.log.WarnContext(ctx, "codex wrote lines that can't be read", "session", a.s.ID, "lines", a.broken)
	}
	if why := a.unconnected.Load(); err == nil && why != nil && ctx.Err() == nil {
		err = fault.New(fault.Infra, "codex does not list the tools to report by: %w", *why)
	}
	return err
}

// windUp interrupts the turn, which the binary writes into the conversation, and ends the process after the grace period. It ends the process
// at once when there is no turn yet.
func (a *attempt) windUp() {
	a.ended.Store(true)
	id := a.turn.Load()
	if id == nil {
		a.proc.Stop()
		return
	}
	a.stopAfter(a.d.cfg.Grace) // first, because a binary that does not read blocks us
	a.interruptTurn(*id)
}

// interruptTurn stops the turn. Commands that it has begun may go on; they end with the process.
func (a *attempt) interruptTurn(id string) {
	a.interrupt.Do(func() {
		a.conn.Call("turn/interrupt", map[string]any{"threadId": a.thread, "turnId": id}, ignore)
	})
}

// stopAfter ends the process if it is still there after the time.
func (a *attempt) stopAfter(grace time.Duration) {
	a.deadline.Set(grace, func() {
		a.ended.Store(true)
		a.proc.Stop()
	})
}
