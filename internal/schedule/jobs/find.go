package jobs

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/schedule/cron"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// record is stored in a schedule's memo, because the server returns neither the original expression nor its author.
type record struct {
	User       string `json:"user"`
	Name       string `json:"name,omitempty"`
	Expression string `json:"expression"`
	TimeZone   string `json:"timezone"`
	Message    string `json:"message"`
	Repository string `json:"repository"`
	Delivery   string `json:"delivery,omitempty"`
}

const memoKey = "longshiftCron"

func (r record) job(id string) Job {
	return Job{ID: id, User: r.User, Name: r.Name, Expression: r.Expression, TimeZone: r.TimeZone, Message: r.Message,
		Repository: r.Repository, Next: []time.Time{}}
}

// readRecord reads a memo. ok is false for a schedule that Longshift has not created.
func readRecord(m *commonpb.Memo) (r record, ok bool) {
	payload := m.GetFields()[memoKey]
	return r, payload != nil && converter.GetDefaultDataConverter().FromPayload(payload, &r) == nil && r.User != ""
}

// kept is a job together with the delivery that created it.
type kept struct {
	Job
	delivery string
}

// List returns a user's jobs by number. It reads each slot directly, so a job that was just created is included.
func (b Book) List(ctx context.Context, user string) ([]Job, error) {
	places, err := b.slots(ctx, user)
	if err != nil {
		return nil, err
	}
	all := []Job{}
	for _, j := range places {
		if j != nil && j.User == user {
			all = append(all, j.Job)
		}
	}
	return all, nil
}

// All returns everybody's jobs. It takes their ids from the server's list, which may lag behind.
func (b Book) All(ctx context.Context) ([]Job, error) {
	call, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	list, err := b.Client.ScheduleClient().List(call, client.ScheduleListOptions{PageSize: 100})
	if err != nil {
		return nil, explain(err)
	}
	var ids []string
	for list.HasNext() {
		entry, err := list.Next()
		if err != nil {
			return nil, explain(err)
		}
		if _, ours := readRecord(entry.Memo); ours && strings.HasPrefix(entry.ID, prefix) {
			ids = append(ids, entry.ID)
		}
	}
	found, err := b.each(ctx, ids)
	if err != nil {
		return nil, err
	}
	all := []Job{}
	for _, j := range found {
		if j != nil {
			all = append(all, j.Job)
		}
	}
	slices.SortFunc(all, byID)
	return all, nil
}

// slots reads every slot of a user. An empty one is nil.
func (b Book) slots(ctx context.Context, user string) ([]*kept, error) {
	ids := make([]string, Most)
	for i := range ids {
		ids[i] = slot(user, i+1)
	}
	return b.each(ctx, ids)
}

// each reads schedules, several at a time. A missing one is nil.
func (b Book) each(ctx context.Context, ids []string) ([]*kept, error) {
	found, errs := make([]*kept, len(ids)), make([]error, len(ids))
	var wg sync.WaitGroup
	free := make(chan struct{}, 8)
	for i, id := range ids {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			found[i], errs[i] = b.describe(ctx, id)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !isGone(err) {
			return nil, explain(err)
		}
	}
	return found, nil
}

// describe reads one schedule and its newest run. Errors are those of the server. The job of a schedule that Longshift has not
// created has no user.
func (b Book) describe(ctx context.Context, id string) (*kept, error) {
	call, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	d, err := b.Client.ScheduleClient().GetHandle(call, id).Describe(call)
	if err != nil {
		return nil, err
	}
	r, _ := readRecord(d.Memo)
	j := &kept{r.job(id), r.Delivery}
	j.Created, j.Skipped, j.Missed = d.Info.CreatedAt, d.Info.NumActionsSkippedOverlap, d.Info.NumActionsMissedCatchupWindow
	zone, err := cron.Zone(r.TimeZone)
	if err != nil { // the server knows the zone, this machine does not
		zone = time.UTC
	}
	if state := d.Schedule.State; state != nil {
		j.Paused, j.Note = state.Paused, state.Note
	}
	for _, at := range d.Info.NextActionTimes {
		if !j.Paused {
			j.Next = append(j.Next, at.In(zone))
		}
	}
	if n := len(d.Info.RecentActions); n > 0 {
		j.Last = b.lastRun(call, d.Info.RecentActions[n-1], zone)
	}
	return j, nil
}

// lastRun returns the newest run, as far as the server still knows it.
func (b Book) lastRun(ctx context.Context, a client.ScheduleActionResult, zone *time.Location) *Run {
	if a.StartWorkflowResult == nil {
		return nil
	}
	r := &Run{Task: a.StartWorkflowResult.WorkflowID, At: a.ActualTime.In(zone)}
	d, err := b.Client.DescribeWorkflowExecution(ctx, r.Task, "")
	if err != nil { // expired or unavailable: report the run without details
		return r
	}
	info := d.GetWorkflowExecutionInfo()
	r.Running = info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	if payload := info.GetSearchAttributes().GetIndexedFields()[signals.AttrOutcome]; payload != nil {
		_ = converter.GetDefaultDataConverter().FromPayload(payload, &r.Outcome) // an unreadable result stays empty
	}
	switch info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		r.Outcome = task.Failed
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		r.Outcome = task.Cancelled
	}
	return r
}
