package lab

import (
	"os"
	"path/filepath"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// TestActionsOfPolls counts what docs/performance.md says of two workflows that poll: an activity and a timer each time.
func TestActionsOfPolls(t *testing.T) {
	for _, name := range []string{"watch", "limiter"} {
		f, err := os.Open(filepath.Join("../../workflows/testdata/replay", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		h, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var timers []int
		for i, e := range h.Events {
			if e.EventType == enumspb.EVENT_TYPE_TIMER_STARTED {
				timers = append(timers, i)
			}
		}
		poll := ActionsOf(h.Events[timers[0]+1 : timers[1]+1])
		t.Logf("%s: %v", name, poll)
		delete(poll, "message_UpdateWorkflowExecution:Acceptance") // another task has come to the limiter
		if n := poll.Sum(); n != 2 {
			t.Errorf("a poll of %s is %d actions, want 2: %v", name, n, poll)
		}
	}
}
