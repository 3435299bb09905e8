package chaos

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// mostKept is how much of each log is kept, in bytes: its end.
const mostKept = 1 << 20

// keep leaves, of a scene that failed, what says why: what was killed, the status of each task, the refs of both forges, the
// chat, the logs of server and workers. It says how to run the scene again.
func (s *scene) keep() {
	if !s.T.Failed() {
		return
	}
	s.T.Logf("again: make chaos KILLS=%d SEED=%d ARGS=%q", killsAtOnce, s.seed, fmt.Sprintf("-heartbeat=%s -probe=%s -tasks=%d -pause=%s -split=%t", *heartbeat, *probe, *atWork, *longest, *split))
	dir, err := os.MkdirTemp("/tmp", fmt.Sprintf("longshift-chance-%d-", s.seed)) // the tests' own folder may be gone with them, see .ci/in-memory
	if err != nil {
		s.T.Log(err)
		return
	}
	s.T.Logf("what is known of it lies in %s", dir)
	file := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text[max(0, len(text)-mostKept):]), 0o600); err != nil {
			s.T.Log(err)
		}
	}
	var killed strings.Builder
	for _, k := range s.figures.kills {
		fmt.Fprintf(&killed, "%s %s\n", k.at.UTC().Format("15:04:05.000"), k.kind)
	}
	file("kills", killed.String())
	for _, j := range s.jobs {
		now, _ := s.now(j)
		text, _ := json.MarshalIndent(map[string]any{"way": j.way, "agent": j.agent, "id": j.id, "end": j.end, "pull": j.pull, "now": now}, "", " ")
		file(fmt.Sprintf("chance-%d.json", j.n), string(text))
	}
	for name, repository := range map[string]string{"github": s.Bare, "local": s.local} {
		refs, _ := gittest.Try(repository, "log", "--all", "--graph", "--decorate", "--format=%h %ci %d %s")
		file(name+".refs", refs)
	}
	chat, _ := json.MarshalIndent(s.slack.Messages(s.slack.General), "", " ")
	file("chat.json", string(chat))
	file("server.log", s.Server.Logs())
	for n, w := range slices.Concat(s.workers(), s.gone) {
		file(fmt.Sprintf("worker-%d.log", n), w.Data+"\n"+w.Logs())
	}
}
