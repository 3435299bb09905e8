package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/sweep"
)

// runs plays a server: the status of each run; "" is the latest.
type runs map[string]enumspb.WorkflowExecutionStatus

func (r runs) DescribeWorkflowExecution(_ context.Context, _, run string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	status, known := r[run]
	if !known {
		return nil, serviceerror.NewNotFound("no such run")
	}
	if status == enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED {
		return nil, serviceerror.NewUnavailable("down")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Status: status,
		Execution: &commonpb.WorkflowExecution{WorkflowId: "w", RunId: cmp.Or(run, "latest")}}}, nil
}

// Only what the server says has ended has ended.
func TestStateOf(t *testing.T) {
	t.Parallel()
	const running, failed, again = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED,
		enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW
	for _, c := range []struct {
		name  string
		runs  runs
		state sweep.State
		fails bool
	}{
		{"failed", runs{"r": failed, "": failed}, sweep.State{Known: true}, false},
		{"running", runs{"r": running, "": running}, sweep.State{Known: true, Runs: "latest"}, false},
		{"goes on as a new run", runs{"r": again, "": running}, sweep.State{Known: true, Runs: "latest"}, false},
		{"went on, and ended", runs{"r": again, "": failed}, sweep.State{Known: true}, false},
		{"another server, on which the id has ended", runs{"": failed}, sweep.State{}, false},
		{"another server, on which the id runs", runs{"": running}, sweep.State{Runs: "latest"}, false},
		{"forgotten", runs{}, sweep.State{}, false},
		{"no answer", runs{"r": 0}, sweep.State{}, true},
	} {
		if got, err := stateOf(t.Context(), c.runs, sweep.Owner{Workflow: "w", Run: "r"}); got != c.state || (err != nil) != c.fails {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

type noSpaces struct{ removed chan string }

func (noSpaces) Unsaved(context.Context, string) (string, bool, error) { return "", false, nil }
func (n noSpaces) Remove(_ context.Context, id string, _ bool) error {
	n.removed <- id
	return errors.New("not today")
}

// A host sweeps at its start and at each tick, whatever became of the last time, and stops when it is told to.
func TestKeepSweeping(t *testing.T) {
	t.Parallel()
	tasks := t.TempDir()
	must(t, sweep.Note(t.Context(), filepath.Join(tasks, "t"), sweep.Owner{Workflow: "w", Run: "r", Ended: time.Unix(1, 0)}))
	spaces := noSpaces{make(chan string)}
	s := &sweep.Sweeper{Tasks: tasks, Keep: time.Hour, Spaces: spaces, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Asked: func(context.Context, sweep.Owner) (sweep.State, error) { return sweep.State{Known: true}, nil }}
	ctx, stop := context.WithCancel(t.Context())
	tick, caches, ended := make(chan time.Time), 0, make(chan struct{})
	go func() { keepSweeping(ctx, s, func() { caches++ }, tick); close(ended) }()
	for range 3 {
		<-spaces.removed
		tick <- time.Time{}
	}
	<-spaces.removed
	stop()
	<-ended
	if caches != 4 {
		t.Errorf("caches were looked through %d times", caches)
	}
}

// What a process that was killed has left of a moment's work goes; what one may be using stays.
func TestSweepOfTemporaryFolders(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, err := newSweeper(config.Config{Data: data, Author: config.Author{Name: "a", Email: "a@example.com"}}, runs{}, slog.New(slog.DiscardHandler))
	must(t, err)
	names := []string{"trial-1", "trial-2", "mirrors/.empty-1", "mirrors/.empty-2", "mirrors/owner-repo.git"}
	for _, name := range names {
		must(t, os.MkdirAll(filepath.Join(data, name, "objects"), 0o700))
		if name != "trial-1" && name != "mirrors/.empty-1" {
			must(t, os.Chtimes(filepath.Join(data, name), time.Time{}, time.Now().Add(-2*time.Hour)))
		}
	}
	_, err = s.Clear(t.Context(), nil)
	must(t, err)
	var left []string
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(data, name)); err == nil {
			left = append(left, name)
		}
	}
	if want := []string{"trial-1", "mirrors/.empty-1", "mirrors/owner-repo.git"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

// A mistyped data folder is refused, and not made.
func TestCleanWithoutAWorker(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "mistyped")
	_, err := Wiring().Sweeper(load(t, "LONGSHIFT_DATA="+data), nil)
	wantFault(t, err, fault.NotFound, data, "set LONGSHIFT_DATA to its worker's")
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}
