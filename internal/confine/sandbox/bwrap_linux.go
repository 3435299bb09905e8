package sandbox

import (
	"cmp"
	"strconv"

	"github.com/longshift/longshift/internal/confine/sandbox/inner"
)

// innerID is the user and group id inside. It is not 0, because agents refuse to run unattended as root. Outside it maps
// to the worker's user, who owns the files that are written.
const innerID = 1000

// shmShare and tmpShare are the shares of Limits.Memory that the tmpfs folders may use.
const (
	tmpShare = 4
	shmShare = 16
)

// files are the paths of the few files that each box is given.
type files struct{ exe, socket, passwd, passwdAt string }

// bwrapArgs translates the plan into bubblewrap's arguments. Paths are arguments of their own, so they may contain any
// byte but NUL.
func (p *plan) bwrapArgs(f files, ownNet bool, memory int64) []string {
	id := strconv.Itoa(innerID)
	args := []string{
		"--unshare-user", "--uid", id, "--gid", id, "--disable-userns",
		"--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts", "--hostname", "localhost", "--unshare-cgroup-try",
		"--die-with-parent", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
	}
	if ownNet {
		args = append(args, "--unshare-net")
	}
	var covered []string
	for _, m := range p.mounts {
		args = append(args, m.bwrapArgs(memory)...)
		if m.access == hidden && m.folder {
			covered = append(covered, m.path)
		}
	}
	args = append(args, "--ro-bind", f.exe, inner.Path, "--bind", f.socket, inner.Socket)
	if f.passwdAt != "" {
		args = append(args, "--ro-bind", f.passwd, f.passwdAt)
	}
	// Remounted now that their mount points exist. /proc too: otherwise /proc/sys would be writable for a worker that
	// runs as root.
	for _, path := range append(covered, "/dev", "/proc") {
		args = append(args, "--remount-ro", path)
	}
	return append(args, "--chdir", "/", "--", inner.Path)
}

func (m mount) bwrapArgs(memory int64) []string {
	switch m.access {
	case readable, protected:
		return []string{"--ro-bind", m.path, m.path}
	case writable, pinned, fenced:
		return []string{"--bind", cmp.Or(m.from, m.path), m.path}
	case private:
		share := int64(tmpShare)
		if m.path == "/dev/shm" {
			share = shmShare
		}
		return []string{"--perms", "1777", "--size", strconv.FormatInt(max(memory/share, 1<<20), 10), "--tmpfs", m.path}
	case hidden:
		if m.folder {
			return []string{"--perms", "0755", "--size", "1048576", "--tmpfs", m.path}
		}
		return []string{"--ro-bind", "/dev/null", m.path} // a device on a nodev mount can't be opened
	}
	return nil
}
