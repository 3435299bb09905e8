package sandbox

import (
	"os"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A file with a set-id bit runs with the rights of its owner for whoever starts it. In the box that means nothing, but the file lies on
// the host as well, and a worker may be root. So no program of a box sets these bits; to take them away when the box has ended would leave
// them there until then.

// modeArgs are the calls that give a file a mode, by the argument that holds it. mkdir takes no such bits.
var modeArgs = append([]modeArg{
	{unix.SYS_FCHMOD, 1}, {unix.SYS_FCHMODAT, 2}, {unix.SYS_FCHMODAT2, 2}, {unix.SYS_MKNODAT, 2},
}, modeArgsHere...)

type modeArg struct {
	call uint32
	at   int
}

// opens are the calls that may make a file, by the argument that holds the flags; the mode comes behind it.
var opens = append([]modeArg{{unix.SYS_OPENAT, 2}}, opensHere...)

// making are the flags of an open that heeds the mode; without them it is what happens to stand there.
const making = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY

// setIDRules refuse modes that have one of the bits.
func setIDRules(bits uint32) program {
	refuse := program{bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: bits, SkipTrue: 1}, fail(unix.EPERM), allow}
	var p program
	for _, m := range modeArgs {
		p = p.ifEqual(m.call, append(program{loadArg(m.at)}, refuse...)...)
	}
	for _, o := range opens {
		p = p.ifEqual(o.call, append(program{loadArg(o.at),
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: making, SkipTrue: 1}, allow, loadArg(o.at + 1)}, refuse...)...)
	}
	// openat2 keeps its mode where a filter can't look. It came with Linux 5.6, and who uses it goes on with openat.
	return p.ifEqual(unix.SYS_OPENAT2, fail(unix.ENOSYS))
}

// setIDBits are the bits that programs of a box may not set. Where the folders they write to hand down their group, as volumes in
// containers do, each folder inside has the bit of the group, and every copy sets it again: only the owner's is refused there.
func setIDBits(c Spec) uint32 {
	for _, dir := range append([]string{c.Work}, c.Writable...) {
		if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSetgid != 0 {
			return unix.S_ISUID
		}
	}
	return unix.S_ISUID | unix.S_ISGID
}
