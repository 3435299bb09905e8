package workflows

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// inbox takes what people send: decisions on the plan, resumes, messages for the next session. Each delivery counts once.
type inbox struct {
	facts
	stop      workflow.CancelFunc // ends the task
	journal   *journal
	questions *questions
	budget    *budget

	delivered map[string]bool  // ids of messages that have counted
	seen      []string         // the same, in order of arrival
	decision  *decision        // on the current plan revision
	resumes   int              // resume requests so far
	tells     []prompt.Message // messages for the next session
	live      bool             // a session runs that they are passed on to
	told      []prompt.Message // messages that sessions were told; see takeTold
	abandoned string           // why, when somebody abandoned the task
}

// decision is what a person said about the current plan revision.
type decision struct {
	name string // signals.Approve, Edit or Reject
	by   string
	text string
}

// resumed returns how many resume requests have come.
func (ib *inbox) resumed() int { return ib.resumes }

// counted tells whether a delivery is new, and counts it. One without an id always is.
func (ib *inbox) counted(id string) bool {
	if id == "" {
		return true
	}
	if ib.delivered[id] {
		return false
	}
	ib.delivered[id], ib.seen = true, append(ib.seen, id)
	return true
}

// restore takes over the deliveries and messages of the run before this one.
func (ib *inbox) restore(seen []string, tells []signals.TellRequest) {
	for _, id := range seen {
		ib.delivered[id] = true
	}
	ib.seen = seen
	for _, t := range tells {
		ib.tell(t.By, t.Text)
	}
}

// untold returns the messages that no session was told, for the workflow that goes on. more came as answers.
func (ib *inbox) untold(more []prompt.Message) (list []signals.TellRequest) {
	for _, t := range slices.Concat(ib.tells, more) {
		list = append(list, signals.TellRequest{Message: signals.Message{By: t.From.Name}, Text: t.Text})
	}
	return list
}

// open returns an error when the task has ended: nothing more is done then.
func (ib *inbox) open() error {
	if o := ib.status.Outcome; o != "" {
		return fault.New(fault.Conflict, "the task has ended: %s", o)
	}
	return nil
}

// queue sets the messages for the next session.
func (ib *inbox) queue(all []prompt.Message) { ib.tells, ib.status.Tells = all, len(all) }

// takeTells returns the messages for the next session and forgets them.
func (ib *inbox) takeTells() []prompt.Message {
	tells := ib.tells
	ib.queue(nil)
	ib.told = append(ib.told, tells...)
	return tells
}

// untell keeps the last messages for the next session: the one that was to have them has ended without.
func (ib *inbox) untell(unheard []prompt.Message) {
	ib.told = ib.told[:max(0, len(ib.told)-len(unheard))]
	ib.queue(slices.Concat(unheard, ib.tells))
}

// takeTold returns the messages that sessions were told since it was last called.
func (ib *inbox) takeTold() []prompt.Message {
	told := ib.told
	ib.told = nil
	return told
}

// tellAgain keeps messages, and those that sessions were told last, for the next session: the work of the others is lost.
func (ib *inbox) tellAgain(earlier ...prompt.Message) {
	ib.queue(slices.Concat(earlier, ib.takeTold(), ib.tells))
}

// decided returns the decision on the current plan revision, nil while there is none.
func (ib *inbox) decided() *decision { return ib.decision }

// decide takes a decision that nobody has sent.
func (ib *inbox) decide(d decision) { ib.decision = &d }

// clearDecision makes the inbox ready for a decision on another revision.
func (ib *inbox) clearDecision() { ib.decision = nil }

// decidable tells whether a decision on a plan revision can be taken now.
func (ib *inbox) decidable(what string, revision int) error {
	if ib.status.Phase != task.Approving || ib.decision != nil {
		return fault.New(fault.Conflict, "nothing to %s: the task is %s", what, ib.status.Phase)
	}
	if current := ib.status.Plan.Revision; revision != 0 && revision != current {
		return fault.New(fault.Conflict, "plan revision %d is stale: the current one is %d", revision, current).
			WithHint("look at the plan again, then %s revision %d", what, current)
	}
	return nil
}

func (ib *inbox) canApprove(r signals.ApproveRequest) error {
	return ib.decidable("approve", r.Revision)
}

func (ib *inbox) canReject(r signals.RejectRequest) error { return ib.decidable("reject", r.Revision) }

func (ib *inbox) canEdit(r signals.EditRequest) error {
	if r.Text == "" {
		return fault.New(fault.Input, "text is missing: say what is to change in the plan")
	}
	return ib.decidable("edit", r.Revision)
}

