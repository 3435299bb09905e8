package tasks

import (
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func IsEnded(status *signals.Status) bool { return status.Phase == task.Ended }

// Ending is the error, if any, that a task's outcome means for the exit code.
func Ending(status *signals.Status, err error) error {
	switch {
	case err != nil:
		return err
	case status.Outcome.Good():
		return nil
	case status.Outcome == task.ChecksFailed:
		return term.Exit{Code: fault.ExitChecks}
	}
	return term.Exit{Code: fault.ExitFailed}
}

// OutcomeStyle is how an outcome looks.
func OutcomeStyle(o task.Outcome) term.Style {
	switch {
	case o.Good():
		return term.Good
	case o == task.Failed || o == task.ChecksFailed:
		return term.Bad
	}
	return term.Doubtful
}

// EndOf is when a task ended: the time of its last log line.
func EndOf(status *signals.Status, now time.Time) time.Time {
	if n := len(status.Log); n > 0 && IsEnded(status) {
		return status.Log[n-1].Time
	}
	return now
}

// Outcomes are all outcomes of a task.
func Outcomes() []string {
	all := []task.Outcome{task.PullRequest, task.AlreadyDone, task.Declined, task.Rejected, task.AllBlocked, task.MaxIterations,
		task.ChecksFailed, task.Abandoned, task.Cancelled, task.Failed, task.PullMerged, task.PullClosed}
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = string(o)
	}
	return names
}
