package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// layerError is a layer that could not be put up.
type layerError struct {
	layer Layer
	err   error
}

func (e layerError) Error() string { return e.err.Error() }
func (e layerError) Unwrap() error { return e.err }

func failure(err error) report {
	r := report{Kind: isFailed}
	var layer layerError
	if errors.As(err, &layer) {
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
	path, err := o.find()
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
		if err := filterCalls(); err != nil {
			return 0, layerError{LayerSeccomp, err}
		}
	}
	// What the worker had open, or was itself given without knowing, stops here.
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

// find looks the program and its folder up as the box shows them.
func (o order) find() (string, error) {
	if info, err := os.Stat(string(o.Dir)); err != nil {
		return "", fmt.Errorf("working directory: %w", err)
	} else if !info.IsDir() {
		return "", fmt.Errorf("working directory %s is not a directory", o.Dir)
	}
	name := string(o.Path)
	if filepath.IsAbs(name) {
		return name, nil
	}
	if name == "" || strings.Contains(name, "/") {
		return "", fmt.Errorf("program %q is neither an absolute path nor a bare name", name)
	}
	for _, v := range toStrings(o.Env) {
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not in PATH: %w", name, unix.ENOENT)
}
