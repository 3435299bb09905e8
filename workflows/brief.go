package workflows

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// brief is what a session is about, beside what all sessions are told.
type brief struct {
	deliverable *task.Deliverable // nil for planner and reviewer
	edit        *decision         // the change of the plan that a person wants
	fixing      int               // which attempt to fix what the check says, from 1; 0 for none
	refused     string            // why the last commit was refused
	feedback    *prompt.Feedback  // what the deliverable of a round answers
	proof       *signals.Check    // run of the deliverable's proof that failed; nil otherwise
}

// briefing numbers sessions and writes what each is told: the one that begins, one that goes on, and the one that is expected next.
type briefing struct {
	facts
	journal   *journal
	inbox     *inbox
	questions *questions
	runner    *runner

	numbered int // numbers given out
}

// newSession numbers a session. Its id is a UUIDv7 made of the workflow's own time and identity, so that replay gives the same.
func (br *briefing) newSession(ctx workflow.Context, role task.Role, b brief) *session {
	br.numbered++
	in := br.addressed(br.numbered, role)
	entry := signals.Session{N: br.numbered, ID: in.ID, Role: role, Host: br.assignment.Host, Started: workflow.Now(ctx)}
	in.Prompt = br.promptData(role, b)
	about := ""
	if d := b.deliverable; d != nil {
		entry.Deliverable = d.ID
		about = ", " + d.ID
	}
	br.journal.say(ctx, "session", "%d begins: %s%s", br.numbered, role, about)
	br.status.Sessions = append(br.status.Sessions, entry)
	br.journal.refresh(ctx)
	s := &session{brief: b, at: len(br.status.Sessions) - 1, input: in}
	if role == task.Planner {
		s.cap = br.settings.Budget.PlanCost
	}
	return s
}

// addressed returns what is known of a session before its prompt is written.
func (br *briefing) addressed(n int, role task.Role) activities.SessionInput {
	s, who := br.settings, br.workers(role)[0]
	in := activities.SessionInput{N: n, ID: sessionID(br.status.Started, br.status.RunID, n), Role: role, Agent: who.Agent,
		Model: who.Model, Thinking: s.Thinking, Scenario: s.Scenario, Commands: s.Commands, Paths: s.Paths, Tools: s.Tools, Native: s.Native,
		OpenCode: s.OpenCode, Env: s.Env, NeedsEnv: s.NeedsEnv}
	in.Prompt.Conventions = br.conventions()
	return in
}

func (br *briefing) conventions() prompt.Conventions {
	return prompt.Conventions{Specs: br.settings.Specs, Setup: br.settings.Setup, Check: br.settings.Check, Commits: br.settings.Commits,
		MaxLines: br.settings.PullRequest.MaxLines}
}

// again returns a fresh session with the same brief, and with the messages of people to the last one.
func (br *briefing) again(ctx workflow.Context, s *session) *session {
	next := br.newSession(ctx, s.input.Role, s.brief)
	next.input.Prompt.Messages = append(slices.Clone(s.input.Prompt.Messages), next.input.Prompt.Messages...)
	return next
}

// note passes messages that came meanwhile to a session that continues.
func (br *briefing) note(s *session) {
	s.input.Prompt.Messages = append(s.input.Prompt.Messages, br.inbox.takeTells()...)
}

// promptData returns the data of a new session's prompt. Messages from people are used up by it.
func (br *briefing) promptData(role task.Role, b brief) prompt.Data {
	d := b.deliverable
	data := prompt.Data{
		Conventions: br.conventions(), Task: br.def.input.Task, Issue: br.def.input.Issue, RequestedBy: br.def.input.RequestedBy,
		Spec: br.def.input.Spec, Sync: br.def.input.Sync, Images: br.def.input.Images, Plan: br.status.Plan, Progress: br.journal.progress,
		Work:   prompt.Work{Deliverable: d},
		Change: prompt.Change{BaseCommit: br.status.BaseCommit}, Messages: br.inbox.takeTells(),
	}
	if b.proof != nil {
		data.Result = told(b.proof)
	} else {
		br.tellCheck(&data)
	}
	data.Fixing, data.Refused, data.Feedback = b.fixing, b.refused, b.feedback
	if role == task.Planner {
		data.Recorded, data.Others = len(br.runner.known), br.runner.others
		for _, k := range br.runner.known {
			if k.Open {
				data.Open = append(data.Open, k.ID)
			}
		}
		data.Review = br.def.input.Review
	}
	if r := br.status.Review; r != nil && (role == task.Planner || br.def.continues) { // in a round nobody plans what the review asks for
		data.Review = r.Text
	}
	if e := b.edit; e != nil {
		data.Edit, data.EditBy = e.text, &task.Person{Name: e.by}
	}
	if d != nil {
		_, _, pending := br.status.Plan.Counts()
		data.Left = pending - 1
	}
	data.Messages = append(data.Messages, br.questions.takeUndelivered()...)
	return data
}

// tellCheck tells a session what the check comes to, now and before the task's work.
func (br *briefing) tellCheck(data *prompt.Data) {
	c, base := br.status.Check, br.status.BaseCheck
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
