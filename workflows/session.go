package workflows

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// session is one agent session of the task: what is asked, and how it stands.
type session struct {
	at    int // index in status.Sessions
	input activities.SessionInput
	spent []hostUsage // on each host it has run on
	cap   float64     // US dollars it may cost in all, 0 for what is left of the task's budget
}

// hostUsage is what a session has used on one host. Each host counts by itself, over all its attempts there.
type hostUsage struct {
	host  string
	usage task.Usage
}

// on gives the session's count on a host.
func (s *session) on(host string) *task.Usage {
	for i := range s.spent {
		if s.spent[i].host == host {
			return &s.spent[i].usage
		}
	}
	s.spent = append(s.spent, hostUsage{host: host})
	return &s.spent[len(s.spent)-1].usage
}

// converse runs sessions in a role until one reports, and gives that report. Whatever a person or time can lift
// (budget, quota, a refused key, a spec issue, errors in a row) is waited out in between.
func (t *pipeline) converse(ctx workflow.Context, role task.Role, deliverable *task.Deliverable) (activities.SessionResult, error) {
	s := t.newSession(ctx, role, deliverable)
	for {
		if err := t.afford(ctx, s); err != nil {
			return activities.SessionResult{}, err
		}
		res, err := t.ask(ctx, s)
		if err != nil {
			if ctx.Err() != nil || !t.liftable(err) {
				return res, err
			}
			if err := t.suspendFor(ctx, err); err != nil {
				return res, err
			}
			continue
		}
		again, err := t.settle(ctx, s, res)
		if err != nil {
			return res, err
		}
		if again == nil {
			return res, nil
		}
		s = again
	}
}

// newSession numbers a session. Its id is a UUIDv7 made of the workflow's own time and identity, so that replay gives the same.
func (t *pipeline) newSession(ctx workflow.Context, role task.Role, d *task.Deliverable) *session {
	t.sessions++
	in := t.addressed(t.sessions, role)
	entry := signals.Session{N: t.sessions, ID: in.ID, Role: role, Host: t.taken.Host, Started: workflow.Now(ctx)}
	in.Prompt = t.told(role, d)
	if d != nil {
		entry.Deliverable = d.ID
	}
	t.status.Sessions = append(t.status.Sessions, entry)
	s := &session{at: len(t.status.Sessions) - 1, input: in}
	if role == task.Planner {
		s.cap = t.settings.Budget.PlanCost
	}
	return s
}

// addressed is what is known of a session before its prompt is.
func (t *pipeline) addressed(n int, role task.Role) activities.SessionInput {
	s := &t.settings
	in := activities.SessionInput{N: n, ID: sessionID(t.status.Started, t.status.RunID, n), Role: role, Agent: s.Agent,
		Model: s.Model, Thinking: s.Thinking, Scenario: s.Scenario}
	if role == task.Planner {
		in.Model = s.PlanModel
	}
	in.Prompt.Standing = t.standing()
	return in
}

func (t *pipeline) standing() prompt.Standing {
	return prompt.Standing{Specs: t.settings.Specs, Setup: t.settings.Setup, Check: t.settings.Check, Commits: t.settings.Commits}
}

// ahead describes the session that comes next if all goes well, so that its agent can be started while a step before it
// still runs: the next deliverable's, or the review's. after is the deliverable in work, nil when none is.
func (t *pipeline) ahead(after *task.Deliverable) *activities.SessionInput {
	if t.status.Usage.CostUSD >= t.status.BudgetUSD || t.status.Worked >= t.status.BudgetTime {
		return nil // the task will be parked, and a parked task has no process
	}
	role := task.Reviewer
	for _, d := range t.status.Plan.Deliverables {
		if d.Status == task.Pending && (after == nil || d.ID != after.ID) {
			role = task.Implementer
		}
	}
	next := t.addressed(t.sessions+1, role)
	next.Ref = t.ref()
	next.CeilingUSD = t.status.BudgetUSD - t.status.Usage.CostUSD // the session itself sets its own
	return &next
}

