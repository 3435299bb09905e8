//go:build unix && !linux

package process

import (
	"errors"
	"os"
	"syscall"
)

// Without /proc and subreapers a guard reaches only the process group of its child, and nothing can be found after a
// guard was killed. Children that start a session of their own are not reached.

func selfExecutable() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

func becomeReaper() error { return nil }

func nameGuard() {}

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func dup(from, to int) error { return syscall.Dup2(from, to) }

func bootID() string { return "" }

func lookUp(pid int) (proc, error) {
	if err := syscall.Kill(pid, 0); err != nil {
		return proc{}, err
	}
	return proc{pid: pid, group: pid}, nil
}

func takeSnapshot() (snapshot, error) { return nil, errors.ErrUnsupported }

func (p proc) carries(string) bool { return false }

func (p proc) isGuard() bool { return false }

func stampOf(os.FileInfo) (stamp string, device uint64) { return "", 0 }
