package tasks

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// aTask is a task by the minutes at which it started and ended; 0 for one that runs.
type aTask struct {
	id             string
	started, ended int
}

func (a aTask) closes() int {
	if a.ended == 0 {
		return math.MaxInt
	}
	return a.ended
}

// asServer lists tasks in the server's order, by pages of the size that is asked for: what runs by its start, then what has ended by its end.
type asServer struct{ tasks []aTask }

func (s asServer) ListWorkflow(_ context.Context, r *workflowservice.ListWorkflowExecutionsRequest) (
	*workflowservice.ListWorkflowExecutionsResponse, error,
) {
	found := slices.DeleteFunc(slices.Clone(s.tasks), func(a aTask) bool {
		return strings.Contains(r.Query, hasEnded) && a.ended == 0 || strings.Contains(r.Query, stillRuns) && a.ended > 0
	})
	slices.SortFunc(found, func(a, b aTask) int { return cmp.Or(cmp.Compare(b.closes(), a.closes()), b.started-a.started) })
	from := len(r.NextPageToken)
	page := found[from:min(from+int(r.PageSize), len(found))]
	answer := &workflowservice.ListWorkflowExecutionsResponse{}
	if next := from + len(page); next < len(found) {
		answer.NextPageToken = make([]byte, next)
	}
	at := func(minute int) *timestamppb.Timestamp { return timestamppb.New(time.Unix(int64(minute)*60, 0)) }
	for _, a := range page {
		w := &workflowpb.WorkflowExecutionInfo{Execution: &commonpb.WorkflowExecution{WorkflowId: a.id, RunId: a.id}, StartTime: at(a.started)}
		if a.ended > 0 {
			w.CloseTime = at(a.ended)
		}
		answer.Executions = append(answer.Executions, w)
	}
	return answer, nil
}

// However many tasks run, those that ended are listed by when they started.
func TestTheNewestTasksRunOrHaveEnded(t *testing.T) {
	t.Parallel()
	s := asServer{[]aTask{{"runs-1", 1, 0}, {"runs-2", 2, 0}, {"runs-5", 5, 0}, {"ended-3", 3, 20}, {"ended-4", 4, 9}, {"ended-6", 6, 7}}}
	for limit, want := range map[int]string{
		1: "ended-6", 2: "ended-6 runs-5", 3: "ended-6 runs-5 ended-4", 4: "ended-6 runs-5 ended-4 ended-3",
		9: "ended-6 runs-5 ended-4 ended-3 runs-2 runs-1",
	} {
		if got := newest(t, s, limit); got != want {
			t.Errorf("at most %d: %s, want %s", limit, got, want)
		}
	}
	s.tasks = append(s.tasks, aTask{"runs-5", 5, 21}) // it ends between the two questions
	if got := newest(t, s, 3); got != "ended-6 runs-5 ended-4" {
		t.Errorf("a task that ends meanwhile: %s", got)
	}
}

func newest(t *testing.T, s asServer, limit int) string {
	t.Helper()
	rows, err := New(nil, nil, nil).Newest(t.Context(), s, AllTasks, limit)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, " ")
}
