package claude

import (
	"context"
	"maps"
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
	in     *input
	hello  string // id of the request that sets up the hooks
	key    string
	expire *time.Timer
}

// start prepares the session's state folder and starts the binary without its prompt. It sets up the hooks at once, although no call is
// made before the prompt.
func (d *Driver) start(ctx context.Context, s agent.Session, resume bool) (*started, error) {
	l := d.launch(s, resume)
	p, err := program.Start(ctx, s, program.Launch{
		Name: programName, Package: "@anthropic-ai/claude-code", Version: d.cfg.Version, Binary: d.cfg.Binary, Args: l.args, Env: l.env,
		Prepare: func() error { return l.prepare(s) }, Grace: d.cfg.Grace, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	in := newInput(p.Stdin())
	return &started{Process: p, in: in, hello: in.request(hooks(s)), key: l.key}, nil
}

// Warm starts the session's process before its Run, without the prompt, because loading the binary takes longer than most of the rest.
// The next Run takes the process over if only Prompt, Wall and Role differ. Any other Run of the session ends it, and so do Cool, Close
// and Config.WarmTime. Warming a session twice does nothing; a running session can't be warmed.
func (d *Driver) Warm(ctx context.Context, s agent.Session) error {
	s.Prompt = "-" // not known yet
	if err := program.Check(s); err != nil {
		return err
	}
	release, err := d.claim(ctx, s.ID, true)
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
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		go p.Stop()
		return fault.New(fault.Stopping, "claude driver is closed")
	}
	d.warm[s.ID] = p
	p.expire = time.AfterFunc(d.cfg.WarmTime, func() { d.Cool(s.ID) })
	return nil
}

// takeWarm returns the warm process for exactly this session, if there is one. It ends a process that was started for another launch.
func (d *Driver) takeWarm(s agent.Session, resume bool) *started {
	p := d.unlist(s.ID)
	if p != nil && (p.key != d.launch(s, resume).key || !running(p)) {
		p.Stop()
		return nil
	}
	return p
}

// unlist removes the session's warm process from the list; the caller must end it.
func (d *Driver) unlist(id string) *started {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.warm[id]
	if p != nil {
		delete(d.warm, id)
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

// Cool ends the session's warm process, if there is one.
func (d *Driver) Cool(session string) {
	if p := d.unlist(session); p != nil {
		p.Stop()
	}
}

// Close ends all warm processes and prevents new ones. Runs continue until their contexts end.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed = true
	ids := slices.Collect(maps.Keys(d.warm))
	d.mu.Unlock()
	for _, id := range ids {
		d.Cool(id)
	}
	return nil
}
