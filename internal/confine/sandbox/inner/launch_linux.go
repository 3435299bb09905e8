package inner

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/confine/process/guard"
)

// layerError is a layer that could not be set up.
type layerError struct {
	layer Layer
	err   error
}

func (e layerError) Error() string { return e.err.Error() }
func (e layerError) Unwrap() error { return e.err }

func failure(err error) Report {
	r := Report{Kind: Failed}
	if layer, ok := errors.AsType[layerError](err); ok {
		r.Layer = layer.layer
	}
	errors.As(err, &r.Errno)
	r.Text = strings.TrimSuffix(strings.TrimSuffix(err.Error(), r.Errno.Error()), ": ")
	return r
}

// launch confines this process and starts the program in it.
func (i *initProcess) launch() (pid int, err error) {
	o := i.order
	if o.Boxed {
		if err := o.verify(); err != nil {
			return 0, layerError{Namespaces, err}
		}
	}
	if err := i.listen(); err != nil {
		return 0, layerError{Network, err}
	}
	path, err := guard.Find(string(o.Path), string(o.Dir), texts(o.Env))
	if err != nil {
		return 0, err
	}
	if err := dropCapabilities(); err != nil {
		return 0, layerError{Namespaces, err}
	}
	if o.Limits != nil {
		if err := o.Limits.bound(); err != nil {
			return 0, layerError{ResourceLimits, err}
		}
	}
	if o.Landlock {
		if err := restrict(texts(o.Writes), texts(o.NoPipe)); err != nil {
			return 0, layerError{Landlock, err}
		}
	}
	if o.Seccomp {
		if err := filter(o.SetID).Apply(); err != nil {
			return 0, layerError{Seccomp, err}
		}
	}
	// Descriptors that the worker leaked or inherited are not passed on.
	if err := unix.CloseRange(givenIn, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 0, layerError{Namespaces, fmt.Errorf("close descriptors: %w", err)}
	}
	pid, err = syscall.ForkExec(path, append([]string{string(o.Path)}, texts(o.Args)...), &syscall.ProcAttr{
		Dir: string(o.Dir), Env: texts(o.Env), Files: []uintptr{givenIn, givenOut, givenErr},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, fmt.Errorf("run %s: %w", path, err)
	}
	return pid, nil
}
