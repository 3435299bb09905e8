//go:build !linux

package term

import "golang.org/x/sys/unix"

// dropTyped drops what a terminal holds that nobody has read yet.
func dropTyped(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, unix.TCIFLUSH) }
