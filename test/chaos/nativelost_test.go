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
// the tree goes on, and the conversation begins anew. When the next host asks first, it has what had been done when the one before was
// lost.
func TestNativeHostsAreLost(t *testing.T) {
	for _, at := range []string{"asked", "running"} {
		for _, store := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, object store %v", at, store), func(t *testing.T) {
				t.Parallel()
				h := &hosts{t: t, env: []string{"LONGSHIFT_SNAPSHOTS=0s"}}
				if store {
					h.env = append(h.env, "LONGSHIFT_OBJECT_STORE=file://"+t.TempDir())
				}
				h.commands = lostHosts + 1
				if at == "running" {
					h.commands += lostHosts // between two losses one ends
				}
				script := countingSession(h.commands)
				h.watch(&script, at == "asked")
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
				t.Logf("lost %d hosts with %v lines in the tree, which had %v when the next one asked, %d answers, %s", len(h.had), h.had, h.kept,
					len(h.Model.Calls()), time.Since(start).Round(time.Second))
			})
		}
	}
}

// hosts is a stage whose host is lost again and again.
type hosts struct {
	*lab.Stage
	t        *testing.T
	env      []string
	commands int // of the session

	mu    sync.Mutex
	had   []int     // lines of ran.txt whose commands had ended when each host was lost
	kept  []int     // those in the work tree of the next host when it asked the model first
	since time.Time // the last host began
}

// lose kills the worker, removes all that it had, and starts one on another host. The lines are those of commands that had ended.
func (h *hosts) lose(lines int) {
	if len(h.had) >= lostHosts {
		return
	}
	h.had = append(h.had, lines)
	h.Worker.Kill()
	if err := os.RemoveAll(h.Worker.Data); err != nil {
		h.t.Error(err)
	}
	h.Worker = h.NewWorker(lab.Claude(h.t), h.env...)
	h.since = time.Now()
}

// ran reads how many commands the work tree knows of.
func (h *hosts) ran() int {
	files, _ := filepath.Glob(filepath.Join(h.Worker.Data, "tasks", "*", "work", "ran.txt"))
	if len(files) == 0 {
		return 0
	}
	text, _ := os.ReadFile(files[0])
	return strings.Count(string(text), "\n")
}

// watch looks at the work tree when a new host asks the model first. If it also loses, it takes the host when the model is asked for each
// further answer, before it gets any of it.
func (h *hosts) watch(s *agenttest.Script, loses bool) {
	for j := range s.Rules[1].Turns {
		t := &s.Rules[1].Turns[j]
		if loses && j > 0 && j <= lostHosts {
			t.Fault = &agenttest.Fault{Times: 1, Drop: true}
		}
		t.Before = func(c *agenttest.Call) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if len(h.kept) < len(h.had) && c.Time.After(h.since) { // not one of the host that was lost
				h.kept = append(h.kept, h.ran())
			}
			if loses && j == len(h.had)+1 {
				h.lose(h.ran())
			}
		}
	}
}

// loseWhenRunning takes the host when a command has just added its line, and still runs, and one before it has ended on this host.
func (h *hosts) loseWhenRunning(ctx context.Context) {
	for had := 0; ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		h.mu.Lock()
		if n := h.ran(); n > had+1 {
			had = n - 1 // the last line goes with the host
			h.lose(had)
		}
		h.mu.Unlock()
	}
}

// countingSession is a session in which each answer but the first runs a command that adds a line to one file and writes another.
func countingSession(commands int) agenttest.Script {
	fix := agenttest.Rule{Name: "fix", Role: task.Implementer, Turns: []agenttest.Turn{lab.Call("write_file", lab.Args{"path": "list.txt", "content": "0\n"})}}
	list := "0\n"
	for n := 1; n <= commands; n++ {
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
	if len(h.had) != lostHosts || len(h.kept) != lostHosts || slices.Max(h.had) < lostHosts-1 {
		h.t.Fatalf("hosts were lost with %v lines, and the next ones began with %v", h.had, h.kept)
	}
	for n, had := range h.had {
		if h.kept[n] < had {
			h.t.Errorf("host %d was lost with %d lines, and the next one began with %d", n+1, had, h.kept[n])
		}
	}
	if got := strings.Fields(gittest.Show(h.t, h.Bare, branch, "list.txt")); len(got) != h.commands+1 {
		h.t.Errorf("list.txt is %q", got)
	}
	ran := strings.Fields(gittest.Show(h.t, h.Bare, branch, "ran.txt"))
	if !store { // the conversation begins anew, and its commands with it
		if len(ran) <= h.commands {
			h.t.Errorf("nothing is left of the commands that ran on hosts that were lost: %q", ran)
		}
		return
	}
	if !slices.IsSorted(numbers(ran)) || len(slices.Compact(slices.Clone(ran))) != len(ran) {
		h.t.Errorf("commands that ran: %q", ran)
	}
	for _, c := range h.AnsweredTwice() {
		h.t.Errorf("an answer that had arrived was asked for again: %s", c)
	}
}
