package inner

import (
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
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

// Refused are all the calls that are refused whatever their arguments.
func Refused() []uint32 { return slices.Concat(refused, refusedHere) }

// NewNamespaces are the flags of clone that create namespaces. There is no such flag for time namespaces.
const NewNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID |
	unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP

// oneOf allows the values and answers others with no.
func oneOf(no bpf.Instruction, values ...uint32) Filter {
	var p Filter
	for _, v := range values {
		p = p.IfEqual(v, Allow)
	}
	return append(p, no)
}

// filter is the whole filter for this architecture. Calls that set one of the setID bits in a mode are refused.
func filter(setID uint32) Filter {
	p := Filter{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1}, kill, // other architectures number their calls differently
		LoadCall,
	}
	p = append(p, foreignCalls...)
	p = append(p, bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: lastKnown, SkipTrue: 1}, Fail(unix.ENOSYS))
	for _, call := range Refused() {
		p = p.IfEqual(call, Fail(unix.EPERM))
	}
	// clone3 passes its flags in memory, where a filter can't see them; C libraries fall back to clone.
	p = p.IfEqual(unix.SYS_CLONE3, Fail(unix.ENOSYS))
	p = p.IfEqual(unix.SYS_CLONE, LoadArg(0),
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: NewNamespaces, SkipTrue: 1}, Fail(unix.EPERM), Allow)
	p = append(p, setIDRules(setID)...)
	p = p.IfEqual(unix.SYS_SOCKET, socketRules()...)
	p = p.IfEqual(unix.SYS_SOCKETPAIR, append(Filter{LoadArg(0)}, oneOf(Fail(unix.EAFNOSUPPORT), unix.AF_UNIX)...)...)
	// TIOCSTI types into the terminal of the process that started the worker.
	p = p.IfEqual(unix.SYS_IOCTL, append(Filter{LoadArg(1)}.
		IfEqual(unix.TIOCSTI, Fail(unix.EPERM)).IfEqual(unix.TIOCLINUX, Fail(unix.EPERM)), Allow)...)
	// Linux, the query, and disabled address randomization; other values disable protections.
	p = p.IfEqual(unix.SYS_PERSONALITY, append(Filter{LoadArg(0)}, oneOf(Fail(unix.EPERM), 0, 0x8, 0x20000, 0x40000, 0xffffffff)...)...)
	return p
}

// socketRules allows stream and datagram sockets of the internet and of this machine, and netlink queries about the
// box's interfaces, which runtimes make when a server starts. The rest fails as on a kernel that lacks it, which
// libraries are prepared for.
func socketRules() Filter {
	plain := append(Filter{
		LoadArg(1),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf}, // without the flags
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_STREAM, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_DGRAM, SkipTrue: 1},
		Fail(unix.ESOCKTNOSUPPORT),
		LoadArg(2),
	}, oneOf(Fail(unix.EPROTONOSUPPORT), 0, unix.IPPROTO_TCP, unix.IPPROTO_UDP)...)
	route := append(Filter{LoadArg(2)}, oneOf(Fail(unix.EPROTONOSUPPORT), unix.NETLINK_ROUTE)...)
	p := Filter{LoadArg(0)}.IfEqual(unix.AF_UNIX, Allow).IfEqual(unix.AF_NETLINK, route...)
	p = append(p,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 1},
		Fail(unix.EAFNOSUPPORT))
	return append(p, plain...)
}
