package tree

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// LookUp reads one process. It fails with syscall.ESRCH when the process is gone or a zombie.
func LookUp(pid int) (Process, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Process{}, syscall.ESRCH
	}
	p, dead, err := parseStat(pid, b)
	if err != nil {
		return Process{}, err
	}
	if dead {
		return Process{}, syscall.ESRCH
	}
	return p, nil
}

// IsThread reports whether an id is that of a thread other than its process's first. LookUp answers for these too, Take does not list them.
func IsThread(id int) bool {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/status")
	return err == nil && !bytes.Contains(status, fmt.Appendf(nil, "\nTgid:\t%d\n", id))
}

// parseStat parses the fields after the program's name, which may contain spaces and parentheses.
func parseStat(pid int, stat []byte) (p Process, dead bool, err error) {
	i := bytes.LastIndexByte(stat, ')')
	f := strings.Fields(string(stat[i+1:]))
	if i < 0 || len(f) < 20 {
		return p, false, fmt.Errorf("read state of process %d: malformed", pid)
	}
	p.Pid = pid
	parent, err1 := strconv.Atoi(f[1])
	group, err2 := strconv.Atoi(f[2])
	start, err3 := strconv.ParseUint(f[19], 10, 64)
	p.Parent, p.Group, p.Start = parent, group, start
	return p, f[0] == "Z" || f[0] == "X", errors.Join(err1, err2, err3)
}

// Take lists all live processes. The list may be stale at once; callers repeat until nothing is left.
func Take() (Snapshot, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	s := make(Snapshot, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, err := LookUp(pid); err == nil {
				s[pid] = p
			}
		}
	}
	return s, nil
}

// Carries reports whether the process was started with the variable. It reports false when the environment can't be
// read: the process is another user's then.
func (p Process) Carries(variable string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(p.Pid) + "/environ")
	if err != nil {
		return false
	}
	for len(env) > 0 {
		var v []byte
		if v, env, _ = bytes.Cut(env, []byte{0}); string(v) == variable {
			return true
		}
	}
	return false
}

// Arguments are those that the process was started with, each followed by a NUL byte.
func (p Process) Arguments() string {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(p.Pid) + "/cmdline")
	return string(b)
}
