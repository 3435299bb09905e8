package watch

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
)

// A file that waits for a task of somebody else is looked at again each minute.
func TestWatchWaitsForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, term.FormatText)
		b.desk.next = []looked{{pass: signals.PollResult{Others: 1}}, {pass: signals.PollResult{Others: 1}}}
		b.start()
		clitest.Pass(10 * time.Minute)
		b.end()
		if got := b.desk.times(); !slices.Equal(got, []time.Duration{0, time.Minute, 2 * time.Minute}) {
			t.Errorf("looks at %s", got)
		}
		clitest.Wants(t, b.Errs.String(), "waiting      for the end of another task of the repository\n", "waiting      for files in backlog\n")
	})
}
