package workflows_test

import (
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// The end of a pull request is shown though the history of its task has expired, so that the task's own message can't be made anew.
func TestEndAfterTheTaskHasExpired(t *testing.T) {
	w := newWorld(t)
	var told time.Time
	w.show = func(in activities.ShowInput) error {
		if in.Notice.From == "task-1" && !told.IsZero() {
			return temporal.NewNonRetryableApplicationError("workflow not found", string(fault.NotFound), nil)
		}
		return nil
	}
	w.notify(time.Second, signals.Notice{N: 1, Kind: "ended", Subject: signals.SubjectEnd})
	w.env.RegisterDelayedCallback(func() {
		told = w.env.Now()
		w.env.SignalWorkflow(signals.Notify, signals.Notice{From: "pull-1", N: 1, Kind: "ended", Subject: signals.SubjectEnd, Final: true, At: told})
	}, 100*24*time.Hour)
	converse(t, w, slackRoom)
	if last := w.shown[len(w.shown)-1]; w.posted("slack") != "+card +end =card +end =card" || last.Notice.From != "pull-1" || w.env.Now().Sub(told) > time.Minute {
		t.Errorf("shown %s, %s late", w.posted("slack"), w.env.Now().Sub(told))
	}
}
