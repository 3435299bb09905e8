package workflows

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// mostPushed is how long the list of files in one question may be, in bytes: the task's page in Temporal Web has to hold all of it.
const mostPushed = 2000

// cleared pushes the branch once a person has allowed everything in it that needs that. The host looks again before it pushes; findings
// that nobody was asked about are asked then. Checkpoints need none of it: they are on no branch and start nothing.
func (pu *publisher) cleared(ctx workflow.Context, push func(allowed []string) error) error {
	var allowed []string
	var pushed error
	for {
		if refused := withAction(pu.commits.last.findings, task.RefuseFinding); len(refused) > 0 {
			who := "the operator refuses it"
			if refused[0].Kind == task.PathsFinding {
				who = "the settings close these paths"
			}
			return pu.notPushed(who, refused)
		}
		asked := slices.DeleteFunc(withAction(pu.commits.last.findings, task.AskFinding),
			func(f task.Finding) bool { return slices.Contains(allowed, f.ID) })
		if len(asked) > 0 {
			asked = asked[:fitting(asked)]
			if err := pu.askToPush(ctx, asked); err != nil {
				return err
			}
			for _, f := range asked {
				allowed = append(allowed, f.ID)
			}
			pushed = nil
			continue
		}
		if pushed != nil { // the host has refused for another reason
			return pushed
		}
		pushed = push(allowed)
		found, ok := unapproved(pushed)
		if !ok {
			return pushed
		}
		pu.commits.found(found)
	}
}

// fitting returns how many findings one question can show in full: nobody may allow what they could not read.
func fitting(asked []task.Finding) int {
	size := 0
	for n, f := range asked {
		if size += len(f.String()) + len("\n"); size > mostPushed && n > 0 {
			return n
		}
	}
	return len(asked)
}

// askToPush waits, without limit, until a person has allowed the push. A denial ends the task, or the round.
func (pu *publisher) askToPush(ctx workflow.Context, asked []task.Finding) error {
	if pu.settings.Commands.Questions == task.QuestionsDeny {
		return pu.notPushed("a person would have to allow it, and nobody is asked (commands.questions)", asked)
	}
	q := pushQuestion(asked)
	q.Reason += "; they are in refs/longshift/" + pu.status.TaskID
	phase := pu.status.Phase
	s := pu.status
	s.Phase, s.Reason, s.Detail = task.Suspended, signals.ReasonPush, excerpt.Clip(q.Command, 2000)
	s.NeedsHuman, s.NextAction = true, nextAction(signals.ReasonPush)
	pu.journal.say(ctx, "suspended", "%s: %s", signals.ReasonPush, q.Reason)
	pu.questions.open(ctx, q)
	yielded := pu.admissions.yield(ctx, signals.ReasonPush)
	a, err := pu.questions.await(ctx, q.ID)
	if err != nil {
		return err
	}
	pu.parking.goOn(ctx, phase, true)
	if a.Verdict != signals.Yes {
		return pu.notPushed(strings.TrimSuffix(a.By+" has denied it: "+a.Note, ": "), asked)
	}
	if yielded {
		_, err = pu.admissions.acquire(ctx, signals.PriorityResume)
	}
	return err
}

// pushQuestion asks a person about a push. Its id is a hash of the exact files with their content.
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

// notPushed is the end of a branch that must not be pushed. The work is in the checkpoint.
func (pu *publisher) notPushed(why string, found []task.Finding) error {
	return end(task.Rejected, "the branch was not pushed, for %s:\n%s\nThe work is kept in refs/longshift/%s and on host %s", why,
		list(found, 1200), pu.status.TaskID, pu.assignment.Host)
}

// isRejected tells whether the branch must not be pushed.
func isRejected(err error) bool {
	var e *ending
	return asError(err, &e) && e.outcome == task.Rejected
}

// unpushed drops the work of a round that must not be pushed. The replies say so, and the next round begins without it.
func (f *follower) unpushed(ctx workflow.Context, start string, err error) {
	f.journal.say(ctx, "blocked", "%s", firstLine(err.Error()))
	f.journal.show(ctx, signals.Notice{})
	held := slices.DeleteFunc(f.commits.last.findings, func(one task.Finding) bool { return one.Action == task.NameFinding })
	f.deliverables.withhold("it was not pushed, because nobody has allowed these files of it:\n\n" + bullets(held))
	f.status.Head = start
	f.commits.found(nil)
}

// refusedWork says what must be removed before the work can be pushed, "" when nothing must.
func refusedWork(found []task.Finding) string {
	refused := withAction(found, task.RefuseFinding)
	if len(refused) == 0 {
		return ""
	}
	return "the operator, or the settings, let no branch be pushed with these changes; take them back:\n" + list(refused, 2000)
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
	return excerpt.Clip(strings.Join(lines, "\n"), n)
}

// unapproved returns the findings of a host that a person has to allow.
func unapproved(err error) ([]task.Finding, bool) {
	var app *temporal.ApplicationError
	var hint string
	var found []task.Finding
	if kindOf(err) != fault.Unapproved || !asError(err, &app) || app.Details(&hint, &found) != nil {
		return nil, false
	}
	return found, true
}
