// Package tree reads the table of processes: which there are, which are below another, and whether one is still the same. It may end a process
// only by its id and start time together. A guard is made of it, so it may import nothing that is initialized late.
package tree

import (
	"os"
	"slices"
	"syscall"
)

// Process identifies a process for as long as the machine runs: ids are reused, pairs of id and start time are not.
type Process struct {
	Pid, Parent, Group int
	Start              uint64 // clock ticks since boot
}

// Same reports whether both are the same process, not just the same id.
func (p Process) Same(q Process) bool { return p.Pid == q.Pid && p.Start == q.Start }

// Signal sends sig to this process only. It opens a handle before it checks the start time, so it never signals a new
// process with a reused id.
func (p Process) Signal(sig syscall.Signal) error {
	h, err := os.FindProcess(p.Pid)
	if err != nil {
		return err
	}
	defer h.Release()
	if now, err := LookUp(p.Pid); err != nil || !now.Same(p) {
		return os.ErrProcessDone
	}
	return h.Signal(sig)
}

// Snapshot is the process table at one moment, by process id.
type Snapshot map[int]Process

// Descendants lists all processes below pid, parents before children.
func (s Snapshot) Descendants(pid int) []Process {
	children := make(map[int][]Process, len(s))
	for _, p := range s {
		children[p.Parent] = append(children[p.Parent], p)
	}
	var out []Process
	for next := children[pid]; len(next) > 0; {
		out = append(out, next...)
		var below []Process
		for _, p := range next {
			below = append(below, children[p.Pid]...)
		}
		next = below
	}
	return out
}

// Ancestors lists pid and all processes above it.
func (s Snapshot) Ancestors(pid int) []int {
	var out []int
	for pid > 0 && !slices.Contains(out, pid) {
		out = append(out, pid)
		pid = s[pid].Parent
	}
	return out
}
