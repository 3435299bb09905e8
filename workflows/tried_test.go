package workflows_test

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
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

// A failed check that waits for another one to end is still what a person was asked about: nothing goes on, and no round begins once the other one
// has ended.
func TestQuestionStaysWhileChecksRun(t *testing.T) {
	w := newWorld(t)
	w.commit = unapproved
	var during, after signals.Status
	w.env.RegisterDelayedCallback(func() { during = w.status(t) }, 7*time.Hour)
	w.env.RegisterDelayedCallback(func() { after = w.status(t) }, 11*time.Hour)
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		l := open(failing("test", "sign1"))
		switch {
		case at > 13*time.Hour:
			return merged()
		case at > 5*time.Hour && at < 9*time.Hour:
			l.Pending = 1
		}
		return l
	}, withRuns)
	for when, now := range map[string]signals.Status{"during": during, "after": after} {
		if now.Phase != task.Suspended || !strings.Contains(now.Detail, "nobody has approved it") || now.Rounds != 1 {
			t.Errorf("%s: %s in round %d, asked for %s: %s", when, now.Phase, now.Rounds, now.Reason, now.Detail)
		}
	}
	if got := w.shows(); len(w.asked) != 1 || got != "2 head1 working, 2 head1 action_required, 3 head1 neutral" {
		t.Errorf("%d sessions; the check runs %s%s", len(w.asked), got, logText(s))
	}
}

// Once somebody has pushed, nobody is asked about what was there before, also while checks run.
func TestQuestionGoesWithAPush(t *testing.T) {
	w := newWorld(t)
	w.commit = unapproved
	var before, pushed signals.Status
	w.env.RegisterDelayedCallback(func() { before = w.status(t) }, 4*time.Hour)
	w.env.RegisterDelayedCallback(func() { pushed = w.status(t) }, 7*time.Hour)
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		l := open(failing("test", "sign1"))
		switch {
		case at > 9*time.Hour:
			return merged()
		case at > 5*time.Hour:
			l.Head, l.Pending = "head2", 1
		}
		return l
	})
	if !before.NeedsHuman || pushed.NeedsHuman || pushed.Phase != task.Following {
		t.Errorf("before the push a person is asked: %t; after it: %t, %s%s", before.NeedsHuman, pushed.NeedsHuman, pushed.Phase, logText(s))
	}
}

// A new conflict is resolved although the check fails that a round could not mend: what the base brings may mend it. Then a person is asked again.
func TestConflictComesFirst(t *testing.T) {
	w := newWorld(t)
	var asked, again signals.Status
	w.env.RegisterDelayedCallback(func() { asked = w.status(t) }, 4*time.Hour)
	w.env.RegisterDelayedCallback(func() { again = w.status(t) }, 11*time.Hour)
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		l := open(failing("test", "sign1"))
		switch {
		case at > 13*time.Hour:
			return merged()
		case at > 5*time.Hour && w.merges == 0:
			l = conflicting(l.Items...)
			l.BaseHead = "base2"
		}
		return l
	})
	if asked.Reason != signals.ReasonBlocker || w.merges != 1 {
		t.Fatalf("asked for %q; %d merges%s", asked.Reason, w.merges, logText(s))
	}
	if again.Reason != signals.ReasonBlocker || again.Rounds != 2 || !strings.Contains(again.Detail, "test") {
		t.Errorf("after the merge: %s in round %d, asked for %q: %s%s", again.Phase, again.Rounds, again.Reason, again.Detail, logText(s))
	}
}
