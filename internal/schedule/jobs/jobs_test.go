package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// fakeServer keeps schedules as the server does: one for each id.
type fakeServer struct {
	client.ScheduleHandle // what is not used
	mu                    sync.Mutex
	kept                  map[string]client.ScheduleOptions
	info                  client.ScheduleInfo
	state                 client.ScheduleState
	run                   *workflowpb.WorkflowExecutionInfo
	before                func(id string) // runs before a create
	deaf                  error           // what Describe gives for what is there
	refuses               error           // what Create gives
}

func (f *fakeServer) ScheduleClient() client.ScheduleClient { return f }

func (f *fakeServer) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	if f.run == nil {
		return nil, serviceerror.NewNotFound("no such workflow")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: f.run}, nil
}

func (f *fakeServer) Create(_ context.Context, o client.ScheduleOptions) (client.ScheduleHandle, error) {
	if f.before != nil {
		f.before(o.ID)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuses != nil {
		return nil, f.refuses
	}
	if _, taken := f.kept[o.ID]; taken {
		return nil, fmt.Errorf("create: %w", temporal.ErrScheduleAlreadyRunning)
	}
	f.kept[o.ID] = o
	return nil, nil
}

func (f *fakeServer) List(context.Context, client.ScheduleListOptions) (client.ScheduleListIterator, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &list{}
	for id, o := range f.kept {
		l.entries = append(l.entries, &client.ScheduleListEntry{ID: id, Memo: memo(o)})
	}
	return l, f.deaf
}

type list struct{ entries []*client.ScheduleListEntry }

func (l *list) HasNext() bool { return len(l.entries) > 0 }
func (l *list) Next() (*client.ScheduleListEntry, error) {
	e := l.entries[0]
	l.entries = l.entries[1:]
	return e, nil
}

func memo(o client.ScheduleOptions) *commonpb.Memo {
	m := &commonpb.Memo{Fields: map[string]*commonpb.Payload{}}
	for k, v := range o.Memo {
		m.Fields[k], _ = converter.GetDefaultDataConverter().ToPayload(v)
	}
	return m
}

func (f *fakeServer) GetHandle(_ context.Context, id string) client.ScheduleHandle {
	return handle{f, id}
}

type handle struct {
	*fakeServer
	id string
}

func (h handle) Describe(context.Context) (*client.ScheduleDescription, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o, there := h.kept[h.id]
	switch {
	case !there:
		return nil, serviceerror.NewNotFound("no such schedule")
	case h.deaf != nil:
		return nil, h.deaf
	}
	state := h.state
	return &client.ScheduleDescription{Memo: memo(o), Info: h.info, Schedule: client.Schedule{State: &state}}, nil
}

func (h handle) Delete(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, there := h.kept[h.id]; !there {
		return serviceerror.NewNotFound("no such schedule")
	}
	delete(h.kept, h.id)
	return nil
}

func newServer() (*fakeServer, Book) {
	f := &fakeServer{kept: map[string]client.ScheduleOptions{}}
	return f, Book{Client: f}
}

func want(user, delivery string) Request {
	return Request{User: user, Expression: " 0 9  * * 1-5", TimeZone: "Europe/Rome", Delivery: delivery,
		Input: task.Input{Repository: "acme/web", Task: "fix *it*\nall of it", RequestedBy: &task.Person{Name: "Ada", Via: "slack"}}}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	f, b := newServer()
	next := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	f.info = client.ScheduleInfo{NextActionTimes: []time.Time{next}}
	j, err := b.Create(t.Context(), want("slack:U1", "d1"))
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Next) != 1 || !j.Next[0].Equal(next) || j.Next[0].Format("15:04 MST") != "09:00 CET" {
		t.Errorf("next %v", j.Next)
	}
	j.Next = nil
	expected := Job{ID: "cron-u1-" + slot("slack:U1", 1)[8:16] + "-01", User: "slack:U1", Name: "Ada", Expression: "0 9 * * 1-5", TimeZone: "Europe/Rome",
		Message: "fix *it*\nall of it", Repository: "acme/web"}
	if diff := cmp.Diff(expected, j); diff != "" {
		t.Error(diff)
	}
	o := f.kept[j.ID]
	every := func(from, to int) []client.ScheduleRange { return []client.ScheduleRange{{Start: from, End: to}} }
	spec := client.ScheduleSpec{TimeZoneName: "Europe/Rome",
		Calendars: []client.ScheduleCalendarSpec{{Second: every(0, 0), Minute: every(0, 0), Hour: every(9, 9), DayOfMonth: every(1, 31),
			Month: every(1, 12), DayOfWeek: every(1, 5)}},
		Skip: []client.ScheduleCalendarSpec{{Second: every(0, 0), Minute: every(0, 59), Hour: append(every(0, 8), every(10, 23)...),
			DayOfMonth: every(1, 31), Month: every(1, 12),
			DayOfWeek: every(0, 6)}}}
	if diff := cmp.Diff(spec, o.Spec); diff != "" {
		t.Error(diff)
	}
	if o.Overlap != enumspb.SCHEDULE_OVERLAP_POLICY_SKIP || o.CatchupWindow != time.Hour || o.PauseOnFailure || o.Spec.Jitter != 0 || o.TriggerImmediately ||
		o.TypedSearchAttributes.Size() != 1 {
		t.Errorf("options %+v", o)
	}
	a, ok := o.Action.(*client.ScheduleWorkflowAction)
	if !ok || a.ID != "cron-fix-it-"+strings.TrimPrefix(j.ID, "cron-") || a.Workflow != signals.CodingTask || a.TaskQueue != signals.Queue || a.WorkflowTaskTimeout != signals.WorkflowTaskTimeout ||
		a.TypedSearchAttributes.Size() != 2 {
		t.Fatalf("action %+v", o.Action)
	}
	if diff := cmp.Diff([]any{want("", "").Input}, a.Args); diff != "" {
		t.Error(diff)
	}
	if a.StaticSummary != `fix \*it\*` || !strings.Contains(a.StaticDetails, "**Cron job** "+j.ID+`: 0 9 \* \* 1-5, Europe/Rome`) ||
		!strings.HasSuffix(a.StaticDetails, "fix \\*it\\*\nall of it\n") {
		t.Errorf("summary %q, details %q", a.StaticSummary, a.StaticDetails)
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Request)
		server error
		kind   fault.Kind
	}{
		"expression":        {func(r *Request) { r.Expression = "61 * * * *" }, nil, fault.Input},
		"zone":              {func(r *Request) { r.TimeZone = "Local" }, nil, fault.Input},
		"repository":        {func(r *Request) { r.Input.Repository = "acme/" }, nil, fault.Input},
		"invalid":           {nil, serviceerror.NewInvalidArgument("no such attribute"), fault.Input},
		"server down":       {nil, serviceerror.NewUnavailable("down"), fault.Infra},
		"no answer in time": {nil, context.DeadlineExceeded, fault.Infra},
		"no right":          {nil, serviceerror.NewPermissionDenied("no", ""), fault.Denied},
	} {
		f, b := newServer()
		f.refuses = tt.server
		r := want("cli:ann", "")
		if tt.change != nil {
			tt.change(&r)
		}
		_, err := b.Create(t.Context(), r)
		if fault.KindOf(err) != tt.kind || len(f.kept) != 0 || tt.server != nil && !errors.Is(err, tt.server) {
			t.Errorf("%s: %v, kept %d", name, err, len(f.kept))
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	f, b := newServer()
	ids := []string{}
	for n := range Most {
		j, err := b.Create(t.Context(), want("cli:ann", fmt.Sprint("d", n)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, j.ID)
	}
	if !slices.IsSorted(ids) || len(f.kept) != Most {
		t.Errorf("ids %v", ids)
	}
	if _, err := b.Create(t.Context(), want("cli:ann", "d20")); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the 21st: %v", err)
	}
	if j, err := b.Create(t.Context(), want("cli:ann", "d7")); err != nil || j.ID != ids[7] {
		t.Errorf("a request again: %v, %s", err, j.ID)
	}
	if _, err := b.Create(t.Context(), want("cli:bob", "d7")); err != nil { // another's request, another's place
		t.Error(err)
	}
	if _, err := b.Delete(t.Context(), "cli:ann", "03"); err != nil {
		t.Error(err)
	}
	if j, err := b.Create(t.Context(), want("cli:ann", "")); err != nil || j.ID != ids[2] {
		t.Errorf("the free place: %v, %s", err, j.ID)
	}
	all, err := b.List(t.Context(), "cli:ann")
	if err != nil || len(all) != Most || all[0].ID != ids[0] {
		t.Errorf("%v, %d", err, len(all))
	}
	if all, err = b.All(t.Context()); err != nil || len(all) != Most+1 {
		t.Errorf("%v, %d", err, len(all))
	}
}

// Between the look at the places and the create somebody else may be quicker: another request, or the same one.
func TestCreateRaces(t *testing.T) {
	t.Parallel()
	for delivery, last := range map[string]string{"another": "-02", "d1": "-01"} {
		f, b := newServer()
		f.before = func(string) {
			f.before = nil
			if _, err := b.Create(t.Context(), want("cli:ann", delivery)); err != nil {
				t.Error(err)
			}
		}
		if j, err := b.Create(t.Context(), want("cli:ann", "d1")); err != nil || !strings.HasSuffix(j.ID, last) {
			t.Errorf("%s: %v, %s", delivery, err, j.ID)
		}
	}
	f, b := newServer()
	f.deaf = serviceerror.NewUnavailable("no answer")
	if j, err := b.Create(t.Context(), want("cli:ann", "d1")); err != nil || j.Expression != "0 9 * * 1-5" || len(j.Next) != 0 {
		t.Errorf("made, but its times are not told: %v, %+v", err, j)
	}
	if _, err := b.List(t.Context(), "cli:ann"); fault.KindOf(err) != fault.Infra {
		t.Errorf("list: %v", err)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	f, b := newServer()
	j, err := b.Create(t.Context(), want("slack:U1", ""))
	if err != nil {
		t.Fatal(err)
	}
	f.kept["cron-backup"] = client.ScheduleOptions{ID: "cron-backup"} // somebody else's schedule
	f.kept[slot("slack:U3", 1)] = client.ScheduleOptions{ID: slot("slack:U3", 1)}
	for _, tt := range []struct {
		user, id string
		kind     fault.Kind
	}{
		{"slack:U2", j.ID, fault.NotFound}, {"telegram:U1", j.ID, fault.NotFound}, {"slack:U2", "1", fault.NotFound}, {"slack:U1", "2", fault.NotFound},
		{"slack:U1", "0", fault.NotFound}, {"slack:U1", "21", fault.NotFound}, {"slack:U1", "cron-backup", fault.NotFound}, {"slack:U1", "", fault.NotFound},
		{"slack:U3", "1", fault.NotFound}, {"", "cron-backup", fault.NotFound}, {"", "backup", fault.NotFound}, {"", j.ID + "/x", fault.NotFound},
		{"slack:U1", "1", ""}, {"slack:U1", "1", fault.NotFound}, {"", j.ID, fault.NotFound},
	} {
		var err error
		if tt.user == "" {
			_, err = b.DeleteAny(t.Context(), tt.id)
		} else {
			_, err = b.Delete(t.Context(), tt.user, tt.id)
		}
		if fault.KindOf(err) != tt.kind {
			t.Errorf("%s deletes %q: %v", tt.user, tt.id, err)
		}
	}
	if len(f.kept) != 2 {
		t.Errorf("kept %d", len(f.kept))
	}
	if all, err := b.List(t.Context(), "slack:U3"); err != nil || len(all) != 0 {
		t.Errorf("a schedule that is none of ours is listed: %v, %+v", err, all)
	}
	if j, err = b.Create(t.Context(), want("slack:U1", "")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.DeleteAny(t.Context(), j.ID); err != nil {
		t.Error(err)
	}
}

func TestLastRun(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 8, 0, 1, 0, time.UTC)
	ended, _ := converter.GetDefaultDataConverter().ToPayload(task.PullRequest)
	attrs := &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{signals.AttrOutcome: ended}}
	for name, tt := range map[string]struct {
		run  *workflowpb.WorkflowExecutionInfo
		want Run
	}{
		"kept no more": {nil, Run{}},
		"runs":         {&workflowpb.WorkflowExecutionInfo{Status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING}, Run{Running: true}},
		"ended": {&workflowpb.WorkflowExecutionInfo{Status: enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, SearchAttributes: attrs},
			Run{Outcome: task.PullRequest}},
		"failed":    {&workflowpb.WorkflowExecutionInfo{Status: enumspb.WORKFLOW_EXECUTION_STATUS_FAILED}, Run{Outcome: task.Failed}},
		"cancelled": {&workflowpb.WorkflowExecutionInfo{Status: enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED}, Run{Outcome: task.Cancelled}},
	} {
		f, b := newServer()
		f.info = client.ScheduleInfo{NumActionsSkippedOverlap: 3, NumActionsMissedCatchupWindow: 2, NextActionTimes: []time.Time{at},
			RecentActions: []client.ScheduleActionResult{
				{ActualTime: at.Add(-time.Hour), StartWorkflowResult: &client.ScheduleWorkflowExecution{WorkflowID: "old"}},
				{ActualTime: at, StartWorkflowResult: &client.ScheduleWorkflowExecution{WorkflowID: "new"}}}}
		f.state, f.run = client.ScheduleState{Paused: true, Note: "on holiday"}, tt.run
		if _, err := b.Create(t.Context(), want("cli:ann", "")); err != nil {
			t.Fatal(err)
		}
		all, err := b.List(t.Context(), "cli:ann")
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", err, all)
		}
		j := all[0]
		if j.Last == nil || j.Last.Task != "new" || !j.Last.At.Equal(at) || j.Last.Running != tt.want.Running || j.Last.Outcome != tt.want.Outcome {
			t.Errorf("%s: %+v", name, j.Last)
		}
		if !j.Paused || j.Note != "on holiday" || j.Skipped != 3 || j.Missed != 2 || len(j.Next) != 0 {
			t.Errorf("%s: %+v", name, j)
		}
	}
}
