//go:build !linux

package sandbox

import (
	"context"
	"runtime"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// Box confines programs. It is only implemented on Linux.
type Box struct{}

// New fails: every layer needs Linux.
func New(context.Context, Config) (*Box, error) { return nil, missing() }

func missing() error {
	return fault.New(fault.Infra, "sandbox: no layer of it exists on %s", runtime.GOOS).
		WithHint("run the worker on Linux, in a virtual machine if need be")
}

func (b *Box) Layers() []LayerState { return nil }

func (b *Box) Start(context.Context, process.Spec, Spec) (*process.Process, error) {
	return nil, missing()
}

func (b *Box) Run(context.Context, process.Spec, process.Limits, Spec) (process.Result, error) {
	return process.Result{}, missing()
}
