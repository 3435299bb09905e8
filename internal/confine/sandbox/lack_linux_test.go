package sandbox

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/confine/sandbox/inner"
	"github.com/longshift/longshift/internal/fault"
)

// lack removes system calls from this process for good, as on a kernel or in a container without them.
func lack(what string) error {
	p := inner.Filter{inner.LoadCall}
	switch what {
	case "":
		return nil
	case "what " + containerFilter + " refuses":
		calls, err := refusedByContainer()
		if err != nil {
			return err
		}
		for _, call := range calls {
			p = p.IfEqual(call, inner.Fail(unix.EPERM))
		}
	case "landlock":
		p = p.IfEqual(unix.SYS_LANDLOCK_CREATE_RULESET, inner.Fail(unix.ENOSYS))
	case "old landlock": // level 1
		p = p.IfEqual(unix.SYS_LANDLOCK_CREATE_RULESET, inner.Fail(unix.EOPNOTSUPP))
	case "landlock that does nothing":
		p = p.IfEqual(unix.SYS_LANDLOCK_RESTRICT_SELF, inner.Fail(0))
	case "seccomp":
		p = p.IfEqual(unix.SYS_SECCOMP, inner.LoadArg(0), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SECCOMP_SET_MODE_FILTER, SkipTrue: 1},
			inner.Fail(unix.EINVAL), inner.Allow)
	case "seccomp that does nothing":
		p = p.IfEqual(unix.SYS_SECCOMP, inner.Fail(0))
	case "namespaces":
		p = p.IfEqual(unix.SYS_CLONE3, inner.Fail(unix.ENOSYS))
		p = p.IfEqual(unix.SYS_CLONE, inner.LoadArg(0), bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: inner.NewNamespaces, SkipTrue: 1}, inner.Fail(unix.EPERM), inner.Allow)
		p = p.IfEqual(unix.SYS_UNSHARE, inner.Fail(unix.EPERM))
	case "limits":
		p = p.IfEqual(unix.SYS_PRLIMIT64, inner.LoadArg(0), bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, inner.Allow,
			inner.LoadArg(2), bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, inner.Fail(unix.EPERM), inner.Allow)
	case "limits that do nothing":
		p = p.IfEqual(unix.SYS_PRLIMIT64, inner.LoadArg(2),
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, inner.Fail(0), inner.Allow)
	default:
		return errors.New("no such host: " + what)
	}
	runtime.LockOSThread()
	return p.Apply()
}

// printFault prints what a user would see.
func printFault(err error) {
	fmt.Println("fault:", fault.KindOf(err))
	fmt.Println("error:", err)
	fmt.Println("hint:", fault.HintOf(err))
}
