package tasks

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// A person is told each time the task comes to need them, once, and of its end.
func TestNotify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		ft := clitest.NewTask(task.Executing)
		f := startFollowing(t, ft, false, FollowOptions{wait: true, Notify: func(text string) { told = append(told, text) }})
		needs := func(needed bool, phase task.Phase, reason signals.Reason) {
			ft.Set(func(f *clitest.Task) { f.Status.NeedsHuman, f.Status.Phase, f.Status.Reason = needed, phase, reason })
			clitest.Pass(5 * time.Second)
		}
		needs(false, task.Executing, "")
		needs(true, task.Suspended, signals.ReasonErrors)
		needs(true, task.Suspended, signals.ReasonErrors)
		needs(false, task.Executing, "")
		needs(true, task.Approving, "")
		ft.Set(func(f *clitest.Task) {
			f.Status.Log = []signals.LogLine{clitest.Line(1, "ended", "pull_request")}
			f.Status.Phase, f.Status.Outcome = task.Ended, task.AlreadyDone
		})
		clitest.Pass(5 * time.Second) // in which the workflow is still open
		ft.End(task.AlreadyDone)
		f.end()
		want := []string{"web-1 needs you: " + reasonText(signals.ReasonErrors), "web-1 needs you: " + phaseText(task.Approving),
			"web-1: " + OutcomeText(f.status)}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}

// The desktop's program gets the text as one argument, and its failing hurts nobody.
func TestNotifyOnTheDesktop(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	script := "#!/bin/sh\nprintf '%s|' \"$@\" >" + out + "\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "notify-send"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c := clitest.NewTerminal(t, "PATH="+dir+":/usr/bin:/bin")
	v := fakeViewer(c)
	v.notifier(t.Context(), v.printer.Screen())("web-1 needs you: $(touch x)")
	got, err := os.ReadFile(out)
	if want := "--app-name=Longshift|Longshift|web-1 needs you: $(touch x)|"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if c.Errs.String() != "" {
		t.Errorf("without a terminal there is no bell: %q", c.Errs.String())
	}
}
