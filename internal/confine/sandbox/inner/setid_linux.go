package inner

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A file with a set-id bit runs with the rights of its owner for any user. Inside the box the bit has no effect, but the
// file exists on the host as well, and the worker may be root. So programs in a box can't set these bits; removing them
// after the box has ended would be too late.

// modeArgs are the calls that set a file's mode, and the index of that argument. mkdir ignores these bits.
var modeArgs = append([]modeArg{
	{unix.SYS_FCHMOD, 1}, {unix.SYS_FCHMODAT, 2}, {unix.SYS_FCHMODAT2, 2}, {unix.SYS_MKNODAT, 2},
}, modeArgsHere...)

type modeArg struct {
	call uint32
	at   int
}

// opens are the calls that may create a file, and the index of the flags; the mode is the next argument.
var opens = append([]modeArg{{unix.SYS_OPENAT, 2}}, opensHere...)

// making are the flags with which open uses its mode argument; without them the argument is undefined.
const making = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY

// setIDRules refuses modes with one of the bits.
func setIDRules(bits uint32) Filter {
	refuse := Filter{bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: bits, SkipTrue: 1}, Fail(unix.EPERM), Allow}
	var p Filter
	for _, m := range modeArgs {
		p = p.IfEqual(m.call, append(Filter{LoadArg(m.at)}, refuse...)...)
	}
	for _, o := range opens {
		p = p.IfEqual(o.call, append(Filter{LoadArg(o.at),
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: making, SkipTrue: 1}, Allow, LoadArg(o.at + 1)}, refuse...)...)
	}
	// openat2 passes its mode in memory, where a filter can't see it. It came with Linux 5.6; its users fall back to
	// openat.
	return p.IfEqual(unix.SYS_OPENAT2, Fail(unix.ENOSYS))
}
