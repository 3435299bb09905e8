package inbound

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// TestExpiredRequests: an event that is delivered late, or replayed by an attacker, changes nothing.
func TestExpiredRequests(t *testing.T) {
	t.Parallel()
	form := func(f *fakeTask) channel.Event {
		ev := press(boss, f.button(signals.Edit))
		ev.Kind, ev.Text = channel.Form, "use tabs"
		return ev
	}
	acts := map[string]func(*fakeTask) channel.Event{
		"press": func(f *fakeTask) channel.Event { return press(boss, f.button(signals.Approve)) },
		"edit":  func(f *fakeTask) channel.Event { return press(boss, f.button(signals.Edit)) }, "form": form,
		"words": func(*fakeTask) channel.Event { return replies(boss, "use tabs") },
	}
	for _, text := range []string{"approve", "edit use tabs", "reject", "resume", "abandon", "cancel", "allow 4f2a91c0", "deny", "tell use tabs", "run fix it",
		"approve 1a2b3c4d", "cancel --task " + taskID} {
		acts[text] = func(*fakeTask) channel.Event { return says(boss, text) }
		if !strings.HasPrefix(text, "run") && !strings.Contains(text, "approve 1") {
			acts[text+" in the thread"] = func(*fakeTask) channel.Event { return replies(boss, text) }
		}
	}
	for name, act := range acts {
		for age, counts := range map[time.Duration]bool{0: true, maxAgeInChat: true, maxAgeInChat + time.Second: false, 7 * 24 * time.Hour: false, -time.Hour: true} {
			w := newWorld(t)
			f := w.task(task.Approving)
			ev := act(f)
			ev.At = now.Add(-age)
			a := w.handle(ev)
			changed := len(f.got) + len(w.server.starts) + len(w.server.cancels)
			if a.Form != nil {
				changed++
			}
			if (changed == 1) != counts || changed > 1 {
				t.Errorf("%s, %s old: changed %d, answer %q", name, age, changed, a.Text)
			}
			if !counts && (!strings.HasPrefix(a.Text, "Sorry, that came late") || len(w.acts) != 1 || w.last().Done || w.last().Reason != cameLate) {
				t.Errorf("%s, %s old: %q, recorded %+v", name, age, a.Text, w.acts)
			}
		}
	}
}

func TestExpiredQueriesAreAnswered(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"status", "list", "logs", "help"} {
		w := newWorld(t)
		w.task(task.Executing)
		ev := says(starter, text)
		ev.At = now.Add(-24 * time.Hour)
		if a := w.handle(ev); a.Text == "" || strings.Contains(a.Text, "late") || len(w.acts) != 0 {
			t.Errorf("%s: %q, recorded %v", text, a.Text, w.acts)
		}
	}
}
