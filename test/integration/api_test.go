package integration

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// requiredSettings are those of a repository whose plans a person approves.
const requiredSettings = `check: grep -q "a + b" calc.go
specs: specs
approval:
  mode: required
`

// TestTemporalAlone carries a task with nothing but two calls of Temporal's own API: a start with a JSON object of two fields,
// and a signal without any arguments.
func TestTemporalAlone(t *testing.T) {
	t.Parallel()
	s := lab.NewScriptedStage(t, lab.Brief(), requiredSettings)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	service := s.Client.WorkflowService()
	_, err := service.StartWorkflowExecution(ctx, &workflowservice.StartWorkflowExecutionRequest{
		Namespace: "default", WorkflowId: "by-hand", RequestId: "1", WorkflowType: &commonpb.WorkflowType{Name: "CodingTask"},
		TaskQueue: &taskqueuepb.TaskQueue{Name: "longshift", Kind: enumspb.TASK_QUEUE_KIND_NORMAL},
		Input: &commonpb.Payloads{Payloads: []*commonpb.Payload{{Metadata: map[string][]byte{"encoding": []byte("json/plain")},
			Data: []byte(`{"repository": "acme/calc", "task": "make the failing test pass"}`)}}},
	})
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	s.Begun = s.Client.GetWorkflow(ctx, "by-hand", "")
	st := s.Until("the plan waits", func(st signals.Status) bool { return st.Phase == task.Approving || waiting(st) })
	if st.Reason != signals.ReasonApproval || !st.NeedsHuman || !st.WaitingUntil.IsZero() || st.Plan == nil || st.Plan.Revision != 1 {
		t.Fatalf("status: phase %s, reason %s, until %s, plan %+v", st.Phase, st.Reason, st.WaitingUntil, st.Plan)
	}
	s.Parked()
	_, err = service.SignalWorkflowExecution(ctx, &workflowservice.SignalWorkflowExecutionRequest{
		Namespace: "default", WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: "by-hand"}, SignalName: "approve",
	})
	if err != nil {
		t.Fatalf("signal: %v", err)
	}
	s.Carried(ended(t, s), lab.Messages[0])
}

// wrong is an input that can't be used, and what its error must say.
type wrong struct {
	name  string
	input map[string]any
	kind  fault.Kind
	says  []string
}

func wrongInputs(s *lab.Stage) []wrong {
	in := func(pairs ...any) map[string]any {
		m := map[string]any{"repository": lab.Name, "task": lab.Ask}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	nowhere := filepath.Join(s.T.TempDir(), "nowhere")
	return []wrong{
		{"unknown key", in("tsak", "x"), fault.Input, []string{"tsak", "not a known key"}},
		{"unknown key of the configuration", in("config", map[string]any{"buget": map[string]any{"cost": 1}}), fault.Input, []string{"config.buget", "not a known key"}},
		{"missing field", map[string]any{"repository": lab.Name}, fault.Input, []string{"task", "missing"}},
		{"wrong type", in("config", map[string]any{"iterations": "many"}), fault.Input, []string{"config.iterations", "many"}},
		{"unknown repository", in("repository", "acme/nothing"), fault.NotFound, []string{"acme/nothing", "not there"}},
		{"unknown path", in("repository", nowhere), fault.NotFound, []string{nowhere, "not there"}},
		{"unknown URL", in("repository", s.Front+"/acme/nothing.git"), fault.NotFound, []string{s.Front + "/acme/nothing.git", "not there"}},
		{"no specification", in("spec", []string{"docs/SPEC.md"}), fault.NotFound, []string{"spec: there is no docs/SPEC.md in main at "}},
		{"unknown base", in("base", "release"), fault.Input, []string{"base", "release", "main"}},
		{"wrong settings of the repository", in("base", "wrong-settings"), fault.Input, []string{".longshift.yaml", "line 2", "chekc"}},
	}
}

// wrongSettings makes a branch whose .longshift.yaml has an unknown key in its second line.
func wrongSettings(s *lab.Stage) {
	work := filepath.Join(s.T.TempDir(), "work")
	gittest.Git(s.T, s.T.TempDir(), "clone", "-q", s.Bare, work)
	if err := os.WriteFile(filepath.Join(work, ".longshift.yaml"), []byte("specs: specs\nchekc: go test ./...\n"), 0o644); err != nil {
		s.T.Fatal(err)
	}
	gittest.Git(s.T, work, "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-q", "-a", "-m", "settings")
	gittest.Git(s.T, work, "push", "-q", "origin", "HEAD:refs/heads/wrong-settings")
}

// TestWrongInput starts tasks with input that can't be used. Each fails at once, with one line that names what is wrong and the
// kind of fault, and leaves nothing behind.
func TestWrongInput(t *testing.T) {
	t.Parallel()
	s := lab.NewScriptedStage(t, lab.Brief(), requiredSettings)
	wrongSettings(s)
	for _, c := range wrongInputs(s) {
		t.Run(c.name, func(t *testing.T) {
			run := s.Begin(t, "wrong-"+task.Slug(c.name, 40), c.input)
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			err := run.Get(ctx, nil)
			var app *temporal.ApplicationError
			if !errors.As(err, &app) || app.Type() != string(c.kind) {
				t.Fatalf("error %v, want type %s", err, c.kind)
			}
			t.Log(app.Message())
			oneLine(t, app.Message(), c.says...)
			d, err := s.Client.DescribeWorkflowExecution(ctx, run.GetID(), run.GetRunID())
			if err != nil || d.WorkflowExecutionInfo.Status != enumspb.WORKFLOW_EXECUTION_STATUS_FAILED {
				t.Errorf("status %v, %v", d.GetWorkflowExecutionInfo().GetStatus(), err)
			}
			s.LeftNothing()
			if left := leftovers(t, s.Worker.Data); len(left) != 0 {
				t.Errorf("left behind in the data folder: %q", left)
			}
			for _, e := range s.HistoryOf(t, run.GetID(), run.GetRunID()) {
				if a := e.GetActivityTaskScheduledEventAttributes(); a.GetActivityType().GetName() == "RunAgent" {
					t.Error("a session was begun")
				}
			}
		})
	}
}

// oneLine checks that a message is one line and names what is wrong.
func oneLine(t *testing.T, message string, says ...string) {
	t.Helper()
	if strings.Contains(strings.TrimSpace(message), "\n") {
		t.Errorf("more than one line: %q", message)
	}
	for _, word := range says {
		if !strings.Contains(message, word) {
			t.Errorf("%q does not say %q", message, word)
		}
	}
}

// leftovers are the files of tasks in a data folder.
func leftovers(t *testing.T, data string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(data, "tasks"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, strings.TrimPrefix(path, data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
