package workflows

import (
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// commits commits what sessions left, and pushes it as a checkpoint.
type commits struct {
	facts
	journal  *journal
	parking  *parking
	runner   *runner
	briefing *briefing
	checks   *checks
	record   *record

	last  committed
	leaks int // commits in a row whose work holds a secret
}

// committed is the outcome of a commit.
type committed struct {
	failed   string         // why it failed; its work is only in the workspace then
	refused  string         // why, when the work itself is refused
	apart    bool           // it is refused because all of it lies where no commit takes it
	leak     string         // why, when the work holds a secret
	findings []task.Finding // what of the changes deserves a second look
	toRead   []task.ChangedFile
	routine  int // lines in files that programs write
}

// found replaces what deserves a second look by what the host has found since.
func (cm *commits) found(findings []task.Finding) { cm.last.findings = findings }

// giveUp forgets a commit that failed: its work is no longer in the workspace.
func (cm *commits) giveUp() {
	cm.last.failed, cm.runner.unsaved = "", ""
	cm.record.dropped()
}

// commit commits the workspace and pushes the checkpoint. A commit that fails stops nothing.
func (cm *commits) commit(ctx workflow.Context, r task.Report) error {
	message := r.Text
	if message == "" {
		message = cm.status.Task
	}
	var out activities.Committed
	err := cm.parking.insist(ctx, func() error {
		return cm.runner.inGit(ctx, "commit: "+firstLine(message), git.CommitWork, func() any {
			return activities.CommitInput{Ref: cm.ref(), Session: cm.briefing.numbered, Message: message, Specs: cm.settings.Specs,
				BaseCommit: cm.status.BaseCommit, Since: cm.reported(), Next: cm.briefing.ahead(), Paths: cm.settings.Paths, Planned: cm.status.Plan.Opened()}
		}, &out)
	})
	if err != nil {
		return err
	}
	cm.last.failed, cm.last.refused, cm.last.apart, cm.last.leak = out.Failed, "", out.Apart != "", ""
	if !out.Leak {
		cm.last.findings, cm.last.toRead, cm.last.routine = out.Sensitive, out.ToRead, out.Routine
	}
	if cm.last.failed != "" || out.Created {
		cm.checks.invalidate()
	}
	if out.Leak {
		cm.last.leak = out.Failed
	} else {
		cm.leaks = 0
		if out.Refused {
			cm.last.refused = out.Failed
		}
	}
	cm.runner.unsaved = ""
	if cm.last.failed != "" {
		cm.runner.unsaved = cm.assignment.Host
		cm.journal.say(ctx, "error", "commit failed: %s", firstLine(out.Failed))
		cm.journal.remember(ctx, "error", "the commit failed: "+out.Failed)
		return nil
	}
	cm.last.refused = refusedWork(cm.last.findings)
	if cm.last.apart {
		cm.last.refused = strings.TrimSpace(out.Apart + "\nBring it into the work tree of this branch: pop the stash, merge the other branch, " +
			"or remove the .git of the repository, so that its files count. Remove what is not part of the work.\n\n" + cm.last.refused)
	}
	if cm.last.refused != "" {
		cm.journal.say(ctx, "error", "the work is refused: %s", firstLine(cm.last.refused))
		cm.journal.remember(ctx, "error", "the work is refused: "+cm.last.refused)
	}
	if out.Forged {
		cm.journal.found(ctx, "a session has changed the status file of the specification, which only Longshift writes; it was undone")
	}
	cm.journal.notice(ctx, out.Notes)
	from := cm.status.Head
	cm.status.Head, cm.status.Files, cm.status.Added, cm.status.Deleted = out.Commit, out.Files, out.Added, out.Deleted
	if len(out.Earlier) > 0 {
		from = cm.reported()
	}
	if len(out.Earlier) > 0 || out.Created {
		cm.record.committed(from)
	} else {
		cm.record.dropped()
	}
	for _, c := range out.Earlier {
		cm.status.Commits = append(cm.status.Commits, c)
		cm.journal.say(ctx, "commit", "%s %s; it was made before the host was lost", short(c.ID), c.Subject)
	}
	if out.Created {
		cm.status.Commits = append(cm.status.Commits, signals.Commit{ID: out.Commit, Subject: firstLine(message)})
		cm.journal.say(ctx, "commit", "%s %s", short(out.Commit), firstLine(message))
	}
	return nil
}

// reported is the last commit that was reported, or the base commit.
func (cm *commits) reported() string {
	if n := len(cm.status.Commits); n > 0 {
		return cm.status.Commits[n-1].ID
	}
	return cm.status.BaseCommit
}

// leaked counts a deliverable whose work holds a secret as an error in a row: the next session is told to take it out. At the
// limit a person is asked.
func (cm *commits) leaked(ctx workflow.Context, d task.Deliverable) error {
	if cm.leaks++; cm.leaks <= cm.settings.Errors {
		return nil
	}
	cm.leaks = 0
	return cm.parking.suspend(ctx, signals.ReasonSecret, "%s: %s; %s, and a note to `resume` tells the next session how to do without it", d.ID,
		cm.last.leak, cm.whereWorkLies())
}

func (cm *commits) whereWorkLies() string {
	return "the work is in the workspace on host " + cm.assignment.Host
}

// commitRest repeats a commit that failed, and parks the task while it fails again. Work that is refused is left to a session where one may
// follow.
func (cm *commits) commitRest(ctx workflow.Context, refusedToo bool) error {
	open := func() bool { return cm.last.failed != "" && (refusedToo || cm.last.refused == "") }
	for open() {
		if err := cm.commit(ctx, task.Report{Text: cm.status.Plan.Summary}); err != nil {
			return err
		}
		if open() {
			if err := cm.suspend(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// suspend parks the task for the commit that has failed.
func (cm *commits) suspend(ctx workflow.Context) error {
	if cm.last.leak != "" {
		return cm.parking.suspend(ctx, signals.ReasonSecret, "%s; %s", cm.last.leak, cm.whereWorkLies())
	}
	why := signals.ReasonInfra
	if cm.last.refused != "" {
		why = signals.ReasonUnfit
	}
	return cm.parking.suspendOwn(ctx, why, "the last commit failed: %s; %s", firstLine(cm.last.failed), cm.whereWorkLies())
}
