package workflows

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func (qs *questions) canAllow(r signals.AllowRequest) error {
	if err := qs.findable(r.Question); err != nil {
		return err
	}
	if r.ForTask && qs.named(r.Question).Push() {
		return fault.New(fault.Conflict, "a push is allowed for its files as they are, and not for the task").WithHint("allow it without that")
	}
	return nil
}

func (qs *questions) canDeny(r signals.DenyRequest) error { return qs.findable(r.Question) }

// findable tells whether the id, or its beginning, names one open question.
func (qs *questions) findable(id string) error {
	var found []string
	for _, q := range qs.status.Questions {
		if strings.HasPrefix(q.ID, id) {
			found = append(found, q.ID)
		}
	}
	switch {
	case len(qs.status.Questions) == 0:
		return fault.New(fault.Conflict, "no command waits for an answer: the task is %s", qs.status.Phase)
	case len(found) == 0:
		return fault.New(fault.Conflict, "no command %q waits for an answer", id).WithHint("`longshift status` shows those that do")
	case len(found) > 1:
		return fault.New(fault.Conflict, "%d commands wait for an answer: %s", len(found), strings.Join(found, ", ")).
			WithHint("name one of them as question")
	}
	return nil
}

func (qs *questions) onAllow(ctx workflow.Context, r signals.AllowRequest) string {
	q := qs.withdraw(r.Question)
	a := signals.Answer{Verdict: signals.Yes, By: who(r.By), Note: excerpt.Clip(r.Comment, signals.MaxText), ForTask: r.ForTask}
	if !r.ForTask {
		a.Expires = workflow.Now(ctx).Add(qs.settings.Commands.Expires.Std())
	}
	qs.answer(ctx, q, a)
	switch {
	case q.Push():
		return "the push is allowed: " + excerpt.Clip(q.Command, 200)
	case r.ForTask:
		return fmt.Sprintf("allowed for this task in %s, %s: %s", place(q.Dir), signals.ForTask, excerpt.Clip(q.Command, 200))
	}
	return fmt.Sprintf("allowed in %s until %s, once: %s", place(q.Dir), a.Expires.UTC().Format(time.RFC3339), excerpt.Clip(q.Command, 200))
}

func (qs *questions) onDeny(ctx workflow.Context, r signals.DenyRequest) string {
	q := qs.withdraw(r.Question)
	qs.answer(ctx, q, signals.Answer{Verdict: signals.No, By: who(r.By), Note: excerpt.Clip(r.Reason, signals.MaxText)})
	return "denied: " + excerpt.Clip(q.Command, 200)
}

// named returns the question that an id names. findable must have found one.
func (qs *questions) named(id string) signals.Question {
	return qs.status.Questions[slices.IndexFunc(qs.status.Questions, func(q signals.Question) bool { return strings.HasPrefix(q.ID, id) })]
}

// withdraw closes the question that an id names, and returns it.
func (qs *questions) withdraw(id string) signals.Question {
	q := qs.named(id)
	qs.status.Questions = slices.DeleteFunc(qs.status.Questions, func(o signals.Question) bool { return o.ID == q.ID })
	return q
}

// answer stores the answer of a person. A session that waits takes it from there; one that has ended is told when it continues.
func (qs *questions) answer(ctx workflow.Context, q signals.Question, a signals.Answer) {
	key, how := q.ID, string(a.Verdict)
	if a.Lasting() {
		key = q.Text()
	}
	if a.ForTask {
		how += " for this task"
	}
	later := qs.waiting[q.ID] == 0 && !q.AtOnce // otherwise the session asks again as soon as it continues
	if !later || !a.Unanswered {
		qs.answers[key] = a
	}
	qs.journal.say(ctx, "answer", "%s by %s: %q", how, a.By, excerpt.Clip(q.Command, 300))
	qs.journal.show(ctx, signals.Notice{Subject: signals.SubjectCommand, Question: q.ID, Settled: true})
	if later {
		qs.undelivered = append(qs.undelivered, prompt.Message{From: &task.Person{Name: a.By}, Text: verdictText(q, a)})
	}
	qs.showQuestions(ctx)
}

func verdictText(q signals.Question, a signals.Answer) string {
	text := fmt.Sprintf("The command you asked for may not run: %s\nDo without it, or report that you are blocked.", q.Command)
	if a.Verdict == signals.Yes {
		often := "once, with the files that it names as they are"
		if a.ForTask {
			often = "in this task " + signals.ForTask
		}
		text = fmt.Sprintf("The command you asked for may run now, exactly as written and in %s: %s\nIt may run %s.", place(q.Dir),
			q.Command, often)
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

// firstExpiry is when the first of the open questions expires.
func (qs *questions) firstExpiry() time.Time {
	until := qs.status.Questions[0].Expires
	for _, q := range qs.status.Questions {
		if q.Expires.Before(until) {
			until = q.Expires
		}
	}
	return until
}

// asksAnew is the change since which a question that nobody has answered may be asked again, and a resume leaves those alone that the task was not
// suspended for.
const asksAnew = "asks-anew"

// unanswered takes back a question that nobody has answered: the command may not run now.
func (qs *questions) unanswered(ctx workflow.Context, q signals.Question, by, why string) {
	a := signals.Answer{Verdict: signals.No, By: by, Note: why}
	if workflow.GetVersion(ctx, asksAnew, workflow.DefaultVersion, 1) >= 1 {
		a.Unanswered, a.Expires = true, workflow.Now(ctx).Add(qs.settings.Commands.Expires.Std())
	}
	qs.answer(ctx, qs.withdraw(q.ID), a)
}

// refuseExpired takes back the questions that nobody has answered in time. Questions that were asked later keep their own time.
func (qs *questions) refuseExpired(ctx workflow.Context) {
	for _, q := range slices.Clone(qs.status.Questions) {
		if !workflow.Now(ctx).Before(q.Expires) {
			qs.unanswered(ctx, q, "nobody", "nobody has answered in time")
		}
	}
}

// passOver takes back all open questions when a person resumes a task that waits for their answers.
func (qs *questions) passOver(ctx workflow.Context, by string) {
	waits := qs.status.Reason == signals.ReasonCommand // also while it still gives its admission up
	if len(qs.status.Questions) == 0 || !waits && workflow.GetVersion(ctx, asksAnew, workflow.DefaultVersion, 1) >= 1 {
		return
	}
	for len(qs.status.Questions) > 0 {
		qs.unanswered(ctx, qs.status.Questions[0], by, "the task was resumed without an answer")
	}
}
