package guard

import (
	"cmp"
	"os"
	"syscall"
)

const prSetChildSubreaper = 36

// Executable refers to the running program, even when its file has been replaced.
func Executable() string { return cmp.Or(Plain(), "/proc/self/exe") }

func becomeReaper() error {
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// nameGuard sets a name for ps, which would show "exe".
func nameGuard() { os.WriteFile("/proc/self/comm", []byte(Name), 0) }

// ChildAttr puts a child into its own process group and has the kernel kill it when the thread that has started it ends.
func ChildAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func dup(from, to int) error { return syscall.Dup3(from, to, 0) }
