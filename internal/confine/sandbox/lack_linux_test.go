package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/fault"
)

// lack removes system calls from this process for good, as on a kernel or in a container without them.
func lack(what string) error {
	var p program
	p = append(p, bpf.LoadAbsolute{Off: offCall, Size: 4})
	switch what {
	case "":
		return nil
	case "what " + containerFilter + " refuses":
		calls, err := refusedByContainer()
		if err != nil {
			return err
		}
		for _, call := range calls {
			p = p.ifEqual(call, fail(unix.EPERM))
		}
	case "landlock":
		p = p.ifEqual(unix.SYS_LANDLOCK_CREATE_RULESET, fail(unix.ENOSYS))
	case "old landlock": // level 1
		p = p.ifEqual(unix.SYS_LANDLOCK_CREATE_RULESET, fail(unix.EOPNOTSUPP))
	case "landlock that does nothing":
		p = p.ifEqual(unix.SYS_LANDLOCK_RESTRICT_SELF, fail(0))
	case "seccomp":
		p = p.ifEqual(unix.SYS_SECCOMP, loadArg(0), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SECCOMP_SET_MODE_FILTER, SkipTrue: 1},
			fail(unix.EINVAL), allow)
	case "seccomp that does nothing":
		p = p.ifEqual(unix.SYS_SECCOMP, fail(0))
	case "namespaces":
		p = p.ifEqual(unix.SYS_CLONE3, fail(unix.ENOSYS))
		p = p.ifEqual(unix.SYS_CLONE, loadArg(0), bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: newNamespaces, SkipTrue: 1}, fail(unix.EPERM), allow)
		p = p.ifEqual(unix.SYS_UNSHARE, fail(unix.EPERM))
	case "limits":
		p = p.ifEqual(unix.SYS_PRLIMIT64, loadArg(0), bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, allow,
			bpf.LoadAbsolute{Off: offArgs + 16, Size: 4}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, fail(unix.EPERM), allow)
	case "limits that do nothing":
		p = p.ifEqual(unix.SYS_PRLIMIT64, bpf.LoadAbsolute{Off: offArgs + 16, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, fail(0), allow)
	default:
		return errors.New("no such host: " + what)
	}
	raw, err := bpf.Assemble(append(p, allow))
	if err != nil {
		return err
	}
	list := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		list[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	prog := unix.SockFprog{Len: uint16(len(list)), Filter: &list[0]}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}

// printFault prints what a user would see.
func printFault(err error) {
	fmt.Println("fault:", fault.KindOf(err))
	fmt.Println("error:", err)
	fmt.Println("hint:", fault.HintOf(err))
}
