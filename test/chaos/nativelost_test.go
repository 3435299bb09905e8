package chaos

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// lostHosts is how many hosts each session of TestNativeHostsAreLost loses.
const lostHosts = 5

// TestNativeHostsAreLost takes a session its host, disk and all, at five points, and has another host go on each time. With an object store
// no answer that has arrived is asked for again, no command runs twice, and the tree is that of a run that nothing happened to. Without one
// the tree goes on, and the conversation begins anew.
func TestNativeHostsAreLost(t *testing.T) {
	for _, at := range []string{"asked", "running"} {
		for _, store := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, object store %v", at, store), func(t *testing.T) {
				t.Parallel()
				h := &hosts{t: t, env: []string{"LONGSHIFT_SNAPSHOTS=0s"}}
				if store {
					h.env = append(h.env, "LONGSHIFT_OBJECT_STORE=file://"+t.TempDir())
				}
				script := countingSession(lostHosts)
				if at == "asked" {
					h.loseWhenAsked(&script)
				}
				h.Stage = lab.NewStage(t, script, "agent: native\napproval: {mode: none}\ncheck: test -e calc.go\n", h.env...)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				if at == "running" {
					go h.loseWhenRunning(ctx)
				}
				h.Play()
				start := time.Now()
				end := h.End(t, h.Begun, 10*time.Minute)
				stop()
				if end.Outcome != task.PullRequest {
					t.Fatalf("%s: %s%s", end.Outcome, end.Detail, lab.Log(end))
				}
				h.carriedOn(end.Branch, store)
				t.Logf("lost %d hosts, %d answers, the tree had %v lines after each, %s", h.lost, len(h.Model.Calls()), h.kept,
					time.Since(start).Round(time.Second))
			})
		}
	}
}

// hosts is a stage whose host is lost again and again.
type hosts struct {
	*lab.Stage
	t   *testing.T
	env []string

	mu   sync.Mutex
	lost int
	kept []int // lines of ran.txt in the work tree when the model was asked first on each new host
}

// lose kills the worker, removes all that it had, and starts one on another host.
func (h *hosts) lose() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost >= lostHosts {
		return
	}
	h.lost++
	h.Worker.Kill()
	if err := os.RemoveAll(h.Worker.Data); err != nil {
		h.t.Error(err)
	}
	h.Worker = h.NewWorker(lab.Claude(h.t), h.env...)
}

// ran reads how many commands the work tree knows of.
func (h *hosts) ran() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	files, _ := filepath.Glob(filepath.Join(h.Worker.Data, "tasks", "*", "work", "ran.txt"))
	if len(files) == 0 {
		return 0
	}
	text, _ := os.ReadFile(files[0])
	return strings.Count(string(text), "\n")
}

// loseWhenAsked takes the host when the model is asked for each further answer, before it gets any of it.
func (h *hosts) loseWhenAsked(s *agenttest.Script) {
	for j := range s.Rules[1].Turns {
		t := &s.Rules[1].Turns[j]
		if j == 0 || j > lostHosts {
			continue
		}
		t.Fault = &agenttest.Fault{Times: 1, Drop: true}
		t.Before = func(c *agenttest.Call) {
			if c.Try == 1 {
				had := h.ran()
				h.lose()
				lab.Eventually(h.t, time.Minute, "the next host has the work tree", func() bool { return h.ran() >= had })
				h.mu.Lock()
				defer h.mu.Unlock()
				h.kept = append(h.kept, had)
			}
		}
	}
}

// loseWhenRunning takes the host when a command has just added its line, and still runs.
func (h *hosts) loseWhenRunning(ctx context.Context) {
	for had := 0; ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		if n := h.ran(); n > had {
			h.lose()
			had = n - 1 // its line went with the host
		}
	}
}

// countingSession is a session in which each answer runs a command that adds a line to one file and writes another.
func countingSession(turns int) agenttest.Script {
	fix := agenttest.Rule{Name: "fix", Role: task.Implementer, Turns: []agenttest.Turn{lab.Call("write_file", lab.Args{"path": "list.txt", "content": "0\n"})}}
	list := "0\n"
	for n := 1; n <= turns+1; n++ {
		list += fmt.Sprintln(n)
		fix.Turns = append(fix.Turns, lab.Call("run_command", lab.Args{"command": fmt.Sprintf("echo %d >> ran.txt; sleep 0.3", n)},
			"write_file", lab.Args{"path": "list.txt", "content": list}))
	}
	fix.Turns = append(fix.Turns, lab.Passed("FIX-001", "feat: count"))
	brief := lab.Brief()
	return agenttest.Script{Rules: []agenttest.Rule{brief.Rules[0], fix, brief.Rules[2]}}
}

func (h *hosts) carriedOn(branch string, store bool) {
	h.t.Helper()
	if h.lost != lostHosts {
		h.t.Errorf("%d hosts were lost", h.lost)
	}
	if got := strings.Fields(gittest.Show(h.t, h.Bare, branch, "list.txt")); len(got) != lostHosts+2 {
		h.t.Errorf("list.txt is %q", got)
	}
	ran := strings.Fields(gittest.Show(h.t, h.Bare, branch, "ran.txt"))
	if !store {
		return // the conversation begins anew, and its commands with it
	}
	if !slices.IsSorted(ran) || len(slices.Compact(slices.Clone(ran))) != len(ran) {
		h.t.Errorf("commands that ran: %q", ran)
	}
	for _, c := range h.AnsweredTwice() {
		h.t.Errorf("an answer that had arrived was asked for again: %s", c)
	}
}
