package cli

import "syscall"

// childAttributes put a child into a group of its own, and have it told to end should we be killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
