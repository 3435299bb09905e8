package chaos

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

var nativeTurns = flag.Int("turns", 3, "answers of the model in the session of TestNativeActsSurvive; each calls a command, a read and a write")

// blows are what happens to a running task, by the name of the moment: when the model is asked, when an act has just been begun, while a
// command runs, and when the result of an act has just been kept.
var blows = map[string]func(s *lab.Stage){
	"killed when asked": restart, "killed when begun": restart, "killed when running": restart, "killed when kept": restart,
	"deployed when running": func(s *lab.Stage) { s.Worker.Stop(); s.Worker.Start() },
	"stopped when kept": func(s *lab.Stage) { // for longer than the heartbeat may take
		s.Worker.Frozen(func() { time.Sleep(3 * time.Second) })
	},
	"server killed when kept": func(s *lab.Stage) { s.Server.Kill(); s.Server.Start() },
}

// TestNativeActsSurvive strikes at every act of sessions of Longshift's own agent. No answer that has arrived is asked for again, no command
// runs twice, and the tree is the one of a run that nothing happened to. It goes before the tests that run beside others: its kills keep the
// machine busy, and theirs are meant to come at the times that they say.
func TestNativeActsSurvive(t *testing.T) {
	for name, blow := range blows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, at, _ := strings.Cut(name, " when ")
			struck := &atomic.Int32{}
			script := longSession(*nativeTurns)
			var s *lab.Stage
			strike := func() { struck.Add(1); blow(s) }
			k := &keeper{what: at, seen: map[string]bool{}}
			switch at {
			case "asked":
				eachAsked(&script, strike)
			case "kept":
				k.awaited(&script, strike)
			}
			s = lab.NewStage(t, script, "agent: native\napproval: {mode: none}\ncheck: test -e calc.go\n")
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			switch at {
			case "running":
				go eachLine(ctx, s.Worker.Data, strike)
			case "begun", "kept":
				k.data = s.Worker.Data
				go k.eachKept(ctx, strike)
			}
			s.Play()
			start := time.Now()
			end := s.End(t, s.Begun, 10*time.Minute)
			stop()
			if end.Outcome != task.PullRequest {
				t.Fatalf("%s: %s%s", end.Outcome, end.Detail, lab.Log(end))
			}
			if n := int(struck.Load()); n < *nativeTurns {
				t.Errorf("it was struck %d times", n)
			}
			sameTree(t, s, end.Branch, at)
			for _, c := range s.AnsweredTwice() {
				t.Errorf("an answer that had arrived was asked for again: %s", c)
			}
			t.Logf("struck %d times, %d answers, %s", struck.Load(), len(s.Model.Calls()), time.Since(start).Round(time.Second))
		})
	}
}

// longSession is a session in which each answer runs a command that adds a line to a file, reads that file and edits another.
func longSession(turns int) agenttest.Script {
	fix := agenttest.Rule{Name: "fix", Role: task.Implementer, Turns: []agenttest.Turn{lab.Call("write_file", lab.Args{"path": "list.txt", "content": "0\n"})}}
	for n := 1; n <= turns; n++ {
		fix.Turns = append(fix.Turns, lab.Call(
			"run_command", lab.Args{"command": fmt.Sprintf("echo %d >> ran.txt; sleep 0.2", n)},
			"read_file", lab.Args{"path": "list.txt"},
			"edit_file", lab.Args{"path": "list.txt", "old": fmt.Sprintf("%d\n", n-1), "new": fmt.Sprintf("%d\n%d\n", n-1, n)}))
	}
	fix.Turns = append(fix.Turns, lab.Passed("FIX-001", "feat: count"))
	brief := lab.Brief()
	return agenttest.Script{Rules: []agenttest.Rule{brief.Rules[0], fix, brief.Rules[2]}}
}

