package lab

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// Brief is what the model says in the shortest story: a plan with one deliverable, one session that does it, and a review
// that approves. The rules are plan, fix (a tool call, another one, the report) and approve.
func Brief() agenttest.Script {
	return agenttest.Script{Rules: []agenttest.Rule{
		{Name: "plan", Role: task.Planner, Turns: []agenttest.Turn{
			answer(plan("make the failing test pass", deliverable("FIX-001", "Add gives the sum", "go test passes"))),
		}},
		{Name: "fix", Role: task.Implementer, Turns: []agenttest.Turn{
			write("calc.go", fixed),
			read("calc.go"),
			say("<DONE>\n" + Messages[0] + "\n</DONE>"),
		}},
		{Name: "approve", Role: task.Reviewer, Turns: []agenttest.Turn{
			answer(map[string]any{"verdict": "approved", "text": "Add gives the sum."}),
		}},
	}}
}

// FailWhile lets a turn fail for as long as the condition holds. The fault is made for each call, so that it can tell the time.
func FailWhile(t *agenttest.Turn, bad func() bool, make func() agenttest.Fault) {
	f := make()
	t.Fault = &f
	before := t.Before
	t.Before = func(c *agenttest.Call) {
		if before != nil {
			before(c)
		}
		tries := -1 // no try is below it: the turn is answered
		if bad() {
			tries = c.Try
		}
		f = make()
		f.Times = tries
	}
}

// Heard gives the calls for a turn of a rule, in the order they came.
func (s *Stage) Heard(rule string, turn int) (calls []agenttest.Call) {
	for _, c := range s.Model.Calls() {
		if c.Rule == rule && c.Turn == turn {
			calls = append(calls, c)
		}
	}
	return calls
}

// Parked fails the test unless the task holds nothing while it waits: no process of an agent, no pending activity.
func (s *Stage) Parked() {
	s.T.Helper()
	if left := s.Worker.Programs(); len(left) != 0 {
		s.T.Errorf("processes run while the task waits: %q", left)
	}
	if n := len(s.Described().PendingActivities); n != 0 {
		s.T.Errorf("%d activities are pending while the task waits", n)
	}
}

// Described is what the server knows of the story's workflow.
func (s *Stage) Described() *workflowservice.DescribeWorkflowExecutionResponse {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	d, err := s.Client.DescribeWorkflowExecution(ctx, s.Begun.GetID(), s.Begun.GetRunID())
	if err != nil {
		s.T.Fatalf("describe the workflow: %v", err)
	}
	return d
}

// Carried fails the test unless the task has ended with one pull request, whose commits have these subjects, and nothing left behind.
func (s *Stage) Carried(end signals.Status, subjects ...string) {
	s.T.Helper()
	if end.Outcome != task.PullRequest {
		s.T.Fatalf("outcome %s: %s%s", end.Outcome, end.Detail, Log(end))
	}
	if got := strings.Join(s.Subjects(end.Branch), "\n"); got != strings.Join(subjects, "\n") {
		s.T.Errorf("commits %q, want %q", got, subjects)
	}
	if pulls := s.GitHub.Pulls(Name); len(pulls) != 1 || pulls[0].Head != end.Branch || pulls[0].Number != end.PullRequest.Number {
		s.T.Errorf("pull requests %+v, want one from %s with number %d", pulls, end.Branch, end.PullRequest.Number)
	}
	s.Nothing()
}

// Nothing fails the test when a task has left refs on the remote or processes on the host.
func (s *Stage) Nothing() {
	s.T.Helper()
	if refs := Git(s.T, s.Bare, "for-each-ref", "--format=%(refname)", "refs/longshift", "refs/longshift-fence"); refs != "" {
		s.T.Errorf("refs left behind on the remote: %s", refs)
	}
	if left := s.Worker.Programs(); len(left) != 0 {
		s.T.Errorf("processes left behind: %q", left)
	}
}

// FailGit lets requests of git's smart protocol fail: f gives the status to answer with, or 0 to serve the request.
func (s *Stage) FailGit(f func(service string) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gitFault = f
}

func (s *Stage) gitStatus(r *http.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gitFault == nil || r.Method != http.MethodPost {
		return 0
	}
	return s.gitFault(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
}

// Listed is what the server's list says of the task: the value of a search attribute, nil when it has none.
func (s *Stage) Listed(t testing.TB, name string) any {
	t.Helper()
	return attribute(t, s.Described().WorkflowExecutionInfo.GetSearchAttributes(), name)
}

// Ready waits until the worker polls, which it does when the server knows all it needs.
func (s *Stage) Ready() {
	s.T.Helper()
	Eventually(s.T, 30*time.Second, "the worker is ready", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		q, err := s.Client.DescribeTaskQueue(ctx, signals.QueueHosts, enumspb.TASK_QUEUE_TYPE_ACTIVITY)
		return err == nil && len(q.Pollers) > 0
	})
}
