package term

import "golang.org/x/sys/unix"

// dropTyped drops what a terminal holds that nobody has read yet.
func dropTyped(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
