package agenttest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

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
