package claude

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// Run runs one session to its end. In addition to agent.Agent: if the model endpoint is down or overloaded for longer than the binary
// retries, the error is of kind fault.Infra and the outcome is set too; the session can be resumed.
func (d *Driver) Run(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
	if err := program.Check(s); err != nil {
		return agent.Outcome{}, err
	}
	release, err := d.claim(ctx, s.ID, false)
	if err != nil {
		return agent.Outcome{}, err
	}
	defer release()
	kept := false
	defer func() {
		if !kept {
			program.ClearTmp(s)
		}
	}()
	ctx, cancel := program.WithWall(ctx, s)
	defer cancel()
	resume := s.Resume && hasTranscript(s)
	for turned := 0; ; turned++ {
		a := &attempt{d: d, s: s, resume: resume}
		if err := a.run(ctx, emit); err != nil {
			return agent.Outcome{}, err
		}
		kept = a.kept
		switch a.startProblem() {
		case unknownSession:
			if turned < 2 && resume {
				if err := setAsideTranscript(s); err != nil {
					return agent.Outcome{}, err
				}
				resume = false
				continue
			}
		case sessionInUse:
			if turned < 2 && !resume {
				resume = true
				continue
			}
		}
		return a.outcome(ctx)
	}
}

// attempt is one process of a session.
type attempt struct {
	d      *Driver
	s      agent.Session
	resume bool

	proc      *started
	in        *input
	prompt    []byte // sent after the hooks are set up
	reader    *reader
	decisions *decisions
	answers   sync.WaitGroup // goroutines that answer the binary
	winding   sync.Once      // a decision is ending the session
	unwind    func()         // stops the timers for that; nil if there are none

	kept        bool // the session has ended, and the process waits for another
	exit        process.Exit
	stderr      string
	unconnected atomic.Pointer[error] // why the binary could not list the tools to report by

	cut   *time.Timer // running while the binary should exit after its result
	ended atomic.Bool // we have stopped it: ctx ended, or the grace period after its result
}

// run starts the binary, or takes over a warm process, and follows its stream until it has ended. An error means that the session could
// not run or had to be stopped.
func (a *attempt) run(ctx context.Context, emit func(agent.Event)) error {
	var err error
	text, images := a.s.Prompt, a.s.Images
	if a.resume && (a.s.Again == "" || hasPrompt(a.s)) {
		text, images = cmp.Or(a.s.Again, text), nil // the images are in the conversation already
	}
	if a.prompt, err = promptLine(text, images); err != nil {
		return fault.New(fault.Internal, "write prompt: %w", err)
	}
	a.reader, a.decisions = newReader(a.d.cfg.Now, emit), newDecisions(a.s)
	if a.proc = a.d.takeWarm(a.s, a.resume); a.proc == nil {
		if !a.s.Resume && conversation(a.s) != a.s.ID { // it was cleared for this session
			return fault.New(fault.Infra, "run session %s: %w", a.s.ID, agent.ErrGone)
		}
		if ctx.Err() != nil {
			return nil
		}
		if a.proc, err = a.d.start(ctx, a.s, a.resume); err != nil {
			return err
		}
	}
	unhook := context.AfterFunc(ctx, a.end)
	defer unhook()
	a.in = a.proc.in
	asking, noMore := context.WithCancel(ctx)
	defer noMore()
	if a.proc.cleared {
		a.goAnswer(func() { a.begin(asking) })
	}
	err = a.follow(asking)
	if err != nil {
		a.proc.Stop()
	}
	if !a.kept {
		a.exit = a.proc.Wait()
	}
	a.stderr = a.proc.Stderr()
	noMore()
	a.answers.Wait()
	a.stopTimers()
	if a.reader.broken > 0 {
		a.d.log.WarnContext(ctx, "claude wrote lines that can't be read", "session", a.s.ID, "lines", a.reader.broken)
	}
	if err == nil && a.reader.result != nil {
		err = a.checkStderr()
	}
	if err == nil {
		err = a.connected(ctx)
	}
	if !a.kept {
		return err
	}
	a.proc.sessions++
	a.proc.cleared = false
	if err != nil {
		a.proc.discard()
	} else if a.d.list(a.d.kept, a.s.ID, a.proc) != nil { // the driver is closed, which is nothing to the session
		a.kept = false
	}
	return err
}

func (a *attempt) end() {
	a.ended.Store(true)
	a.proc.Stop()
}

func (a *attempt) stopTimers() {
	if a.cut != nil {
		a.cut.Stop()
	}
	if a.unwind != nil {
		a.unwind()
	}
}
