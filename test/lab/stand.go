package lab

import (
	"context"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

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
	s.LeftNothing()
}

// LeftNothing fails the test when a task has left refs on the remote or processes on a host, also on one that was lost.
func (s *Stage) LeftNothing() {
	s.T.Helper()
	if refs := gittest.Git(s.T, s.Bare, "for-each-ref", "--format=%(refname)", "refs/longshift", "refs/longshift-fence"); refs != "" {
		s.T.Errorf("refs left behind on the remote: %s", refs)
	}
	for _, w := range s.started() {
		if left := w.Programs(); len(left) != 0 {
			s.T.Errorf("processes left behind: %q", left)
		}
	}
}

// Listed is what the server's list says of the task: the value of a search attribute, nil when it has none.
func (s *Stage) Listed(t testing.TB, name string) any {
	t.Helper()
	return attribute(t, s.Described().WorkflowExecutionInfo.GetSearchAttributes(), name)
}

// attribute reads one search attribute of a workflow.
func attribute(t testing.TB, all *commonpb.SearchAttributes, name string) any {
	t.Helper()
	p, ok := all.GetIndexedFields()[name]
	if !ok {
		return nil
	}
	var v any
	if err := converter.GetDefaultDataConverter().FromPayload(p, &v); err != nil {
		t.Fatalf("read search attribute %s: %v", name, err)
	}
	return v
}
