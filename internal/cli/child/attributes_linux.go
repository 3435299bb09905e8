package child

import "syscall"

// childAttributes put a child into a process group of its own. It gets SIGTERM when this process is killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
