package activities

import (
	"context"
	"net"
	"slices"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
)

type Box interface {
	Start(ctx context.Context, s process.Spec, c sandbox.Spec) (*process.Process, error)
	Run(ctx context.Context, s process.Spec, l process.Limits, c sandbox.Spec) (process.Result, error)
}

// Confinement limits every program of every task on this host.
type Confinement struct {
	Box      Box                                         // nil lets nothing run
	Hidden   []string                                    // from every program: the data directory, the operator's home
	Keys     func() []string                             // hidden too: the key files that are there when a box starts; nil for none
	Readable []string                                    // although below a hidden folder: tool chains, the agents' binaries
	Egress   func(ctx context.Context) (net.Conn, error) // connects to the package registries; nil for no connection
	Limits   sandbox.Limits
	Mounts   bool // whether the box can show a folder at another path
}

// hidden lists what a box that starts now hides.
func (c Confinement) hidden() []string {
	if c.Keys == nil {
		return slices.Clone(c.Hidden)
	}
	return slices.Concat(c.Hidden, c.Keys())
}

// EgressPort is the port of the proxy to the package registries, on the loopback of each box.
const EgressPort = 3128

// Dirs are the folders of a task's programs beside its workspace.
type Dirs struct {
	Home  string // of the task's own commands
	Cache string // of tool chains, at the path that the programs see
	own   string // the path of Cache on the host; no other task sees it
}
