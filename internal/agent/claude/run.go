package claude

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/process"
)

// errWall ends a context whose session has used up its wall time.
var errWall = errors.New("wall time is used up")

// Run runs one session to its end. Beside what agent.Agent says: when the model endpoint is down or overloaded beyond the
// binary's own patience, the error is of kind fault.Infra and the outcome is filled too; the session can be resumed.
func (d *Driver) Run(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
	if err := checkSession(s); err != nil {
		return agent.Outcome{}, err
	}
	release, err := d.claim(ctx, s.ID, false)
	if err != nil {
		return agent.Outcome{}, err
	}
	defer release()
	if s.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.Wall, errWall)
		defer cancel()
	}
	resume := s.Resume && hasTranscript(s)
	for turned := 0; ; turned++ {
		a := &attempt{d: d, s: s, resume: resume}
		if err := a.run(ctx, emit); err != nil {
			return agent.Outcome{}, err
		}
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

	proc   *started
	in     *input
	reader *reader
	exit   process.Exit
	stderr string
	cut    *time.Timer // runs while the binary is to exit after its result
	ended  atomic.Bool // we ended it: ctx, or the grace after its result
}

// run starts the binary, or takes the one that waits, and follows its stream until nothing of it is left.
// An error means that the session could not be, or must not go on.
func (a *attempt) run(ctx context.Context, emit func(agent.Event)) error {
	line, err := promptLine(a.s.Prompt)
	if err != nil {
		return fault.New(fault.Internal, "write prompt: %w", err)
	}
	a.reader = &reader{now: a.d.cfg.Now, emit: emit}
	if a.proc = a.d.takeWarm(a.s, a.resume); a.proc == nil {
		if ctx.Err() != nil {
			return nil
		}
		if a.proc, err = a.d.start(ctx, a.s, a.resume); err != nil {
			return err
		}
	}
	unhook := context.AfterFunc(ctx, a.end)
	defer unhook()
	a.in = &input{w: a.proc.Stdin()}
	go a.in.write(line) // a binary that is gone leaves a broken pipe; its exit tells the rest
	err = a.follow()
	if err != nil {
		a.proc.Stop()
	}
	a.exit, a.stderr = a.proc.Wait(), a.proc.Stderr()
	if a.cut != nil {
		a.cut.Stop()
	}
	if a.reader.broken > 0 {
		a.d.log.WarnContext(ctx, "claude wrote lines that can't be read", "session", a.s.ID, "lines", a.reader.broken)
	}
	if err == nil && a.reader.result != nil {
		err = a.checkStderr()
	}
	return err
}

func (a *attempt) end() {
	a.ended.Store(true)
	a.proc.Stop()
}

// follow reads the stream to its end, or to something that must not go on.
func (a *attempt) follow() error {
	lines := process.NewLineScanner(a.proc.Stdout(), lineMax)
	for lines.Scan() {
		fresh := a.reader.init == nil
		a.reader.line(lines.Bytes())
		if fresh && a.reader.init != nil {
			if err := a.greet(); err != nil {
				return err
			}
		}
		if q := a.reader.question; q != nil {
			if err := a.answer(q); err != nil {
				return err
			}
		}
		if a.reader.result != nil && a.cut == nil {
			a.in.close()
			a.cut = time.AfterFunc(a.d.cfg.Grace, a.end)
		}
	}
	a.reader.broken += int(lines.Skipped())
	if err := lines.Err(); err != nil {
		return fault.New(fault.Infra, "read claude's output: %w", err)
	}
	return nil
}

// greet checks the first line and tells that the session has started.
func (a *attempt) greet() error {
	if err := a.checkStderr(); err != nil {
		return err
	}
	if err := checkInit(a.reader.init, a.s, a.d.cfg.Version); err != nil {
		return err
	}
	a.reader.send(agent.Event{Kind: agent.Started, ID: a.reader.init.SessionID, Text: a.reader.init.Version})
	return nil
}

// checkStderr looks for the one warning that must not pass.
func (a *attempt) checkStderr() error {
	text := a.proc.Stderr()
	if i := strings.Index(text, settingsDropped); i >= 0 {
		return fault.New(fault.Internal, "claude runs without our settings: %s", capped(text[i:], 400))
	}
	return nil
}

// settingsDropped is how the binary says that it goes on without the settings it was given.
const settingsDropped = "These settings files did not load"
