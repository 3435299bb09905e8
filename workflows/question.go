package workflows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// What a host may put to people. More is a fault of the host.
const (
	mostQuestions = 20      // that are open at the same time
	mostWaiting   = 6       // that are being waited for at the same time: the server takes ten updates at once, answers are such too
	mostCommand   = 4 << 10 // bytes of one command, and of what it is bound to, as they are shown
)

// hearQuestions makes the task ready for hosts that ask whether a command may run.
func (t *pipeline) hearQuestions(ctx workflow.Context) error {
	return workflow.SetUpdateHandlerWithOptions(ctx, signals.Ask,
		func(ctx workflow.Context, payload json.RawMessage) (signals.Answer, error) {
			q, err := readPayload[signals.Question](payload)
			if err != nil {
				return signals.Answer{}, refusal(err) // never: the validator has read it
			}
			return t.onAsk(ctx, q)
		},
		workflow.UpdateHandlerOptions{Description: "for hosts: may this command run?", Validator: func(payload json.RawMessage) error {
			q, err := readPayload[signals.Question](payload)
			if err == nil {
				err = t.canAsk(q)
			}
			return refusal(err)
		}})
}

func (t *pipeline) canAsk(q signals.Question) error {
	switch {
	case q.ID == "" || q.Command == "":
		return fault.New(fault.Input, "a question needs an id and a command")
	case len(q.Command)+len(q.Bound()) > mostCommand:
		return fault.New(fault.Input, "the command of a question has %d bytes, %d are allowed", len(q.Command)+len(q.Bound()), mostCommand)
	case t.status.Outcome != "":
		return fault.New(fault.Conflict, "the task has ended")
	case len(t.status.Questions) >= mostQuestions && t.openQuestion(q.ID) < 0:
		return fault.New(fault.Conflict, "%d commands wait for a person already", len(t.status.Questions))
	case t.asking >= mostWaiting:
		return fault.New(fault.Conflict, "%d sessions wait for an answer already", t.asking)
	}
	return nil
}

// onAsk gives the answer there is, or waits a while for one. What nobody answers in that time stays open.
func (t *pipeline) onAsk(ctx workflow.Context, q signals.Question) (signals.Answer, error) {
	if a, ok := t.answerTo(ctx, q); ok {
		return a, nil
	}
	t.openUp(ctx, q)
	t.waiting[q.ID]++
	t.asking++
	answered := func() bool { _, ok := t.answerFor(q); return ok || t.work.Err() != nil }
	err := t.timer(ctx, t.settings.Commands.Wait.Std(), "somebody may answer", answered)
	t.waiting[q.ID]--
	t.asking--
	if a, ok := t.answerTo(ctx, q); ok && err == nil {
		return a, nil
	}
	return signals.Answer{Verdict: signals.Later}, nil
}

// answerFor finds the answer to a question: one that stands for its text, or one for its files as they are.
func (t *pipeline) answerFor(q signals.Question) (signals.Answer, bool) {
	if a, ok := t.answers[q.Text()]; ok {
		return a, true
	}
	a, ok := t.answers[q.ID]
	return a, ok
}

// answerTo gives the answer to a question if there is one that still holds. What holds once is used up by it: by all that wait at
// that moment, for a session asks about one text one at a time, and the others are what is left of hosts that were killed.
func (t *pipeline) answerTo(ctx workflow.Context, q signals.Question) (signals.Answer, bool) {
	a, ok := t.answerFor(q)
	if !ok || a.Standing() {
		return a, ok
	}
	if t.waiting[q.ID] == 0 {
		delete(t.answers, q.ID)
	}
	if !workflow.Now(ctx).Before(a.Expires) {
		return signals.Answer{}, false
	}
	return a, true
}

func (t *pipeline) openQuestion(id string) int {
	return slices.IndexFunc(t.status.Questions, func(q signals.Question) bool { return q.ID == id })
}

func (t *pipeline) openUp(ctx workflow.Context, q signals.Question) {
	if t.openQuestion(q.ID) >= 0 {
		return
	}
	t.supersede(ctx, q)
	q.Changed = nil
	if before, asked := t.bound[q.Text()]; asked {
		q.Changed = changed(before, q.Files)
	}
	t.bound[q.Text()] = q.Files
	q.Asked = workflow.Now(ctx)
	if !q.Push() {
		q.Expires = q.Asked.Add(t.settings.Commands.Expires.Std())
	}
	q.Reason = clip(q.Reason, 500)
	t.status.Questions = append(t.status.Questions, q)
	what := fmt.Sprintf("session %d wants to run %q", q.Session, clip(q.Command, 300))
	if q.Push() {
		what = "the branch is to be pushed with " + clip(q.Command, 600)
	}
	t.say(ctx, "question", "%s", strings.TrimSpace(fmt.Sprintf("%s (%s): %s. %s", what, q.Rule, strings.TrimSuffix(q.Reason, "."), q.Bound())))
	t.show(ctx, signals.Notice{Subject: signals.SubjectCommand, Question: q.ID})
	t.showQuestions(ctx)
}