// told is what a new session is told. Messages from people go with it and are used up.
func (t *pipeline) told(role task.Role, d *task.Deliverable) prompt.Data {
	data := prompt.Data{
		Standing: t.standing(), Task: t.input.Task, Issue: t.input.Issue, RequestedBy: t.input.RequestedBy, Plan: t.status.Plan, Progress: t.progress,
		Deliverable: d, BaseCommit: t.status.BaseCommit, Tells: t.tells,
	}
	if c := t.status.Check; c != nil {
		data.Result = &prompt.Result{Command: c.Command, Exit: c.ExitCode, Tail: c.Tail}
	}
	if r := t.status.Review; role == task.Planner && r != nil {
		data.Review = r.Text
	}
	if e := t.edit; role == task.Planner && e != nil {
		data.Edit, data.EditBy = e.text, &task.Person{Name: e.by}
	}
	if d != nil {
		_, _, pending := t.status.Plan.Counts()
		data.Left = pending - 1
	}
	t.tells, t.status.Tells = nil, 0
	return data
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

// ask runs the session on the task's host, wherever that comes to be.
func (t *pipeline) ask(ctx workflow.Context, s *session) (activities.SessionResult, error) {
	s.input.Ask++
	wall := t.status.BudgetTime - t.status.Worked
	var res activities.SessionResult
	err := t.onHost(ctx, step{
		options: func(ctx workflow.Context, wait time.Duration) workflow.Context {
			return t.long(ctx, s.summary(), wait, wall)
		},
		call: func(ctx workflow.Context) error {
			t.entry(s).Host = t.taken.Host
			in := s.input
			in.Ref, in.Wall = t.ref(), wall
			if d := in.Prompt.Deliverable; d != nil {
				in.Next = t.ahead(d)
			}
			if in.CeilingUSD = t.left(s) + s.on(t.taken.Host).CostUSD; in.CeilingUSD <= 0 {
				in.CeilingUSD = -1 // 0 would be no ceiling
			}
			return workflow.ExecuteActivity(ctx, host.RunAgent, in).Get(ctx, &res)
		},
		missed: func(err error) {
			if b, ok := cut(err); ok {
				*s.on(t.taken.Host) = b.Usage
				t.count(s)
			}
		},
	})
	if err != nil {
		return res, err
	}
	*s.on(t.taken.Host) = res.Usage
	t.count(s)
	t.worked(res.Duration)
	e := t.entry(s)
	e.Duration += res.Duration
	e.Turns, e.Resumed, e.Outcome = res.Turns, res.Resumed, string(res.Kind)
	return res, nil
}

func (t *pipeline) entry(s *session) *signals.Session { return &t.status.Sessions[s.at] }

// count brings the session's usage into the task's.
func (t *pipeline) count(s *session) {
	var own, sum task.Usage
	for _, h := range s.spent {
		own = own.Add(h.usage)
	}
	t.entry(s).Usage = own
	for _, e := range t.status.Sessions {
		sum = sum.Add(e.Usage)
	}
	t.status.Usage = sum
}

// left is what the session may still cost: the rest of the task's budget, or of its own if that is less.
func (t *pipeline) left(s *session) float64 {
	rest := t.status.BudgetUSD - t.status.Usage.CostUSD
	if s.cap > 0 {
		rest = min(rest, s.cap-t.entry(s).Usage.CostUSD)
	}
	return rest
}

// afford parks the task while there is no money or no time for the session.
func (t *pipeline) afford(ctx workflow.Context, s *session) error {
	for {
		switch {
		case s.cap > 0 && t.entry(s).Usage.CostUSD >= s.cap && t.status.Usage.CostUSD < t.status.BudgetUSD:
			spent := t.entry(s).Usage.CostUSD
			if err := t.suspend(ctx, signals.ReasonBudget, "planning has used %s of its %s", usd(spent), usd(s.cap)); err != nil {
				return err
			}
			s.cap += t.settings.Budget.PlanCost
		case t.status.Usage.CostUSD >= t.status.BudgetUSD:
			if err := t.suspend(ctx, signals.ReasonBudget, "%s of %s are used", usd(t.status.Usage.CostUSD), usd(t.status.BudgetUSD)); err != nil {
				return err
			}
		case t.status.Worked >= t.status.BudgetTime:
			if err := t.haveTime(ctx); err != nil {
				return err
			}
		default:
			return nil
		}
		t.note(s)
	}
}

// haveTime parks the task while its running time is used up.
func (t *pipeline) haveTime(ctx workflow.Context) error {
	for t.status.Worked >= t.status.BudgetTime {
		if err := t.suspend(ctx, signals.ReasonTime, "%s of %s of running time are used", round(t.status.Worked), round(t.status.BudgetTime)); err != nil {
			return err
		}
	}
	return nil
}

// note hands messages that came meanwhile to a session that goes on.
func (t *pipeline) note(s *session) {
	s.input.Prompt.Tells = append(s.input.Prompt.Tells, t.tells...)
	t.tells, t.status.Tells = nil, 0
}

func (s *session) summary() string {
	text := fmt.Sprintf("session %d: %s", s.input.N, s.input.Role)
	if d := s.input.Prompt.Deliverable; d != nil {
		text += " " + d.ID + " " + clip(d.Description, 80)
	}
	return text
}

// settle judges how a session ended. It gives nil when the session has reported, and the session to run next otherwise.
func (t *pipeline) settle(ctx workflow.Context, s *session, res activities.SessionResult) (*session, error) {
	switch res.Kind {
	case agent.Completed:
		if t.reported(s, res) {
			t.errors, t.quotas = 0, 0
			return t.questions(ctx, s, res)
		}
		return t.reask(ctx, s)
	case agent.Budget:
		// afford tells why and waits; a refusal below the ceiling (a price that was guessed too high) must not spin.
		if t.left(s) > 0 {
			err := t.suspend(ctx, signals.ReasonBudget, "the next model call would pass the budget: %s of %s are used",
				usd(t.status.Usage.CostUSD), usd(t.status.BudgetUSD))
			t.note(s)
			return s, err
		}
		return s, nil
	case agent.Turns:
		if t.status.Worked >= t.status.BudgetTime {
			return s, nil
		}
	case agent.Quota:
		return s, t.quota(ctx, s, res)
	case agent.AuthFailed:
		err := t.suspend(ctx, signals.ReasonAccess, "the model's key or login is refused: %s", res.Error)
		t.note(s)
		return s, err
	}
	return t.failed(ctx, s, fmt.Sprintf("%s: %s", res.Kind, res.Error))
}

// reported tells whether the session said what its role has to say.
func (t *pipeline) reported(s *session, res activities.SessionResult) bool {
	switch {
	case res.Report.Kind == task.ReportSpecIssue:
		return true
	case s.input.Role == task.Planner:
		return res.Plan != nil
	case s.input.Role == task.Reviewer:
		return res.Review != nil
	default:
		return res.Report.Kind != task.ReportNone
	}
}

// reask asks a session that ended without a report once more for it; after that it counts as an error.
func (t *pipeline) reask(ctx workflow.Context, s *session) (*session, error) {
	if s.input.Nudge {
		return t.failed(ctx, s, "it ended twice without a report")
	}
	t.say(ctx, "note", "session %d ended without a report; asking for it", s.input.N)
	s.input.Nudge = true
	return s, nil
}

// failed counts an error in a row. Below the limit a fresh session follows; at the limit a person is asked.
func (t *pipeline) failed(ctx workflow.Context, s *session, why string) (*session, error) {
	t.errors++
	t.entry(s).Outcome = string(agent.Errored)
	t.say(ctx, "error", "session %d (%s) failed: %s", s.input.N, s.input.Role, firstLine(why))
	t.remember(ctx, "error", fmt.Sprintf("the last %s session failed: %s", s.input.Role, why))
	if t.errors > t.settings.Errors {
		n := t.errors
		t.errors = 0
		if err := t.suspend(ctx, signals.ReasonErrors, "%d errors in a row, the last one: %s", n, why); err != nil {
			return nil, err
		}
	}
	return t.again(ctx, s), nil
}

// questions parks the task when the session found the specification unclear, and asks again once it is settled.
func (t *pipeline) questions(ctx workflow.Context, s *session, res activities.SessionResult) (*session, error) {
	for _, n := range res.Report.Notes {
		t.say(ctx, "note", "%s", n)
		t.remember(ctx, string(task.Note), n)
	}
	if res.Report.Kind != task.ReportSpecIssue {
		return nil, nil
	}
	t.remember(ctx, string(task.SpecIssue), res.Report.Text)
	if err := t.suspend(ctx, signals.ReasonSpecIssue, "%s", res.Report.Text); err != nil {
		return nil, err
	}
	return t.again(ctx, s), nil
}

// again is a fresh session for the same thing. What people said to the last one holds for it too.
func (t *pipeline) again(ctx workflow.Context, s *session) *session {
	next := t.newSession(ctx, s.input.Role, s.input.Prompt.Deliverable)
	next.input.Prompt.Tells = append(slices.Clone(s.input.Prompt.Tells), next.input.Prompt.Tells...)
	return next
}

// quota waits until the quota comes back: by a durable timer when the time is known, for a person when it is not.
func (t *pipeline) quota(ctx workflow.Context, s *session, res activities.SessionResult) error {
	defer t.note(s)
	why := "the account's quota is used up: " + firstLine(res.Error)
	switch {
	case t.settings.Quota == "end":
		return end(task.Failed, "%s", why)
	case res.Reset.IsZero():
		return t.suspend(ctx, signals.ReasonQuota, "%s", why)
	}
	// A reset that has passed, or one that did not help, must not be asked for in a circle.
	until := res.Reset.Add(jitter(t.status.RunID))
	t.quotas++
	least := workflow.Now(ctx).Add(min(time.Minute<<min(t.quotas-1, 6), time.Hour))
	if passed := !until.After(workflow.Now(ctx)); passed || t.quotas > 1 && until.Before(least) {
		until = least
	}
	return t.waitUntil(ctx, signals.ReasonQuota, until, why)
}

// jitter spreads the tasks that wait for one account over two seconds, by their identity and not by chance.
func jitter(run string) time.Duration {
	sum := sha256.Sum256([]byte(run))
	return 200*time.Millisecond + time.Duration(sum[0])*7*time.Millisecond
}

func usd(v float64) string { return fmt.Sprintf("$%.2f", v) }

func round(d time.Duration) time.Duration { return d.Round(time.Second) }
