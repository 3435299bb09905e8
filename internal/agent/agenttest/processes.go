package agenttest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/process/guard"
	"github.com/longshift/longshift/internal/confine/process/tree"
)

// Processes are the ids of the processes that carry the session's mark in their environment. Elsewhere than on Linux it sees none, and
// says so in the log.
func Processes(t testing.TB, session string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Log("processes can't be listed on this system; not checked")
		return nil
	}
	var pids []int
	mark := []byte(process.SessionEnv + "=" + session)
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended, or is somebody else's
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(v, mark) {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// Pid is the process of the session's agent: the first that its guard has started. It is 0 when there is none, which fails the test.
func Pid(t testing.TB, s agent.Session) int {
	t.Helper()
	all, err := tree.Take()
	if err != nil {
		t.Errorf("list processes: %v", err)
		return 0
	}
	first := tree.Process{}
	for _, pid := range Processes(t, s.ID) {
		p := all[pid]
		if all[p.Parent].Arguments() == guard.Name+"\x00" && (first.Pid == 0 || p.Start < first.Start) {
			first = p
		}
	}
	if first.Pid == 0 {
		t.Errorf("session %s has no process", s.ID)
	}
	return first.Pid
}

// Kill kills the process of the session's agent with signal 9. Without one it sends no signal: to 0 it would go to all of the test's group.
func Kill(t testing.TB, s agent.Session) {
	t.Helper()
	pid := Pid(t, s)
	if pid == 0 {
		return
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("kill the process of session %s: %v", s.ID, err)
	}
}
