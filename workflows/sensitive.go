package workflows

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// mostPushed is how long the list of files in one question may be, in bytes: the task's page in Temporal Web has to hold all of it.
const mostPushed = 2000

// cleared has the branch pushed once nothing in it waits for a person. The host looks again before it pushes: what it finds that nobody
// was asked about is asked then. Checkpoints need none of it, for they go to no branch, and nothing is started by them.
func (t *pipeline) cleared(ctx workflow.Context, push func(allowed []string) error) error {
	var allowed []string
	var pushed error
	for {
		if refused := withAction(t.findings, task.RefuseFinding); len(refused) > 0 {
			return t.notPushed("the operator refuses it", refused)
		}
		asked := slices.DeleteFunc(withAction(t.findings, task.AskFinding), func(f task.Finding) bool { return slices.Contains(allowed, f.ID) })
		if len(asked) > 0 {
			asked = asked[:fitting(asked)]
			if err := t.askToPush(ctx, asked); err != nil {
				return err
			}
			for _, f := range asked {
				allowed = append(allowed, f.ID)
			}
			pushed = nil
			continue
		}
		if pushed != nil { // there is nothing to ask about what the host has refused
			return pushed
		}
		pushed = push(allowed)
		found, ok := unapproved(pushed)
		if !ok {
			return pushed
		}
		t.findings = found
	}
}

// fitting is how many of the findings one question can show as a whole: nobody may allow what they could not read.
func fitting(asked []task.Finding) int {
	size := 0
	for n, f := range asked {
		if size += len(f.String()) + len("\n"); size > mostPushed && n > 0 {
			return n
		}
	}
	return len(asked)
}

// askToPush waits until a person has allowed the push, as long as that takes. What is denied ends the way of the branch.
func (t *pipeline) askToPush(ctx workflow.Context, asked []task.Finding) error {
	if t.settings.Commands.Questions == task.QuestionsDeny {
		return t.notPushed("a person would have to allow it, and nobody is asked (commands.questions)", asked)
	}
	q := pushQuestion(asked)
	q.Reason += "; they are in refs/longshift/" + t.status.TaskID
	phase := t.status.Phase
	s := &t.status
	s.Phase, s.Reason, s.Detail = task.Suspended, signals.ReasonPush, clip(q.Command, 2000)
	s.NeedsHuman, s.NextAction = true, nextAction(signals.ReasonPush)
	t.say(ctx, "suspended", "%s: %s", signals.ReasonPush, q.Reason)
	t.waiting[q.ID]++ // no session is to be told of the answer
	t.openUp(ctx, q)
	yielded := t.yield(ctx, signals.ReasonPush)
	err := workflow.Await(ctx, func() bool { _, ok := t.answers[q.ID]; return ok })
	t.waiting[q.ID]--
	if err != nil {
		return err
	}
	a := t.answers[q.ID]
	delete(t.answers, q.ID)
	t.goOn(ctx, phase)
	if a.Verdict != signals.Yes {
		return t.notPushed(strings.TrimSuffix(a.By+" has denied it: "+a.Note, ": "), asked)
	}
	if yielded {
		_, err = t.pass(ctx, signals.PriorityResume)
	}
	return err
}

// pushQuestion is what a person is asked about a push. Its id stands for the exact files with their content.
func pushQuestion(asked []task.Finding) signals.Question {
	sum := sha256.New()
	var kinds []string
	for _, f := range asked {
		sum.Write([]byte(f.ID))
		if !slices.Contains(kinds, f.Kind) {
			kinds = append(kinds, f.Kind)
		}
	}
	return signals.Question{ID: fmt.Sprintf("%s%x", signals.PushID, sum.Sum(nil)[:8]), Tool: "push", Command: list(asked, mostPushed),
		Rule: "sensitive." + strings.Join(kinds, ","), Reason: "a person has to look at such files before they are pushed"}
}

// notPushed ends the way of a branch that must not be pushed. The work is in the checkpoint.
func (t *pipeline) notPushed(why string, found []task.Finding) error {
	return end(task.Rejected, "the branch was not pushed, for %s:\n%s\nThe work is kept in refs/longshift/%s and on host %s", why, list(found, 1200), t.status.TaskID, t.taken.Host)
}

// isRejected tells whether the branch must not be pushed.
func isRejected(err error) bool {
	var e *ending
	return asError(err, &e) && e.outcome == task.Rejected
}

// unpushed is a round whose work must not be pushed: everybody who asked for something is told so, and the next round begins without it.
func (f *follower) unpushed(ctx workflow.Context, start string, err error) {
	f.say(ctx, "blocked", "%s", firstLine(err.Error()))
	f.show(ctx, signals.Notice{})
	held := slices.DeleteFunc(f.findings, func(one task.Finding) bool { return one.Action == task.NameFinding })
	for _, id := range workflow.DeterministicKeys(f.came) {
		if f.came[id].commit != "" {
			f.came[id] = came{text: "it was not pushed, for nobody has allowed these files of it:\n\n" + bullets(held)}
		}
	}
	f.status.Head, f.findings = start, nil
}

// refusedWork says what has to go from the work before it can be pushed, "" when nothing has.
func refusedWork(found []task.Finding) string {
	refused := withAction(found, task.RefuseFinding)
	if len(refused) == 0 {
		return ""
	}
	return "the operator lets no branch be pushed with these changes; take them back:\n" + list(refused, 2000)
}

func withAction(found []task.Finding, a task.FindingAction) (list []task.Finding) {
	for _, f := range found {
		if f.Action == a {
			list = append(list, f)
		}
	}
	return list
}

// bullets writes findings for Markdown.
func bullets(found []task.Finding) string {
	return "- " + strings.ReplaceAll(list(found, 1500), "\n", "\n- ")
}

// list writes findings one a line, in n bytes.
func list(found []task.Finding, n int) string {
	var lines []string
	for _, f := range found {
		lines = append(lines, f.String())
	}
	return clip(strings.Join(lines, "\n"), n)
}

// unapproved gives what a host has found that a person has to allow.
func unapproved(err error) ([]task.Finding, bool) {
	var app *temporal.ApplicationError
	var hint string
	var found []task.Finding
	if kindOf(err) != fault.Unapproved || !asError(err, &app) || app.Details(&hint, &found) != nil {
		return nil, false
	}
	return found, true
}
