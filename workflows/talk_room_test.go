package workflows_test

import (
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// The end of a pull request is shown though the history of its task has expired, so that the task's own message can't be made anew.
func TestEndAfterTheTaskHasExpired(t *testing.T) {
	w := newWorld(t)
	var told time.Time
	w.show = func(in activities.ShowInput) error {
		if in.Notice.From == "task-1" && !told.IsZero() {
			return temporal.NewNonRetryableApplicationError("workflow not found", string(fault.NotFound), nil)
		}
		return nil
	}
	w.notify(time.Second, signals.Notice{N: 1, Kind: "ended", Subject: signals.SubjectEnd})
	w.env.RegisterDelayedCallback(func() {
		told = w.env.Now()
		w.env.SignalWorkflow(signals.Notify, signals.Notice{From: "pull-1", N: 1, Kind: "ended", Subject: signals.SubjectEnd, Final: true, At: told})
	}, 100*24*time.Hour)
	converse(t, w, slackRoom)
	if last := w.shown[len(w.shown)-1]; w.posted("slack") != "+card +end =card +end =card" || last.Notice.From != "pull-1" || w.env.Now().Sub(told) > time.Minute {
		t.Errorf("shown %s, %s late", w.posted("slack"), w.env.Now().Sub(told))
	}
}

// A group on Telegram gets another id when it becomes a supergroup. What is written then is there, and so are its buttons and replies.
func TestGroupHasMoved(t *testing.T) {
	w := newWorld(t)
	group, moved := task.Room{Channel: "telegram", ID: "-77"}, task.Room{Channel: "telegram", ID: "-10077"}
	w.moved = map[string]string{group.ID: moved.ID}
	w.notify(time.Second, signals.Notice{N: 1, Kind: "plan", Subject: signals.SubjectPlan, Revision: 1})
	w.env.RegisterDelayedCallback(func() {
		token := w.shown[1].Buttons[0].Token
		if a := w.token(t, token, moved); a.State != signals.TokenLive || a.Verb != signals.Approve {
			t.Errorf("a button there: %+v", a)
		}
		if a := w.token(t, token, group); a.State != signals.TokenUnknown {
			t.Errorf("a button where it is not: %+v", a)
		}
		v, err := w.env.QueryWorkflow(signals.QueryAbout, signals.AboutQuery{Room: moved, Message: "m2"})
		var about signals.TokenAnswer
		if err != nil || v.Get(&about) != nil || about.Revision != 1 {
			t.Errorf("a reply there is about %+v, %v", about, err)
		}
	}, time.Minute)
	w.notify(time.Hour, signals.Notice{N: 2, Kind: "ended", Subject: signals.SubjectEnd, Final: true})
	converse(t, w, group)
}
