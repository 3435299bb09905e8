package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// deliverables carries out the plan, one deliverable after the other.
type deliverables struct {
	facts
	journal  *journal
	sessions *sessions
	checks   *checks
	proofs   *proofs
	commits  *commits
	record   *record

	fixing   int                        // which attempt to fix what the check says, 0 for none
	results  map[string]result          // of the deliverables, by id
	feedback map[string]prompt.Feedback // what a deliverable of a follow-up round answers, by id
	merging  bool                       // the base is merged in the workspace, and waits for its commit
}

// result is what a deliverable has led to, for those who asked for it.
type result struct {
	text    string // the session's report
	done    bool
	commit  string // "" when nothing had to change
	commits int    // how many commits the task had then
	told    []prompt.Message
}

// begin forgets the results of an earlier round.
func (dv *deliverables) begin() { dv.results, dv.merging = map[string]result{}, false }

// merge notes whether a merge of the base waits for its commit in the workspace.
func (dv *deliverables) merge(waiting bool) { dv.merging = waiting }

// answers names what the deliverables of a follow-up round answer, by their ids.
func (dv *deliverables) answers(feedback map[string]prompt.Feedback) { dv.feedback = feedback }

// told are the messages to the sessions behind the results.
func (dv *deliverables) told() (all []prompt.Message) {
	for _, id := range workflow.DeterministicKeys(dv.results) {
		all = append(all, dv.results[id].told...)
	}
	return all
}

// withhold replaces the results that have a commit: it was not pushed.
func (dv *deliverables) withhold(why string) {
	for _, id := range workflow.DeterministicKeys(dv.results) {
		if dv.results[id].commit != "" {
			dv.results[id] = result{text: why}
		}
	}
}

// execute runs one implementing session per deliverable, each followed by a commit, a checkpoint and the check, until nothing is
// pending. What the check says goes to the next session.
func (dv *deliverables) execute(ctx workflow.Context) error {
	for {
		if !dv.merging { // a conflict is resolved first
			if err := dv.checks.setupAnew(ctx); err != nil {
				return err
			}
		}
		next, ok := dv.status.Plan.Next()
		if !ok {
			if err := dv.saveFirst(ctx); err != nil {
				return err
			}
			open, err := dv.proofs.again(ctx)
			if err != nil {
				return err
			}
			if !open {
				break
			}
			continue
		}
		if err := dv.proofs.before(ctx, next); err != nil {
			return err
		}
		report, err := dv.deliver(ctx, next)
		if err != nil {
			return err
		}
		if err := dv.prove(ctx, next, report); err != nil {
			return err
		}
	}
	if p := dv.status.Plan; p.AllBlocked() {
		return end(task.AllBlocked, "every deliverable is blocked%s", blockers(p))
	}
	return nil
}

// executeRound carries out the plan of a round. That everything is blocked is told in the replies, and is no error.
func (dv *deliverables) executeRound(ctx workflow.Context) error {
	err := dv.execute(ctx)
	if e, ok := err.(*ending); ok && e.outcome == task.AllBlocked {
		return nil
	}
	return err
}

// savesFirst is the change since which work whose commit has failed is committed, or shown to a person, before a clean checkout removes it.
const savesFirst = "saves-first"

func (dv *deliverables) saveFirst(ctx workflow.Context) error {
	if dv.commits.last.failed == "" || len(dv.proofs.due(true)) == 0 || !keepsStatus(ctx) ||
		workflow.GetVersion(ctx, savesFirst, workflow.DefaultVersion, 1) < 1 {
		return nil
	}
	return dv.commits.commitRest(ctx, true)
}

// prove runs the check on what a session left, and then the deliverable's proof. A deliverable that leaves one of them failing, or whose
// commit is refused, goes back to an implementer with the output, a few times. After that the loop continues: a later deliverable, or the
// review, may fix the check.
func (dv *deliverables) prove(ctx workflow.Context, d task.Deliverable, r task.Report) error {
	defer func() { dv.fixing = 0 }()
	for {
		if err := dv.checks.check(ctx); err != nil {
			return err
		}
		why, err := dv.lacks(ctx, d, r)
		if err != nil || why == "" {
			return err
		}
		if dv.fixing >= dv.settings.FixAttempts {
			dv.leaveApart(ctx, d)
			return nil
		}
		dv.fixing++
		dv.journal.say(ctx, "fix", "%s goes back, for %s: attempt %d of %d", d.ID, why, dv.fixing, dv.settings.FixAttempts)
		dv.journal.remember(ctx, "error", d.ID+" goes back to be mended: "+why)
		if r, err = dv.deliver(ctx, d); err != nil {
			return err
		}
	}
}

// leaveApart blocks a deliverable all of whose work lies where no commit takes it.
func (dv *deliverables) leaveApart(ctx workflow.Context, d task.Deliverable) {
	was := dv.results[d.ID]
	if !dv.commits.last.apart || was.commit != "" {
		return
	}
	why := firstLine(dv.commits.last.refused)
	dv.results[d.ID] = result{text: why, told: was.told}
	dv.set(d.ID, task.Blocked, why)
	dv.journal.say(ctx, "blocked", "%s: %s", d.ID, why)
	dv.journal.show(ctx, signals.Notice{})
}

// lacks says why what a session has reported as done is not; "" when it is.
func (dv *deliverables) lacks(ctx workflow.Context, d task.Deliverable, r task.Report) (string, error) {
	delete(dv.proofs.failed, d.ID)
	if r.Kind == task.ReportBlocked {
		return "", nil
	}
	refused := dv.commits.last.refused != "" && !dv.merging // a merge has tries of its own
	dv.proofs.unrun[d.ID] = refused || !dv.checks.sound()
	switch {
	case refused:
		return "what it left is refused", nil
	case !dv.checks.sound():
		return "the check fails", nil
	}
	return dv.proofs.lacks(ctx, d, false)
}

