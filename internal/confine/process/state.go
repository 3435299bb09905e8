package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/confine/process/tree"
)

// State is what there is of a program at one moment: the processes of its tree, and what is in the folders that it has for itself.
type State struct {
	own   tree.Process         // the program's own process: the innermost, because a wrapper starts it
	procs map[int]tree.Process // by process id
	files map[string]string    // what tells a change of each file below the folders of Spec.Private

	Memory int64 // bytes of the program's own process that are in memory
}

// mostFiles limits how much is looked at in the folders of a program.
const mostFiles = 1000

// State tells what there is of the program now. It only looks, and reads no file. It fails on systems that don't show a process's tree, and
// where so many processes come and go that none of its looks is of one moment. One takes a few milliseconds, and it looks again for as long as within.
func (p *Process) State(within time.Duration) (State, error) {
	all, err := exactSnapshot(within)
	if err != nil {
		return State{}, err
	}
	below := all.Descendants(p.guard.Process.Pid)
	if len(below) == 0 {
		return State{}, errors.New("the program has ended")
	}
	s := State{own: below[len(below)-1], procs: map[int]tree.Process{}, files: map[string]string{}}
	for _, one := range below {
		s.procs[one.Pid] = one
	}
	s.Memory = s.resident()
	for _, folder := range p.spec.Private {
		if err := s.list(folder); err != nil {
			return State{}, fmt.Errorf("look into the box: %w", err)
		}
	}
	if now, err := tree.LookUp(s.own.Pid); err != nil || !now.Same(s.own) {
		return State{}, errors.New("the program has ended")
	}
	return s, nil
}

// ErrLeft is that a process has come since. It may be about to end.
var ErrLeft = errors.New("a process is left")

// Since says what has come since an earlier state of the program, or nil: a process (ErrLeft), or a change in the folders that it has for itself.
func (s State) Since(before State) error {
	if one, there := s.procs[before.own.Pid]; !there || !one.Same(before.own) {
		return errors.New("the program has ended")
	}
	for pid, one := range s.procs {
		if earlier, there := before.procs[pid]; !there || !earlier.Same(one) {
			return fmt.Errorf("%w: %d", ErrLeft, pid)
		}
	}
	for file, stamp := range s.files {
		if before.files[file] != stamp {
			return fmt.Errorf("%s is new or changed", file)
		}
	}
	if len(s.files) != len(before.files) {
		return errors.New("files are gone")
	}
	return nil
}

// list notes the files below a folder of the program's own. It does not cross into other file systems, which outside can see as well.
func (s State) list(folder string) error {
	root := filepath.Join("/proc", strconv.Itoa(s.own.Pid), "root", folder)
	top, err := os.Stat(root)
	if err != nil {
		return err
	}
	_, device := stampOf(top)
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == root {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		stamp, on := stampOf(info)
		switch {
		case on != device:
			stamp = "another file system"
		case info.IsDir(): // its entries are noted by themselves
			stamp = info.Mode().String()
		}
		if s.files[folder+strings.TrimPrefix(path, root)] = stamp; len(s.files) > mostFiles {
			return errors.New("too many files")
		}
		if info.IsDir() && on != device {
			return fs.SkipDir
		}
		return nil
	})
}

func (s State) resident() int64 {
	data, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.own.Pid), "statm"))
	var size, resident int64
	_, _ = fmt.Sscan(string(data), &size, &resident) // 0 when it has just ended
	return resident * int64(os.Getpagesize())
}

// exactSnapshot lists the processes of one moment. One that forks on and exits could stay ahead of a single walk through /proc, but not
// without a new process id.
func exactSnapshot(within time.Duration) (tree.Snapshot, error) {
	for until := time.Now().Add(within); time.Now().Before(until); {
		last := lastPid()
		s, err := tree.Take()
		if err != nil {
			return nil, err
		}
		if last > 0 && catchUp(s, last, until) && whole(s) {
			return s, nil
		}
		<-time.After(200 * time.Microsecond)
	}
	return nil, errors.New("list processes: too many come and go")
}

// newTime is how long a process may have an id before /proc shows it. It is a few microseconds.
const newTime = 50 * time.Microsecond

// catchUp adds the processes that have come since last was the newest id, until none has come while it looked at these few. It gives up
// where ids begin anew.
func catchUp(s tree.Snapshot, last int, until time.Time) bool {
	for time.Now().Before(until) {
		newest := lastPid()
		if newest <= last {
			return newest == last
		}
		for begin := time.Now(); time.Since(begin) < newTime; { // a sleep is much longer where many processes run
		}
		for last < newest {
			last++
			if p, err := tree.LookUp(last); err == nil && !tree.IsThread(last) {
				s[last] = p
			}
		}
	}
	return false
}

// whole tells whether the parent of each process was seen. Where ids have begun anew, a child may be seen before its parent, which then ends.
func whole(s tree.Snapshot) bool {
	for _, p := range s {
		if _, seen := s[p.Parent]; !seen && p.Parent != 0 {
			return false
		}
	}
	return true
}

// current tells whether /proc/loadavg is the kernel's own. A container may have a file in its place, which is not of this moment.
var current = sync.OnceValue(func() bool {
	own, err1 := os.Stat("/proc/self/stat")
	file, err2 := os.Stat("/proc/loadavg")
	if err1 != nil || err2 != nil {
		return false
	}
	_, of := stampOf(own)
	_, on := stampOf(file)
	return on == of
})

// lastPid is the newest id of a process or thread of this system, 0 when it is not known.
func lastPid() int {
	if !current() {
		return 0
	}
	data, _ := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(data))
	if len(f) < 5 {
		return 0
	}
	id, _ := strconv.Atoi(f[4]) // 0 is that it is not known
	return id
}
