package sandbox

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlockFloor is the lowest level we stand on. Level 1 can't tell a move within a folder from one out of it and
// forbids both, which breaks ordinary builds. Truncating is judged from level 3 on, device controls from 5, signals and
// abstract sockets from 6; below, the other layers alone hold there.
const landlockFloor = 2

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

// handled is everything we judge at a level; what is granted nowhere, like making device files, is forbidden.
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

// landlockLevel asks the kernel for its Landlock level.
func landlockLevel() (int, error) {
	level, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("ask for its level: %w", errno)
	}
	if int(level) < landlockFloor {
		return int(level), fmt.Errorf("the kernel has level %d, at least %d is needed", level, landlockFloor)
	}
	return int(level), nil
}

// devices can be opened for writing, for their files are no place to leave anything.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/pts", "/dev/ptmx"}
}

// restrict lets this thread and what it starts read everything it can see and write only below the given paths. Below those of
// noPipe no named pipe can be made.
func restrict(writes, noPipe []string) error {
	level, err := landlockLevel()
	if err != nil {
		return err
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled(level)}
	size := unsafe.Offsetof(attr.Handled_access_net)
	if level >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("create rules: %w", errno)
	}
	defer unix.Close(int(fd))
	rules := []struct {
		paths  []string
		rights uint64
		must   bool
	}{{[]string{"/"}, lookRights, true}, {writes, treeRights, true},
		{noPipe, treeRights &^ unix.LANDLOCK_ACCESS_FS_MAKE_FIFO, true}, {devices(), deviceRights, false}}
	for _, r := range rules {
		for _, path := range r.paths {
			if err := addRule(int(fd), path, r.rights&attr.Handled_access_fs, r.must); err != nil {
				return fmt.Errorf("rule for %s: %w", path, err)
			}
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("restrict: %w", errno)
	}
	return nil
}

func addRule(rules int, path string, rights uint64, must bool) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT && !must {
		return nil
	} else if err != nil {
		return os.NewSyscallError("open", err)
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
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
