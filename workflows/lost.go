package workflows

import (
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// lost is a workspace that stands at an earlier commit of the task than the last one that was reported. The host has made sure that
// nobody else has written that commit.
type lost struct{ head string }

func (l *lost) Error() string { return "the commits after " + short(l.head) + " are lost" }

func isLost(err error) bool {
	l := (*lost)(nil)
	return asError(err, &l)
}

// heads are the commits that were reported, in order. A workspace that is made again has to hold the last one.
func (t *pipeline) heads() []string {
	if t.status.BaseCommit == "" {
		return nil
	}
	list := []string{t.status.BaseCommit}
	for _, c := range t.status.Commits {
		list = append(list, c.ID)
	}
	return append(list, t.status.Head)
}

// lose takes back what the workspace does not hold any more, so that it is done again, and gives the stage to go on with. No plan is
// worked on that nobody has approved.
func (t *pipeline) lose(ctx workflow.Context, l *lost, at int) (from int) {
	kept := 1 + slices.IndexFunc(t.status.Commits, func(c signals.Commit) bool { return c.ID == l.head })
	t.status.Commits, t.status.Review, t.unchecked = t.status.Commits[:kept], nil, true
	var again []string
	if p := t.status.Plan; p != nil {
		for _, d := range p.Deliverables {
			if c, ok := t.came[d.ID]; ok && d.Status == task.Passed && c.on > kept {
				t.set(d.ID, task.Pending, "")
				delete(t.came, d.ID)
				again = append(again, d.ID)
			}
		}
	}
	text := "the commits after " + short(l.head) + " were lost with their host; to be done again: " + strings.Join(again, ", ")
	if from = settingUp; at < settingUp || len(again) == 0 {
		from, text = planning, "the commits after "+short(l.head)+" were lost with their host; what they did is to be planned again"
	}
	t.remember(ctx, "error", text)
	t.say(ctx, "host", "%s", text)
	return from
}
