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

// What a host may ask people. More is a fault of the host.
const (
	mostQuestions = 20      // that are open at the same time
	mostWaiting   = 6       // that sessions wait for at the same time: the server takes ten updates at once, and answers are updates too
	mostCommand   = 4 << 10 // bytes of one command, and of what it is bound to, as they are shown
)

// questions are the commands and pushes that wait for a person, and the answers to them.
type questions struct {
	facts
	work    workflow.Context // ends when the task is cancelled or abandoned
	journal *journal

	answers     map[string]signals.Answer // by the question's id, or by its text's when the answer holds for the whole task
	bound       map[string][]signals.File // the files of a command when a person was last asked, by its text's id
	waiting     map[string]int            // who waits for an answer right now, by the question's id
	asking      int                       // sessions that wait, in all
	undelivered []prompt.Message          // answers that came when no session waited any more
}

// listen makes the task ready for hosts that ask whether a command may run.
func (qs *questions) listen(ctx workflow.Context) error {
	return onUpdate(ctx, signals.Ask, notForPeople+"a host asks whether a command may run", qs.canAsk, qs.onAsk)
}

func (qs *questions) canAsk(q signals.Question) error {
	switch {
	case q.ID == "" || q.Command == "":
		return fault.New(fault.Input, "a question needs an id and a command")
	case len(q.Command)+len(q.Bound()) > mostCommand:
		return fault.New(fault.Input, "the command of a question has %d bytes, %d are allowed", len(q.Command)+len(q.Bound()), mostCommand)
	case qs.status.Outcome != "":
		return fault.New(fault.Conflict, "the task has ended")
	case len(qs.status.Questions) >= mostQuestions && qs.openQuestion(q.ID) < 0:
		return fault.New(fault.Conflict, "%d commands wait for a person already", len(qs.status.Questions))
	case qs.asking >= mostWaiting:
		return fault.New(fault.Conflict, "%d sessions wait for an answer already", qs.asking)
	}
	return nil
}

// onAsk returns the answer, or waits a while for one. A question that nobody answers in that time stays open.
func (qs *questions) onAsk(ctx workflow.Context, q signals.Question) (signals.Answer, error) {
	if a, ok := qs.answerTo(ctx, q); ok {
		return a, nil
	}
	qs.openUp(ctx, q)
	if q.AtOnce {
		return signals.Answer{Verdict: signals.Later}, nil
	}
	qs.waiting[q.ID]++
	qs.asking++
	answered := func() bool { _, ok := qs.answerFor(q); return ok || qs.work.Err() != nil }
	err := timer(ctx, qs.settings.Commands.Wait.Std(), "somebody may answer", answered)
	qs.waiting[q.ID]--
	qs.asking--
	if a, ok := qs.answerTo(ctx, q); ok && err == nil {
		return a, nil
	}
	return signals.Answer{Verdict: signals.Later}, nil
}

// answerFor finds the answer to a question: one for its text in the whole task, or one for its files as they are.
func (qs *questions) answerFor(q signals.Question) (signals.Answer, bool) {
	if a, ok := qs.answers[q.Text()]; ok {
		return a, true
	}
	a, ok := qs.answers[q.ID]
	return a, ok
}

// answerTo returns the answer to a question if there is one that still holds. An answer for one run is used up by it, for all that wait at
// that moment: a session asks about a text once at a time, so the others are left over from hosts that were killed.
func (qs *questions) answerTo(ctx workflow.Context, q signals.Question) (signals.Answer, bool) {
	a, ok := qs.answerFor(q)
	if !ok || a.Lasting() {
		return a, ok
	}
	if qs.waiting[q.ID] == 0 {
		delete(qs.answers, q.ID)
	}
	if !workflow.Now(ctx).Before(a.Expires) {
		return signals.Answer{}, false
	}
	return a, true
}

// extend has answers for one run hold longer, by a time in which no session could use them.
func (qs *questions) extend(by time.Duration) {
	for _, id := range workflow.DeterministicKeys(qs.answers) {
		if a := qs.answers[id]; !a.Lasting() {
			a.Expires = a.Expires.Add(by)
			qs.answers[id] = a
		}
	}
}

// mostLasting and mostLastingNote limit what is handed on of answers: their number, and the bytes of what a person said with one.
const (
	mostLasting     = 50
	mostLastingNote = 500
)

