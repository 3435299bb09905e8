package workflows

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// newSession numbers a session. Its id is a UUIDv7 made of the workflow's own time and identity, so that replay gives the same.
func (se *sessions) newSession(ctx workflow.Context, role task.Role, b brief) *session {
	se.numbered++
	in := se.addressed(se.numbered, role)
	entry := signals.Session{N: se.numbered, ID: in.ID, Role: role, Host: se.assignment.Host, Started: workflow.Now(ctx)}
	in.Prompt = se.promptData(role, b)
	about := ""
	if d := b.deliverable; d != nil {
		entry.Deliverable = d.ID
		about = ", " + d.ID
	}
	se.journal.say(ctx, "session", "%d begins: %s%s", se.numbered, role, about)
	se.status.Sessions = append(se.status.Sessions, entry)
	se.journal.refresh(ctx)
	s := &session{brief: b, at: len(se.status.Sessions) - 1, input: in}
	if role == task.Planner {
		s.cap = se.settings.Budget.PlanCost
	}
	return s
}

// addressed returns what is known of a session before its prompt is written.
func (se *sessions) addressed(n int, role task.Role) activities.SessionInput {
	s, who := se.settings, se.workers(role)[0]
	in := activities.SessionInput{N: n, ID: sessionID(se.status.Started, se.status.RunID, n), Role: role, Agent: who.Agent,
		Model: who.Model, Thinking: s.Thinking, Scenario: s.Scenario, Commands: s.Commands, Paths: s.Paths, Tools: s.Tools, Native: s.Native, OpenCode: s.OpenCode,
		Env: s.Env, NeedsEnv: s.NeedsEnv}
	in.Prompt.Conventions = se.conventions()
	return in
}

func (se *sessions) conventions() prompt.Conventions {
	return prompt.Conventions{Specs: se.settings.Specs, Setup: se.settings.Setup, Check: se.settings.Check, Commits: se.settings.Commits,
		MaxLines: se.settings.PullRequest.MaxLines}
}

// precedence ranks the task among those that wait for a slot of its host.
func (se *sessions) precedence(ctx workflow.Context) activities.Precedence {
	rank := activities.Finishing
	if se.status.Plan == nil {
		rank = activities.Beginning
	} else if _, _, pending := se.status.Plan.Counts(); pending > 0 {
		rank = activities.Working
	}
	return activities.Precedence{Rank: rank, Since: workflow.GetInfo(ctx).WorkflowStartTime}
}

// promptData returns the data of a new session's prompt. Messages from people are used up by it.
func (se *sessions) promptData(role task.Role, b brief) prompt.Data {
	d := b.deliverable
	data := prompt.Data{
		Conventions: se.conventions(), Task: se.def.input.Task, Issue: se.def.input.Issue, RequestedBy: se.def.input.RequestedBy,
		Spec: se.def.input.Spec, Sync: se.def.input.Sync, Images: se.def.input.Images, Plan: se.status.Plan, Progress: se.journal.progress,
		Work:   prompt.Work{Deliverable: d},
		Change: prompt.Change{BaseCommit: se.status.BaseCommit}, Messages: se.inbox.takeTells(),
	}
	if b.proof != nil {
		data.Result = told(b.proof)
	} else {
		se.tellCheck(&data)
	}
	data.Fixing, data.Refused, data.Feedback = b.fixing, b.refused, b.feedback
	if role == task.Planner {
		data.Recorded, data.Others = len(se.runner.known), se.runner.others
		for _, k := range se.runner.known {
			if k.Open {
				data.Open = append(data.Open, k.ID)
			}
		}
		data.Review = se.def.input.Review
	}
	if r := se.status.Review; r != nil && (role == task.Planner || se.def.continues) { // in a round nobody plans what the review asks for
		data.Review = r.Text
	}
	if e := b.edit; e != nil {
		data.Edit, data.EditBy = e.text, &task.Person{Name: e.by}
	}
	if d != nil {
		_, _, pending := se.status.Plan.Counts()
		data.Left = pending - 1
	}
	data.Messages = append(data.Messages, se.questions.takeUndelivered()...)
	return data
}

// tellCheck tells a session what the check comes to, now and before the task's work.
func (se *sessions) tellCheck(data *prompt.Data) {
	c, base := se.status.Check, se.status.BaseCheck
	if c == nil {
		return
	}
	data.Result = told(c)
	data.Result.OnBase = c == base
	if base != nil && c.Ran.Fewer(base.Ran) {
		data.Result.RanBefore = base.Ran
	}
	if base != nil && base != c && !base.Passed() {
		data.Before = &prompt.Result{Command: base.Command, Exit: base.ExitCode, Tail: excerpt.Clip(base.Tail, 1000), Failing: base.Failing}
	}
}

// told is what sessions are told of a run.
func told(c *signals.Check) *prompt.Result {
	return &prompt.Result{Command: c.Command, Exit: c.ExitCode, Tail: c.Tail, Flaky: c.Flaky, Failing: c.Failing, Ran: c.Ran}
}

func sessionID(now time.Time, run string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", run, n))
	var id uuid.UUID
	copy(id[:], sum[:])
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}
