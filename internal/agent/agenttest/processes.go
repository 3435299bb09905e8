package agenttest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
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

// Pid is the process of the session's agent, by the name of its program.
func Pid(t testing.TB, s agent.Session, program string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.StateDir, program+".pid"))
	var f struct{ Pid int }
	if err != nil || json.Unmarshal(data, &f) != nil || f.Pid == 0 {
		t.Errorf("pid file %q: %v", data, err)
	}
	return f.Pid
}
