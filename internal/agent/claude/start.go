package claude

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// started is a process with the launch it was started for.
type started struct {
	*process.Process
	in           *input
	lines        *process.LineScanner // of its stdout
	hello        string               // id of the request that sets up the hooks
	armed        bool                 // the hooks are set up
	key, same    string               // of its launch
	conversation string               // the binary's id of the session
	tmp          string               // folder of temporary files
	expire       *time.Timer
	kept
}

// start prepares the session's state folder and starts the binary without its prompt. It sets up the hooks at once, although no call is
// made before the prompt.
func (d *Driver) start(ctx context.Context, s agent.Session, resume bool) (*started, error) {
	if !resume {
		_ = os.Remove(filepath.Join(s.StateDir, conversationFile(s))) // of a conversation that can't be resumed
	}
	l := d.launch(s, resume)
	p, err := program.Start(ctx, s, program.Launch{
		Name: programName, Package: "@anthropic-ai/claude-code", Version: d.cfg.Version, Binary: d.cfg.Binary, Args: l.args, Env: l.env,
		Prepare: func() error { return l.prepare(s) }, Grace: d.cfg.Grace, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	in := newInput(p.Stdin())
	return &started{Process: p, in: in, lines: process.NewLineScanner(p.Stdout(), lineMax), hello: in.request(hooks(s)),
		key: l.key, same: l.same, conversation: l.conversation, tmp: program.Tmp(s)}, nil
}

// Warm starts the session's process before its Run, without the prompt, because loading the binary takes longer than most of the rest.
// The next Run takes the process over if only Prompt, Wall and Role differ. Any other Run of the session ends it, and so do Cool, Close
// and Config.WarmTime. Warming a session twice does nothing; a running session can't be warmed.
func (d *Driver) Warm(ctx context.Context, s agent.Session) error {
	release, err := d.expect(ctx, &s)
	if err != nil {
		return err
	}
	defer release()
	resume := s.Resume && hasTranscript(s)
	d.mu.Lock()
	w := d.warm[s.ID]
	d.mu.Unlock()
	if w != nil {
		if w.key == d.launch(s, resume).key && running(w) {
			return nil
		}
		d.Cool(s.ID)
	}
	p, err := d.start(ctx, s, resume)
	if err != nil {
		return err
	}
	return d.list(d.warm, s.ID, p)
}

// expect checks and reserves a session whose prompt is not known yet.
func (d *Driver) expect(ctx context.Context, s *agent.Session) (release func(), err error) {
	s.Prompt = "-"
	if err := program.Check(*s); err != nil {
		return nil, err
	}
	return d.claim(ctx, s.ID, true)
}

// list has a process wait, for Config.WarmTime at most. It ends the process when the driver is closed.
func (d *Driver) list(where map[string]*started, session string, p *started) error {
	d.mu.Lock()
	closed := d.closed
	if !closed {
		where[session] = p
		p.expire = time.AfterFunc(d.cfg.WarmTime, func() { d.Cool(session) })
	}
	d.mu.Unlock()
	if closed {
		p.discard()
		return fault.New(fault.Stopping, "claude driver is closed")
	}
	return nil
}

// takeWarm returns the warm process for exactly this session, if there is one. It ends a process that was started for another launch.
func (d *Driver) takeWarm(s agent.Session, resume bool) *started {
	p := d.unlist(d.warm, s.ID)
	if p != nil && (p.key != d.launch(s, resume).key || !running(p)) {
		p.discard()
		return nil
	}
	return p
}

// unlist removes the session's process from the list; the caller must end it.
func (d *Driver) unlist(where map[string]*started, id string) *started {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := where[id]
	if p != nil {
		delete(where, id)
		p.expire.Stop()
	}
	return p
}

func running(p *started) bool {
	select {
	case <-p.Done():
		return false
	default:
		return true
	}
}

// Cool ends the session's process that waits for its Run, or for another session after its Run.
func (d *Driver) Cool(session string) {
	for _, where := range []map[string]*started{d.warm, d.kept} {
		if p := d.unlist(where, session); p != nil {
			p.discard()
		}
	}
}

// Close ends all processes that wait and prevents new ones. Runs continue until their contexts end.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed = true
	ids := slices.AppendSeq(slices.Collect(maps.Keys(d.warm)), maps.Keys(d.kept))
	d.mu.Unlock()
	for _, id := range ids {
		d.Cool(id)
	}
	return nil
}
