package claude

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// What a process holds on to grows with its sessions. One that has had mostSessions or takes mostMemory bytes is not kept.
const (
	mostSessions = 20
	mostMemory   = 1 << 30
)

// clearTime is how long the binary may take to forget a conversation. It takes 20 ms.
const clearTime = 5 * time.Second

// clearLine is the user's turn that makes the binary forget the conversation and begin another.
const clearLine = `{"type":"user","message":{"role":"user","content":"/clear"}}` + "\n"

// kept is what is known of a process that has one session after another.
type kept struct {
	sessions int           // that have ended
	cleared  bool          // it has forgotten a conversation, and waits for the prompt of the next
	dir      string        // the folder that it was started in, as it says itself
	state    process.State // before its first call
	settings []byte        // the binary's own file in the home, before its first call
	unknown  error         // why these are not known
}

// observe notes what there is of a fresh process before the first call: all of it is the binary's own.
func (p *started) observe(s agent.Session, dir string, within time.Duration) {
	p.dir = dir
	if p.state, p.unknown = p.State(within); p.unknown == nil {
		p.settings, p.unknown = program.ReadFile(s, settingsName)
	}
}

// keeps tells whether the process can have another session after this one. The session must have come to its proper end, and have left nothing
// that runs or lies in the folders of its sandbox. One that had an attempt before has a home in which that may have left anything.
func (a *attempt) keeps() bool {
	over := a.reader.result != nil && a.finished() || a.succeeded() && a.decisions.over() == nil
	if !a.s.Keep || !over || a.cut != nil || a.s.Resume || len(a.reader.tools) > 0 || a.proc.unknown != nil ||
		a.proc.sessions+1 >= mostSessions || a.ended.Load() {
		return false
	}
	err := a.proc.unchanged(a.d.cfg)
	if err != nil {
		a.d.log.Info("claude is not kept", "session", a.s.ID, "why", err)
	}
	return err == nil
}

// unchanged fails when anything is left of the sessions of the process so far. What is about to end may end first: a busy machine is slow to
// end what has nothing more to do.
func (p *started) unchanged(c Config) error {
	for until := time.Now().Add(c.EndTime); ; time.Sleep(c.EndTime / 20) {
		if err := p.changed(c.LookTime); !errors.Is(err, process.ErrLeft) || time.Now().After(until) {
			return err
		}
	}
}

// changed says what is left at one moment.
func (p *started) changed(within time.Duration) error {
	now, err := p.State(within)
	switch {
	case err != nil:
		return err
	case now.Memory > mostMemory:
		return errors.New("it takes too much memory")
	}
	return now.Since(p.state)
}

// Clear has a session go on with the process of one that has ended, which was run with Keep and whose Outcome was Kept. The binary forgets
// that conversation, and what it has left in its home is removed. The next Run of the session takes the process over like one of Warm. The
// two sessions have the same StateDir and endpoints, and differ only in what Warm lets differ. Any error ends the process, and then the
// session can't be run in that StateDir.
func (d *Driver) Clear(ctx context.Context, ended string, s agent.Session) error {
	release, err := d.expect(ctx, &s)
	if err != nil {
		return err
	}
	defer release()
	p := d.unlist(d.kept, ended)
	if p == nil {
		return fault.New(fault.Infra, "no process of session %s is kept", ended)
	}
	if err := d.clear(p, s); err != nil {
		p.discard()
		return fault.New(fault.Infra, "go on with the process of session %s: %w", ended, err)
	}
	return d.list(d.warm, s.ID, p)
}

// clear makes the binary forget the conversation, checks what it says of the new one, and removes what the old one has left.
func (d *Driver) clear(p *started, s agent.Session) error {
	l := d.launch(s, false)
	if l.same != p.same {
		return errors.New("it was started for another session")
	}
	late := time.AfterFunc(clearTime, p.Stop)
	defer late.Stop()
	p.in.write([]byte(clearLine))
	r, reset := newReader(d.cfg.Now, func(agent.Event) {}), false
	for r.result == nil {
		if !p.lines.Scan() {
			return errors.New("it has ended")
		}
		r.line(p.lines.Bytes())
		reset = reset || r.reset
		if r.question != nil || r.response != nil {
			return errors.New("it asks or answers something")
		}
	}
	late.Stop() // what follows may take long, where much was left
	switch {
	case !running(p):
		return errors.New("it has ended")
	case !reset || r.init == nil || r.result.IsError:
		return errors.New("it has not begun another conversation")
	case r.init.SessionID == p.conversation || !program.UUID.MatchString(r.init.SessionID):
		return errors.New("it goes on with the same conversation")
	case r.init.Dir != p.dir:
		return errors.New("it works in another folder")
	}
	if err := checkInit(r.init, s, r.init.SessionID, d.cfg.Version); err != nil {
		return err
	}
	if err := p.unchanged(d.cfg); err != nil {
		return err
	}
	p.conversation, p.key, p.cleared = r.init.SessionID, l.key, true
	return p.settle(s, l)
}

// discard ends a process that waits, and removes its temporary files.
func (p *started) discard() {
	p.Kill()                // it has nothing to finish
	_ = os.RemoveAll(p.tmp) // leftovers cost only disk space
}
