package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

const prSetChildSubreaper = 36

// selfExecutable refers to the running program, even when its file has been replaced.
func selfExecutable() string { return "/proc/self/exe" }

func becomeReaper() error {
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// nameGuard sets a name for ps, which would show "exe".
func nameGuard() { os.WriteFile("/proc/self/comm", []byte(guardName), 0) }

// childAttr puts the child into its own process group and has the kernel kill it when the guard dies.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func dup(from, to int) error { return syscall.Dup3(from, to, 0) }

// bootID identifies the current boot: process ids and start times are only meaningful within it.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

// lookUp reads one process. It fails with syscall.ESRCH when the process is gone or a zombie.
func lookUp(pid int) (proc, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, syscall.ESRCH
	}
	p, dead, err := parseStat(pid, b)
	if err != nil {
		return proc{}, err
	}
	if dead {
		return proc{}, syscall.ESRCH
	}
	return p, nil
}

// parseStat parses the fields after the program's name, which may contain spaces and parentheses.
func parseStat(pid int, stat []byte) (p proc, dead bool, err error) {
	i := bytes.LastIndexByte(stat, ')')
	f := strings.Fields(string(stat[i+1:]))
	if i < 0 || len(f) < 20 {
		return p, false, fmt.Errorf("read state of process %d: malformed", pid)
	}
	p.pid = pid
	parent, err1 := strconv.Atoi(f[1])
	group, err2 := strconv.Atoi(f[2])
	start, err3 := strconv.ParseUint(f[19], 10, 64)
	p.parent, p.group, p.start = parent, group, start
	return p, f[0] == "Z" || f[0] == "X", errors.Join(err1, err2, err3)
}

// takeSnapshot lists all live processes. The list may be stale at once; callers repeat until nothing is left.
func takeSnapshot() (snapshot, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	s := make(snapshot, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, err := lookUp(pid); err == nil {
				s[pid] = p
			}
		}
	}
	return s, nil
}

// carries reports whether the process was started with the variable. It reports false when the environment can't be
// read: the process is another user's then.
func (p proc) carries(variable string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
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

// isGuard reports whether the process is a guard. Guards adopt orphans, so they are ended last.
func (p proc) isGuard() bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/cmdline")
	return err == nil && strings.TrimRight(string(b), "\x00") == guardName
}

// stampOf is what changes whenever a file does, whoever changes it, and the file system that the file is on.
func stampOf(info os.FileInfo) (stamp string, device uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", 0
	}
	return fmt.Sprint(stat.Mode, stat.Ino, stat.Size, stat.Ctim), uint64(stat.Dev) //nolint:unconvert // its type differs by architecture
}
