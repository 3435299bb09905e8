package activities

import (
	"context"
	"net"

	"github.com/longshift/longshift/internal/process"
	"github.com/longshift/longshift/internal/sandbox"
)

// Box runs programs confined.
type Box interface {
	Start(ctx context.Context, s process.Spec, c sandbox.Spec) (*process.Process, error)
	Run(ctx context.Context, s process.Spec, l process.Limits, c sandbox.Spec) (process.Result, error)
}

// Confinement is what holds for every program of every task on this host.
type Confinement struct {
	Box      Box                                         // nil runs nothing
	Hidden   []string                                    // folders and files that no program sees: our data, the operator's home, secrets
	Readable []string                                    // what must be seen all the same below a hidden folder: tool chains, the agents' binaries
	Egress   func(ctx context.Context) (net.Conn, error) // the way to the package registries; nil for none
	Limits   sandbox.Limits
	Mounts   bool // whether the box can show a folder at another path
}

// EgressPort is where programs find the way to the package registries, on a loopback of their own.
const EgressPort = 3128

// Dirs are the folders that programs of a task have beside its workspace.
type Dirs struct {
	Home  string // of the task's own commands
	Cache string // of tool chains, where the programs find it
	own   string // where it lies; no other task sees it
}
