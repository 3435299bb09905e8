package workflows_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
	"github.com/longshift/longshift/workflows"
)

// replays is where the histories of released code are; `make record` writes them.
var replays = filepath.Join("testdata", "replay")

const completed = enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED

// recorded lists the branches of CodingTask that have a history, and the marks by which the history shows that it went
// that way. A mark with an exclamation mark must not be there. See marks for what they look like.
var recorded = map[string][]string{
	"approved": {"sessions piiir", "update approve", "!timer fired", "activity RunSetup", "activity RunChecks",
		"activity OpenPullRequest", "activity CleanUp", "outcome pull_request"},
	"approved-by-timer": {"sessions pir", "timer fired", "!update approve", "!signal approve", "outcome pull_request"},
	"edited": {"sessions ppir", "update edit", "signal approve", "signal tell", "timer canceled", "!timer fired", "log refused",
		"revision 2", "outcome pull_request"},
	"rejected":   {"sessions p", "signal reject", "!activity OpenPullRequest", "outcome rejected"},
	"spec-issue": {"sessions ppir", "signal resume", "log suspended spec_issue", "outcome pull_request"},
	"budget":     {"sessions piir", "update resume", "log suspended budget", "same session twice", "outcome pull_request"},
	"quota":      {"sessions piir", "timer fired", "log waiting quota", "same session twice", "outcome pull_request"},
	"cancelled": {"sessions pi", "cancel requested", "activity canceled RunAgent", "!activity CleanUp", "end canceled",
		"outcome cancelled"},
	"abandoned": {"sessions pi", "update abandon", "!cancel requested", "activity canceled RunAgent", "outcome abandoned"},
	"host-moved": {"sessions piir", "timeout Heartbeat", "last beat", "timeout ScheduleToStart", "queue longshift-host-beta",
		"queue longshift-host-alpha", "fence 2", "same session twice", "outcome pull_request"},
	"host-restarted": {"sessions piir", "activity failed LongshiftStopping", "activity Probe", "!timeout Heartbeat", "fence 1",
		"same session twice", "outcome pull_request"},
	"workspace-lost":    {"sessions pir", "activity failed LongshiftNotFound", "fence 2", "outcome pull_request"},
	"access-refused":    {"activity failed LongshiftDenied", "log suspended access", "signal resume", "fence 2", "outcome pull_request"},
	"changes-requested": {"sessions pirpir", "revision 2", "iteration 2", "outcome pull_request"},
	"max-iterations":    {"sessions pirpir", "iteration 2", "!activity OpenPullRequest", "!activity CleanUp", "outcome max_iterations"},
	"already-done":      {"sessions p", "!activity CommitWork", "outcome already_done"},
	"declined":          {"sessions p", "!activity CommitWork", "outcome declined"},
	"all-blocked":       {"sessions pii", "log blocked", "activity RunSetup", "!activity OpenPullRequest", "outcome all_blocked"},
	"session-failed":    {"sessions piir", "log error", "!same session twice", "!log suspended errors", "outcome pull_request"},
	"errors-in-a-row":   {"sessions piiir", "log suspended errors", "signal resume", "outcome pull_request"},
	"no-report":         {"sessions piir", "nudge", "same session twice", "outcome pull_request"},
	"bad-input":         {"sessions ", "end failed LongshiftInput"},
	"repository-missing": {"sessions ", "activity failed LongshiftNotFound", "end failed LongshiftNotFound",
		"outcome failed"},
}

func TestReplay(t *testing.T) {
	for _, name := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			h := load(t, name)
			replayed, err := replay(h, workflows.Register)
			if err != nil {
				t.Fatalf("CodingTask no longer takes the recorded way; put the change behind workflow.GetVersion: %v", err)
			}
			if want, ok := resultOf(t, h); ok && last(h).EventType == completed {
				if diff := cmp.Diff(essence(want), essence(replayed)); diff != "" {
					t.Errorf("the replay comes to another result (-recorded +replayed):\n%s", diff)
				}
			}
		})
	}
}

// Each fixture is of a branch, and each branch has a fixture that shows it.
func TestReplayCoversEveryBranch(t *testing.T) {
	names := fixtures(t)
	for name, wanted := range recorded {
		if !slices.Contains(names, name) {
			t.Errorf("branch %s has no history: record it from the released code with `go run ./test/record -only %s`", name, name)
			continue
		}
		have := marks(t, load(t, name))
		for _, m := range wanted {
			absent, forbidden := strings.CutPrefix(m, "!")
			if slices.Contains(have, absent) == forbidden {
				t.Errorf("%s: mark %q; the history has:\n  %s", name, m, strings.Join(have, "\n  "))
			}
		}
	}
	for _, name := range names {
		if _, ok := recorded[name]; !ok {
			t.Errorf("%s.json is of no branch in the list", name)
		}
	}
}

// A replay that nothing can fail would prove nothing.
func TestReplayNoticesAChange(t *testing.T) {
	otherStart := func(ctx workflow.Context, _ json.RawMessage) (signals.Status, error) {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
		return signals.Status{}, workflow.ExecuteActivity(ctx, "Greet").Get(ctx, nil)
	}
	lateTimer := func(ctx workflow.Context, in json.RawMessage) (signals.Status, error) {
		s, err := workflows.CodingTask(ctx, in)
		rest, done := workflow.NewDisconnectedContext(ctx)
		defer done()
		return s, errors.Join(err, workflow.Sleep(rest, time.Second))
	}
	for change, f := range map[string]any{"another first activity": otherStart, "a timer before the end": lateTimer} {
		for _, name := range fixtures(t) {
			_, err := replay(load(t, name), func(r worker.WorkflowRegistry) {
				r.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: signals.CodingTask})
			})
			if err == nil {
				t.Errorf("%s: %s was not noticed", name, change)
			}
		}
	}
}

// The history of a task stays small, whatever is added to it, and so do the fixtures. A fixture is about a seventh smaller
// than the history it comes from: ids and checksums of the recording are left out.
func TestReplaySizes(t *testing.T) {
	const events, bytes, file = 200, 200 << 10, 80 << 10
	for _, name := range fixtures(t) {
		h := load(t, name)
		t.Logf("%-18s %3d events, %5.1f KB", name, len(h.Events), float64(h.Size())/1000)
		if info, err := os.Stat(filepath.Join(replays, name+".json")); err != nil || info.Size() > file {
			t.Errorf("%s.json: more than %d bytes (%v)", name, file, err)
		}
	}
	h := load(t, "approved") // a plan of three deliverables, with setup and checks
	if n := h.Size(); len(h.Events) > events || n > bytes {
		t.Errorf("a task with three deliverables has %d events and %d bytes; %d and %d are allowed", len(h.Events), n, events, bytes)
	}
}

// replay runs the workflow on a history, with the options that the worker has, and gives its result if it has one.
func replay(h *historypb.History, register func(worker.WorkflowRegistry)) (signals.Status, error) {
	var s signals.Status
	r, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
		Interceptors: []interceptor.WorkerInterceptor{&activities.Interceptor{Redact: redact.New()}},
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
	if last(h).EventType == completed {
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
		"cost": s.Usage.CostUSD, "budget": s.BudgetUSD, "worked": s.Worked, "commits": len(s.Commits),
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

func last(h *historypb.History) *historypb.HistoryEvent { return h.Events[len(h.Events)-1] }
