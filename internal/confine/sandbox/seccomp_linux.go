package sandbox

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

// lastKnown is the highest call number that was reviewed for this filter. Later calls fail as on a kernel that lacks
// them.
const lastKnown = unix.SYS_FILE_SETATTR

// refused are calls that no ordinary program needs, on all architectures. Most need a capability that the box does not
// have; refusing them here avoids relying on each call's own check.
var refused = []uint32{
	// io_uring performs operations that the filter refuses, without passing the filter
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	// other processes' memory and descriptors
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	// programs loaded into the kernel, profiling and fault handling
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_LOOKUP_DCOOKIE, unix.SYS_SYSLOG,
	// mounts and namespaces
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT,
	unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	// files by handle instead of by path, and watching whole mounts
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
	// the machine itself
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_NFSSERVCTL,
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
}

// newNamespaces are the flags of clone that create namespaces. There is no such flag for time namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID |
	unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP

// program is a filter under construction.
type program []bpf.Instruction

var (
	allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	kill  = bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}
)

func fail(errno unix.Errno) bpf.RetConstant {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

func loadArg(n int) bpf.LoadAbsolute { return bpf.LoadAbsolute{Off: uint32(offArgs + 8*n), Size: 4} }

// ifEqual runs the block when the loaded value is val. A block must end with a return.
func (p program) ifEqual(val uint32, block ...bpf.Instruction) program {
	return append(append(p, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: val, SkipTrue: uint8(len(block))}), block...)
}

// oneOf allows the values and answers others with no.
func oneOf(no bpf.Instruction, values ...uint32) program {
	var p program
	for _, v := range values {
		p = p.ifEqual(v, allow)
	}
	return append(p, no)
}

// filter is the whole program for this architecture. Calls that set one of the setID bits in a mode are refused.
func filter(setID uint32) ([]bpf.RawInstruction, error) {
	p := program{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1}, kill, // other architectures number their calls differently
		bpf.LoadAbsolute{Off: offCall, Size: 4},
	}
	p = append(p, foreignCalls...)
	p = append(p, bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: lastKnown, SkipTrue: 1}, fail(unix.ENOSYS))
	for _, call := range append(refused, refusedHere...) {
		p = p.ifEqual(call, fail(unix.EPERM))
	}
	// clone3 passes its flags in memory, where a filter can't see them; C libraries fall back to clone.
	p = p.ifEqual(unix.SYS_CLONE3, fail(unix.ENOSYS))
	p = p.ifEqual(unix.SYS_CLONE, loadArg(0),
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: newNamespaces, SkipTrue: 1}, fail(unix.EPERM), allow)
	p = append(p, setIDRules(setID)...)
	p = p.ifEqual(unix.SYS_SOCKET, socketRules()...)
	p = p.ifEqual(unix.SYS_SOCKETPAIR, append(program{loadArg(0)}, oneOf(fail(unix.EAFNOSUPPORT), unix.AF_UNIX)...)...)
	// TIOCSTI types into the terminal of the process that started the worker.
	p = p.ifEqual(unix.SYS_IOCTL, append(program{loadArg(1)}.
		ifEqual(unix.TIOCSTI, fail(unix.EPERM)).ifEqual(unix.TIOCLINUX, fail(unix.EPERM)), allow)...)
	// Linux, the query, and disabled address randomization; other values disable protections.
	p = p.ifEqual(unix.SYS_PERSONALITY, append(program{loadArg(0)}, oneOf(fail(unix.EPERM), 0, 0x8, 0x20000, 0x40000, 0xffffffff)...)...)
	return bpf.Assemble(append(p, allow))
}

// socketRules allows stream and datagram sockets of the internet and of this machine, and netlink queries about the
// box's interfaces, which runtimes make when a server starts. The rest fails as on a kernel that lacks it, which
// libraries are prepared for.
func socketRules() program {
	plain := append(program{
		loadArg(1),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf}, // without the flags
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_STREAM, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_DGRAM, SkipTrue: 1},
		fail(unix.ESOCKTNOSUPPORT),
		loadArg(2),
	}, oneOf(fail(unix.EPROTONOSUPPORT), 0, unix.IPPROTO_TCP, unix.IPPROTO_UDP)...)
	route := append(program{loadArg(2)}, oneOf(fail(unix.EPROTONOSUPPORT), unix.NETLINK_ROUTE)...)
	p := program{loadArg(0)}.ifEqual(unix.AF_UNIX, allow).ifEqual(unix.AF_NETLINK, route...)
	p = append(p,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 1},
		fail(unix.EAFNOSUPPORT))
	return append(p, plain...)
}

// filterCalls applies the filter to every thread of this process and its children.
func filterCalls(setID uint32) error {
	raw, err := filter(setID)
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
