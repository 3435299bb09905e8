package inner

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets into struct seccomp_data.
const (
	offCall = 0
	offArch = 4
	offArgs = 16 // eight bytes each; the lower half comes first on the supported machines
)

// Filter is a filter of system calls under construction.
type Filter []bpf.Instruction

// LoadCall loads the number of the call.
var LoadCall = bpf.LoadAbsolute{Off: offCall, Size: 4}

// LoadArg loads an argument of the call, of which it sees 32 bits.
func LoadArg(n int) bpf.LoadAbsolute { return bpf.LoadAbsolute{Off: uint32(offArgs + 8*n), Size: 4} }

// What is done with a call.
var (
	Allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	kill  = bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}
)

// Fail answers a call with an error, without making it.
func Fail(errno unix.Errno) bpf.RetConstant {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

// IfEqual runs the block when the loaded value is val. A block must end with a return.
func (f Filter) IfEqual(val uint32, block ...bpf.Instruction) Filter {
	return append(append(f, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: val, SkipTrue: uint8(len(block))}), block...)
}

// Apply makes the filter that of every thread of this process and its children, for good. What it does not decide is allowed.
func (f Filter) Apply() error {
	raw, err := bpf.Assemble(append(f, Allow))
	if err != nil {
		return fmt.Errorf("assemble filter: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	list := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		list[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	prog := unix.SockFprog{Len: uint16(len(list)), Filter: &list[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(list)
	if errno != 0 {
		return errno
	}
	if thread != 0 {
		return fmt.Errorf("thread %d has another filter", thread)
	}
	return nil
}