// lasting returns the answers that hold for every run, for the workflow that goes on with the work.
func (qs *questions) lasting() map[string]signals.Answer {
	kept := map[string]signals.Answer{}
	for _, text := range workflow.DeterministicKeys(qs.answers) {
		if a := qs.answers[text]; a.Lasting() && len(kept) < mostLasting {
			a.Note = excerpt.Clip(a.Note, mostLastingNote)
			kept[text] = a
		}
	}
	return kept
}

// restore takes over the answers of an earlier workflow.
func (qs *questions) restore(lasting map[string]signals.Answer) {
	for _, text := range workflow.DeterministicKeys(lasting) {
		qs.answers[text] = lasting[text]
	}
}

func (qs *questions) openQuestion(id string) int {
	return slices.IndexFunc(qs.status.Questions, func(q signals.Question) bool { return q.ID == id })
}

func (qs *questions) openUp(ctx workflow.Context, q signals.Question) {
	if qs.openQuestion(q.ID) >= 0 {
		return
	}
	qs.supersede(ctx, q)
	q.Changed = nil
	if before, asked := qs.bound[q.Text()]; asked {
		q.Changed = changed(before, q.Files)
	}
	qs.bound[q.Text()] = q.Files
	q.Asked = workflow.Now(ctx)
	if !q.Push() {
		q.Expires = q.Asked.Add(qs.settings.Commands.Expires.Std())
	}
	q.Reason = excerpt.Clip(q.Reason, 500)
	qs.status.Questions = append(qs.status.Questions, q)
	what := fmt.Sprintf("session %d wants to run %q", q.Session, excerpt.Clip(q.Command, 300))
	if q.Push() {
		what = "the branch would be pushed with " + excerpt.Clip(q.Command, 600)
	}
	qs.journal.say(ctx, "question", "%s", strings.TrimSpace(fmt.Sprintf("%s (%s): %s. %s", what, q.Rule,
		strings.TrimSuffix(q.Reason, "."), q.Bound())))
	qs.journal.show(ctx, signals.Notice{Subject: signals.SubjectCommand, Question: q.ID})
	qs.showQuestions(ctx)
}

// supersede closes open questions about the same text whose files have changed since.
func (qs *questions) supersede(ctx workflow.Context, q signals.Question) {
	for _, old := range slices.Clone(qs.status.Questions) {
		if old.Text() == q.Text() {
			qs.withdraw(old.ID)
			qs.journal.say(ctx, "answer", "its files have changed, so it is asked anew: %q", excerpt.Clip(old.Command, 300))
			qs.journal.show(ctx, signals.Notice{Subject: signals.SubjectCommand, Question: old.ID, Settled: true})
		}
	}
}

// changed names the files whose content differs from when the same was asked before.
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

// showQuestions shows in the status whether a command waits for a person.
func (qs *questions) showQuestions(ctx workflow.Context) {
	switch qs.status.Phase {
	case task.Suspended, task.Approving, task.Waiting: // these phases say themselves what is needed
		qs.journal.enter(ctx, qs.status.Phase)
		return
	}
	qs.status.NeedsHuman = len(qs.status.Questions) > 0
	qs.status.NextAction = ""
	if qs.status.NeedsHuman {
		qs.status.NextAction = nextAction(signals.ReasonCommand)
	}
	qs.journal.enter(ctx, qs.status.Phase)
}

// open asks a question that no session waits for: nobody has to be told of its answer.
func (qs *questions) open(ctx workflow.Context, q signals.Question) {
	qs.waiting[q.ID]++
	qs.openUp(ctx, q)
}

// await waits for the answer to a question that was opened, which is used up by that.
func (qs *questions) await(ctx workflow.Context, id string) (signals.Answer, error) {
	err := workflow.Await(ctx, func() bool { _, ok := qs.answers[id]; return ok })
	qs.waiting[id]--
	a := qs.answers[id]
	if err == nil {
		delete(qs.answers, id)
	}
	return a, err
}

// takeUndelivered returns the answers that no session has been told, which are used up by that.
func (qs *questions) takeUndelivered() []prompt.Message {
	untold := qs.undelivered
	qs.undelivered = nil
	return untold
}
