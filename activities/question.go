package activities

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// mostShown is how long a command and its folder may be, in bytes, to ask a person about it: a question holds 4 KiB at most.
const mostShown = 3 << 10

// person asks a person about the call and returns the decision. A yes holds for the files as they were shown: they are read again right
// before the call is allowed, and the person is asked again when one of them has changed.
func (en *enforcer) person(ctx context.Context, c agent.Call, d policy.Decision) (out agent.Decision, by string) {
	if en.in.Role.ReadOnly() { // it can read in another way, and nobody should be disturbed for that
		return agent.Decision{Reason: d.Reason + "; nobody is asked for a session that only reads"}, ""
	}
	if en.in.Commands.Questions == task.QuestionsDeny {
		return agent.Decision{Reason: d.Reason + "; nobody is asked in this task, so it may not run"}, ""
	}
	q, hurdle := en.question(ctx, c, d)
	for range mostAnew {
		if hurdle != "" {
			return agent.Decision{Reason: d.Reason + "; " + hurdle}, ""
		}
		answer, no := en.answer(ctx, q, d)
		if answer.Verdict != signals.Yes {
			return no, answer.By
		}
		var now signals.Question
		if now, hurdle = en.question(ctx, c, d); now.ID == q.ID && hurdle == "" || answer.ForTask {
			return agent.Decision{Allow: true, Reason: answer.Note}, answer.By
		}
		q = now
	}
	return agent.Decision{Reason: d.Reason + "; the files that it names change all the time, so it may not run: let nothing write them"}, ""
}

// mostAnew limits how often a person is asked about one call whose files keep changing.
const mostAnew = 3

// answer asks a person, and returns the decision when the answer is not a yes.
func (en *enforcer) answer(ctx context.Context, q signals.Question, d policy.Decision) (signals.Answer, agent.Decision) {
	answer, err := en.ask(ctx, q)
	switch {
	case err != nil && ctx.Err() != nil:
		return signals.Answer{}, agent.Decision{Reason: "the session was interrupted"}
	case err != nil:
		en.log.WarnContext(ctx, "a person could not be asked", "error", err)
		return signals.Answer{}, agent.Decision{Reason: d.Reason + "; nobody could be asked, so it may not run now"}
	case answer.Verdict == signals.Yes:
		return answer, agent.Decision{}
	case answer.Verdict == signals.No && answer.Unanswered:
		return answer, agent.Decision{Reason: joinText("nobody has said whether it may run, so it may not run now", answer.Note)}
	case answer.Verdict == signals.No:
		return answer, agent.Decision{Reason: joinText("a person has refused it", answer.Note)}
	}
	return answer, agent.Decision{End: agent.NeedsApproval,
		Reason: fmt.Sprintf("a person has been asked whether this may run (%s); the session continues when there is an answer", d.Reason)}
}

// hides tells whether the redactor removes more from a text than the names of our own folders, in its first look or a later one. What stands
// there as redact.Mark may be in the text of a secret.
func (en *enforcer) hides(text string) bool {
	return len(en.redact.Find(text)) > 0 || strings.Count(en.redact.String(text), redact.Mark) != strings.Count(text, redact.Mark)
}

// question returns what to ask a person about a call, or the hurdle: why nobody can be asked.
func (en *enforcer) question(ctx context.Context, c agent.Call, d policy.Decision) (q signals.Question, hurdle string) {
	if en.hides(put(c)) || en.hides(visible(en.below(c.Dir))) { // the hidden part could do more than hold a secret
		return q, "it holds what looks like a secret and so can't be shown to a person, so it may not run: " +
			"put the secret into a file or a variable"
	}
	b, ok := en.bind(ctx, c)
	if !ok {
		return q, "it names more files than an approval can be bound to, or its patterns search too many folders, so it may not run: name a few files"
	}
	id, text := questionID(en.in.TaskID, en.below(c.Dir), c), ""
	if b.sum != "" {
		id, text = digest(id, b.sum), id
	}
	q = signals.Question{
		ID: id, TextID: text, Files: b.files, Session: en.in.N, Role: en.in.Role, Tool: c.Tool,
		Command: en.redact.String(put(c)), Dir: en.redact.String(visible(en.below(c.Dir))),
		Rule: d.Rule, Reason: excerpt.Line(en.redact.String(d.Reason), 400),
	}
	if len(q.Command)+len(q.Dir)+len(q.Bound()) > mostShown { // an approval holds for the whole call, so people must see all of it
		return q, "it is too long to be put to a person, so it may not run: make it shorter"
	}
	return q, ""
}

// questionID identifies the task, the folder and the exact call that an answer holds for.
func questionID(taskID, dir string, c agent.Call) string {
	exact := string(c.Input)
	if in := inputOf(c); c.Tool == "Bash" && in.Command != "" {
		exact = in.Command // the other fields (description, timeout) run nothing
	}
	return digest(taskID, dir, c.Tool, exact)
}

// digest returns a short hash of texts.
func digest(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// askWorkflow sends the question to the task's workflow, which waits for people durably. It returns their answer, or one that says that
// there is none yet.
func askWorkflow(ctx context.Context, q signals.Question) (signals.Answer, error) {
	if !activity.IsActivity(ctx) {
		return signals.Answer{}, fault.New(fault.Internal, "a question outside of an activity")
	}
	run := activity.GetInfo(ctx).WorkflowExecution
	return askRun(ctx, Workflow{run.ID, run.RunID}, q)
}

// askRun sends the question to a run of a workflow.
func askRun(ctx context.Context, run Workflow, q signals.Question) (signals.Answer, error) {
	var a signals.Answer
	payload, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	handle, err := heartbeatOf(ctx).server(ctx).UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: run.ID, RunID: run.RunID, UpdateName: signals.Ask, UpdateID: q.ID + "-" + rand.Text(),
		Args: []any{json.RawMessage(payload)}, WaitForStage: client.WorkflowUpdateStageAccepted,
	})
	if err != nil {
		return a, fmt.Errorf("ask: %w", err)
	}
	if err := handle.Get(ctx, &a); err != nil {
		return a, fmt.Errorf("ask: %w", err)
	}
	return a, nil
}
