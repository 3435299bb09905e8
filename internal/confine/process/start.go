package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/confine/process/guard"
	"github.com/longshift/longshift/internal/confine/process/tree"
)

const (
	defaultGrace = 5 * time.Second
	stuckAfter   = 5 * time.Second
	stderrKept   = 64 << 10
)

// Process is a running program and its process tree.
type Process struct {
	spec    Spec
	guard   *exec.Cmd
	child   tree.Process
	control *os.File // to the guard; closing it kills the tree
	status  *statusReader
	stdin   io.WriteCloser
	stdout  *output
	stderr  *capture
	stderrF *os.File

	stuck    time.Duration // how long after the grace period a guard may stay silent
	stopOnce sync.Once
	drained  chan struct{} // stderr has been read to its end
	done     chan struct{} // the tree is gone and exit is set
	exit     Exit
	stopped  bool // ctx ended before the tree was gone
}

// Start starts the program. When ctx ends, the tree is stopped as by Stop. If the program can't be started, the error
// matches fs.ErrNotExist or fs.ErrPermission where that is the reason.
func Start(ctx context.Context, s Spec) (*Process, error) {
	return start(ctx, s, false)
}

func start(ctx context.Context, s Spec, combined bool) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Path, err)
	}
	o, err := newOrder(s)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Path, err)
	}
	p := &Process{spec: s, stuck: stuckAfter, drained: make(chan struct{}), done: make(chan struct{}), stderr: newCapture(0, stderrKept)}
	if err := p.launch(o, combined); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Path, err)
	}
	unhook := context.AfterFunc(ctx, p.Stop)
	go func() {
		p.watch()
		p.stopped = !unhook()
		close(p.done)
	}()
	return p, nil
}

// launch starts the guard, sends it the order and waits until it reports that the program runs.
func (p *Process) launch(o guard.Order, combined bool) error {
	c, err := openStdio(p.spec, combined)
	if err != nil {
		return err
	}
	p.guard = &exec.Cmd{
		Path: guard.Executable(), Args: []string{guard.Name}, Dir: "/", Env: guardEnv(p.spec.Session),
		Stdin: c.childIn, Stdout: c.childOut, Stderr: c.childErr,
		ExtraFiles:  []*os.File{c.controlIn, c.statusOut},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	err = p.guard.Start()
	c.closeChildEnds()
	if err != nil {
		c.closeParentEnds()
		return fmt.Errorf("start guard: %w", err)
	}
	p.control, p.status, p.stdin = c.control, newStatusReader(c.status), c.in
	p.stdout, p.stderrF = &output{f: c.out}, c.err
	if o.Send(c.control) == nil {
		if p.child, err = p.status.started(); err == nil {
			p.pump()
			return nil
		}
	}
	err = p.status.startError()
	c.control.Close() // kills anything that was started
	p.guard.Wait()
	c.closeParentEnds()
	return err
}

// pump copies stdin and stderr, each until its end.
func (p *Process) pump() {
	if w, ok := p.stdin.(*os.File); ok && !p.spec.StdinPipe && p.spec.Stdin != nil {
		go func() {
			io.Copy(w, p.spec.Stdin) // not an error when the program doesn't read all of its input
			w.Close()
		}()
	}
	go func() {
		defer close(p.drained)
		if p.stderrF != nil {
			io.Copy(p.stderr, p.stderrF)
			p.stderrF.Close()
		}
	}()
}

// watch waits until the tree is gone and records how the program ended.
func (p *Process) watch() {
	exit, err := p.status.exit()
	p.status.close()
	p.guard.Wait()
	if err != nil { // the guard was killed: find its descendants
		p.exit = Exit{Code: -1, Err: errors.New("guard of the process was killed")}
		p.sweep()
	} else {
		p.exit = exit
	}
	if p.spec.Ended != nil {
		p.exit = p.spec.Ended(p.exit)
	}
	p.control.Close()
	if p.stdin != nil {
		p.stdin.Close()
	}
	// A process that escaped may still hold the pipes; don't wait for it.
	late := time.Now().Add(time.Second)
	p.stdout.f.SetReadDeadline(late)
	if p.stderrF != nil {
		p.stderrF.SetReadDeadline(late)
	}
	<-p.drained
}

// sweep ends the descendants of a killed guard.
func (p *Process) sweep() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*stuckAfter)
	defer cancel()
	reap(ctx, p.grace(), finder{roots: []tree.Process{p.child}, session: p.spec.Session})
}
