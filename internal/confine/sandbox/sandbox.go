// Package sandbox confines programs: what an agent, a setup command or a check starts sees the machine read-only, writes
// only where it was told it may, reaches only the ports it was given, and is gone with everything it has started when it
// ends. It holds when the program is hostile and nobody has judged its commands.
//
// Five layers stand one behind the other: namespaces made by bubblewrap, a network of its own, Landlock, a seccomp
// filter, and limits on what it may use up. Each is probed by running a confined program before the first real one, and
// a layer that is missing is an error, not a log line. An operator can run without one by naming it.
//
// The package may start programs only through internal/confine/process. It decides nothing about which commands are good, which
// folders are worth protecting or what may be reached: callers do. It never follows a symbolic link that a confined
// program may have planted.
//
// Two things are taken for granted. Nobody but the confined program of the moment writes below Work, and what ran there
// before is gone; a folder that several running boxes share as Writable holds no protected path. And the kernel itself
// keeps its promises: a hole in it is not ours to close.
package sandbox

import (
	"context"
	"log/slog"
	"net"
	"runtime"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Layer is one line of defence. Its text is what an operator writes to run without it.
type Layer string

const (
	LayerNamespaces Layer = "namespaces" // read-only root, own process table, no capabilities
	LayerNetwork    Layer = "network"    // a network of its own, with nothing on it but what Spec.Reach names
	LayerLandlock   Layer = "landlock"   // writes judged a second time, apart from the mounts
	LayerSeccomp    Layer = "seccomp"    // system calls that no ordinary program needs are refused
	LayerLimits     Layer = "limits"     // bounds on processes, memory, files and time
)

// AllLayers lists the layers from the outside in.
func AllLayers() []Layer {
	return []Layer{LayerNamespaces, LayerNetwork, LayerLandlock, LayerSeccomp, LayerLimits}
}

// WeakenFlag is the setting of the worker that runs without a layer; messages name it.
const WeakenFlag = "LONGSHIFT_SANDBOX_WITHOUT"

// Config is what New needs.
type Config struct {
	Bwrap  string         // bubblewrap: a path, or a name on the PATH of the worker; "" for "bwrap"
	Weaken map[Layer]bool // layers the operator runs without
	Log    *slog.Logger   // nil for slog.Default
}

// LayerState says how a layer stands.
type LayerState struct {
	Layer  Layer
	Stands bool   // false when the operator runs without it
	Detail string // what was found: version, level, mechanism
}

// Spec says what a program may do. Paths are absolute; the folders exist.
type Spec struct {
	// Work is the worktree. The program sees it at the same path.
	Work string
	// ReadOnly makes Work read-only.
	ReadOnly bool
	// NoPipes keeps named pipes from being made below Work: whoever reads there later, as git does, would wait at one for ever.
	// Landlock sees to it; it does not hold below a folder that is the box's own, such as /tmp.
	NoPipes bool
	// Protected are paths below Work or Writable that become read-only mounts of their own, so that they can be neither
	// written, moved, removed nor replaced. A path that does not exist is held by an empty folder while the program runs,
	// so that nothing can be put there. A symbolic link on the way is an error: it can't be held.
	Protected []string
	// Writable are further folders that may be written: caches, the agent's home.
	Writable []string
	// Moved are further folders that may be written, by the path under which the program finds them. That path exists outside too,
	// holds no protected path, and takes the namespaces layer.
	Moved map[string]string
	// Readable are folders shown read-only again although a hidden folder lies above them.
	Readable []string
	// Hidden are folders and files that are covered; one that does not exist is none. /tmp, /var/tmp, /dev/shm and /run
	// are the box's own in any case.
	Hidden []string
	// Reach is what the program reaches on loopback, and all it reaches. Without the network layer there are no such ports: the
	// program is on the host's own loopback.
	Reach []Reach
	// Limits bound what the program uses up.
	Limits Limits

	fence string // a folder that may be written by the mounts' account and not by Landlock's: for the probe
}

// Reach leads from a port of the box's loopback to the worker's side.
type Reach struct {
	Port int                                         // 1024 to 65535, on 127.0.0.1 and ::1 inside
	Dial func(ctx context.Context) (net.Conn, error) // called once for each connection; ctx ends with the box
}

// Limits bound a box. A zero field means the default of DefaultLimits.
type Limits struct {
	Processes int           // processes and threads of the whole box at one time
	OpenFiles int           // descriptors of each process
	FileSize  int64         // bytes of one file
	Memory    int64         // bytes: private memory of each process, and of the whole box where a cgroup can be used
	CPU       time.Duration // processor time of each process
}

// DefaultLimits are meant for a build on a machine that others use too: ordinary work does not notice them. Builds start
// as many threads as there are processors, each of them, so the bound on processes grows with the machine.
func DefaultLimits() Limits {
	return Limits{Processes: max(1024, 256*runtime.NumCPU()), OpenFiles: 16384, FileSize: 8 << 30, Memory: 8 << 30, CPU: 6 * time.Hour}
}

// leastLimits leave room for what a box needs for itself.
func leastLimits() Limits {
	return Limits{Processes: 32, OpenFiles: 64, FileSize: 1, Memory: 512 << 20, CPU: time.Second}
}

// orDefault fills in what is not set. A limit below the least is a mistake of the caller's.
func (l Limits) orDefault() (Limits, error) {
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
			return l, fault.New(fault.Input, "sandbox: limit %s is %d", f.name, f.given).WithHint("give at least %d, or 0 for %d", f.least, f.standard)
		}
	}
	return l, nil
}
