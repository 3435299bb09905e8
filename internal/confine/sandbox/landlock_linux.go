package sandbox

import (
	"fmt"
	"os"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// landlockFloor is the lowest supported Landlock ABI. ABI 1 can't tell a move within a folder from one out of it and
// forbids both, which breaks ordinary builds. Truncation is controlled from ABI 3 on, device ioctls from 5, signals and
// abstract sockets from 6; on older kernels only the other layers cover these.
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

// landlockLevel returns the kernel's Landlock ABI.
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

// devices may be opened for writing, since nothing can be stored in them.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/pts", "/dev/ptmx"}
}

// restrict limits this process and its children to reading what they can see and writing below the given paths. Below
// those in noPipe they can't make named pipes.
func restrict(writes, noPipe []string) error {
	level, err := landlockLevel()
	if err != nil {
		return err
	}
	options := []any{landlock.AccessFSSet(handled(level))}
	if level >= 6 {
		options = append(options, landlock.ScopedSet(unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET|unix.LANDLOCK_SCOPE_SIGNAL))
	}
	c, err := landlock.NewConfig(options...)
	if err != nil {
		return err
	}
	allow := func(rights uint64, paths ...string) landlock.FSRule {
		return landlock.PathAccess(landlock.AccessFSSet(rights&handled(level)), paths...)
	}
	rules := []landlock.Rule{allow(lookRights, "/"), allow(deviceRights, devices()...).IgnoreIfMissing()}
	for i, path := range slices.Concat(writes, noPipe) {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		rights := uint64(treeRights)
		if i >= len(writes) {
			rights &^= unix.LANDLOCK_ACCESS_FS_MAKE_FIFO
		}
		if !info.IsDir() {
			rights &= fileRights
		}
		rules = append(rules, allow(rights, path))
	}
	return c.Restrict(rules...)
}
