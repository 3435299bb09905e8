package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

const lastRead = 100 * time.Millisecond

// stdio holds both ends of the pipes to a guard and its child.
type stdio struct {
	childIn, childOut, childErr *os.File
	controlIn, statusOut        *os.File

	in              io.WriteCloser // nil when the input is /dev/null
	out, err        *os.File       // err is nil when both go to out
	control, status *os.File
}

func openStdio(s Spec, combined bool) (*stdio, error) {
	c := &stdio{}
	err := errors.Join(
		pipe(&c.controlIn, &c.control),
		pipe(&c.status, &c.statusOut),
		pipe(&c.out, &c.childOut),
		c.openInput(s),
		c.openErrors(combined),
	)
	if err != nil {
		c.closeChildEnds()
		c.closeParentEnds()
		return nil, fmt.Errorf("open pipes: %w", err)
	}
	return c, nil
}

func pipe(r, w **os.File) error {
	var err error
	*r, *w, err = os.Pipe()
	return err
}

func (c *stdio) openInput(s Spec) (err error) {
	if s.Stdin == nil && !s.StdinPipe {
		c.childIn, err = os.Open(os.DevNull)
		return err
	}
	var w *os.File
	if s.StdinPipe {
		err = socket(&c.childIn, &w)
	} else {
		err = pipe(&c.childIn, &w)
	}
	if err == nil {
		c.in = w
	}
	return err
}

// socket makes the connection to a program that reads commands while it runs. Any process of the same user could open a
// pipe through /proc and write to it; a socket can't be opened like that.
func socket(theirs, ours **os.File) error {
	syscall.ForkLock.RLock() // so that no program started meanwhile inherits the ends
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return err
	}
	if err := syscall.SetNonblock(fds[1], true); err != nil {
		syscall.Close(fds[0])
		syscall.Close(fds[1])
		return err
	}
	*theirs, *ours = os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1")
	return nil
}

func (c *stdio) openErrors(combined bool) error {
	if combined {
		c.childErr = c.childOut
		return nil
	}
	return pipe(&c.err, &c.childErr)
}

func (c *stdio) closeChildEnds() {
	for _, f := range []**os.File{&c.childIn, &c.childOut, &c.childErr, &c.controlIn, &c.statusOut} {
		closeFile(f)
	}
}

func (c *stdio) closeParentEnds() {
	if c.in != nil {
		c.in.Close()
	}
	for _, f := range []**os.File{&c.out, &c.err, &c.control, &c.status} {
		closeFile(f)
	}
}

func closeFile(f **os.File) {
	if *f != nil {
		(*f).Close()
		*f = nil
	}
}

// output reads a pipe and closes it at its end.
type output struct{ f *os.File }

// Read returns output until the tree is gone. The deadline is set after that, when all output is in the pipe: one more
// read gets it. An empty pipe that has not ended is held open by a process that escaped.
func (o *output) Read(b []byte) (int, error) {
	n, err := o.f.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		o.f.SetReadDeadline(time.Now().Add(lastRead))
		n, err = o.f.Read(b)
	}
	if err != nil {
		o.f.Close()
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
			err = io.EOF
		}
	}
	return n, err
}
