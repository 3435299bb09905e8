//go:build !linux

package child

import "syscall"

// childAttributes put a child into a group of its own.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