// deliver has sessions work on a deliverable until what one of them reported is committed.
func (dv *deliverables) deliver(ctx workflow.Context, d task.Deliverable) (task.Report, error) {
	for {
		dv.sessions.inbox.takeTold() // of the planner, the reviewer or another deliverable
		dv.journal.enter(ctx, task.Executing)
		res, err := dv.sessions.converse(ctx, task.Implementer, dv.brief(&d))
		if err != nil {
			return task.Report{}, err
		}
		plan, fence, commits := dv.status.Plan, dv.status.Fence, len(dv.status.Commits)
		dv.mark(ctx, d, res.Report)
		dv.record.worked(d.ID)
		if err := dv.commits.commit(ctx, dv.inCommit(d, res.Report)); err != nil {
			if isLost(err) {
				dv.status.Plan = plan
			}
			return task.Report{}, err
		}
		if dv.commits.last.leak != "" {
			dv.status.Plan = plan // it is to be done without the secret
			if err := dv.commits.leaked(ctx, d); err != nil {
				return task.Report{}, err
			}
			continue
		}
		if dv.status.Fence != fence && len(dv.status.Commits) == commits && res.Report.Kind != task.ReportBlocked {
			dv.status.Plan = plan // the host went between the session and its commit, and the work with it
			dv.sessions.inbox.tellAgain()
			dv.journal.remember(ctx, "error", d.ID+": its work was lost with its host and is done again")
			dv.journal.say(ctx, "host", "the work on %s was lost with its host; doing it again", d.ID)
			continue
		}
		dv.answered(ctx, d, res.Report, len(dv.status.Commits) > commits)
		return res.Report, nil
	}
}

// inCommit is the report as the message of the commit. Why a session is blocked does not say what the commit of its work is about.
func (dv *deliverables) inCommit(d task.Deliverable, r task.Report) task.Report {
	if r.Kind != task.ReportBlocked {
		return r
	}
	part := d.ID + ": " + firstLine(d.Description)
	if dv.def.continues { // that refers to the prompt of the round
		part = "what was asked for on the pull request"
	}
	r.Text = "Part of " + part + "\n\n" + r.Text
	return r
}

// brief is what a session on the deliverable is about.
func (dv *deliverables) brief(d *task.Deliverable) brief {
	b := brief{deliverable: d, fixing: dv.fixing, refused: dv.commits.last.refused, proof: dv.proofs.failed[d.ID]}
	if f, ok := dv.feedback[d.ID]; ok {
		b.feedback = &f
	}
	return b
}

// answered stores the result of a deliverable. A session that fixes it adds its commit.
func (dv *deliverables) answered(ctx workflow.Context, d task.Deliverable, r task.Report, committed bool) {
	one := result{text: r.Text, done: r.Kind != task.ReportBlocked}
	if dv.fixing > 0 {
		one = dv.results[d.ID]
	}
	one.commits, one.told = len(dv.status.Commits), append(one.told, dv.sessions.inbox.takeTold()...)
	switch {
	case committed:
		one.commit = dv.status.Head
	case dv.commits.last.failed != "" && workflow.GetVersion(ctx, unsavedLost, workflow.DefaultVersion, 1) >= 1:
		one.commits++ // it will be in the next one
	}
	dv.results[d.ID] = one
	// A session that says the whole plan is done has done the others too. What it was told is kept once.
	one.told = nil
	for _, d := range dv.status.Plan.Deliverables {
		if _, there := dv.results[d.ID]; !there && d.Status == task.Passed {
			dv.results[d.ID] = one
		}
	}
}

// mark enters what the session reported into the plan and the progress log.
func (dv *deliverables) mark(ctx workflow.Context, d task.Deliverable, r task.Report) {
	if r.Kind == task.ReportBlocked {
		if dv.fixing == 0 { // what it was to do is there; that the check fails is told by the check
			dv.set(d.ID, task.Blocked, r.Text)
		}
		dv.journal.remember(ctx, string(task.Blocking), d.ID+": "+r.Text)
		dv.journal.say(ctx, "blocked", "%s: %s", d.ID, firstLine(r.Text))
		dv.journal.show(ctx, signals.Notice{})
		return
	}
	kind := task.Progress
	if r.Kind == task.ReportDone { // the agent says that the whole plan is done; the review will tell
		kind = task.Done
		for next, ok := dv.status.Plan.Next(); ok; next, ok = dv.status.Plan.Next() {
			dv.set(next.ID, task.Passed, "")
		}
	}
	dv.set(d.ID, task.Passed, "")
	dv.journal.remember(ctx, string(kind), d.ID+": "+r.Text)
	dv.journal.say(ctx, "deliverable", "%s passed: %s", d.ID, firstLine(r.Text))
	dv.journal.show(ctx, signals.Notice{})
}

func (dv *deliverables) set(id string, s task.Status, reason string) {
	if p, err := dv.status.Plan.WithStatus(id, s, reason); err == nil { // the id comes from this plan
		dv.status.Plan = &p
	}
}

// blockers says why deliverables are blocked, each on a line of its own.
func blockers(p *task.Plan) (text string) {
	for _, d := range p.Deliverables {
		if d.Status == task.Blocked {
			text += "\n" + d.ID + ": " + d.Reason
		}
	}
	return text
}
