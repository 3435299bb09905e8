package inner

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const auditArch = unix.AUDIT_ARCH_X86_64

// foreignCalls refuses x32 calls, which share the architecture's id and have numbers of their own.
var foreignCalls = Filter{bpf.JumpIf{Cond: bpf.JumpLessThan, Val: 0x40000000, SkipTrue: 1}, kill}

// Calls that set modes and exist on amd64 only.
var (
	modeArgsHere = []modeArg{{unix.SYS_CHMOD, 1}, {unix.SYS_CREAT, 1}, {unix.SYS_MKNOD, 1}}
	opensHere    = []modeArg{{unix.SYS_OPEN, 1}}
)

// refusedHere are calls to refuse that exist on amd64 only.
var refusedHere = []uint32{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE,
	unix.SYS_QUERY_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_USTAT, unix.SYS_SYSFS,
}
