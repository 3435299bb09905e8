package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/task"
)

// mostMerges is how many sessions may try to resolve one conflict.
const mostMerges = 2

// merge brings the base into the branch. What git can't settle by itself, a session resolves; when it can't either, the merge is
// given up, and the pull request stays in conflict.
func (f *follower) merge(ctx workflow.Context) error {
	m, err := f.mergeBase(ctx)
	if err != nil || len(m.Conflicts) == 0 {
		return err
	}
	f.merging = true
	for n := 1; ; n++ {
		d := task.Deliverable{ID: fmt.Sprintf("MERGE-%03d", n), Status: task.Pending,
			Description: fmt.Sprintf("Resolve the conflicts of the merge of %s into this branch, in: %s", f.status.Base, strings.Join(m.Conflicts, ", ")),
			Acceptance:  []string{"No conflict marker is left", "What both sides meant is kept", "The checks pass"}}
		p := f.agenda("conflict with %s", f.status.Base)
		p.Deliverables = []task.Deliverable{d}
		f.status.Plan = &p
		if err := f.perform(ctx); err != nil {
			return err
		}
		switch came := f.came[d.ID]; {
		case came.commit != "":
			f.merging = false
			return nil
		case came.done && n < mostMerges: // markers were left: the next session is told so
			continue
		}
		return f.giveUpMerge(ctx)
	}
}

// mergeBase merges what git can. What conflicts is left in the workspace: the next commit is the merge.
func (f *follower) mergeBase(ctx workflow.Context) (activities.Merged, error) {
	var m activities.Merged
	err := f.onMerge(ctx, "merge "+f.status.Base, host.MergeBase, &m)
	if err == nil && m.Commit != "" {
		f.status.Head, f.unchecked = m.Commit, true
		f.say(ctx, "commit", "%s merges %s", short(m.Commit), f.status.Base)
	}
	return m, err
}

// giveUpMerge puts the workspace back to what it was before the merge.
func (f *follower) giveUpMerge(ctx workflow.Context) error {
	f.merging, f.uncommitted = false, ""
	f.say(ctx, "blocked", "the conflict with %s could not be resolved", f.status.Base)
	return f.onMerge(ctx, "give the merge up", host.AbortMerge, nil)
}

func (f *follower) onMerge(ctx workflow.Context, summary string, activity, into any) error {
	return f.insist(ctx, func() error {
		return f.onHost(ctx, step{
			options: func(ctx workflow.Context) workflow.Context { return f.short(ctx, summary) },
			call: func(ctx workflow.Context) error {
				return workflow.ExecuteActivity(ctx, activity, activities.MergeInput{Ref: f.ref(), Round: f.sessions}).Get(ctx, into)
			},
		})
	})
}
