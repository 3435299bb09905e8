package activities

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/signals"
)

// mostShown is how long a command and its folder may be, in bytes, to be put to a person: a question takes 4 KiB at most.
const mostShown = 3 << 10

// question is what a person is asked about a call.
func (w *warden) question(c agent.Call, d policy.Decision) signals.Question {
	return signals.Question{
		ID: questionID(w.in.TaskID, w.below(c.Dir), c), Session: w.in.N, Role: w.in.Role, Tool: c.Tool,
		Command: w.host.Redact.String(put(c)), Dir: w.host.Redact.String(visible(w.below(c.Dir))),
		Rule: d.Rule, Reason: oneLine(w.host.Redact.String(d.Reason), 400),
	}
}

// questionID binds an answer to the task, the folder and the exact call.
func questionID(taskID, dir string, c agent.Call) string {
	h := sha256.New()
	exact := string(c.Input)
	if in := inputOf(c); c.Tool == "Bash" && in.Command != "" {
		exact = in.Command // what else the call carries (a description, a time limit) runs nothing
	}
	for _, part := range []string{taskID, dir, c.Tool, exact} {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// asker gives the way to ask people.
func (h *Host) asker() func(context.Context, signals.Question) (signals.Answer, error) {
	if h.Ask != nil {
		return h.Ask
	}
	return askWorkflow
}

// askWorkflow puts the question to the task's workflow, which waits for people durably. It comes back with an answer, or with
// the word that there is none yet.
func askWorkflow(ctx context.Context, q signals.Question) (signals.Answer, error) {
	var a signals.Answer
	if !activity.IsActivity(ctx) {
		return a, fault.New(fault.Internal, "a question outside of an activity")
	}
	run := activity.GetInfo(ctx).WorkflowExecution
	payload, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	handle, err := activity.GetClient(ctx).UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
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
