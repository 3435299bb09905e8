package process

import (
	"context"
	"io"
	"time"

	"github.com/longshift/longshift/internal/confine/process/guard"
	"github.com/longshift/longshift/internal/confine/process/tree"
)

// Stop ends the whole process tree: TERM, then KILL after the grace period. It returns when the tree is gone. It may be
// called repeatedly.
func (p *Process) Stop() { p.end(guard.Stop) }

// Kill is Stop without the grace period: all processes of the tree get KILL at once.
func (p *Process) Kill() { p.end(guard.Kill) }

func (p *Process) end(order byte) {
	p.stopOnce.Do(func() {
		p.control.Write([]byte{order}) // fails only when the guard is gone, which watch sees
		timer := time.NewTimer(p.grace() + p.stuck)
		defer timer.Stop()
		select {
		case <-p.done:
		case <-timer.C: // the guard does not react; kill the tree from here, the guard last
			ctx, cancel := context.WithTimeout(context.Background(), 2*stuckAfter)
			defer cancel()
			guard, _ := tree.LookUp(p.guard.Process.Pid)
			reap(ctx, -1, finder{roots: []tree.Process{guard}, session: p.spec.Session})
		}
	})
	<-p.done
}

func (p *Process) grace() time.Duration {
	switch {
	case p.spec.Grace < 0:
		return 0
	case p.spec.Grace == 0:
		return defaultGrace
	}
	return p.spec.Grace
}

// Wait returns when the program and everything it has started are gone. It may be called repeatedly. Stdout can still be
// read afterwards.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// Done is closed when the program and everything it has started are gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stdin is the program's input when Spec.StdinPipe is set, else nil.
func (p *Process) Stdin() io.WriteCloser {
	if !p.spec.StdinPipe {
		return nil
	}
	return p.stdin
}

// Stdout is the program's output. It ends when the whole tree has closed it.
func (p *Process) Stdout() io.Reader { return p.stdout }

// Stderr is the last 64 KiB of the program's error output so far.
func (p *Process) Stderr() string { return p.stderr.String() }

// Pid is the program's process id, not the guard's.
func (p *Process) Pid() int { return p.child.Pid }
