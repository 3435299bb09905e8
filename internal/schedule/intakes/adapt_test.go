package intakes

import (
	"context"
	"slices"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	schedulepb "go.temporal.io/api/schedule/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
)

// An hour of quiet polls, then twice as many minutes in each step.
func TestInterval(t *testing.T) {
	t.Parallel()
	for kind, want := range map[intake.Kind][]time.Duration{
		intake.GitHub:    {15 * time.Minute, 30 * time.Minute, time.Hour},
		intake.Linear:    {15 * time.Minute, 30 * time.Minute, time.Hour},
		intake.Heartbeat: {5 * time.Minute, 10 * time.Minute, 15 * time.Minute},
		intake.Backlog:   {time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute},
	} {
		var steps []time.Duration
		for quiet := range 10_000 {
			every := Interval(kind, quiet)
			if len(steps) == 0 || every != steps[len(steps)-1] {
				if at := len(steps) * int(time.Hour/DefaultEvery(kind)); quiet != at {
					t.Errorf("%s: %s after %d quiet polls, not %d", kind, every, quiet, at)
				}
				steps = append(steps, every)
			}
		}
		if !slices.Equal(steps, want) {
			t.Errorf("%s: %v", kind, steps)
		}
	}
}

// fakeService holds one schedule.
type fakeService struct {
	workflowservice.WorkflowServiceClient
	schedule        *workflowservice.DescribeScheduleResponse
	unread, refused error
	updates         []*workflowservice.UpdateScheduleRequest
}

func (f *fakeService) WorkflowService() workflowservice.WorkflowServiceClient { return f }

func (f *fakeService) DescribeSchedule(context.Context, *workflowservice.DescribeScheduleRequest, ...grpc.CallOption) (
	*workflowservice.DescribeScheduleResponse, error) {
	return f.schedule, f.unread
}

func (f *fakeService) UpdateSchedule(_ context.Context, u *workflowservice.UpdateScheduleRequest, _ ...grpc.CallOption) (
	*workflowservice.UpdateScheduleResponse, error) {
	f.updates = append(f.updates, u)
	return &workflowservice.UpdateScheduleResponse{}, f.refused
}

func newFakeService(t *testing.T, s Spec, every time.Duration, paused bool) *fakeService {
	t.Helper()
	memo, err := converter.GetDefaultDataConverter().ToPayload(s)
	if err != nil {
		t.Fatal(err)
	}
	return &fakeService{schedule: &workflowservice.DescribeScheduleResponse{
		Schedule: &schedulepb.Schedule{Spec: &schedulepb.ScheduleSpec{Interval: []*schedulepb.IntervalSpec{{Interval: durationpb.New(every)}}},
			Policies: &schedulepb.SchedulePolicies{}, State: &schedulepb.ScheduleState{Paused: paused}},
		Memo:          &commonpb.Memo{Fields: map[string]*commonpb.Payload{memoSpec: memo}},
		ConflictToken: []byte("as read"),
	}}
}

func TestAdapt(t *testing.T) {
	t.Parallel()
	const quarter, half = 15 * time.Minute, 30 * time.Minute
	adaptive := good()
	adaptive.Adaptive = true
	gone, busy := serviceerror.NewNotFound("no such schedule"), serviceerror.NewFailedPrecondition("mismatched conflict token")
	away := serviceerror.NewUnavailable("no answer")
	for name, c := range map[string]struct {
		spec            Spec
		every           time.Duration
		paused          bool
		quiet           int
		unread, refused error
		want            time.Duration // 0 for no update
		kind            fault.Kind
	}{
		"quiet":              {spec: adaptive, every: quarter, quiet: 4, want: half},
		"still quiet":        {spec: adaptive, every: half, quiet: 7},
		"for hours":          {spec: adaptive, every: half, quiet: 8, want: time.Hour},
		"a change was lost":  {spec: adaptive, every: quarter, quiet: 9, want: time.Hour},
		"found":              {spec: adaptive, every: time.Hour, want: quarter},
		"found again":        {spec: adaptive, every: quarter},
		"explicit":           {spec: good(), every: quarter, quiet: 9},
		"paused":             {spec: adaptive, every: quarter, quiet: 9, paused: true},
		"removed":            {spec: adaptive, every: quarter, quiet: 9, unread: gone},
		"removed meanwhile":  {spec: adaptive, every: quarter, quiet: 9, refused: gone, want: time.Hour},
		"changed meanwhile":  {spec: adaptive, every: quarter, quiet: 9, refused: busy, want: time.Hour},
		"server is away":     {spec: adaptive, every: quarter, quiet: 9, unread: away, kind: fault.Infra},
		"server has gone":    {spec: adaptive, every: quarter, quiet: 9, refused: away, want: time.Hour, kind: fault.Infra},
		"of another release": {spec: Spec{}, every: quarter, quiet: 9},
	} {
		f := newFakeService(t, c.spec, c.every, c.paused)
		f.unread, f.refused = c.unread, c.refused
		if err := Adapt(t.Context(), f, "default", "web", c.quiet); fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, err)
		}
		var got time.Duration
		for _, u := range f.updates {
			got += u.Schedule.Spec.Interval[0].Interval.AsDuration()
			if string(u.ConflictToken) != "as read" || u.SearchAttributes != nil || u.Memo != nil || u.RequestId == "" {
				t.Errorf("%s: %v", name, u)
			}
			if want := timingOf(got); u.Schedule.Spec.Jitter.AsDuration() != want.jitter || u.Schedule.Policies.CatchupWindow.AsDuration() != want.catchup {
				t.Errorf("%s: the timing is that of another interval: %v", name, u)
			}
		}
		if got != c.want {
			t.Errorf("%s: %d updates, to %s", name, len(f.updates), got)
		}
	}
}
