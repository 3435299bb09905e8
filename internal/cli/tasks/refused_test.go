package tasks

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// A task whose input was refused has never begun, so there is nothing to say of how long it took.
func TestARefusedInputTookNoTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	s := &signals.Status{WorkflowID: "x", Outcome: task.Failed, Detail: "input: task is missing"}
	if text := SummaryText(s, now); strings.Contains(text, "Duration") || !strings.Contains(text, "task is missing") {
		t.Errorf("it says\n%s", text)
	}
	s.Started = now.Add(-90 * time.Second)
	s.Findings = []task.Entry{{Text: "a.go: it leaks"}, {Text: "b.go: it hangs"}}
	if text := SummaryText(s, now); !strings.Contains(text, "Findings  a.go: it leaks\n            b.go: it hangs\n") {
		t.Errorf("findings are not named:\n%s", text)
	}
	s.Findings = nil
	if text := SummaryText(s, now); !strings.Contains(text, "Duration  1m 30s") {
		t.Errorf("it says\n%s", text)
	}
}
