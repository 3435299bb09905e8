package process

import (
	"fmt"
	"os"
	"slices"
	"syscall"
)

// proc identifies a process for as long as the machine runs: ids are reused, pairs of id and start time are not.
type proc struct {
	pid, parent, group int
	start              uint64 // clock ticks since boot
}

// same reports whether both are the same process, not just the same id.
func (p proc) same(q proc) bool { return p.pid == q.pid && p.start == q.start }

// signal sends sig to this process only. It opens a handle before it checks the start time, so it never signals a new
// process with a reused id.
func (p proc) signal(sig syscall.Signal) error {
	h, err := os.FindProcess(p.pid)
	if err != nil {
		return err
	}
	defer h.Release()
	if now, err := lookUp(p.pid); err != nil || !now.same(p) {
		return os.ErrProcessDone
	}
	return h.Signal(sig)
}

// snapshot is the process table at one moment, by process id.
type snapshot map[int]proc

// descendants lists all processes below pid, parents before children.
func (s snapshot) descendants(pid int) []proc {
	children := make(map[int][]proc, len(s))
	for _, p := range s {
		children[p.parent] = append(children[p.parent], p)
	}
	var out []proc
	for next := children[pid]; len(next) > 0; {
		out = append(out, next...)
		var below []proc
		for _, p := range next {
			below = append(below, children[p.pid]...)
		}
		next = below
	}
	return out
}

// ancestors lists pid and all processes above it.
func (s snapshot) ancestors(pid int) []int {
	var out []int
	for pid > 0 && !slices.Contains(out, pid) {
		out = append(out, pid)
		pid = s[pid].parent
	}
	return out
}

func signalName(sig syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
		syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
		syscall.SIGKILL: "SIGKILL", syscall.SIGSEGV: "SIGSEGV", syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM",
		syscall.SIGTERM: "SIGTERM", syscall.SIGUSR1: "SIGUSR1", syscall.SIGUSR2: "SIGUSR2", syscall.SIGSYS: "SIGSYS",
		syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ",
	}
	if name, ok := names[sig]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig))
}
