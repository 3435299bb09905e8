package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// Arrival carries out one request from a forge: it checks the sender's rights, and then starts a task or passes the request on to one. It
// is a workflow so that a request survives a forge that does not answer.
func Arrival(ctx workflow.Context, e forge.Event) (string, error) {
	arrivalPage(ctx, e, "")
	var what string
	err := workflow.ExecuteActivity(forgeRequest(ctx, string(e.Kind)), events.Arrive, e).Get(ctx, &what)
	arrivalPage(ctx, e, what)
	return what, err
}

// mostPolls is how many polls one run of a Watch makes.
const mostPolls = 200

// Watch polls a forge for events of one repository that no webhook has brought. They are handled like those of a webhook, under the same
// ids, so that nothing happens twice.
func Watch(ctx workflow.Context, in signals.WatchInput) error {
	for range mostPolls {
		var w activities.ForgePoll
		err := workflow.ExecuteActivity(forgePoll(ctx, in.Repository), events.PollForge, in).Get(ctx, &w)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // refused for good, until somebody fixes the access: polled again later
			workflow.GetLogger(ctx).Warn("The forge can't be watched", "repository", in.Repository, "error", err)
			w = activities.ForgePoll{Cursor: in.Cursor, Every: time.Hour}
		case w.Stop:
			return nil
		}
		in.Cursor = w.Cursor
		watchPage(ctx, in, w, err)
		timer := workflow.NewTimerWithOptions(ctx, w.Every, workflow.TimerOptions{Summary: "look again"})
		if err := timer.Get(ctx, nil); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, signals.Watch, in)
}
