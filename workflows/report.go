package workflows

import (
	"cmp"
	"math"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// attributes are the values of the task's search attributes.
type attributes struct {
	repository, phase, outcome, host, agent, pullRequest, waitsFor string

	needsHuman bool
	cost       float64
	until      time.Time
}

// enter moves the task into a phase and updates its search attributes and its page in Temporal Web.
func (j *journal) enter(ctx workflow.Context, phase task.Phase) {
	j.status.Phase = phase
	j.upsert(ctx)
	j.refresh(ctx)
}

// refresh brings the task's page in Temporal Web up to date. It is no command: the history does not grow.
func (j *journal) refresh(ctx workflow.Context) { workflow.SetCurrentDetails(ctx, j.details()) }

// upsert writes the search attributes that have changed, in one event.
func (j *journal) upsert(ctx workflow.Context) {
	now := attributes{
		repository: excerpt.Clip(j.status.Repository, 200), phase: string(j.status.Phase), outcome: string(j.status.Outcome),
		host: j.status.Host, agent: j.status.Agent, needsHuman: j.status.NeedsHuman,
		cost: math.Round(j.status.Usage.CostUSD*10000) / 10000, until: j.status.WaitingUntil,
	}
	if j.status.PullRequest != nil {
		now.pullRequest = excerpt.Clip(j.status.PullRequest.URL, 200)
	}
	if j.status.Phase == task.Queued {
		now.waitsFor = string(j.status.Reason)
	}
	was := j.attributes
	var updates []temporal.SearchAttributeUpdate
	word := func(name, was, now string) {
		if was != now {
			updates = append(updates, temporal.NewSearchAttributeKeyKeyword(name).ValueSet(now))
		}
	}
	word(signals.AttrRepository, was.repository, now.repository)
	word(signals.AttrPhase, was.phase, now.phase)
	word(signals.AttrOutcome, was.outcome, now.outcome)
	word(signals.AttrHost, was.host, now.host)
	word(signals.AttrAgent, was.agent, now.agent)
	word(signals.AttrPullRequest, was.pullRequest, now.pullRequest)
	word(signals.AttrWaitsFor, was.waitsFor, now.waitsFor)
	if was.needsHuman != now.needsHuman {
		updates = append(updates, temporal.NewSearchAttributeKeyBool(signals.AttrNeedsHuman).ValueSet(now.needsHuman))
	}
	if was.cost != now.cost {
		updates = append(updates, temporal.NewSearchAttributeKeyFloat64(signals.AttrCostUSD).ValueSet(now.cost))
	}
	if !was.until.Equal(now.until) {
		key := temporal.NewSearchAttributeKeyTime(signals.AttrWaitingUntil)
		if now.until.IsZero() {
			updates = append(updates, key.ValueUnset())
		} else {
			updates = append(updates, key.ValueSet(now.until))
		}
	}
	if len(updates) == 0 {
		return
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, updates...); err == nil {
		j.attributes = now
	}
}

// overview is how it was done: by the first plan, and by what was planned at last after reviews.
func (pu *publisher) overview() string {
	last := pu.status.Plan.Approach
	if pu.approach == "" || last == "" || pu.approach == last {
		return cmp.Or(pu.approach, last)
	}
	return pu.approach + "\n\nAfter a review:\n\n" + last
}

// summary returns what the pull request says about the task.
func (pu *publisher) summary() forge.Summary {
	s := pu.status
	sum := forge.Summary{
		Title: pu.title, Task: s.Task, Images: pu.def.input.Images, Overview: pu.overview(), Deliverables: s.Plan.Deliverables,
		Review: s.Review, Files: s.Files, Added: s.Added, Removed: s.Deleted, Usage: s.Usage,
		Sessions: len(s.Sessions), Duration: s.Worked, RequestedBy: pu.def.input.RequestedBy, Issue: pu.def.input.Issue,
		Sensitive: pu.commits.last.findings, ToRead: pu.commits.last.toRead, Routine: pu.commits.last.routine,
		MaxLines: pu.settings.PullRequest.MaxLines,
		Followed: pu.settings.PullRequest.Follow && pu.def.repo.Path == "",
	}
	if len(pu.def.input.Spec) > 0 {
		sum.Recorded = &forge.Recorded{Only: pu.def.input.Sync, Dropped: s.Plan.Deprecated}
	}
	for _, e := range s.Sessions {
		sum.Turns += e.Turns
	}
	for _, e := range pu.journal.progress {
		if e.Kind == string(task.Note) {
			sum.Notes = append(sum.Notes, e.Text)
		}
	}
	for _, e := range s.Findings {
		sum.Findings = append(sum.Findings, e.Text)
	}
	if c := s.Check; c != nil {
		sum.Checks = []forge.Check{checkOf(c)}
		sum.Checks[0].Known = !c.Passed() && pu.checks.knownRed(c)
	}
	if b := s.BaseCheck; b != nil && !b.Passed() {
		before := checkOf(b)
		sum.Before = &before
	}
	if b := s.BaseCheck; b != nil {
		sum.RanBefore = b.Ran
	}
	sum.Unchecked = pu.settings.Check == ""
	return sum
}

func checkOf(c *signals.Check) forge.Check {
	return forge.Check{Command: c.Command, Passed: c.Passed(), Exit: c.ExitCode, Flaky: c.Flaky, Failing: c.Failing, Ran: c.Ran,
		Tail: c.Tail, Duration: c.Duration}
}

func verdict(c signals.Check) string {
	switch {
	case c.Flaky:
		return "passed when run again (flaky)"
	case c.Passed():
		return "passed"
	}
	return "failed" + task.Literally(named(c.Failing))
}
