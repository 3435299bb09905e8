package workflows

import (
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// lost is the error of a workspace whose head is an earlier commit of the task than the last one that was reported, or that lacks work which
// could not be committed. The host has made sure that the task has written the head.
type lost struct {
	head   string
	behind bool // commits are lost, too
}

// unsavedLost is the change since which work whose commit has failed counts as lost when its host is.
const unsavedLost = "unsaved-lost"

func (l *lost) Error() string { return "the work after " + short(l.head) + " is lost" }

func isLost(err error) bool {
	l := (*lost)(nil)
	return asError(err, &l)
}

// heads returns the commits that were reported, in order. A restored workspace must hold the last one.
func (f facts) heads() []string {
	if f.status.BaseCommit == "" {
		return nil
	}
	list := []string{f.status.BaseCommit}
	for _, c := range f.status.Commits {
		list = append(list, c.ID)
	}
	return append(list, f.status.Head)
}

// lose marks what the workspace does not hold any more as pending, and returns the stage to continue with. A plan that was not approved is
// planned again.
func (dv *deliverables) lose(ctx workflow.Context, l *lost, at int) (from int) {
	kept := len(dv.status.Commits)
	if l.behind {
		kept = 1 + slices.IndexFunc(dv.status.Commits, func(c signals.Commit) bool { return c.ID == l.head })
	}
	dv.status.Commits, dv.status.Review = dv.status.Commits[:kept], nil
	dv.checks.invalidate()
	var again []string
	var told []prompt.Message
	if p := dv.status.Plan; p != nil {
		for _, d := range p.Deliverables {
			if c, ok := dv.results[d.ID]; ok && d.Status == task.Passed && c.commits > kept {
				dv.set(d.ID, task.Pending, "")
				delete(dv.results, d.ID)
				again, told = append(again, d.ID), append(told, c.told...)
			}
		}
	}
	dv.sessions.inbox.tellAgain(told...)
	text := "the work after " + short(l.head) + " was lost with its host; to be done again: " + strings.Join(again, ", ")
	if from = settingUp; at < settingUp || len(again) == 0 {
		from, text = planning, "the work after "+short(l.head)+" was lost with its host; it is planned again"
	}
	dv.journal.remember(ctx, "error", text)
	dv.journal.say(ctx, "host", "%s", text)
	return from
}
