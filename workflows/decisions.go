package workflows

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// decidable tells whether a decision on a plan revision can be taken now.
func (t *pipeline) decidable(what string, revision int) error {
	if t.status.Phase != task.Approving || t.decision != nil {
		return fault.New(fault.Conflict, "nothing to %s: the task is %s", what, t.status.Phase)
	}
	if current := t.status.Plan.Revision; revision != 0 && revision != current {
		return fault.New(fault.Conflict, "plan revision %d is stale: the current one is %d", revision, current).
			WithHint("look at the plan again, then %s revision %d", what, current)
	}
	return nil
}

func (t *pipeline) canApprove(r signals.ApproveRequest) error {
	return t.decidable("approve", r.Revision)
}

func (t *pipeline) canReject(r signals.RejectRequest) error { return t.decidable("reject", r.Revision) }

func (t *pipeline) canEdit(r signals.EditRequest) error {
	if r.Text == "" {
		return fault.New(fault.Input, "text is missing: say what is to change in the plan")
	}
	return t.decidable("edit", r.Revision)
}

func (t *pipeline) canTell(r signals.TellRequest) error {
	if r.Text == "" {
		return fault.New(fault.Input, "text is missing: say what the next session is to know")
	}
	if len(t.tells) >= mostTells {
		return fault.New(fault.Conflict, "%d messages wait for the next session already", len(t.tells))
	}
	return nil
}

func (t *pipeline) canResume(r signals.ResumeRequest) error {
	if !(r.AddCost >= 0 && r.AddCost <= mostCost) {
		return fault.New(fault.Input, "addCost %v is not between 0 and %d: give US dollars to add", r.AddCost, mostCost)
	}
	if slices.ContainsFunc(t.status.Questions, signals.Question.Push) {
		return fault.New(fault.Conflict, "a push waits for an answer, and `resume` is none").WithHint("`allow` or `deny` it")
	}
	if _, err := addTime(r); err != nil {
		return fault.New(fault.Input, "addTime %q is not a positive duration up to %s: write it as 30m or 2h", r.AddTime, mostTime)
	}
	return nil
}

// What one resume may add. More is a slip of the finger.
const (
	mostCost  = 100_000         // US dollars
	mostTime  = 720 * time.Hour //
	mostTells = 50              // messages that wait for one session
	mostText  = 8_000           // bytes of one message
)

func addTime(r signals.ResumeRequest) (time.Duration, error) {
	if r.AddTime == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(r.AddTime)
	if err == nil && (d < 0 || d > mostTime) {
		err = fmt.Errorf("out of range")
	}
	return d, err
}

func (t *pipeline) onApprove(_ workflow.Context, r signals.ApproveRequest) string {
	t.decision = &decision{signals.Approve, who(r.By), r.Comment}
	return fmt.Sprintf("plan revision %d approved", t.status.Plan.Revision)
}

func (t *pipeline) onEdit(_ workflow.Context, r signals.EditRequest) string {
	t.decision = &decision{signals.Edit, who(r.By), clip(r.Text, 4*mostText)}
	return fmt.Sprintf("plan revision %d goes back to the planner", t.status.Plan.Revision)
}

func (t *pipeline) onReject(_ workflow.Context, r signals.RejectRequest) string {
	t.decision = &decision{signals.Reject, who(r.By), r.Reason}
	return fmt.Sprintf("plan revision %d rejected", t.status.Plan.Revision)
}

func (t *pipeline) onResume(ctx workflow.Context, r signals.ResumeRequest) string {
	more, _ := addTime(r) // validated
	t.status.BudgetUSD += r.AddCost
	t.status.BudgetTime += more
	limited := ""
	if t.maxCost > 0 && t.status.BudgetUSD > t.maxCost {
		t.status.BudgetUSD, limited = t.maxCost, fmt.Sprintf("; the operator allows %s in all", usd(t.maxCost))
	}
	if t.maxTime > 0 && t.status.BudgetTime > t.maxTime {
		t.status.BudgetTime, limited = t.maxTime, limited+fmt.Sprintf("; the operator allows %s in all", t.maxTime)
	}
	if r.Note != "" {
		t.tell(r.By, r.Note)
	}
	t.resume++
	t.refuseOpen(ctx, who(r.By), "the task was resumed without an answer")
	t.say(ctx, "resume", "by %s%s", who(r.By), added(r.AddCost, more))
	if t.status.Phase == task.Suspended || t.status.Phase == task.Waiting {
		return "the task goes on" + limited
	}
	if t.status.Phase == task.Queued {
		return "the task goes before what has come by itself" + limited
	}
	return fmt.Sprintf("the task is %s; what you added counts%s", t.status.Phase, limited)
}

func added(cost float64, more time.Duration) string {
	text := ""
	if cost > 0 {
		text += ", " + usd(cost) + " more"
	}
	if more > 0 {
		text += ", " + more.String() + " more"
	}
	return text
}

func (t *pipeline) onAbandon(ctx workflow.Context, r signals.AbandonRequest) string {
	t.abandoned = fmt.Sprintf("abandoned by %s", who(r.By))
	if r.Reason != "" {
		t.abandoned += ": " + r.Reason
	}
	t.say(ctx, "abandon", "%s", t.abandoned)
	t.stop()
	return "the task ends; its workspace and checkpoint are kept"
}

func (t *pipeline) onTell(ctx workflow.Context, r signals.TellRequest) string {
	t.tell(r.By, r.Text)
	t.say(ctx, "tell", "%s: %s", who(r.By), firstLine(r.Text))
	return "the next session will be told"
}

func (t *pipeline) tell(by, text string) {
	t.tells = append(t.tells, prompt.Tell{From: &task.Person{Name: who(by)}, Text: clip(text, mostText)})
	t.status.Tells = len(t.tells)
}

func who(by string) string {
	if by == "" {
		return "someone"
	}
	return by
}
