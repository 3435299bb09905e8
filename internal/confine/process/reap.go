package process

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/confine/process/guard"
	"github.com/longshift/longshift/internal/confine/process/tree"
)

const (
	reapGrace  = 2 * time.Second
	reapLook   = 5 * time.Millisecond
	guardGrace = 500 * time.Millisecond
)

// ReapSession ends every process with LONGSHIFT_SESSION=session in its environment, but for those of another session that
// were given it by a program, and all their descendants: TERM first, KILL after 2 s. It returns the number of ended
// processes when it finds none any more. Processes of other users can't be seen; this process and its ancestors are never
// touched.
func ReapSession(ctx context.Context, session string) (int, error) {
	if session == "" {
		return 0, errors.New("reap session: no session named")
	}
	n, err := reap(ctx, reapGrace, finder{session: session})
	if err != nil {
		return n, fmt.Errorf("reap session %s: %w", session, err)
	}
	return n, nil
}

// finder selects the processes to end: the descendants of the roots, the roots themselves, and the session's processes.
type finder struct {
	roots   []tree.Process
	session string
}

func (f finder) find() ([]tree.Process, error) {
	s, err := tree.Take()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	tops, ours := []tree.Process{}, s.Ancestors(os.Getpid())
	for _, p := range s {
		if slices.ContainsFunc(f.roots, p.Same) || f.marked(s, p, ours) {
			tops = append(tops, p)
		}
	}
	found := map[int]tree.Process{}
	for _, top := range tops {
		for _, p := range append(s.Descendants(top.Pid), top) {
			if !slices.Contains(ours, p.Pid) {
				found[p.Pid] = p
			}
		}
	}
	return slices.Collect(maps.Values(found)), nil
}

// marked reports whether a process belongs to the session. A program can give its children any mark, so that of the outermost guard above the
// process counts, which we have started.
func (f finder) marked(s tree.Snapshot, p tree.Process, ours []int) bool {
	mark := SessionEnv + "=" + f.session
	if f.session == "" || !p.Carries(mark) {
		return false
	}
	top := p
	for _, pid := range s.Ancestors(p.Pid) {
		if slices.Contains(ours, pid) {
			break
		}
		if isGuard(s[pid]) {
			top = s[pid]
		}
	}
	return top.Same(p) || top.Carries(mark)
}

func isGuard(p tree.Process) bool { return p.Arguments() == guard.Name+"\x00" }

// reap ends the processes that f finds until there are none: TERM to each, KILL after the grace period. Without a grace
// period they get KILL at once.
func reap(ctx context.Context, grace time.Duration, f finder) (int, error) {
	tick := time.NewTicker(reapLook)
	defer tick.Stop()
	deadline, seen := time.Now().Add(grace), map[tree.Process]bool{}
	busy := time.Now() // when processes other than guards were last seen
	for {
		left, err := f.find()
		if err != nil || len(left) == 0 {
			return len(seen), err
		}
		for _, p := range left {
			id := tree.Process{Pid: p.Pid, Start: p.Start}
			if !seen[id] && grace > 0 {
				p.Signal(syscall.SIGTERM)
			}
			seen[id] = true
		}
		guards, others := split(left)
		if len(others) > 0 {
			busy = time.Now()
		}
		if grace <= 0 || time.Now().After(deadline) {
			kill(others)
			if time.Since(busy) > guardGrace {
				kill(guards)
			}
		}
		select {
		case <-ctx.Done():
			return len(seen) - len(left), fmt.Errorf("%d processes are left: %w", len(left), ctx.Err())
		case <-tick.C:
		}
	}
}

// split separates guards from other processes. Guards are spared while they have descendants: without them, a child that
// has cleared its environment could no longer be found. Afterwards they get a moment to exit by themselves.
func split(list []tree.Process) (guards, others []tree.Process) {
	for _, p := range list {
		if isGuard(p) {
			guards = append(guards, p)
		} else {
			others = append(others, p)
		}
	}
	return guards, others
}

func kill(list []tree.Process) {
	for _, p := range list {
		p.Signal(syscall.SIGKILL)
	}
}
