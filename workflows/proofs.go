package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// proofs runs the proofs of deliverables: a deliverable that has one is done when its proof says so, not when an agent does.
type proofs struct {
	facts
	journal *journal
	checks  *checks

	begun  map[string]string         // the proofs of deliverables that have run before the work, by id
	guards map[string]bool           // of these it passed then
	unrun  map[string]bool           // deliverables whose proof has not run since a session has worked on them, by id
	failed map[string]*signals.Check // proofs that fail on the work as it is, by the id of their deliverable
	opened map[string]int            // how often a deliverable was opened again, by id
}

// before runs the proof of a deliverable before the work on it, once. One that passes already shows nothing, and people are told.
func (p *proofs) before(ctx workflow.Context, d task.Deliverable) error {
	if d.Proof == "" || p.ran(ctx, d) {
		return nil
	}
	p.begun[d.ID] = d.Proof
	c, err := p.checks.prove(ctx, d, false)
	if err != nil {
		return err
	}
	p.guards[d.ID] = lacking(c) == ""
	if p.guards[d.ID] {
		text := fmt.Sprintf("%s: its proof %s passed before the work on it began, so it does not show that the work was done",
			d.ID, firstLine(d.Proof))
		p.journal.say(ctx, "finding", "%s", text)
		p.journal.found(ctx, text)
	}
	return nil
}

// provesAnew is the change since which a proof that replaces another one runs before the work, too.
const provesAnew = "proves-anew"

// ran tells whether the proof of a deliverable has run before the work on it.
func (p *proofs) ran(ctx workflow.Context, d task.Deliverable) bool {
	was := p.begun[d.ID]
	return was == d.Proof || was != "" && workflow.GetVersion(ctx, provesAnew, workflow.DefaultVersion, 1) < 1
}

// lacks runs the proof of a deliverable on what is committed, and says what it lacks; "" when it passes, or when there is none. clean tells
// that the workspace holds nothing else.
func (p *proofs) lacks(ctx workflow.Context, d task.Deliverable, clean bool) (string, error) {
	if d.Proof == "" {
		return "", nil
	}
	c, err := p.checks.prove(ctx, d, clean)
	if err != nil {
		return "", err
	}
	if why := lacking(c); why != "" {
		p.failed[d.ID] = c
		if clean && d.Proved != nil && d.Proved.Commit == c.Commit { // it passes only with what else was there
			why += " in a clean checkout, which has no file that git ignores"
		}
		return why, nil
	}
	delete(p.failed, d.ID)
	plan := p.status.Plan.WithProved(d.ID, task.Proved{Commit: c.Commit, Ran: c.Ran, Clean: clean, Guard: p.guards[d.ID], Output: c.File,
		At: workflow.Now(ctx)})
	p.status.Plan = &plan
	return "", nil
}

// lacking says why a run of a proof shows nothing; "" when it shows that the deliverable is done.
func lacking(c *signals.Check) string {
	switch {
	case c.Unfinished != "":
		return "its proof did not finish: " + c.Unfinished
	case !c.Passed():
		return fmt.Sprintf("its proof %s fails with exit code %d", excerpt.Clip(firstLine(c.Command), 200), c.ExitCode)
	case c.Ran != nil && c.Ran.N == 0:
		return fmt.Sprintf("its proof %s runs no tests", excerpt.Clip(firstLine(c.Command), 200))
	}
	return ""
}

// due lists the deliverables whose proofs have not passed on the last commit, with nothing else in the workspace where clean is set.
func (p *proofs) due(clean bool) (list []task.Deliverable) {
	for _, d := range p.status.Plan.Deliverables {
		if d.Status == task.Passed && d.Proof != "" && (d.Proved == nil || d.Proved.Commit != p.status.Head || clean && !d.Proved.Clean) {
			list = append(list, d)
		}
	}
	return list
}

// tellsProof is the change since which a deliverable goes back when no session on it has been told that its proof fails.
const tellsProof = "tells-proof"

// mendable tells whether another session may get a failing proof to pass: another deliverable has broken it, nobody has worked on its
// own, or the proof did not run after the last session, because something else was wrong.
func (p *proofs) mendable(ctx workflow.Context, d task.Deliverable) bool {
	return d.Proved != nil || !p.ran(ctx, d) || p.unrun[d.ID] && workflow.GetVersion(ctx, tellsProof, workflow.DefaultVersion, 1) >= 1
}

// again runs the proofs that have not passed on the last commit, in a workspace that holds it and nothing else. A deliverable that another
// session may mend is open again, as often as it may be mended. One that its own sessions could not get to pass is blocked. again reports
// whether one is open.
func (p *proofs) again(ctx workflow.Context) (open bool, err error) {
	clean := len(p.due(true)) > 0 && keepsStatus(ctx)
	due := p.due(clean)
	if clean {
		if err := p.checks.checkOut(ctx); err != nil {
			return false, err
		}
	}
	for _, d := range due {
		why, err := p.lacks(ctx, d, clean)
		if err != nil {
			return false, err
		}
		if why == "" {
			continue
		}
		status, kind, said := task.Blocked, "blocked", d.ID+": "+why
		if p.opened[d.ID]++; p.opened[d.ID] <= p.settings.FixAttempts && p.mendable(ctx, d) {
			status, kind, said, open = task.Pending, "fix", d.ID+" is open again: "+why, true
		}
		plan, err := p.status.Plan.WithStatus(d.ID, status, why)
		if err != nil {
			return false, err
		}
		p.status.Plan = &plan
		p.journal.say(ctx, kind, "%s", said)
		p.journal.remember(ctx, "error", said)
	}
	return open, nil
}
