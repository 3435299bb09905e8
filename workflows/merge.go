package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/task"
)

// mostMerges is how many sessions may try to resolve one conflict.
const mostMerges = 2

// merge merges the base into the branch. A session resolves the conflicts; when it can't, the merge is given up, and the pull request
// stays in conflict. base is the commit of the base that was merged.
func (f *follower) merge(ctx workflow.Context) (base string, err error) {
	m, err := f.mergeBase(ctx)
	if err != nil || len(m.Conflicts) == 0 {
		return m.Base, err
	}
	f.deliverables.merge(true)
	for n := 1; ; n++ {
		d := task.Deliverable{ID: fmt.Sprintf("MERGE-%03d", n), Status: task.Pending,
			Description: fmt.Sprintf("Resolve the conflicts of the merge of %s into this branch, in: %s", f.status.Base,
				strings.Join(m.Conflicts, ", ")),
			Acceptance: []string{"No conflict marker is left", "What both sides meant is kept", "The checks pass"}}
		p := f.agenda("conflict with %s", f.status.Base)
		p.Deliverables = []task.Deliverable{d}
		f.status.Plan = &p
		if err := f.perform(ctx); err != nil {
			return m.Base, err
		}
		switch r := f.deliverables.results[d.ID]; {
		case r.commit != "":
			f.deliverables.merge(false)
			return m.Base, nil
		case r.done && n < mostMerges: // conflict markers are left: the next session is told so
			continue
		}
		return m.Base, f.giveUpMerge(ctx)
	}
}

// triedMerged is the change since which a round does not mark a base as tried that came while it worked.
const triedMerged = "tried-merged"

// tried lists the bases that count as tried after a round: the one that it began with and the one that it has merged, or the newest one when that is
// among them.
func (f *follower) tried(ctx workflow.Context, began, merged string) []string {
	newest := f.poller.snapshot.BaseHead
	if newest == began || newest == merged || workflow.GetVersion(ctx, triedMerged, workflow.DefaultVersion, 1) < 1 {
		return []string{newest}
	}
	return []string{began, merged}
}

// mergeBase merges what git can. Conflicts are left in the workspace: the next commit is the merge.
func (f *follower) mergeBase(ctx workflow.Context) (activities.Merged, error) {
	var m activities.Merged
	if err := f.onMerge(ctx, "merge "+f.status.Base, git.MergeBase, &m); err != nil {
		return m, err
	}
	f.onto = f.runner.base
	if m.Commit != "" {
		f.status.Head = m.Commit
		f.checks.invalidate()
		f.journal.say(ctx, "commit", "%s merges %s", short(m.Commit), f.status.Base)
	}
	return m, nil
}

// mergeAgain repeats a merge that waits for its commit in a workspace that was made again: no checkpoint holds it.
func (f *follower) mergeAgain(ctx workflow.Context) error {
	if !f.deliverables.merging {
		return nil
	}
	f.onto = f.runner.base
	ctx = f.assignment.short(ctx, "merge "+f.status.Base+" again")
	return workflow.ExecuteActivity(ctx, git.MergeBase, f.mergeInput()).Get(ctx, nil)
}

// giveUpMerge puts the workspace back to what it was before the merge.
func (f *follower) giveUpMerge(ctx workflow.Context) error {
	f.deliverables.merge(false)
	f.onto = ""
	f.commits.giveUp()
	f.journal.say(ctx, "blocked", "the conflict with %s could not be resolved", f.status.Base)
	return f.onMerge(ctx, "give the merge up", git.AbortMerge, nil)
}

func (f *follower) onMerge(ctx workflow.Context, summary string, activity, into any) error {
	return f.parking.insist(ctx, func() error {
		return f.runner.inGit(ctx, summary, activity, f.mergeInput, into)
	})
}

func (f *follower) mergeInput() any {
	return activities.MergeInput{Ref: f.ref(), Round: f.briefing.numbered}
}
