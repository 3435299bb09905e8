package intakes

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	schedulepb "go.temporal.io/api/schedule/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
)

// patience is how long an adaptive intake is polled without result before it is polled less often.
const patience = time.Hour

// Slowest is the longest interval of an adaptive intake. No webhook tells of a file, and people who have just written one wait for its
// task, so files keep a shorter one.
func Slowest(k intake.Kind) time.Duration {
	switch k {
	case intake.Heartbeat:
		return 15 * time.Minute
	case intake.Backlog:
		return 5 * time.Minute
	}
	return time.Hour
}

// Interval is the interval of an adaptive intake after a number of quiet polls in a row. It doubles after as many of them as make up the
// patience at the default interval, up to Slowest: a tracker is polled each 15 minutes, then each 30, then each hour.
func Interval(k intake.Kind, quiet int) time.Duration {
	every, most := DefaultEvery(k), Slowest(k)
	for step := int(patience / every); quiet >= step && every < most; quiet -= step {
		every *= 2
	}
	return min(every, most)
}

// Service is the part of client.Client by which an intake's interval is changed. The SDK's own update of a schedule sends no conflict
// token, and would undo what a person does at the same moment.
type Service interface {
	WorkflowService() workflowservice.WorkflowServiceClient
}

// Adapt gives an adaptive intake the interval that follows from the quiet polls in a row. It writes only when another interval is in
// force: reading a schedule is no billable action, changing it is one. What a person has done meanwhile stays: a schedule that was changed
// since it was read is left to the next poll, one that is paused is left alone, and one that was removed stays removed.
func Adapt(ctx context.Context, c Service, namespace, name string, quiet int) error {
	id := signals.IntakeScheduleID(name)
	d, err := c.WorkflowService().DescribeSchedule(ctx, &workflowservice.DescribeScheduleRequest{Namespace: namespace, ScheduleId: id})
	switch {
	case changedMeanwhile(err):
		return nil
	case err != nil:
		return unreachable(err)
	}
	s, ours := specIn(d.GetMemo())
	if !ours || !s.Adaptive || d.GetSchedule().GetState().GetPaused() {
		return nil
	}
	spec, policies := d.GetSchedule().GetSpec(), d.GetSchedule().GetPolicies()
	if len(spec.GetInterval()) != 1 || policies == nil {
		return fault.New(fault.Internal, "the schedule of intake %q has no interval of its own", name)
	}
	every := Interval(intake.Kind(s.Source), quiet)
	if spec.Interval[0].GetInterval().AsDuration() == every {
		return nil
	}
	t := timingOf(every)
	spec.Interval = []*schedulepb.IntervalSpec{{Interval: durationpb.New(every)}}
	spec.Jitter, policies.CatchupWindow = durationpb.New(t.jitter), durationpb.New(t.catchup)
	_, err = c.WorkflowService().UpdateSchedule(ctx, &workflowservice.UpdateScheduleRequest{Namespace: namespace, ScheduleId: id,
		Schedule: d.GetSchedule(), ConflictToken: d.GetConflictToken(), Identity: "longshift", RequestId: uuid.NewString()})
	if err != nil && !changedMeanwhile(err) {
		return unreachable(err)
	}
	return nil
}

// changedMeanwhile reports whether a schedule is gone, or is not what it was when it was read. Some servers drop such an update without an
// error.
func changedMeanwhile(err error) bool {
	var gone *serviceerror.NotFound
	var conflict *serviceerror.FailedPrecondition
	return errors.As(err, &gone) || errors.As(err, &conflict)
}

// timing is what follows from an interval.
type timing struct {
	jitter  time.Duration // spreads the polls of many intakes
	catchup time.Duration // polls that were missed are made up for within it
}

func timingOf(every time.Duration) timing {
	return timing{jitter: min(every/10, time.Minute), catchup: max(2*every, 10*time.Second)}
}

// inForce is the interval of a schedule.
func inForce(s *client.ScheduleSpec) time.Duration {
	if s == nil || len(s.Intervals) != 1 {
		return 0
	}
	return s.Intervals[0].Every
}
