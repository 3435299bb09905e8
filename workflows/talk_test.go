package workflows_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

var slackRoom = task.Room{Channel: "slack", ID: "C1"}

// record stands in for the Conversation and keeps what it is told.
func (w *world) record() {
	w.env.RegisterWorkflowWithOptions(func(ctx workflow.Context, in signals.ConversationInput) error {
		ch := workflow.GetSignalChannel(ctx, signals.Notify)
		for {
			var n signals.Notice
			ch.Receive(ctx, &n)
			w.notices = append(w.notices, n)
			if n.Final {
				return nil
			}
		}
	}, workflow.RegisterOptions{Name: signals.Conversation})
}

// promptData shortens notices to what they are about.
func (w *world) told() string {
	var parts []string
	for _, n := range w.notices {
		part := n.Kind
		if n.Subject != "" {
			part += "/" + string(n.Subject)
		}
		if n.Settled {
			part += "/settled"
		}
		if n.Final {
			part += "/final"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

func TestTaskTellsItsConversation(t *testing.T) {
	w := newWorld(t)
	w.rooms = []task.Room{slackRoom}
	w.record()
	w.env.RegisterDelayedCallback(func() {
		w.update(signals.Edit, signals.EditRequest{Text: "smaller", Message: signals.Message{By: "ada"}})
	}, time.Minute)
	w.start(t)
	const want = "prepared plan/plan edit/plan/settled plan/plan approved/plan/settled deliverable deliverable review ended/end/final"
	if got := w.told(); got != want {
		t.Errorf("told\n %s, want\n %s", got, want)
	}
	for i, n := range w.notices {
		if n.N != i+1 || n.From == "" || n.At.IsZero() {
			t.Errorf("notice %d: %+v", i, n)
		}
	}
	if w.notices[1].Revision != 1 || w.notices[3].Revision != 2 || !strings.Contains(w.notices[4].Text, "the timer") {
		t.Errorf("revisions, or who approved: %+v", w.notices)
	}
}

// A task that nobody follows in a chat starts no Conversation; one that was asked for in a chat has it there.
func TestRoomOfTheRequest(t *testing.T) {
	w := newWorld(t)
	w.record()
	w.start(t)
	if len(w.notices) > 0 {
		t.Errorf("nobody follows it, and %d notices went out", len(w.notices))
	}
	w = newWorld(t)
	w.record()
	w.settings.Notify.Progress = false
	w.env.ExecuteWorkflow(workflows.CodingTask, json.RawMessage(`{"repository":"acme/calc","task":"x","room":{"channel":"slack","id":"C1","thread":"1.2"}}`))
	if got := w.told(); got != "plan/plan approved/plan/settled ended/end/final" {
		t.Errorf("told %s", got)
	}
}

// Where more rooms want to see a task than may, the one in which it was asked for is among those that do.
func TestRoomOfTheRequestIsShown(t *testing.T) {
	w := newWorld(t)
	for n := range 30 {
		w.rooms = append(w.rooms, task.Room{Channel: "slack", ID: fmt.Sprint("C", n)})
	}
	w.rooms = append(w.rooms, task.Room{Channel: "slack", ID: "asked"})
	var rooms []task.Room
	w.env.RegisterWorkflowWithOptions(func(_ workflow.Context, in signals.ConversationInput) error { rooms = in.Rooms; return nil },
		workflow.RegisterOptions{Name: signals.Conversation})
	w.startWith(t, `{"repository":"acme/calc","task":"x","room":{"channel":"slack","id":"asked","thread":"1.2"}}`)
	if len(rooms) != 20 || rooms[0] != (task.Room{Channel: "slack", ID: "asked", Thread: "1.2"}) || rooms[1].ID != "C0" {
		t.Errorf("shown in %+v", rooms)
	}
}

// After an outage of its channel the card shows how the task has ended.
func TestCardAfterAnOutage(t *testing.T) {
	w := newWorld(t)
	w.notify(time.Second, signals.Notice{N: 1, Kind: "following"})
	var back time.Time
	w.env.RegisterDelayedCallback(func() { back = w.env.Now().Add(30 * time.Minute) }, time.Minute)
	w.show = func(activities.ShowInput) error {
		if !back.IsZero() && w.env.Now().Before(back) {
			return temporal.NewApplicationError("HTTP 503", string(fault.Infra))
		}
		return nil
	}
	w.notify(2*time.Minute, signals.Notice{N: 2, Kind: "ended", Subject: signals.SubjectEnd, Final: true})
	converse(t, w, slackRoom)
	if got := w.posted("slack"); got != "+card +end =card" {
		t.Errorf("shown %q", got)
	}
}

// A Conversation that is gone, or can't be started, does not hold a task up.
func TestConversationIsGone(t *testing.T) {
	w := newWorld(t)
	w.rooms = []task.Room{slackRoom}
	w.env.RegisterWorkflowWithOptions(func(workflow.Context, signals.ConversationInput) error { return nil },
		workflow.RegisterOptions{Name: signals.Conversation})
	if s := w.start(t); s.Outcome != task.PullRequest {
		t.Errorf("outcome %s", s.Outcome)
	}
}

// converse runs a Conversation alone. drive sends what happens.
func converse(t *testing.T, w *world, rooms ...task.Room) {
	t.Helper()
	w.env.RegisterWorkflow(workflows.Conversation)
	w.env.ExecuteWorkflow(workflows.Conversation, signals.ConversationInput{Task: "task-1", Run: "run-1", Rooms: rooms})
	if !w.env.IsWorkflowCompleted() {
		t.Fatal("the conversation did not end")
	}
	if err := w.env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
}

func (w *world) notify(after time.Duration, n signals.Notice) {
	w.env.RegisterDelayedCallback(func() {
		n.From, n.Run, n.At = "task-1", "run-1", w.env.Now()
		w.env.SignalWorkflow(signals.Notify, n)
	}, after)
}

// posted lists what was shown, in order: + for a new message, = for an edit.
func (w *world) posted(channel string) string {
	var parts []string
	for _, in := range w.shown {
		if in.Room.Channel != channel {
			continue
		}
		sign, what := "+", "card"
		if in.At != nil {
			sign = "="
		}
		if in.Notice.Subject != "" {
			what = string(in.Notice.Subject)
		}
		if in.Settled != "" {
			what += "(" + in.Settled + ")"
		}
		parts = append(parts, sign+what)
	}
	return strings.Join(parts, " ")
}

func (w *world) token(t *testing.T, token string, room task.Room) signals.TokenAnswer {
	t.Helper()
	v, err := w.env.QueryWorkflow(signals.QueryToken, signals.TokenQuery{Token: token, Room: room})
	if err != nil {
		t.Fatal(err)
	}
	var a signals.TokenAnswer
	if err := v.Get(&a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestConversationShowsInOrder(t *testing.T) {
	w := newWorld(t)
	w.notify(time.Second, signals.Notice{N: 1, Kind: "prepared"})
	w.notify(2*time.Second, signals.Notice{N: 2, Kind: "plan", Subject: signals.SubjectPlan, Revision: 1})
	w.notify(time.Minute, signals.Notice{N: 3, Kind: "edit", Subject: signals.SubjectPlan, Revision: 1, Settled: true, Text: "ada asks for a change"})
	w.notify(2*time.Minute, signals.Notice{N: 4, Kind: "plan", Subject: signals.SubjectPlan, Revision: 2})
	w.env.RegisterDelayedCallback(func() {
		old, now := w.shown[1], w.shown[5]
		if len(old.Buttons) != 3 || len(now.Buttons) != 3 || old.Buttons[0].Token == now.Buttons[0].Token {
			t.Fatalf("buttons %+v, %+v", old.Buttons, now.Buttons)
		}
		if a := w.token(t, now.Buttons[0].Token, slackRoom); a.State != signals.TokenLive || a.Verb != signals.Approve || a.Revision != 2 || a.Workflow != "task-1" {
			t.Errorf("the new button: %+v", a)
		}
		if a := w.token(t, old.Buttons[1].Token, slackRoom); a.State != signals.TokenStale || a.Why != "ada asks for a change" {
			t.Errorf("the old button: %+v", a)
		}
		if a := w.token(t, now.Buttons[0].Token, task.Room{Channel: "slack", ID: "C2"}); a.State != signals.TokenUnknown {
			t.Errorf("from another room: %+v", a)
		}
		if a := w.token(t, now.Buttons[0].Token+"x", slackRoom); a.State != signals.TokenUnknown {
			t.Errorf("a made-up one: %+v", a)
		}
		if id, ok := signals.TokenConversation(now.Buttons[2].Token); !ok || id != signals.ConversationID("run-1") || len(now.Buttons[2].Token) > 60 {
			t.Errorf("token %q leads to %q", now.Buttons[2].Token, id)
		}
	}, 3*time.Minute)
	w.notify(20*time.Minute, signals.Notice{N: 5, Kind: "approved", Subject: signals.SubjectPlan, Revision: 2, Settled: true,
		Text: "plan revision 2 approved by the timer"})
	w.notify(time.Hour, signals.Notice{N: 6, Kind: "ended", Subject: signals.SubjectEnd, Final: true})
	converse(t, w, slackRoom)
	const want = "+card +plan =card =plan(ada asks for a change) =card +plan =card =plan(plan revision 2 approved by the timer) =card +end =card"
	if got := w.posted("slack"); got != want {
		t.Errorf("shown\n %s, want\n %s", got, want)
	}
	for _, in := range w.shown {
		if in.Notice.Subject != "" && in.Room.Thread != "m1" && in.At == nil {
			t.Errorf("a message of its own does not hang on the card: %+v", in.Room)
		}
	}
}

// A channel that is down keeps no other waiting. What nobody has to act on is replaced by newer news or dropped by its time; the rest
// comes in order when the channel is back.
func TestChannelIsDown(t *testing.T) {
	w := newWorld(t)
	w.env.SetTestTimeout(time.Minute)
	telegram := task.Room{Channel: "telegram", ID: "7"}
	var back time.Time
	w.show = func(in activities.ShowInput) error {
		if in.Room.Channel == "slack" && (back.IsZero() || w.env.Now().Before(back)) {
			return temporal.NewApplicationError("HTTP 503", string(fault.Infra))
		}
		return nil
	}
	back = w.env.Now().Add(2 * time.Hour)
	w.notify(time.Second, signals.Notice{N: 1, Kind: "prepared"})
	w.notify(time.Minute, signals.Notice{N: 2, Kind: "plan", Subject: signals.SubjectPlan, Revision: 1})
	for i := range 5 {
		w.notify(time.Duration(30+i)*time.Minute, signals.Notice{N: 3 + i, Kind: "deliverable"})
	}
	w.notify(50*time.Minute, signals.Notice{N: 8, Kind: "suspended", Subject: signals.SubjectStop})
	w.notify(3*time.Hour, signals.Notice{N: 9, Kind: "ended", Subject: signals.SubjectEnd, Final: true})
	start := w.env.Now()
	converse(t, w, slackRoom, telegram)
	told := w.env.Now().Sub(start)
	if got := w.posted("telegram"); strings.Count(got, "=card") < 5 || !strings.Contains(got, "+plan") || !strings.Contains(got, "+stop") {
		t.Errorf("telegram has to wait for slack: %s", got)
	}
	const want = "+plan +card +stop =card =plan(a newer message follows) =stop(a newer message follows) +end =card"
	if got := w.posted("slack"); got != want {
		t.Errorf("slack was shown\n %s, want\n %s (after %s)", got, want, told)
	}
}

// A channel that never comes back: everything is dropped, and the conversation ends.
func TestChannelNeverComesBack(t *testing.T) {
	w := newWorld(t)
	w.env.SetTestTimeout(time.Minute)
	w.show = func(activities.ShowInput) error { return errors.New("connection refused") }
	w.notify(time.Second, signals.Notice{N: 1, Kind: "prepared"})
	w.notify(time.Minute, signals.Notice{N: 2, Kind: "plan", Subject: signals.SubjectPlan, Revision: 1})
	w.notify(time.Hour, signals.Notice{N: 3, Kind: "ended", Subject: signals.SubjectEnd, Final: true})
	start := w.env.Now()
	converse(t, w, slackRoom)
	if took := w.env.Now().Sub(start); took > 50*time.Hour {
		t.Errorf("it took %s to give up", took)
	}
}

// A message that somebody has deleted is written anew.
func TestDeletedMessage(t *testing.T) {
	w := newWorld(t)
	w.show = func(in activities.ShowInput) error {
		if in.At != nil && in.At.Message == "m1" {
			return temporal.NewNonRetryableApplicationError("no such message", string(fault.NotFound), nil)
		}
		return nil
	}
	w.notify(time.Second, signals.Notice{N: 1, Kind: "prepared"})
	w.notify(time.Minute, signals.Notice{N: 2, Kind: "deliverable"})
	w.notify(2*time.Minute, signals.Notice{N: 3, Kind: "deliverable"})
	w.notify(time.Hour, signals.Notice{N: 4, Kind: "ended", Subject: signals.SubjectEnd, Final: true})
	converse(t, w, slackRoom)
	if got := w.posted("slack"); got != "+card +card =card +end =card" {
		t.Errorf("shown %s", got)
	}
}

// A card whose writing came to nothing may stand all the same: the next try looks for it. One that a person deletes is written anew.
func TestCardIsSoughtAfterAnOutage(t *testing.T) {
	w := newWorld(t)
	tries, gone := []string{}, false
	w.show = func(in activities.ShowInput) error {
		tries = append(tries, fmt.Sprintf("%s %t %t", in.Key[strings.Index(in.Key, ".")+1:], in.Sought, in.At != nil))
		switch {
		case len(tries) == 1:
			return temporal.NewNonRetryableApplicationError("no answer", string(fault.Infra), nil)
		case in.At != nil && !gone:
			gone = true
			return temporal.NewNonRetryableApplicationError("deleted", string(fault.NotFound), nil)
		}
		return nil
	}
	w.notify(time.Second, signals.Notice{N: 1, Kind: "prepared"})
	w.notify(time.Hour, signals.Notice{N: 2, Kind: "deliverable"})
	w.notify(2*time.Hour, signals.Notice{N: 3, Kind: "deliverable"})
	w.notify(3*time.Hour, signals.Notice{N: 4, Kind: "ended", Final: true})
	converse(t, w, slackRoom)
	if got := strings.Join(tries, ", "); got != "1. false false, 1. true false, 3. false true, 3. false false, 4. false true" {
		t.Errorf("tried %s", got)
	}
}

// A command has a button for the whole task, a push has none.
func TestButtonsOfACommand(t *testing.T) {
	for id, want := range map[string]string{"4f2a91c0": "allow allow-task deny", "push-1": "allow deny"} {
		w := newWorld(t)
		w.notify(time.Second, signals.Notice{N: 1, Kind: "question", Subject: signals.SubjectCommand, Question: id})
		w.notify(time.Hour, signals.Notice{N: 2, Kind: "ended", Subject: signals.SubjectEnd, Final: true})
		converse(t, w, slackRoom)
		var verbs []string
		for _, b := range w.shown[1].Buttons {
			if verbs = append(verbs, b.Verb); len(b.Token) > 60 {
				t.Errorf("the token of %s has %d bytes", b.Verb, len(b.Token))
			}
		}
		if got := strings.Join(verbs, " "); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

// A Conversation whose history has grown goes on in a new run, with its messages and buttons.
func TestConversationGoesOn(t *testing.T) {
	w := newWorld(t)
	state := &signals.ConversationState{Last: signals.TaskAnswer{Workflow: "task-1"}, N: 4, Rooms: []signals.RoomState{{
		Card: &task.MessageRef{Room: slackRoom, Message: "m0"},
		Messages: []signals.RoomMessage{{Ref: task.MessageRef{Room: slackRoom, Message: "m9"},
			Notice:  signals.Notice{From: "task-1", Run: "run-1", Subject: signals.SubjectPlan, Revision: 1},
			Buttons: []signals.Button{{Verb: signals.Approve, Token: "t1"}}}},
	}}}
	w.env.RegisterDelayedCallback(func() {
		if a := w.token(t, "t1", slackRoom); a.State != signals.TokenLive || a.Revision != 1 || a.First != "run-1" {
			t.Errorf("the button of the earlier run: %+v", a)
		}
	}, time.Second)
	w.notify(2*time.Second, signals.Notice{N: 5, Kind: "approved", Subject: signals.SubjectPlan, Revision: 1, Settled: true, Text: "by ada"})
	w.notify(time.Minute, signals.Notice{N: 6, Kind: "ended", Subject: signals.SubjectEnd, Final: true})
	w.env.RegisterWorkflow(workflows.Conversation)
	w.env.ExecuteWorkflow(workflows.Conversation, signals.ConversationInput{Task: "task-1", Run: "run-1", Rooms: []task.Room{slackRoom}, State: state})
	if got := w.posted("slack"); got != "=plan(by ada) =card +end =card" {
		t.Errorf("shown %s", got)
	}
	w = newWorld(t)
	w.env.SetContinueAsNewSuggested(true)
	w.notify(time.Second, signals.Notice{N: 1, Kind: "prepared"})
	w.env.RegisterWorkflow(workflows.Conversation)
	w.env.ExecuteWorkflow(workflows.Conversation, signals.ConversationInput{Task: "task-1", Run: "run-1", Rooms: []task.Room{slackRoom}})
	var anew *workflow.ContinueAsNewError
	if err := w.env.GetWorkflowError(); !errors.As(err, &anew) {
		t.Fatalf("it did not go on in a new run: %v", err)
	}
}

func TestDirectory(t *testing.T) {
	w := newWorld(t)
	w.env.RegisterWorkflow(workflows.Directory)
	hash := signals.CodeHash("telegram", "abcd-efgh")
	room := task.Room{Channel: "telegram", ID: "7"}
	var text []string
	asked := 0
	ask := func(name string, payload any) {
		asked++
		w.env.UpdateWorkflow(name, fmt.Sprint(asked), &replies{func(v any, err error) {
			a, _ := v.(signals.BindAnswer)
			text = append(text, fmt.Sprint(name, " ", a.Bound, " ", err != nil))
		}}, payload)
	}
	bind := func(user string) signals.BindRequest {
		return signals.BindRequest{Channel: "telegram", Hash: signals.CodeHash("telegram", "ABCDEFGH"), User: user, Room: room}
	}
	w.env.RegisterDelayedCallback(func() {
		ask(signals.Bind, bind("7"))
		ask(signals.Invite, signals.Invitation{Channel: "telegram", Hash: hash, Expires: w.env.Now().Add(time.Hour)})
		ask(signals.Bind, signals.BindRequest{Channel: "slack", Hash: hash, User: "7", Room: room})
		ask(signals.Bind, bind("7"))
		ask(signals.Bind, bind("7")) // the same message again
		ask(signals.Bind, bind("8")) // somebody else with the used code
		ask(signals.Invite, signals.Invitation{Channel: "telegram", Hash: hash, Expires: w.env.Now().Add(time.Hour)})
	}, time.Second)
	w.env.RegisterDelayedCallback(func() {
		ask(signals.Bind, bind("8"))
		v, err := w.env.QueryWorkflow(signals.QueryBound)
		if err != nil {
			t.Error(err)
			return
		}
		var bound []signals.Binding
		if err := v.Get(&bound); err != nil || len(bound) != 1 || bound[0].User != "7" || bound[0].Room != room {
			t.Errorf("bound: %+v, %v", bound, err)
		}
		ask(signals.Unbind, signals.UnbindRequest{Channel: "telegram", User: "7"})
		w.env.CancelWorkflow()
	}, 2*time.Hour) // the second code has expired
	w.env.ExecuteWorkflow(workflows.Directory, (*signals.DirectoryState)(nil))
	const want = "bind false false|invite false false|bind false false|bind true false|bind true false|bind false false|invite false false|bind false false|unbind true false"
	if got := strings.Join(text, "|"); got != want {
		t.Errorf("answers\n %s, want\n %s", got, want)
	}
}

type replies struct{ done func(any, error) }

func (r *replies) Accept()                   {}
func (r *replies) Reject(err error)          { r.done(nil, err) }
func (r *replies) Complete(v any, err error) { r.done(v, err) }
