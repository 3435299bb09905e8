package inner

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// niceness gives the worker priority over the box, so that it keeps running even with hundreds of busy processes inside.
const niceness = 10

// cpuGrace is how long a process may run on after SIGXCPU before it is killed, in seconds.
const cpuGrace = 5

// bound sets the limits of this process and its children. It never raises one.
func (l Limits) bound() error {
	cpu := uint64((l.CPU + time.Second - 1) / time.Second)
	for _, r := range []struct {
		name     string
		what     int
		cur, max uint64
	}{
		{"processes", unix.RLIMIT_NPROC, uint64(l.Processes), uint64(l.Processes)},
		{"open files", unix.RLIMIT_NOFILE, uint64(l.OpenFiles), uint64(l.OpenFiles)},
		{"file size", unix.RLIMIT_FSIZE, uint64(l.FileSize), uint64(l.FileSize)},
		// RLIMIT_DATA, not address space: runtimes reserve far more of that than they ever use.
		{"memory", unix.RLIMIT_DATA, uint64(l.Memory), uint64(l.Memory)},
		{"processor time", unix.RLIMIT_CPU, cpu, cpu + cpuGrace},
		{"core files", unix.RLIMIT_CORE, 0, 0},
	} {
		if r.what == unix.RLIMIT_DATA && l.Memory == 0 {
			continue // a cgroup bounds the memory of all
		}
		var now unix.Rlimit
		if err := unix.Getrlimit(r.what, &now); err != nil {
			return fmt.Errorf("ask for the limit of %s: %w", r.name, err)
		}
		next := unix.Rlimit{Cur: min(r.cur, now.Max), Max: min(r.max, now.Max)}
		if err := unix.Setrlimit(r.what, &next); err != nil {
			return fmt.Errorf("limit %s: %w", r.name, err)
		}
	}
	if now, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil && 20-now < niceness { // the system call returns 20-nice
		if err := unix.Setpriority(unix.PRIO_PROCESS, 0, niceness); err != nil {
			return fmt.Errorf("step back behind the worker: %w", err)
		}
	}
	return nil
}

// dropCapabilities drops all capabilities, so that starting a program as root can't bring them back.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return fmt.Errorf("ask for capabilities: %w", err)
	}
	if sets[0].Permitted == 0 && sets[1].Permitted == 0 {
		return nil
	}
	for c := uintptr(0); ; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err == unix.EINVAL {
			break // past the last capability
		} else if err != nil && err != unix.EPERM {
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop ambient capabilities: %w", err)
	}
	sets = [2]unix.CapUserData{}
	if err := unix.Capset(&header, &sets[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// verify checks, before the program runs, that bubblewrap has mounted what was asked for.
func (o Order) verify() error {
	if pid := unix.Getpid(); pid != 1 {
		return fmt.Errorf("process %d is not the first of its own table", pid)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil || sets[0] != (unix.CapUserData{}) || sets[1] != (unix.CapUserData{}) {
		return fmt.Errorf("capabilities are left: %v, %w", sets, err)
	}
	if on, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || on != 1 {
		return fmt.Errorf("programs can gain privileges: %d, %w", on, err)
	}
	fixed := []Check{{Path: []byte("/"), ReadOnly: true}, {Path: []byte("/proc"), ReadOnly: true}, {Path: []byte("/dev"), ReadOnly: true}}
	for _, c := range append(fixed, o.Mounts...) {
		if err := c.verify(); err != nil {
			return fmt.Errorf("mount %s: %w", c.Path, err)
		}
	}
	return nil
}

func (c Check) verify() error {
	var st unix.Stat_t
	if err := unix.Lstat(string(c.Path), &st); err != nil {
		return err
	}
	if c.Ino != 0 && (st.Ino != c.Ino || uint64(st.Dev) != c.Dev) {
		return fmt.Errorf("holds something else than was planned")
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(string(c.Path), &fs); err != nil {
		return err
	}
	if c.ReadOnly != (fs.Flags&unix.ST_RDONLY != 0) {
		return fmt.Errorf("read-only is %t, want %t", !c.ReadOnly, c.ReadOnly)
	}
	return nil
}
