package activities

import (
	"context"
	"slices"
	"strings"

	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// mostPulls limits how many open pull requests are read: a task that waits needs to know only one.
const mostPulls = 20

// openPulls finds the running followers of a repository's pull requests.
func openPulls(ctx context.Context, prefix string) ([]signals.OpenPull, error) {
	var open []signals.OpenPull
	answer, err := activity.GetClient(ctx).ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{PageSize: mostPulls,
		Query: "WorkflowType = '" + signals.PullRequestFlow + "' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '" +
			quoted.Replace(prefix) + "'"})
	if err != nil {
		return nil, fault.New(fault.Infra, "list open pull requests: %w", err)
	}
	for _, e := range answer.GetExecutions() {
		p := signals.OpenPull{Workflow: e.GetExecution().GetWorkflowId()}
		if a, ok := e.GetSearchAttributes().GetIndexedFields()[signals.AttrPullRequest]; ok {
			_ = converter.GetDefaultDataConverter().FromPayload(a, &p.URL) // only people read it
		}
		open = append(open, p)
	}
	return open, nil
}

// unadmitted counts the tasks of the repository that work and have asked for no admission.
func (l *Limiters) unadmitted(ctx context.Context, in ReconcileInput) (int, error) {
	known := map[string]bool{}
	for _, id := range in.Known {
		known[id] = true
	}
	for _, h := range in.Holders {
		known[h.Workflow] = true
	}
	r, err := task.ParseRepository(in.Repository)
	if err != nil {
		return 0, err
	}
	var names []string
	for _, s := range spellings(r, l.host) {
		names = append(names, "'"+quoted.Replace(s)+"'")
	}
	n := 0
	request := &workflowservice.ListWorkflowExecutionsRequest{PageSize: 1000,
		Query: "WorkflowType = '" + signals.CodingTask + "' AND ExecutionStatus = 'Running' AND " +
			signals.AttrRepository + " IN (" + strings.Join(names, ", ") + ")"}
	for {
		answer, err := activity.GetClient(ctx).ListWorkflow(ctx, request)
		if err != nil {
			return 0, fault.New(fault.Infra, "list tasks of the repository: %w", err)
		}
		for _, e := range answer.GetExecutions() {
			if !known[e.GetExecution().GetWorkflowId()] && atWork(e) {
				n++
			}
		}
		if request.NextPageToken = answer.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return n, nil
		}
	}
}

// spellings lists the ways to write a repository that follow from one of them.
func spellings(r task.Repository, host string) []string {
	all := []string{r.Text}
	if r.Owner != "" {
		if r.Host != "" {
			host = r.Host
		}
		name := r.Owner + "/" + r.Name
		for _, s := range []string{name, "https://" + host + "/" + name, "https://" + host + "/" + name + ".git",
			"git@" + host + ":" + name + ".git"} {
			all = append(all, s, strings.ToLower(s))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// atWork tells whether a running task works, or will continue without a person.
func atWork(e *workflowpb.WorkflowExecutionInfo) bool {
	fields := e.GetSearchAttributes().GetIndexedFields()
	var phase task.Phase
	if p, ok := fields[signals.AttrPhase]; ok {
		_ = converter.GetDefaultDataConverter().FromPayload(p, &phase) // an unknown phase counts as work
	}
	_, until := fields[signals.AttrWaitingUntil]
	switch phase {
	case task.Queued, task.Suspended, task.Ended:
		return false
	case task.Approving:
		return until
	}
	return true
}
