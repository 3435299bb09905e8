package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// checkRuns shows on the head of the pull request how the work on it stands. Nothing fails with it, and nothing is tried where the forge
// takes no check runs. Tasks that older builds have started show none, for the forge was not asked whether it takes them.
type checkRuns struct {
	facts
	on      bool
	n       int    // number of the newest; each is completed once
	at      string // commit of the newest
	before  string // commit that the work on at has begun with
	open    bool   // it is in progress
	stopped bool   // it says that a person is asked

	owed *activities.CheckRunInput // the completion of one that could not be written yet
}

// owedRun is the change since which a check run that could not be completed is completed later.
const owedRun = "owed-check-run"

// begin shows that work on a commit is in progress.
func (cr *checkRuns) begin(ctx workflow.Context, commit, what string) {
	if !cr.on || ctx.Err() != nil {
		return
	}
	cr.n++
	cr.at, cr.before, cr.open, cr.stopped = commit, commit, true, false
	cr.write(ctx, commit, forge.Standing{State: forge.Working, Detail: what})
}

// end completes the check run, on the commit that the work came to. When the workflow ends, stop does.
func (cr *checkRuns) end(ctx workflow.Context, commit string, s forge.Standing) {
	if !cr.on || commit == "" || ctx.Err() != nil {
		return
	}
	if !cr.open {
		cr.n++
	} else if cr.at != commit {
		cr.write(ctx, cr.at, forge.Standing{State: forge.Void, Detail: "The work is in " + short(commit)})
	}
	cr.at, cr.open, cr.stopped = commit, false, s.State == forge.Stopped
	s.Log = cr.log()
	cr.write(ctx, commit, s)
}

// foreignHead is the change since which a head that somebody else has pushed gets a check run, too.
const foreignHead = "foreign-head"

// lacking tells whether the head of the pull request has no check run, because somebody else has pushed it. Branch protection that requires one
// would wait for ever. A snapshot may be older than the last push.
func (cr *checkRuns) lacking(ctx workflow.Context, head string) bool {
	return cr.on && head != "" && head != cr.at && head != cr.before && workflow.GetVersion(ctx, foreignHead, workflow.DefaultVersion, 1) >= 1
}

// stop takes back what no longer holds when the workflow ends: that work is in progress, or that a person is asked.
func (cr *checkRuns) stop(ctx workflow.Context) {
	cr.settle(ctx)
	if cr.open || cr.stopped {
		cr.end(ctx, cr.at, forge.Standing{State: forge.Void, Detail: "The work on it has ended"})
	}
}

// ask shows that a person is asked.
func (cr *checkRuns) ask(ctx workflow.Context, commit string) {
	why := string(cr.status.Reason)
	if cr.status.Detail != "" {
		why += ": " + cr.status.Detail
	}
	cr.end(ctx, commit, forge.Standing{State: forge.Stopped, Detail: why, Next: cr.status.NextAction})
}

// write waits for its result, so that check runs are written in order, but not for long.
func (cr *checkRuns) write(ctx workflow.Context, commit string, s forge.Standing) {
	if o := cr.owed; o != nil && o.Commit == commit { // this one is newer, and people see the newest
		cr.owed = nil
	}
	cr.deliver(ctx, activities.CheckRunInput{Repository: cr.def.repo, TaskID: cr.status.TaskID, Commit: commit, N: cr.n, Standing: s})
}

func (cr *checkRuns) deliver(ctx workflow.Context, in activities.CheckRunInput) {
	options := workflow.WithScheduleToCloseTimeout(courtesy(ctx, "check run of "+short(in.Commit)), 2*time.Minute)
	err := workflow.ExecuteActivity(options, pulls.WriteCheckRun, in).Get(ctx, nil)
	if err == nil || ctx.Err() != nil {
		return
	}
	all := &cr.status.Warnings
	*all = append((*all)[max(0, len(*all)-10):], "the check run could not be written: "+message(err))
	if in.Standing.State != forge.Working && kindOf(err) == fault.Infra {
		cr.owed = &in
	}
}

// settle completes the check run that could not be completed when its work ended, so that none is in progress for ever.
func (cr *checkRuns) settle(ctx workflow.Context) {
	in := cr.owed
	if in == nil || ctx.Err() != nil || workflow.GetVersion(ctx, owedRun, workflow.DefaultVersion, 1) < 1 {
		return
	}
	cr.owed = nil
	cr.deliver(ctx, *in)
}

// log is the end of the task's log, with less of its long lines.
func (cr *checkRuns) log() []task.Entry {
	log := make([]task.Entry, 0, len(cr.status.Log))
	for _, l := range cr.status.Log {
		e := l.Entry
		e.Text = excerpt.Clip(e.Text, 400)
		log = append(log, e)
	}
	return log
}

// standing is what the work of the task, or of a round, came to.
func (pu *publisher) standing() forge.Standing {
	all := pu.summary()
	return forge.Standing{State: forge.Worked, Summary: forge.Summary{Overview: all.Overview, Deliverables: all.Deliverables,
		Checks: all.Checks, Before: all.Before, Unchecked: all.Unchecked, Review: all.Review}}
}
