package sandbox

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/confine/process"
)

// layerError is a layer that could not be set up.
type layerError struct {
	layer Layer
	err   error
}

func (e layerError) Error() string { return e.err.Error() }
func (e layerError) Unwrap() error { return e.err }

func failure(err error) report {
	r := report{Kind: isFailed}
	if layer, ok := errors.AsType[layerError](err); ok {
		r.Layer = layer.layer
	}
	errors.As(err, &r.Errno)
	r.Text = strings.TrimSuffix(strings.TrimSuffix(err.Error(), r.Errno.Error()), ": ")
	return r
}

// launch confines this process and starts the program in it.
func (i *inner) launch() (pid int, err error) {
	o := i.order
	if o.Boxed {
		if err := o.verify(); err != nil {
			return 0, layerError{LayerNamespaces, err}
		}
	}
	if err := i.listen(); err != nil {
		return 0, layerError{LayerNetwork, err}
	}
	path, err := process.Find(string(o.Path), string(o.Dir), toStrings(o.Env))
	if err != nil {
		return 0, err
	}
	if err := dropCapabilities(); err != nil {
		return 0, layerError{LayerNamespaces, err}
	}
	if o.Limits != nil {
		if err := o.Limits.bound(); err != nil {
			return 0, layerError{LayerLimits, err}
		}
	}
	if o.Landlock {
		if err := restrict(toStrings(o.Writes), toStrings(o.NoPipe)); err != nil {
			return 0, layerError{LayerLandlock, err}
		}
	}
	if o.Seccomp {
		if err := filterCalls(o.SetID); err != nil {
			return 0, layerError{LayerSeccomp, err}
		}
	}
	// Descriptors that the worker leaked or inherited are not passed on.
	if err := unix.CloseRange(givenIn, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 0, layerError{LayerNamespaces, fmt.Errorf("close descriptors: %w", err)}
	}
	pid, err = syscall.ForkExec(path, append([]string{string(o.Path)}, toStrings(o.Args)...), &syscall.ProcAttr{
		Dir: string(o.Dir), Env: toStrings(o.Env), Files: []uintptr{givenIn, givenOut, givenErr},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, fmt.Errorf("run %s: %w", path, err)
	}
	return pid, nil
}
