// Package sandbox confines programs: an agent, a setup command or a check sees the machine read-only, writes only to the
// folders it was given, reaches only the ports it was given, and ends together with everything it has started. This
// holds for hostile programs, and without any review of their commands.
//
// There are five layers: namespaces made by bubblewrap, a separate network, Landlock, a seccomp filter, and resource
// limits. Each is probed by running a confined program before the first real one, and a missing layer is an error, not a
// log line. An operator can disable a layer by naming it.
//
// The package may start programs only through internal/confine/process. It may not decide which commands are safe, which
// folders need protection or what may be reached; callers do. It never follows a symbolic link that a confined program
// may have planted.
//
// It relies on two assumptions. Only the program that is currently confined writes below Work, and earlier programs
// there have ended; a folder that several running boxes share as Writable contains no protected path. And the kernel
// enforces its own rules: the package can't protect against a kernel vulnerability.
package sandbox

import (
	"context"
	"log/slog"
	"net"
	"runtime"
	"time"

	"github.com/longshift/longshift/internal/confine/sandbox/inner"
	"github.com/longshift/longshift/internal/fault"
)

// Layer is one layer of the sandbox. Its text is what operators write to run without it.
type Layer = inner.Layer

const (
	LayerNamespaces = inner.Namespaces
	LayerNetwork    = inner.Network
	LayerLandlock   = inner.Landlock
	LayerSeccomp    = inner.Seccomp
	LayerLimits     = inner.ResourceLimits
)

// AllLayers lists the layers, outermost first.
func AllLayers() []Layer {
	return []Layer{LayerNamespaces, LayerNetwork, LayerLandlock, LayerSeccomp, LayerLimits}
}

// WeakenFlag is the worker's setting that disables a layer, for messages.
const WeakenFlag = "LONGSHIFT_SANDBOX_WITHOUT"

type Config struct {
	Bwrap  string         // path of bubblewrap, or a name on the worker's PATH; "" for "bwrap"
	Weaken map[Layer]bool // layers that the operator has disabled
	Log    *slog.Logger   // nil for slog.Default
}

type LayerState struct {
	Layer  Layer
	Stands bool   // false when the operator has disabled it
	Detail string // what was found: version, level, mechanism
}

// Spec is what a program may do. Paths are absolute; the folders must exist.
type Spec struct {
	// Work is the worktree. The program sees it at the same path.
	Work string
	// ReadOnly makes Work read-only.
	ReadOnly bool
	// NoPipes forbids named pipes below Work: a later reader, such as git, would block on one for ever. Landlock
	// enforces it, but not below the box's own folders, such as /tmp.
	NoPipes bool
	// Protected are paths below Work or Writable that become read-only mounts of their own, so that they can't be
	// written, moved, removed or replaced. A missing path is occupied by an empty folder while the program runs, so that
	// it can't be created. A symbolic link in the path is an error, since a link can't be protected.
	Protected []string
	// Writable are further folders that may be written: caches, the agent's home.
	Writable []string
	// Moved are further writable folders, keyed by the path at which the program sees them. That path must also exist
	// outside and contain no protected path. Moved needs the namespaces layer.
	Moved map[string]string
	// Readable are read-only folders that stay visible below a hidden one.
	Readable []string
	// Hidden are folders and files that are covered; missing ones are ignored. /tmp, /var/tmp, /dev/shm and /run are
	// always the box's own.
	Hidden []string
	// Reach lists the only ports that the program reaches on loopback. It has no effect without the network layer: the
	// program then uses the host's own loopback.
	Reach []Reach
	// Limits bound the resources of the program.
	Limits Limits

	fence string // a folder that is writable by the mounts but not by Landlock, for the probe
}

// Reach forwards a port of the box's loopback to the worker.
type Reach struct {
	Port int                                         // 1024 to 65535, on 127.0.0.1 and ::1 inside
	Dial func(ctx context.Context) (net.Conn, error) // called for each connection; ctx ends with the box
}

// Limits bound a box. Zero fields get the values of DefaultLimits.
type Limits = inner.Limits

// DefaultLimits suit builds on a shared machine: ordinary work does not reach them. Parallel build jobs each start a
// thread per CPU, so the limit on processes grows with the machine.
func DefaultLimits() Limits {
	return Limits{Processes: max(1024, 256*runtime.NumCPU()), OpenFiles: 16384, FileSize: 8 << 30, Memory: 8 << 30, CPU: 6 * time.Hour}
}

// leastLimits leave room for the box itself.
func leastLimits() Limits {
	return Limits{Processes: 32, OpenFiles: 64, FileSize: 1, Memory: 512 << 20, CPU: time.Second}
}

// orDefault fills in defaults. It fails when a limit is below the least.
func orDefault(l Limits) (Limits, error) {
	d, least := DefaultLimits(), leastLimits()
	for _, f := range []struct {
		name                   string
		given, standard, least int64
		set                    func(int64)
	}{
		{"Processes", int64(l.Processes), int64(d.Processes), int64(least.Processes), func(v int64) { l.Processes = int(v) }},
		{"OpenFiles", int64(l.OpenFiles), int64(d.OpenFiles), int64(least.OpenFiles), func(v int64) { l.OpenFiles = int(v) }},
		{"FileSize", l.FileSize, d.FileSize, least.FileSize, func(v int64) { l.FileSize = v }},
		{"Memory", l.Memory, d.Memory, least.Memory, func(v int64) { l.Memory = v }},
		{"CPU", int64(l.CPU), int64(d.CPU), int64(least.CPU), func(v int64) { l.CPU = time.Duration(v) }},
	} {
		if f.given == 0 {
			f.set(f.standard)
		} else if f.given < f.least {
			return l, fault.New(fault.Input, "sandbox: limit %s is %d", f.name, f.given).
				WithHint("give at least %d, or 0 for %d", f.least, f.standard)
		}
	}
	return l, nil
}
