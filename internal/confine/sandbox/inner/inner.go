// Package inner is the first process of each sandbox. It checks what bubblewrap has mounted, sets up the layers that hold for one program, runs
// that program and tells the worker how it has ended. A worker's own executable becomes this process, by its name, before the rest of the
// worker is initialized: so the package may import nothing that is initialized late, above all net, which takes longer than all that it does.
// It may not decide what a program may do; the worker says so in an Order.
package inner

import "time"

// Layer is one layer of the sandbox. Its text is what operators write to run without it.
type Layer string

const (
	Namespaces     Layer = "namespaces" // read-only root, own process table, no capabilities
	Network        Layer = "network"    // a network of its own, with nothing on it but what Spec.Reach names
	Landlock       Layer = "landlock"   // writes checked a second time, independently of the mounts
	Seccomp        Layer = "seccomp"    // system calls that no ordinary program needs are refused
	ResourceLimits Layer = "limits"     // limits on processes, memory, files and time
)

// Limits bound a box.
type Limits struct {
	Processes int           // concurrent processes and threads of the whole box
	OpenFiles int           // descriptors of each process
	FileSize  int64         // bytes of one file
	Memory    int64         // bytes of all memory of the box where a cgroup can be used, else of the private memory of each process
	CPU       time.Duration // CPU time of each process
}
