package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/filelock"
)

// locks manages the lock files of one data directory.
type locks struct{ dir string }

// take acquires a lock that works between processes and goroutines. The lock is released when its process ends.
func (l locks) take(ctx context.Context, name string) (release func(), err error) {
	release, err = filelock.Take(ctx, filepath.Join(l.dir, name+".lock"), os.O_CREATE)
	if err != nil && ctx.Err() == nil {
		return nil, disk.Fault(fmt.Errorf("lock %s: %w", name, err), l.dir)
	}
	return release, err
}

func (l locks) task(ctx context.Context, id string) (func(), error) {
	return l.take(ctx, "task-"+id)
}

// breakStale removes a git lock file that a killed git has left in one of our directories. The file stays while a process has it open, or
// while a git runs in the task's work tree.
func breakStale(path, work string) bool {
	if !strings.HasSuffix(path, ".lock") || inUse(path, work) {
		return false
	}
	return os.Remove(path) == nil
}

// inUse searches /proc. Without /proc (not Linux) an old lock file counts as stale.
func inUse(path, work string) bool {
	procs, _ := filepath.Glob("/proc/[0-9]*")
	if len(procs) == 0 {
		info, err := os.Stat(path)
		return err == nil && time.Since(info.ModTime()) < 10*time.Minute
	}
	for _, p := range procs {
		if work != "" && gitIn(p, work) {
			return true
		}
		fds, _ := filepath.Glob(p + "/fd/*")
		for _, fd := range fds {
			if target, err := os.Readlink(fd); err == nil && target == path {
				return true
			}
		}
	}
	return false
}

func gitIn(proc, work string) bool {
	comm, err := os.ReadFile(proc + "/comm")
	if err != nil || !strings.HasPrefix(string(comm), "git") {
		return false
	}
	cwd, err := os.Readlink(proc + "/cwd")
	return err == nil && (cwd == work || strings.HasPrefix(cwd, work+"/"))
}
