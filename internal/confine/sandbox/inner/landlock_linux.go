package inner

import (
	"errors"
	"fmt"
	"io/fs"
	"unsafe"

	"golang.org/x/sys/unix"
)

// LandlockFloor is the lowest supported Landlock ABI. ABI 1 can't tell a move within a folder from one out of it and
// forbids both, which breaks ordinary builds. Truncation is controlled from ABI 3 on, device ioctls from 5, signals and
// abstract sockets from 6; on older kernels only the other layers cover these.
const LandlockFloor = 2

const (
	lookRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	treeRights = lookRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_REFER
	deviceRights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// handled returns the access rights that are controlled at an ABI; a right that no rule grants, like making device
// files, is forbidden.
func handled(level int) uint64 {
	all := uint64(treeRights | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK)
	all &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	if level >= 3 {
		all |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if level >= 5 {
		all |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return all
}

// LandlockLevel returns the kernel's Landlock ABI.
func LandlockLevel() (int, error) {
	level, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("ask for its level: %w", errno)
	}
	if int(level) < LandlockFloor {
		return int(level), fmt.Errorf("the kernel has level %d, at least %d is needed", level, LandlockFloor)
	}
	return int(level), nil
}

// devices may be opened for writing, since nothing can be stored in them.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/pts", "/dev/ptmx"}
}

// restrict limits this thread and what it starts to reading what they can see and writing below the given paths. Below those in noPipe they
// can't make named pipes.
func restrict(writes, noPipe []string) error {
	level, err := LandlockLevel()
	if err != nil {
		return err
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled(level)}
	size := unsafe.Offsetof(attr.Handled_access_net) // all that older kernels know
	if level >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	}
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("create its rules: %w", errno)
	}
	defer unix.Close(int(rules))
	for _, r := range []struct {
		paths  []string
		rights uint64
		must   bool
	}{
		{[]string{"/"}, lookRights, true}, {devices(), deviceRights, false},
		{writes, treeRights, true}, {noPipe, treeRights &^ unix.LANDLOCK_ACCESS_FS_MAKE_FIFO, true},
	} {
		for _, path := range r.paths {
			if err := allowBelow(int(rules), path, r.rights&handled(level)); err != nil && (r.must || !errors.Is(err, fs.ErrNotExist)) {
				return fmt.Errorf("allow %s: %w", path, err)
			}
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return fmt.Errorf("apply its rules: %w", errno)
	}
	return nil
}

// allowBelow adds a rule that grants the rights on a folder and all that is in it, or on a file.
func allowBelow(rules int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