// supersede closes the questions about the same text whose files have changed before anybody has answered: they are asked anew.
func (t *pipeline) supersede(ctx workflow.Context, q signals.Question) {
	for _, old := range slices.Clone(t.status.Questions) {
		if old.Text() == q.Text() {
			t.withdraw(old.ID)
			t.say(ctx, "answer", "its files have changed, so it is asked anew: %q", clip(old.Command, 300))
			t.show(ctx, signals.Notice{Subject: signals.SubjectCommand, Question: old.ID, Settled: true})
		}
	}
}

// changed names the files that do not hold what they held when the same was asked before.
func changed(before, now []signals.File) (paths []string) {
	for _, f := range now {
		if !slices.Contains(before, f) {
			paths = append(paths, f.Path)
		}
	}
	for _, f := range before {
		if !slices.ContainsFunc(now, func(n signals.File) bool { return n.Path == f.Path }) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// showQuestions tells everybody who looks whether a command waits for them.
func (t *pipeline) showQuestions(ctx workflow.Context) {
	switch t.status.Phase {
	case task.Suspended, task.Approving, task.Waiting: // which say themselves what is needed
		t.enter(ctx, t.status.Phase)
		return
	}
	t.status.NeedsHuman = len(t.status.Questions) > 0
	t.status.NextAction = ""
	if t.status.NeedsHuman {
		t.status.NextAction = nextAction(signals.ReasonCommand)
	}
	t.enter(ctx, t.status.Phase)
}

func (t *pipeline) canAllow(r signals.AllowRequest) error {
	if err := t.findable(r.Question); err != nil {
		return err
	}
	if r.ForTask && t.named(r.Question).Push() {
		return fault.New(fault.Conflict, "a push is allowed for its files as they are, and not for the task").WithHint("allow it without that")
	}
	return nil
}

func (t *pipeline) canDeny(r signals.DenyRequest) error { return t.findable(r.Question) }

// findable tells whether the id, or its beginning, names one open question.
func (t *pipeline) findable(id string) error {
	var found []string
	for _, q := range t.status.Questions {
		if strings.HasPrefix(q.ID, id) {
			found = append(found, q.ID)
		}
	}
	switch {
	case len(t.status.Questions) == 0:
		return fault.New(fault.Conflict, "no command waits for an answer: the task is %s", t.status.Phase)
	case len(found) == 0:
		return fault.New(fault.Conflict, "no command %q waits for an answer", id).WithHint("`longshift status` shows those that do")
	case len(found) > 1:
		return fault.New(fault.Conflict, "%d commands wait for an answer: %s", len(found), strings.Join(found, ", ")).
			WithHint("name one of them as question")
	}
	return nil
}

func (t *pipeline) onAllow(ctx workflow.Context, r signals.AllowRequest) string {
	q := t.withdraw(r.Question)
	a := signals.Answer{Verdict: signals.Yes, By: who(r.By), Note: clip(r.Comment, mostText), ForTask: r.ForTask}
	if !r.ForTask {
		a.Expires = workflow.Now(ctx).Add(t.settings.Commands.Expires.Std())
	}
	t.answer(ctx, q, a)
	switch {
	case q.Push():
		return "the push is allowed: " + clip(q.Command, 200)
	case r.ForTask:
		return fmt.Sprintf("allowed for this task in %s, %s: %s", place(q.Dir), signals.ForTask, clip(q.Command, 200))
	}
	return fmt.Sprintf("allowed in %s until %s, once: %s", place(q.Dir), a.Expires.UTC().Format(time.RFC3339), clip(q.Command, 200))
}

func (t *pipeline) onDeny(ctx workflow.Context, r signals.DenyRequest) string {
	q := t.withdraw(r.Question)
	t.answer(ctx, q, signals.Answer{Verdict: signals.No, By: who(r.By), Note: clip(r.Reason, mostText)})
	return "denied: " + clip(q.Command, 200)
}

// named gives the question that the id names: findable has seen that there is one.
func (t *pipeline) named(id string) signals.Question {
	return t.status.Questions[slices.IndexFunc(t.status.Questions, func(q signals.Question) bool { return strings.HasPrefix(q.ID, id) })]
}

// withdraw gives the question that the id names and closes it.
func (t *pipeline) withdraw(id string) signals.Question {
	q := t.named(id)
	t.status.Questions = slices.DeleteFunc(t.status.Questions, func(o signals.Question) bool { return o.ID == q.ID })
	return q
}

// answer keeps what a person has said. A session that waits takes it from there; one that has ended is told when it goes on.
func (t *pipeline) answer(ctx workflow.Context, q signals.Question, a signals.Answer) {
	key, how := q.ID, string(a.Verdict)
	if a.Standing() {
		key = q.Text()
	}
	if a.ForTask {
		how += " for this task"
	}
	t.answers[key] = a
	t.say(ctx, "answer", "%s by %s: %q", how, a.By, clip(q.Command, 300))
	t.show(ctx, signals.Notice{Subject: signals.SubjectCommand, Question: q.ID, Settled: true})
	if t.waiting[q.ID] == 0 {
		t.untold = append(t.untold, prompt.Tell{From: &task.Person{Name: a.By}, Text: verdictText(q, a)})
	}
	t.showQuestions(ctx)
}

func verdictText(q signals.Question, a signals.Answer) string {
	text := fmt.Sprintf("The command you asked for may not run: %s\nDo without it, or report that you are blocked.", q.Command)
	if a.Verdict == signals.Yes {
		often := "once, with the files that it names as they are"
		if a.ForTask {
			often = "in this task " + signals.ForTask
		}
		text = fmt.Sprintf("The command you asked for may run now, exactly as it stands and in %s: %s\nIt may run %s.", place(q.Dir), q.Command, often)
	}
	if a.Note != "" {
		text += "\n" + a.Note
	}
	return text
}

func place(dir string) string {
	if dir == "" {
		return "the workspace's root"
	}
	return "the folder " + dir
}

// permission parks the task until every command that waits for a person has an answer. No answer in time is a no.
func (t *pipeline) permission(ctx workflow.Context, s *session, detail string) error {
	defer t.note(s)
	if len(t.status.Questions) > 0 {
		if err := t.awaitAnswers(ctx, detail); err != nil {
			return err
		}
	}
	s.input.Prompt.Tells = append(s.input.Prompt.Tells, t.untold...)
	t.untold = nil
	return nil
}

func (t *pipeline) awaitAnswers(ctx workflow.Context, detail string) error {
	phase := t.status.Phase
	t.status.Reason, t.status.Detail = signals.ReasonCommand, clip(detail, 2000)
	t.status.NeedsHuman, t.status.NextAction = true, nextAction(signals.ReasonCommand)
	t.say(ctx, "suspended", "%s: %s", signals.ReasonCommand, firstLine(detail))
	for len(t.status.Questions) > 0 {
		until := t.firstExpiry()
		t.status.WaitingUntil = until
		t.enter(ctx, task.Suspended)
		err := t.timer(ctx, until.Sub(workflow.Now(ctx)), "no answer is a no", func() bool { return len(t.status.Questions) == 0 })
		if err != nil {
			return err
		}
		t.refuseExpired(ctx)
	}
	t.goOn(ctx, phase)
	return nil
}

// firstExpiry is when the first of the open questions expires.
func (t *pipeline) firstExpiry() time.Time {
	until := t.status.Questions[0].Expires
	for _, q := range t.status.Questions {
		if q.Expires.Before(until) {
			until = q.Expires
		}
	}
	return until
}

// refuseExpired answers with no what nobody has answered in time. A session that ended otherwise may have left such a question
// behind; those that came later keep their time.
func (t *pipeline) refuseExpired(ctx workflow.Context) {
	for _, q := range slices.Clone(t.status.Questions) {
		if !workflow.Now(ctx).Before(q.Expires) {
			t.answer(ctx, t.withdraw(q.ID), signals.Answer{Verdict: signals.No, By: "nobody", Note: "nobody has answered in time"})
		}
	}
}

// refuseOpen answers with no what is still open.
func (t *pipeline) refuseOpen(ctx workflow.Context, by, why string) {
	for len(t.status.Questions) > 0 {
		t.answer(ctx, t.withdraw(t.status.Questions[0].ID), signals.Answer{Verdict: signals.No, By: by, Note: why})
	}
}
