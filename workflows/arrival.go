package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// Arrival carries out one request that came from a forge: it is asked whether who made it may, and then a task is started or told.
// It is a workflow so that a request survives a forge that does not answer.
func Arrival(ctx workflow.Context, e forge.Event) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: string(e.Kind), StartToCloseTimeout: 2 * time.Minute, HeartbeatTimeout: 10 * time.Second, ScheduleToCloseTimeout: 24 * time.Hour,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute},
	})
	var what string
	err := workflow.ExecuteActivity(ctx, desk.Arrive, e).Get(ctx, &what)
	return what, err
}

// mostLooks is how many looks one run of a Watch takes.
const mostLooks = 200

// Watch asks a forge, from time to time, what nobody has told us about one repository. What it finds takes the same way as a webhook,
// under the same names, so that nothing happens twice.
func Watch(ctx workflow.Context, in signals.WatchInput) error {
	look := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: signals.Queue, Summary: in.Repository, StartToCloseTimeout: 5 * time.Minute, HeartbeatTimeout: 10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 5 * time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Minute},
	})
	for range mostLooks {
		var w activities.Watched
		switch err := workflow.ExecuteActivity(look, desk.LookAtForge, in).Get(ctx, &w); {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // refused for good: somebody may set it right, so it is asked for again, later
			workflow.GetLogger(ctx).Warn("The forge can't be watched", "repository", in.Repository, "error", err)
			w = activities.Watched{Cursor: in.Cursor, Every: time.Hour}
		case w.Stop:
			return nil
		}
		in.Cursor = w.Cursor
		timer := workflow.NewTimerWithOptions(ctx, w.Every, workflow.TimerOptions{Summary: "look again"})
		if err := timer.Get(ctx, nil); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, signals.Watch, in)
}
