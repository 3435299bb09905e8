package tasks

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func tell(text string) Payload {
	return func(m signals.Message) any { return signals.TellRequest{Message: m, Text: text} }
}

func TestSendAnswered(t *testing.T) {
	ft := clitest.NewTask(task.Executing)
	ft.Ack = signals.Ack{Phase: task.Executing, Revision: 3, Text: "the next session will be told"}
	d, err := fakeViewer(clitest.NewTerminal(t)).tasks.Send(t.Context(), ft, "web-1", signals.Tell, tell("use tabs"))
	want := Delivery{Task: "web-1", Via: viaUpdate, Phase: task.Executing, Revision: 3, Text: "the next session will be told"}
	if err != nil || d != want {
		t.Errorf("got %+v, %v", d, err)
	}
	if len(ft.Updates) != 1 || len(ft.Signals) != 0 || ft.Updates[0].WorkflowID != "web-1" {
		t.Errorf("updates %v, signals %v", ft.Updates, ft.Signals)
	}
}

// Without a worker the message goes as a signal, under the same id, and after the deadline only.
func TestSendFallsBackToSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft := clitest.NewTask(task.Executing)
		ft.Update = context.DeadlineExceeded
		began := time.Now()
		d, err := fakeViewer(clitest.NewTerminal(t)).tasks.Send(t.Context(), ft, "web-1", signals.Tell, tell("use tabs"))
		if err != nil || d.Via != viaSignal || d.Text != "delivered; takes effect when a worker is back" {
			t.Errorf("got %+v, %v", d, err)
		}
		if took := time.Since(began); took != server.AnswerWithin {
			t.Errorf("took %v", took)
		}
		want := signals.TellRequest{Message: signals.Message{ID: ft.Updates[0].UpdateID, By: "ann"}, Text: "use tabs"}
		if len(ft.Signals) != 1 || ft.Signals[0] != want || want.ID == "" {
			t.Errorf("signals %+v", ft.Signals)
		}
	})
}

func TestSendRefused(t *testing.T) {
	app := func(kind fault.Kind, details ...any) error {
		return temporal.NewApplicationErrorWithOptions("not now", string(kind), temporal.ApplicationErrorOptions{NonRetryable: true, Details: details})
	}
	for _, c := range []struct {
		name string
		err  error
		code int
		text string
		hint string
	}{
		{"stale", app(fault.Conflict, "look again"), fault.ExitConflict, "not now", "look again"},
		{"wrong", app(fault.Input), fault.ExitUsage, "not now", ""},
		{"forbidden", app(fault.Denied, ""), fault.ExitFailed, "not now", ""},
		{"ended", serviceerror.NewNotFound("workflow execution already completed"), fault.ExitConflict, "task web-1 has ended", "see `longshift show web-1`; `longshift follow-up` starts another one on top of its pull request, `longshift retry` the same one again"},
		{"stuck", serviceerror.NewWorkflowNotReady("Unable to perform workflow execution update due to Workflow Task in failed state."), fault.ExitServer, "task web-1 takes no message: no worker has been able to go on with it",
			"the log of the worker says why; start a worker of the release that has worked on the task, or of a newer one. Nothing is lost meanwhile"},
		{"server gone", serviceerror.NewUnavailable("connection refused"), fault.ExitServer, "the Temporal server at  does not answer", "try again, or see `longshift doctor`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ft := clitest.NewTask(task.Executing)
			ft.Update = c.err
			_, err := fakeViewer(clitest.NewTerminal(t)).tasks.Send(t.Context(), ft, "web-1", signals.Approve, tell(""))
			if err == nil || err.Error() != c.text || fault.HintOf(err) != c.hint || fault.KindOf(err).ExitCode() != c.code {
				t.Errorf("got %v (hint %q, exit %d)", err, fault.HintOf(err), fault.KindOf(err).ExitCode())
			}
			if len(ft.Signals) != 0 {
				t.Error("a refused message was sent once more as a signal")
			}
		})
	}
}

func TestSendInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ft := clitest.NewTask(task.Executing)
	ft.Update = context.DeadlineExceeded
	if _, err := fakeViewer(clitest.NewTerminal(t)).tasks.Send(ctx, ft, "web-1", signals.Tell, tell("x")); !errors.Is(err, context.Canceled) ||
		len(ft.Signals) != 0 {
		t.Errorf("got %v, %d signals", err, len(ft.Signals))
	}
}