// eachAsked kills the worker the first time that the model is asked for each answer, before it gets any of it.
func eachAsked(s *agenttest.Script, kill func()) {
	for i := range s.Rules {
		for j := range s.Rules[i].Turns {
			t := &s.Rules[i].Turns[j]
			t.Fault = &agenttest.Fault{Times: 1, Drop: true}
			t.Before = func(c *agenttest.Call) {
				if c.Try == 1 {
					kill()
				}
			}
		}
	}
}

// keeper sees what a worker keeps of its acts.
type keeper struct {
	data, what string // where, "" until the worker is up, and which of them: begun or kept
	mu         sync.Mutex
	seen       map[string]bool
}

// another tells whether the worker has kept the beginning or the result of an act that was not seen yet, or of several.
func (k *keeper) another() (is bool) {
	acts := "*.json"
	if k.what == "begun" {
		acts = "*-run.json" // an answer that is on its way when the worker dies is asked for again
	}
	files, _ := filepath.Glob(filepath.Join(k.data, "tasks", "*", "sessions", "*", "acts", acts))
	for _, f := range files {
		var act struct {
			Begun  []string
			Result json.RawMessage
		}
		text, err := os.ReadFile(f)
		if k.seen[f] || err != nil || json.Unmarshal(text, &act) != nil || k.what == "kept" && act.Result == nil ||
			k.what == "begun" && (act.Begun == nil || act.Result != nil) {
			continue
		}
		k.seen[f], is = true, true
	}
	return is
}

// look kills the worker when it has kept another one. Whoever else looks waits for that.
func (k *keeper) look(kill func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.data != "" && k.another() {
		kill()
	}
}

// eachKept kills the worker whenever it has kept another one.
func (k *keeper) eachKept(ctx context.Context, kill func()) {
	for ctx.Err() == nil {
		k.look(kill)
		<-time.After(2 * time.Millisecond)
	}
}

// awaited has each answer of the model wait for the kill that is due: one that is on its way when the worker dies is asked for again.
func (k *keeper) awaited(s *agenttest.Script, kill func()) {
	for i := range s.Rules {
		for j := range s.Rules[i].Turns {
			s.Rules[i].Turns[j].Before = func(*agenttest.Call) { k.look(kill) }
		}
	}
}

// eachLine kills the worker whenever a command has just added its line, and still runs.
func eachLine(ctx context.Context, data string, kill func()) {
	for had := 0; ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(data, "tasks", "*", "work", "ran.txt"))
		for _, f := range files {
			text, err := os.ReadFile(f)
			if n := strings.Count(string(text), "\n"); err == nil && n > had {
				had = n
				kill()
			}
		}
	}
}

func restart(s *lab.Stage) {
	s.Worker.Kill()
	s.Worker.Start()
}

// sameTree fails the test unless the branch has what the session would have left without a kill. A command that was cut off before it had
// done anything may have left nothing, but never anything twice.
func sameTree(t *testing.T, s *lab.Stage, branch, at string) {
	t.Helper()
	var list []string
	for n := range *nativeTurns + 1 {
		list = append(list, strconv.Itoa(n))
	}
	if got := gittest.Show(t, s.Bare, branch, "list.txt"); got != strings.Join(list, "\n") {
		t.Errorf("list.txt is %q", got)
	}
	var ran []string
	if files := gittest.Git(t, s.Bare, "ls-tree", "--name-only", branch); strings.Contains(files, "ran.txt") {
		ran = strings.Fields(gittest.Show(t, s.Bare, branch, "ran.txt"))
	}
	if !slices.IsSorted(numbers(ran)) || len(slices.Compact(slices.Clone(ran))) != len(ran) {
		t.Errorf("commands that ran: %q", ran)
	}
	if at != "begun" && len(ran) != *nativeTurns {
		t.Errorf("%d of %d commands ran: %q", len(ran), *nativeTurns, ran)
	}
}

func numbers(list []string) (all []int) {
	for _, text := range list {
		n, _ := strconv.Atoi(text)
		all = append(all, n)
	}
	return all
}
