package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
)

// adaptWithin is how long a poll waits for the server to change its schedule.
const adaptWithin = 10 * time.Second

// quiet counts the polls in a row that have found nothing, with this one. Work that somebody is writing, and work that was left for the next
// poll, is something. New work of a tracker for which there is no room is neither: nobody tells when there is. A file waits for the end of a
// task, which has the intake poll at once (pollAgain).
func (f *finder) quiet() int {
	switch {
	case len(f.out.Work) > 0 || f.out.More || f.out.Again > 0:
		return 0
	case f.full() && intake.Kind(f.in.Intake.Source).Tracker():
		return f.in.Quiet
	}
	return f.in.Quiet + 1
}

// adapt has the schedule of an adaptive intake poll less often the longer nothing comes, and often again once something has. It belongs to
// the activity of the poll: an activity of its own would be an action of each poll, and a change of the schedule is one now and then. A
// change that fails stops no work; the next poll compares again.
func adapt(ctx context.Context, in signals.IntakeInput, quiet int) {
	if !in.Adaptive {
		return
	}
	call, cancel := context.WithTimeout(ctx, adaptWithin)
	defer cancel()
	err := intakes.Adapt(call, activity.GetClient(ctx), activity.GetInfo(ctx).WorkflowNamespace, in.Name, quiet)
	if err != nil {
		activity.GetLogger(ctx).Warn("The interval of the intake stays as it is", "intake", in.Name, "error", err)
	}
}
