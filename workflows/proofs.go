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

	begun  map[string]bool           // deliverables whose proof has run before the work, by id
	failed map[string]*signals.Check // proofs that fail on the work as it is, by the id of their deliverable
	opened map[string]int            // how often a deliverable was opened again, by id
}

// before runs the proof of a deliverable before the work on it, once. One that passes already shows nothing, and people are told.
func (p *proofs) before(ctx workflow.Context, d task.Deliverable) error {
	if d.Proof == "" || p.begun[d.ID] {
		return nil
	}
	p.begun[d.ID] = true
	c, err := p.checks.prove(ctx, d)
	if err != nil {
		return err
	}
	if lacking(c) == "" {
		text := fmt.Sprintf("%s: its proof %s passed before the work on it began, so it does not show that the work was done",
			d.ID, firstLine(d.Proof))
		p.journal.say(ctx, "finding", "%s", text)
		p.journal.found(ctx, text)
	}
	return nil
}

// lacks runs the proof of a deliverable on what is committed, and says what it lacks; "" when it passes, or when there is none.
func (p *proofs) lacks(ctx workflow.Context, d task.Deliverable) (string, error) {
	if d.Proof == "" {
		return "", nil
	}
	c, err := p.checks.prove(ctx, d)
	if err != nil {
		return "", err
	}
	why := lacking(c)
	if why != "" {
		p.failed[d.ID] = c
		return why, nil
	}
	delete(p.failed, d.ID)
	plan := p.status.Plan.WithProved(d.ID, task.Proved{Commit: c.Commit, Ran: c.Ran})
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

// again runs the proofs that have not passed on the last commit. A deliverable that another one has broken, or that nobody has worked on,
// is open again, as often as it may be mended. One that its own sessions could not get to pass is blocked. again reports whether one is
// open.
func (p *proofs) again(ctx workflow.Context) (open bool, err error) {
	for _, d := range p.status.Plan.Deliverables {
		if d.Status != task.Passed || d.Proof == "" || d.Proved != nil && d.Proved.Commit == p.status.Head {
			continue
		}
		why, err := p.lacks(ctx, d)
		if err != nil {
			return false, err
		}
		if why == "" {
			continue
		}
		status, kind, said := task.Blocked, "blocked", d.ID+": "+why
		if p.opened[d.ID]++; p.opened[d.ID] <= p.settings.FixAttempts && (d.Proved != nil || !p.begun[d.ID]) {
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
