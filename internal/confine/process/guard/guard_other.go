//go:build unix && !linux

package guard

import (
	"os"
	"syscall"
)

func Executable() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

func becomeReaper() error { return nil }

func nameGuard() {}

func ChildAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func dup(from, to int) error { return syscall.Dup2(from, to) }