func (ib *inbox) canTell(r signals.TellRequest) error {
	if r.Text == "" {
		return fault.New(fault.Input, "text is missing: say what the next session is to know")
	}
	if err := ib.open(); err != nil {
		return err
	}
	if len(ib.tells) >= mostTells {
		return fault.New(fault.Conflict, "%d messages wait for the next session already", len(ib.tells))
	}
	return nil
}

func (ib *inbox) canResume(r signals.ResumeRequest) error {
	if !(r.AddCost >= 0 && r.AddCost <= mostCost) {
		return fault.New(fault.Input, "addCost %v is not between 0 and %d: give US dollars to add", r.AddCost, mostCost)
	}
	if err := ib.open(); err != nil {
		return err
	}
	if slices.ContainsFunc(ib.status.Questions, signals.Question.Push) {
		return fault.New(fault.Conflict, "a push waits for an answer, and `resume` is none").WithHint("`allow` or `deny` it")
	}
	if _, err := addTime(r); err != nil {
		return fault.New(fault.Input, "addTime %q is not a positive duration up to %s: write it as 30m or 2h", r.AddTime, spell(mostTime))
	}
	return nil
}

// What one resume may add. More is taken for a typing error.
const (
	mostCost  = 100_000         // US dollars
	mostTime  = 720 * time.Hour //
	mostTells = 50              // messages that wait for one session
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

func (ib *inbox) onApprove(_ workflow.Context, r signals.ApproveRequest) string {
	ib.decision = &decision{signals.Approve, who(r.By), r.Comment}
	return fmt.Sprintf("plan revision %d approved", ib.status.Plan.Revision)
}

func (ib *inbox) onEdit(_ workflow.Context, r signals.EditRequest) string {
	ib.decision = &decision{signals.Edit, who(r.By), excerpt.Clip(r.Text, signals.MaxEdit)}
	return fmt.Sprintf("plan revision %d is revised by the planner", ib.status.Plan.Revision)
}

func (ib *inbox) onReject(_ workflow.Context, r signals.RejectRequest) string {
	ib.decision = &decision{signals.Reject, who(r.By), r.Reason}
	return fmt.Sprintf("plan revision %d rejected", ib.status.Plan.Revision)
}

func (ib *inbox) onResume(ctx workflow.Context, r signals.ResumeRequest) string {
	more, _ := addTime(r) // validated
	limited := ib.budget.raise(ctx, r.AddCost, more)
	if r.Note != "" {
		ib.tell(r.By, r.Note)
	}
	ib.resumes++
	ib.questions.passOver(ctx, who(r.By))
	ib.journal.say(ctx, "resume", "by %s%s", who(r.By), added(r.AddCost, more))
	if ib.status.Phase == task.Suspended || ib.status.Phase == task.Waiting {
		return "the task continues" + limited
	}
	if ib.status.Phase == task.Queued {
		return "the task starts before those that arrived automatically" + limited
	}
	return fmt.Sprintf("the task is %s; what you added counts%s", ib.status.Phase, limited)
}

func added(cost float64, more time.Duration) string {
	text := ""
	if cost > 0 {
		text += ", " + usd(cost) + " more"
	}
	if more > 0 {
		text += ", " + spell(more) + " more"
	}
	return text
}

// canAbandon refuses what comes when the work is done: a workspace that is being removed can't be kept any more.
func (ib *inbox) canAbandon(signals.AbandonRequest) error {
	if ib.status.Phase == task.Cleaning {
		return fault.New(fault.Conflict, "the task is done, and its workspace is being removed").WithHint("`longshift undo` takes back what it has done")
	}
	return ib.open()
}

func (ib *inbox) onAbandon(ctx workflow.Context, r signals.AbandonRequest) string {
	ib.abandoned = fmt.Sprintf("abandoned by %s", who(r.By))
	if r.Reason != "" {
		ib.abandoned += ": " + r.Reason
	}
	ib.journal.say(ctx, "abandon", "%s", ib.abandoned)
	ib.stop()
	return "the task ends; its workspace and checkpoint are kept"
}

func (ib *inbox) onTell(ctx workflow.Context, r signals.TellRequest) string {
	ib.tell(r.By, r.Text)
	ib.journal.say(ctx, "tell", "%s: %s", who(r.By), firstLine(r.Text))
	text := ib.hearer() + " will be told"
	if ib.status.Phase == task.Suspended {
		text += "; the task is stopped: " + ib.status.NextAction
	}
	return text
}

// hearer is the session that is told what people say now.
func (ib *inbox) hearer() string {
	if ib.live {
		return "the session that runs"
	}
	return "the next session"
}

func (ib *inbox) tell(by, text string) {
	ib.queue(append(ib.tells, prompt.Message{From: &task.Person{Name: who(by)}, Text: excerpt.Clip(text, signals.MaxText)}))
}

func who(by string) string { return cmp.Or(by, "someone") }
