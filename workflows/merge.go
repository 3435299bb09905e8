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

// merger merges the base into the branch of a pull request, at the beginning of a round.
type merger struct {
	facts
	journal      *journal
	parking      *parking
	runner       *runner
	briefing     *briefing
	checks       *checks
	commits      *commits
	deliverables *deliverables

	onto string // the base that is in what the round would push, "" for none
}

// merge merges the base into the branch. A session resolves the conflicts; when it can't, the merge is given up, and the pull request
// stays in conflict. base is the commit of the base that was merged.
func (mg *merger) merge(ctx workflow.Context) (base string, err error) {
	m, err := mg.mergeBase(ctx)
	if err != nil || len(m.Conflicts) == 0 {
		return m.Base, err
	}
	mg.deliverables.merge(true)
	for n := 1; ; n++ {
		d := task.Deliverable{ID: fmt.Sprintf("MERGE-%03d", n), Status: task.Pending,
			Description: fmt.Sprintf("Resolve the conflicts of the merge of %s into this branch, in: %s", mg.status.Base,
				strings.Join(m.Conflicts, ", ")),
			Acceptance: []string{"No conflict marker is left", "What both sides meant is kept", "The checks pass"}}
		p := mg.agenda("conflict with %s", mg.status.Base)
		p.Deliverables = []task.Deliverable{d}
		mg.status.Plan = &p
		if err := mg.deliverables.executeRound(ctx); err != nil {
			return m.Base, err
		}
		switch r := mg.deliverables.results[d.ID]; {
		case r.commit != "":
			mg.deliverables.merge(false)
			return m.Base, nil
		case r.done && n < mostMerges: // conflict markers are left: the next session is told so
			continue
		}
		return m.Base, mg.giveUp(ctx)
	}
}

// mergeBase merges what git can. Conflicts are left in the workspace: the next commit is the merge.
func (mg *merger) mergeBase(ctx workflow.Context) (activities.Merged, error) {
	var m activities.Merged
	if err := mg.inGit(ctx, "merge "+mg.status.Base, git.MergeBase, &m); err != nil {
		return m, err
	}
	mg.onto = mg.runner.base
	if m.Commit != "" {
		mg.status.Head = m.Commit
		mg.checks.invalidate()
		mg.journal.say(ctx, "commit", "%s merges %s", short(m.Commit), mg.status.Base)
	}
	return m, nil
}

// again repeats a merge that waits for its commit in a workspace that was made again: no checkpoint holds it.
func (mg *merger) again(ctx workflow.Context) error {
	if !mg.deliverables.merging {
		return nil
	}
	mg.onto = mg.runner.base
	ctx = mg.assignment.short(ctx, "merge "+mg.status.Base+" again")
	return workflow.ExecuteActivity(ctx, git.MergeBase, mg.input()).Get(ctx, nil)
}

// giveUp puts the workspace back to what it was before the merge.
func (mg *merger) giveUp(ctx workflow.Context) error {
	mg.deliverables.merge(false)
	mg.onto = ""
	mg.commits.giveUp()
	mg.journal.say(ctx, "blocked", "the conflict with %s could not be resolved", mg.status.Base)
	return mg.inGit(ctx, "give the merge up", git.AbortMerge, nil)
}

func (mg *merger) inGit(ctx workflow.Context, summary string, activity, into any) error {
	return mg.parking.insist(ctx, func() error {
		return mg.runner.inGit(ctx, summary, activity, mg.input, into)
	})
}

func (mg *merger) input() any {
	return activities.MergeInput{Ref: mg.ref(), Round: mg.briefing.numbered}
}
