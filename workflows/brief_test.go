package workflows_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/task"
)

// TestNextSession: a session says which one most likely follows, with all that its agent's sandbox depends on, as far as that is known.
func TestNextSession(t *testing.T) {
	for mode, want := range map[string]string{
		"none": "planner: implementer [], implementer: implementer [a.go], implementer: reviewer [a.go], reviewer: -, ",
		"auto": "planner: -, implementer: implementer [a.go], implementer: reviewer [a.go], reviewer: -, ", // a person may decide, which takes time
	} {
		w := newWorld(t)
		w.settings.Approval.Mode = mode
		w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
			res := well(in)
			if res.Plan != nil {
				res.Plan.Files = []string{"a.go"}
			}
			return res, nil
		}
		if s := w.start(t); s.Outcome != task.PullRequest {
			t.Fatalf("%s: outcome %s", mode, s.Outcome)
		}
		got := ""
		for i, in := range w.asked {
			if in.Next == nil {
				got += fmt.Sprintf("%s: -, ", in.Role)
				continue
			}
			got += fmt.Sprintf("%s: %s %v, ", in.Role, in.Next.Role, in.Next.Prompt.Plan.Opened())
			came := w.asked[i+1]
			if in.Next.ID != came.ID || in.Next.Role != came.Role || in.Next.Model != came.Model ||
				in.Prompt.Plan != nil && !slices.Equal(in.Next.Prompt.Plan.Opened(), came.Prompt.Plan.Opened()) {
				t.Errorf("%s: after session %d comes %+v, expected was %+v", mode, i+1, came, *in.Next)
			}
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", mode, got, want)
		}
	}
}
