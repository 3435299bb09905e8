package activities

import (
	"context"
	"strconv"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// records is a source that counts what it is told to remember.
type records struct {
	Source
	n int
}

func (r *records) Record(context.Context, intake.Query, string, intake.Note) error {
	r.n++
	return nil
}

// TestRemembers: work has had its task, unless the task was an intake's that was refused it: nobody has worked on that.
func TestRemembers(t *testing.T) {
	t.Parallel()
	poll := &commonpb.WorkflowExecution{WorkflowId: "intake:web"}
	for name, c := range map[string]struct {
		parent  *commonpb.WorkflowExecution
		outcome task.Outcome
		want    int
	}{
		"an intake's that was declined":   {poll, task.Declined, 0},
		"an intake's that somebody ended": {poll, task.Abandoned, 1},
		"an intake's that was terminated": {poll, "", 1},
		"a person's that was declined":    {nil, task.Declined, 1},
		"a person's with a pull request":  {nil, task.PullRequest, 1},
	} {
		p, err := converter.GetDefaultDataConverter().ToPayload(string(c.outcome))
		must(t, err)
		r := &records{}
		f := &finder{Sources: &Sources{}, source: r}
		f.out.Refused = map[string]signals.Refusal{}
		info := &workflowpb.WorkflowExecutionInfo{ParentExecution: c.parent,
			SearchAttributes: &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{signals.AttrOutcome: p}}}
		must(t, newAttempt(t, nil).run(func(ctx context.Context, i intake.Item) error {
			f.remember(ctx, i, "7", info, "it has had its task")
			return nil
		}, intake.Item{Key: "7", ID: "work-7"}, nil))
		if r.n != c.want || len(f.out.Refused) != c.want {
			t.Errorf("%s: told %d times, %v", name, r.n, f.out.Refused)
		}
	}
}

// TestPassed: a poll goes on behind what the one before has read, also when pieces of it have left the list or come into it.
func TestPassed(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 11, n, 10, 0, 0, 0, time.UTC) }
	issue := func(n, priority int) intake.Item {
		return intake.Item{Key: strconv.Itoa(n), Priority: priority, Created: day(n)}
	}
	f := &finder{read: mostRead, last: issue(7, 2)}
	f.in.Now = day(20)
	issues := f.passed()
	f.last = intake.Item{Key: "070-x.md"}
	files := f.passed()
	if !issues.At.Equal(day(20)) {
		t.Errorf("%+v", issues)
	}
	for name, c := range map[string]struct {
		at   signals.Passed
		item intake.Item
		want bool
	}{
		"no poll before":           {signals.Passed{}, issue(1, 4), false},
		"the last one":             {issues, issue(7, 2), true},
		"an older one":             {issues, issue(6, 2), true},
		"a more urgent one":        {issues, issue(9, 3), true},
		"a newer one":              {issues, issue(8, 2), false},
		"a less urgent one":        {issues, issue(1, 1), false},
		"another of the same time": {issues, intake.Item{Key: "6", Priority: 2, Created: day(7)}, false},
		"a file before":            {files, intake.Item{Key: "069-y.md"}, true},
		"a file behind":            {files, intake.Item{Key: "071-a.md"}, false},
	} {
		if got := hasPassed(c.at, c.item); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	f.in.Passed, f.read, f.out.Seen = issues, mostRead-1, 9
	if got := f.passed(); got != (signals.Passed{}) {
		t.Errorf("at the end of the list: %+v", got)
	}
	f.asked = true
	if got := f.passed(); got != issues {
		t.Errorf("without room: %+v", got)
	}
}
