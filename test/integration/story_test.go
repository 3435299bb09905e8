// Package integration holds the stories of the whole system on its real parts: the server binary, the worker binary, git over
// HTTP, a GitHub that checks each request, and the real Claude Code behind a scripted model.
package integration

import (
	"crypto/md5"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestStory carries a real repository with a failing test to a pull request: plan, approval by the timer, two deliverables,
// checks, a review that asks for changes, a second plan, a review that approves, push over HTTP, pull request.
func TestStory(t *testing.T) {
	t.Parallel()
	var s *lab.Stage
	script, processes := lab.Script(), sync.Map{}
	for i, r := range script.Rules {
		script.Rules[i].Turns[0].Before = func(*agenttest.Call) { processes.Store(r.Name, agents(s)) }
	}
	s = lab.NewStage(t, script, lab.Settings, lab.CompilerCache(t))
	s.Play()
	end := s.Ended()
	if end.Outcome != task.PullRequest || end.Iteration != 2 {
		t.Fatalf("outcome %s in round %d: %s%s", end.Outcome, end.Iteration, end.Detail, lab.Log(end))
	}
	if got := s.Subjects(end.Branch); !slices.Equal(got, lab.Messages) {
		t.Errorf("commits %q, want the markers' texts %q", got, lab.Messages)
	}
	files := gittest.Git(t, s.Bare, "diff", "--name-only", "main.."+end.Branch)
	if files != "README.md\ncalc.go" {
		t.Errorf("changed files %q: the specs folder must stay out", files)
	}
	pulls := s.GitHub.Pulls(lab.Name)
	if len(pulls) != 1 {
		t.Fatalf("%d pull requests", len(pulls))
	}
	for _, want := range []string{"FIX-001", "API-002", "DOC-003", "go test ./...", "longshift:task=" + end.TaskID} {
		if !strings.Contains(pulls[0].Body, want) {
			t.Errorf("the pull request does not say %q:\n%s", want, pulls[0].Body)
		}
	}
	if end.PullRequest.Number != pulls[0].Number || pulls[0].Head != end.Branch || pulls[0].Base != "main" {
		t.Errorf("pull request %+v, status says %+v", pulls[0], end.PullRequest)
	}
	if end.Check == nil || !end.Check.Passed() {
		t.Errorf("checks %+v", end.Check)
	}
	opus, sonnet := 0, 0
	for rule, n := range s.WholeTurns() {
		if strings.HasPrefix(rule, "plan") {
			opus += n
		} else {
			sonnet += n
		}
	}
	if want := lab.Cost(opus, sonnet); math.Abs(end.Usage.CostUSD-want) > 0.000001 {
		t.Errorf("cost %v for %d opus and %d sonnet answers, want %v", end.Usage.CostUSD, opus, sonnet, want)
	}
	if u, calls := end.Usage, int64(opus+sonnet); u.Input != calls*lab.Counted.Input || u.Output != calls*lab.Counted.Output || int64(u.Calls) != calls {
		t.Errorf("usage %+v for %d answers", u, calls)
	}
	if sum := lab.Sum(end.Sessions); math.Abs(sum.CostUSD-end.Usage.CostUSD) > 1e-9 {
		t.Errorf("the sessions' costs add up to %v, the task's is %v", sum.CostUSD, end.Usage.CostUSD)
	}
	if refs := gittest.Git(t, s.Bare, "for-each-ref", "--format=%(refname)", "refs/longshift"); refs != "" {
		t.Errorf("checkpoints left behind: %s", refs)
	}
	for _, e := range s.History(t, s.Begun.GetID()) {
		if id := e.GetWorkflowTaskCompletedEventAttributes().GetWorkerVersion().GetBuildId(); len(id) == 2*md5.Size {
			t.Errorf("the worker has read its program for a checksum: %s", id)
		}
	}
	if left := s.Worker.Programs(); len(left) != 0 {
		t.Errorf("processes left behind: %q", left)
	}
	of := func(rule string) []string {
		pids, _ := processes.Load(rule)
		return pids.([]string)
	}
	plan, fix, mul, doc := of("plan"), of("fix"), of("mul"), of("doc") // beside the last session of a round the reviewer's may have been started
	if len(fix) != 1 || !slices.Contains(mul, fix[0]) || len(mul) > 2 || slices.Contains(plan, fix[0]) || slices.Contains(doc, fix[0]) {
		t.Errorf("processes of the planner: %s, of the two sessions of implementers: %s and %s, of the one in the second round: %s", plan, fix, mul, doc)
	}
}

// agents are the ids of the agents' processes. A program that an agent starts has the agent's name until it is executed, so an agent's
// children do not count.
func agents(s *lab.Stage) (pids []string) {
	for _, line := range s.Worker.Programs() {
		if f := strings.Fields(line); len(f) > 1 && path.Base(f[1]) == task.AgentClaude {
			pids = append(pids, f[0])
		}
	}
	all := slices.Clone(pids)
	return slices.DeleteFunc(pids, func(pid string) bool { return slices.Contains(all, parentOf(pid)) })
}

// parentOf is the id of a process's parent; empty when the process has ended.
func parentOf(pid string) string {
	stat, _ := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it may hold blanks
	if f := strings.Fields(rest); len(f) > 1 {
		return f[1]
	}
	return ""
}
