package workflows_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
)

// replays is where the histories of released code are; `make record` writes them.
var replays = filepath.Join("testdata", "replay")

const (
	completed  = enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED
	terminated = enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED
)

// replay runs the workflow on a history, with the options that the worker has, and gives the status that it ends with if it does.
func replay(h *historypb.History, register func(worker.WorkflowRegistry)) (signals.Status, error) {
	var s signals.Status
	r, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
		Interceptors:             []interceptor.WorkerInterceptor{&activities.Interceptor{Redact: redact.New()}},
		DisableDeadlockDetection: true, // other tests keep the processors busy
	})
	if err != nil {
		return s, err
	}
	register(r)
	quiet := tlog.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	start := h.Events[0].GetWorkflowExecutionStartedEventAttributes()
	run := workflow.Execution{ID: start.WorkflowId, RunID: start.OriginalExecutionRunId}
	if err := r.ReplayWorkflowHistoryWithOptions(quiet, h, worker.ReplayWorkflowHistoryOptions{OriginalExecution: run}); err != nil {
		return s, err
	}
	if last(h).EventType == completed && givesStatus(h) {
		kept, ok := r.(interface {
			GetWorkflowResult(id string, into any) error
		})
		if !ok {
			return s, errors.New("the replayer does not give results any more")
		}
		if err := kept.GetWorkflowResult(run.ID, &s); err != nil {
			return s, fmt.Errorf("read the result: %w", err)
		}
	}
	return s, nil
}

// essence is what a result must keep through a replay: facts, not words, and nothing that a later release may add.
func essence(s signals.Status) map[string]any {
	e := map[string]any{
		"outcome": s.Outcome, "host": s.Host, "fence": s.Fence, "branch": s.Branch, "head": s.Head, "iteration": s.Iteration,
		"rounds": s.Rounds, "cost": s.Usage.CostUSD, "budget": s.BudgetUSD, "worked": s.Worked, "commits": len(s.Commits),
	}
	if s.Plan != nil {
		e["revision"] = s.Plan.Revision
	}
	if s.PullRequest != nil {
		e["pull request"] = s.PullRequest.Number
	}
	for _, one := range s.Sessions {
		e[one.ID] = fmt.Sprintf("%d %s %s on %s: %s", one.N, one.Role, one.Deliverable, one.Host, one.Outcome)
	}
	return e
}

// fixtures gives the names of the histories.
func fixtures(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(replays, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no histories in %s (%v)", replays, err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".json"))
	}
	return names
}

func load(t *testing.T, name string) *historypb.History {
	t.Helper()
	f, err := os.Open(filepath.Join(replays, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return h
}

// typeOf is the workflow that a history is of.
func typeOf(h *historypb.History) string {
	return h.Events[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName()
}

// givesStatus tells whether the workflow ends with a status. Others end with less.
func givesStatus(h *historypb.History) bool {
	return typeOf(h) == signals.CodingTask || typeOf(h) == signals.PullRequestFlow
}

func last(h *historypb.History) *historypb.HistoryEvent { return h.Events[len(h.Events)-1] }
