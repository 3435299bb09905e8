package workflows_test

import (
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// A check that has passed since a round on it, and fails again, is worked on again: nobody has tried that. A head without any checks yet tells
// nothing.
func TestCheckFailsAnew(t *testing.T) {
	for name, c := range map[string]struct {
		passed []string
		pushes int
		reason signals.Reason
	}{"it has passed": {[]string{"check:Vercel"}, 2, ""}, "nothing has run yet": {nil, 1, signals.ReasonBlocker},
		"others have passed": {[]string{"check:lint"}, 1, signals.ReasonBlocker}} {
		w := newWorld(t)
		green := open()
		green.Passed, green.PassedKeys = len(c.passed), c.passed
		var later signals.Status
		w.env.RegisterDelayedCallback(func() { later = w.status(t) }, 40*time.Hour)
		s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
			switch {
			case at > 48*time.Hour:
				return merged()
			case w.pushes == 1 && at < 24*time.Hour, w.pushes == 2:
				return green
			}
			return open(failing("Vercel", "same"))
		})
		if w.pushes != c.pushes || later.Reason != c.reason {
			t.Errorf("%s: %d pushes, asked for %q\n%s", name, w.pushes, later.Reason, logText(s))
		}
	}
}
