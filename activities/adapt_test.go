package activities

import (
	"testing"
	"time"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// What comes, or is on its way, ends the quiet.
func TestQuietPolls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source intake.Kind
		found  Found
		full   bool
		want   int
	}{
		"nothing":                {source: intake.GitHub, want: 4},
		"left alone":             {source: intake.GitHub, found: Found{PollResult: signals.PollResult{Seen: 9, Skipped: []signals.Skipped{{Key: "3"}}}}, want: 4},
		"work":                   {source: intake.GitHub, found: Found{Work: make([]intake.Work, 1)}, full: true},
		"more":                   {source: intake.Linear, found: Found{PollResult: signals.PollResult{More: true}}},
		"somebody writes":        {source: intake.Backlog, found: Found{PollResult: signals.PollResult{Again: time.Second}}},
		"no room for an issue":   {source: intake.Linear, full: true, want: 3},
		"no room for a file":     {source: intake.Backlog, full: true, want: 4},
		"no room for a new list": {source: intake.Heartbeat, full: true, want: 4},
	} {
		f := &finder{in: PollSourceInput{Intake: signals.IntakeInput{Source: string(c.source)}, Quiet: 3}, out: c.found, asked: c.full}
		if got := f.quiet(); got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// The next file begins at once after a task that was declined because its file was changed while it waited, and not after a failure.
func TestNextFileBegins(t *testing.T) {
	t.Parallel()
	for o, want := range map[task.Outcome]bool{
		task.PullRequest: true, task.AlreadyDone: true, task.MaxIterations: true, task.Declined: true,
		task.Failed: false, task.Cancelled: false, task.ChecksFailed: false, task.AllBlocked: false,
	} {
		if got := continues(o); got != want {
			t.Errorf("%s: %v", o, got)
		}
	}
}
