package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// setup runs the setup command once after planning. Its failure stops nothing; its output is for people.
func (t *pipeline) setup(ctx workflow.Context) error {
	if t.settings.Setup == "" {
		return nil
	}
	t.enter(ctx, task.SettingUp)
	t.setups++
	c, err := t.command(ctx, host.RunSetup, t.settings.Setup, t.setups, "setup: ")
	if err != nil {
		return err
	}
	t.status.Setup = c
	return nil
}

// check runs the check command. Its failure stops nothing; its output goes to the next session.
func (t *pipeline) check(ctx workflow.Context) error {
	if t.settings.Check == "" {
		return nil
	}
	t.checks++
	c, err := t.command(ctx, host.RunChecks, t.settings.Check, t.checks, "check: ")
	if err != nil {
		return err
	}
	t.status.Check = c
	return nil
}

// command runs the setup or check command on the task's host.
func (t *pipeline) command(ctx workflow.Context, activity any, command string, n int, label string) (*signals.Check, error) {
	if err := t.haveTime(ctx); err != nil {
		return nil, err
	}
	wall := t.status.BudgetTime - t.status.Worked
	var c signals.Check
	err := t.insist(ctx, func() error {
		return t.onHost(ctx, step{
			options: func(ctx workflow.Context, wait time.Duration) workflow.Context {
				return t.long(ctx, label+clip(command, 100), wait, wall)
			},
			call: func(ctx workflow.Context) error {
				in := activities.CommandInput{Ref: t.ref(), N: n, Command: command, Wall: wall, Next: t.ahead(nil), Paths: t.settings.Paths}
				return workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &c)
			},
		})
	})
	if err != nil {
		return nil, err
	}
	t.worked(c.Duration)
	word := "passed"
	if !c.Passed() {
		word = "failed"
	}
	t.say(ctx, "command", "%s%s %s in %s", label, firstLine(command), word, c.Duration.Round(time.Millisecond))
	return &c, nil
}

// execute runs one implementing session per deliverable, each after a look at the checks and each followed by a commit
// and a checkpoint, until nothing is pending.
func (t *pipeline) execute(ctx workflow.Context) error {
	for {
		next, ok := t.status.Plan.Next()
		if !ok {
			break
		}
		t.enter(ctx, task.Executing)
		if err := t.check(ctx); err != nil {
			return err
		}
		res, err := t.converse(ctx, task.Implementer, &next)
		if err != nil {
			return err
		}
		plan, fence, commits := t.status.Plan, t.status.Fence, len(t.status.Commits)
		t.mark(ctx, next, res.Report)
		if err := t.commit(ctx, res.Report); err != nil {
			return err
		}
		if t.leak != "" {
			t.status.Plan = plan // it is to be done without the secret
			if err := t.leaked(ctx, next); err != nil {
				return err
			}
			continue
		}
		if t.status.Fence != fence && len(t.status.Commits) == commits && res.Report.Kind != task.ReportBlocked {
			t.status.Plan = plan // the host went between the session and its commit, and the work with it
			t.remember(ctx, "error", next.ID+": its work was lost with its host; it is to be done again")
			t.say(ctx, "host", "the work on %s was lost with its host; doing it again", next.ID)
			continue
		}
		one := came{text: res.Report.Text, done: res.Report.Kind != task.ReportBlocked}
		if len(t.status.Commits) > commits {
			one.commit = t.status.Head
		}
		t.came[next.ID] = one
		for _, d := range t.status.Plan.Deliverables { // a session that says the whole plan is done has done the others too
			if _, there := t.came[d.ID]; !there && d.Status == task.Passed {
				t.came[d.ID] = one
			}
		}
	}
	if p := t.status.Plan; p.AllBlocked() {
		return end(task.AllBlocked, "%s", t.blockers())
	}
	return nil
}

// leaked counts a deliverable whose work holds a secret as an error in a row: the next session is told to take it out. At the
// limit a person is asked.
func (t *pipeline) leaked(ctx workflow.Context, d task.Deliverable) error {
	if t.leaks++; t.leaks <= t.settings.Errors {
		return nil
	}
	t.leaks = 0
	return t.suspend(ctx, signals.ReasonSecret, "%s: %s", d.ID, t.leak)
}

// mark enters what the session reported into the plan and the progress log.
func (t *pipeline) mark(ctx workflow.Context, d task.Deliverable, r task.Report) {
	if r.Kind == task.ReportBlocked {
		t.set(d.ID, task.Blocked, r.Text)
		t.remember(ctx, string(task.Blocking), d.ID+": "+r.Text)
		t.say(ctx, "blocked", "%s: %s", d.ID, firstLine(r.Text))
		t.show(ctx, signals.Notice{})
		return
	}
	kind := task.Progress
	if r.Kind == task.ReportDone { // the agent says that the whole plan is done; the review will tell
		kind = task.Done
		for next, ok := t.status.Plan.Next(); ok; next, ok = t.status.Plan.Next() {
			t.set(next.ID, task.Passed, "")
		}
	}
	t.set(d.ID, task.Passed, "")
	t.remember(ctx, string(kind), d.ID+": "+r.Text)
	t.say(ctx, "deliverable", "%s passed: %s", d.ID, firstLine(r.Text))
	t.show(ctx, signals.Notice{})
}

func (t *pipeline) set(id string, s task.Status, reason string) {
	if p, err := t.status.Plan.WithStatus(id, s, reason); err == nil { // the id comes from this plan
		t.status.Plan = &p
	}
}

func (t *pipeline) blockers() string {
	text := "every deliverable is blocked"
	for _, d := range t.status.Plan.Deliverables {
		text += "\n" + d.ID + ": " + d.Reason
	}
	return text
}

// commit commits what the session left and pushes the checkpoint. A commit that fails stops nothing.
func (t *pipeline) commit(ctx workflow.Context, r task.Report) error {
	message := r.Text
	if message == "" {
		message = t.status.Task
	}
	var out activities.Committed
	err := t.insist(ctx, func() error {
		return t.onHost(ctx, step{
			options: func(ctx workflow.Context, _ time.Duration) workflow.Context {
				return t.short(ctx, "commit: "+firstLine(message))
			},
			call: func(ctx workflow.Context) error {
				in := activities.CommitInput{Ref: t.ref(), Session: t.sessions, Message: message, Specs: t.settings.Specs, BaseCommit: t.status.BaseCommit, Next: t.ahead(nil)}
				return workflow.ExecuteActivity(ctx, host.CommitWork, in).Get(ctx, &out)
			},
		})
	})
	if err != nil {
		return err
	}
	t.uncommitted, t.leak = out.Failed != "", ""
	if out.Leak {
		t.leak = out.Failed
	} else {
		t.leaks = 0
	}
	if t.uncommitted {
		t.say(ctx, "error", "commit failed: %s", firstLine(out.Failed))
		t.remember(ctx, "error", "the commit failed: "+out.Failed)
		return nil
	}
	t.status.Head, t.status.Files, t.status.Added, t.status.Deleted = out.Commit, out.Files, out.Added, out.Deleted
	if out.Created {
		t.status.Commits = append(t.status.Commits, signals.Commit{ID: out.Commit, Subject: firstLine(message)})
		t.say(ctx, "commit", "%s %s", short(out.Commit), firstLine(message))
	}
	return nil
}
