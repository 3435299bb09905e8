package workflows_test

import (
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// tellsLate has a person send a message while the last review runs.
func (w *world) tellsLate() {
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Reviewer {
			w.env.SignalWorkflow(signals.Tell, signals.TellRequest{Text: "use tabs", Message: signals.Message{By: "ann"}})
		}
		return activities.SessionResult{}, nil
	}
}

// What came during the last review is told in the first round on the pull request.
func TestLateMessageIsHandedToTheFollower(t *testing.T) {
	w := newWorld(t)
	w.follow = true
	w.settings.PullRequest.Follow = true
	w.tellsLate()
	in := w.handedOver()
	if s := w.start(t); len(in.Tells) != 1 || in.Tells[0].Text != "use tabs" || in.Tells[0].By != "ann" || len(s.Warnings) != 0 {
		t.Fatalf("handed over %+v, warnings %q", in.Tells, s.Warnings)
	}

	w = newWorld(t)
	w.lookAfter(t, until(5*time.Hour, open(thread(11, "rename it")), merged()), func(to *signals.PullRequestInput) { to.Tells = in.Tells })
	if len(w.asked) == 0 || len(w.asked[0].Prompt.Messages) != 1 || !strings.Contains(w.asked[0].Prompt.Messages[0].Text, "use tabs") {
		t.Errorf("the first session was told %+v", w.asked)
	}
}

// Where no session can be told any more, the task says so.
func TestLateMessageIsWarnedOf(t *testing.T) {
	w := newWorld(t)
	w.tellsLate()
	if s := w.start(t); len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "1 messages came after the last session") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// A task that has ended, and only reports its end, takes nothing more.
func TestEndedTaskTakesNothing(t *testing.T) {
	w := newArriving(t, letIn)
	answers := map[string]*answer{}
	w.refuse = func(in activities.SourceInput) error {
		if in.Stage == activities.Reported {
			for name, payload := range map[string]any{signals.Tell: signals.TellRequest{Text: "x"}, signals.Resume: nil, signals.Abandon: nil} {
				answers[name] = w.update(name, payload)
			}
		}
		return nil
	}
	end := w.startWith(t, issue7)
	for _, name := range []string{signals.Tell, signals.Resume, signals.Abandon} {
		if a := answers[name]; a == nil || a.refused == nil || !strings.Contains(a.refused.Error(), "the task has ended: pull_request") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if end.Outcome != task.PullRequest {
		t.Errorf("ended %s", end.Outcome)
	}
}

// Nobody is promised a workspace that is being removed.
func TestAbandonedWhileItCleansUp(t *testing.T) {
	w := newWorld(t)
	var a *answer
	w.clean = func(activities.CleanInput) error {
		a = w.update(signals.Abandon, signals.AbandonRequest{Reason: "too late"})
		return nil
	}
	if s := w.start(t); s.Outcome != task.PullRequest || a == nil || a.refused == nil || !strings.Contains(a.refused.Error(), "is being removed") {
		t.Errorf("outcome %s, answer %+v", s.Outcome, a)
	}
}

// A message that comes too late for an ask of Longshift's own agent is told once with the next one.
func TestLateMessageIsToldOnce(t *testing.T) {
	w := newWorld(t)
	w.settings.Agent, w.settings.Approval.Mode = task.AgentNative, task.ApprovalNone
	asks, told := 0, 0
	w.env.RegisterWorkflowWithOptions(func(ctx workflow.Context, run workflows.SessionRun) (activities.SessionResult, error) {
		in := run.Open.SessionInput
		res := well(in)
		res.Messages = len(in.Prompt.Messages)
		if in.Role != task.Implementer || in.Prompt.Deliverable.ID != "FIX-001" {
			return res, nil
		}
		said := workflow.GetSignalChannel(ctx, signals.SessionTell)
		if asks++; asks == 1 { // it ends without a report when the message has come, and has not told the model
			said.Receive(ctx, nil)
			res.Report = task.Report{Kind: task.ReportNone}
			return res, nil
		}
		told += len(in.Prompt.Messages)
		if err := workflow.Sleep(ctx, time.Minute); err != nil {
			return res, err
		}
		for said.ReceiveAsync(nil) {
			told++
			res.Messages++
		}
		return res, nil
	}, workflow.RegisterOptions{Name: signals.AgentSession})
	var answer *answer
	w.env.RegisterDelayedCallback(func() {
		answer = w.update(signals.Tell, signals.TellRequest{Text: "use tabs", Message: signals.Message{By: "ann"}})
	}, time.Second)
	if s := w.start(t); answer.ack.Text != "the session that runs will be told" {
		t.Errorf("who has told it hears %+v", answer)
	} else if s.Outcome != task.PullRequest || asks != 2 || told != 1 || len(s.Warnings) != 0 {
		t.Errorf("outcome %s, %d asks, told %d times, warnings %q", s.Outcome, asks, told, s.Warnings)
	}
}
