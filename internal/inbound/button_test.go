package inbound

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestPressSendsTheVerb(t *testing.T) {
	t.Parallel()
	for verb, want := range map[string]func(m signals.Message) any{
		signals.Approve: func(m signals.Message) any { return signals.ApproveRequest{Message: m, Revision: 2} },
		signals.Reject:  func(m signals.Message) any { return signals.RejectRequest{Message: m, Revision: 2} },
		signals.Resume:  func(m signals.Message) any { return signals.ResumeRequest{Message: m} },
		signals.Abandon: func(m signals.Message) any { return signals.AbandonRequest{Message: m} },
		signals.Allow:   func(m signals.Message) any { return signals.AllowRequest{Message: m, Question: "4f2a91c0"} },
		signals.Deny:    func(m signals.Message) any { return signals.DenyRequest{Message: m, Question: "4f2a91c0"} },
		signals.AllowForTask: func(m signals.Message) any {
			return signals.AllowRequest{Message: m, Question: "4f2a91c0", ForTask: true}
		},
	} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			f := w.task(task.Approving)
			token := f.button(verb)
			if verb == signals.AllowForTask {
				verb = signals.Allow // that is the verb of the update, and of the audit log
			}
			first, second := w.handle(press(boss, token)), w.handle(press(boss, token))
			if first.Text != "Plan revision 2 approved." || second.Text != first.Text {
				t.Errorf("answers %q and %q", first.Text, second.Text)
			}
			if diff := cmp.Diff([]any{want(signals.Message{ID: token, By: "Ada"})}, f.got); diff != "" {
				t.Error(diff)
			}
			for _, u := range w.server.updates {
				if u.WorkflowID != taskID || u.RunID != "" || u.UpdateID != token || u.UpdateName != verb {
					t.Errorf("update %+v", u)
				}
			}
			wantActs := []Act{{Verb: verb, Task: taskID, Delivery: token, Reason: Asked},
				{Verb: verb, Task: taskID, Delivery: token, Done: true, Reason: "plan revision 2 approved"}}
			for i := range wantActs {
				wantActs[i].Time, wantActs[i].Channel, wantActs[i].User, wantActs[i].Name = now, channel.Slack, boss, "Ada"
			}
			if diff := cmp.Diff(append(wantActs, wantActs...), w.acts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Another run under the same id is another task: messages about the first run decide nothing about it.
func TestOldMessagesHitNoLaterRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	token := f.button(signals.Approve)
	reply := replies(boss, "approve")
	cancel := replies(boss, "cancel")
	cancel.ID = "ev-cancel"
	f.workflow.run = "another-run"
	for _, ev := range []channel.Event{press(boss, token), reply, cancel} {
		if a := w.handle(ev); !strings.Contains(a.Text, "has ended") {
			t.Errorf("%s gives %q", ev.ID, a.Text)
		}
	}
	if len(f.got) != 0 || len(w.server.cancels) != 0 {
		t.Errorf("sent %v, cancelled %v", f.got, w.server.cancels)
	}
}

func TestPressEditAsksForAText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	token := f.button(signals.Edit)
	a := w.handle(press(approver, token))
	if a.Form == nil || a.Form.Token != token || len(a.Form.Title) > 24 || a.Form.Hint == "" || len(f.got) != 0 || len(w.acts) != 0 {
		t.Fatalf("answer %+v, sent %v, recorded %v", a, f.got, w.acts)
	}
	ev := press(approver, token)
	ev.Kind, ev.Text = channel.Form, " one commit\u202e only "+secret+" "
	w.handle(ev)
	ev.Text = "something else"
	w.handle(ev)
	counted := signals.Message{ID: token + formID(ev.User), By: "Ada"}
	want := []any{signals.EditRequest{Message: counted, Revision: 2, Text: "one commit only [hidden]"}}
	if diff := cmp.Diff(want, f.got); diff != "" {
		t.Error(diff)
	}
	other := ev
	other.User.ID, f.refuse = boss, no(fault.Conflict, "nothing to edit: the task is planning", "")
	if a := w.handle(other); !strings.Contains(a.Text, "Nothing to edit") {
		t.Errorf("the form of another person gives %q", a.Text)
	}
	f.refuse = nil
	ev.Text, ev.Token = " ", token
	w.server.list[taskID].counted = map[string]any{}
	if a := w.handle(ev); !strings.Contains(a.Text, "text is missing") || len(f.got) != 1 {
		t.Errorf("an empty form gives %q", a.Text)
	}
}

func TestPressRefuses(t *testing.T) {
	t.Parallel()
	live := func(verb string) func(*fakeTask, *channel.Event) {
		return func(f *fakeTask, ev *channel.Event) { ev.Token = f.button(verb) }
	}
	for name, tt := range map[string]struct {
		user   string
		change func(*fakeTask, *channel.Event)
		text   string
		reason string
	}{
		"no token":   {boss, func(_ *fakeTask, ev *channel.Event) { ev.Token = "" }, notValid, "no button of ours"},
		"no form":    {boss, func(_ *fakeTask, ev *channel.Event) { ev.Token = "approve" }, notValid, "no button of ours"},
		"quotes":     {boss, func(_ *fakeTask, ev *channel.Event) { ev.Token = signals.Token(taskRun, "' OR 1=1") }, notValid, "no button of ours"},
		"other task": {boss, func(_ *fakeTask, ev *channel.Event) { ev.Token = signals.Token("other", "1") }, notValid, "no workflow"},
		"unknown":    {boss, func(_ *fakeTask, ev *channel.Event) { ev.Token = signals.Token(taskRun, "9") }, notValid, "not known in this room"},
		"other room": {boss, func(f *fakeTask, ev *channel.Event) { ev.Token = f.button(signals.Approve); ev.Room.ID = "C2" }, notValid, "not known in this room"},
		"form for approve": {boss, func(f *fakeTask, ev *channel.Event) {
			ev.Token = f.button(signals.Approve)
			ev.Kind = channel.Form
			ev.Text = "x"
		}, notValid, "not known in this room"},
		"strange verb": {boss, func(f *fakeTask, ev *channel.Event) {
			ev.Token = f.button(signals.Approve)
			f.tokens[ev.Token] = signals.TokenAnswer{State: signals.TokenLive, Verb: "terminate", Workflow: taskID}
		}, notValid, "not known in this room"},
		"no workflow": {boss, func(f *fakeTask, ev *channel.Event) {
			ev.Token = f.button(signals.Approve)
			f.tokens[ev.Token] = signals.TokenAnswer{State: signals.TokenLive, Verb: signals.Approve}
		}, notValid, "not known in this room"},
		"no question": {boss, func(f *fakeTask, ev *channel.Event) {
			ev.Token = f.button(signals.Allow)
			f.tokens[ev.Token] = signals.TokenAnswer{State: signals.TokenLive, Verb: signals.Allow, Workflow: taskID}
		}, notValid, "without its command"},
		"stale": {boss, func(f *fakeTask, ev *channel.Event) {
			ev.Token = f.button(signals.Approve)
			f.tokens[ev.Token] = signals.TokenAnswer{State: signals.TokenStale, Why: "revision 2 of the plan is current"}
		}, "This button is no longer current: revision 2 of the plan is current", "stale: revision 2"},
		"stranger": {nobody, live(signals.Approve), "Sorry, you are not on the list of people who may use this. Your user id is `U9NOBODY`", "not on the list"},
		"no user":  {"", live(signals.Approve), "Sorry, you are not on the list", "not on the list"},
		"refused": {boss, func(f *fakeTask, ev *channel.Event) {
			ev.Token, f.refuse = f.button(signals.Approve), no(fault.Conflict, "plan revision 1 is stale: the current one is 2", "look at the plan again")
		}, "Sorry, that was not done. Plan revision 1 is stale: the current one is 2. Look at the plan again.", "plan revision 1 is stale"},
		"no such update": {boss, func(f *fakeTask, ev *channel.Event) {
			ev.Token, f.refuse = f.button(signals.Approve), no("errorString", "unknown update approve", "")
		}, "Sorry, that was not done. Task " + taskID + " does not take this", "does not take this"},
		"ended meanwhile": {boss, func(f *fakeTask, ev *channel.Event) {
			ev.Token, f.refuse = f.button(signals.Abandon), no(acceptedThenEnded,
				"Workflow Update failed because the Workflow completed before the Update completed.", "")
		}, "Sorry, that was not done. Task " + taskID + " ended before", "ended before it could answer"},
		"ended": {boss, func(f *fakeTask, ev *channel.Event) {
			ev.Token, f.workflow.closed = f.button(signals.Approve), completed
		},
			"Sorry, that was not done. Task " + taskID + " has ended.", "has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			f := w.task(task.Approving)
			ev := press(tt.user, "")
			tt.change(f, &ev)
			a := w.handle(ev)
			if !strings.HasPrefix(a.Text, tt.text) || a.Form != nil || len(f.got) != 0 {
				t.Errorf("answer %+v, sent %v", a, f.got)
			}
			if last := w.last(); last.Done || !strings.Contains(last.Reason, tt.reason) || last.User != tt.user || last.Channel != channel.Slack {
				t.Errorf("recorded %+v", last)
			}
		})
	}
}

// TestRights holds every verb, pressed and written, to the right that it needs.
func TestRights(t *testing.T) {
	t.Parallel()
	people := map[string]right{starter: toStart, approver: toApprove, commander: toCommand}
	texts := map[string]string{signals.Edit: "edit one commit", signals.Tell: "tell use it", command.Run: "run fix it", signals.Allow: "allow 4f2a91"}
	for _, verb := range command.Verbs() {
		if verb == command.Start {
			continue
		}
		needed, _ := needs(verb)
		for user, right := range people {
			w := newWorld(t)
			f := w.task(task.Approving)
			text := texts[verb]
			if text == "" {
				text = verb
			}
			w.handle(says(user, text))
			changed := len(f.got) + len(w.server.starts) + len(w.server.cancels)
			allowed := needed == toRead || needed == right
			switch {
			case needed == toRead && (changed != 0 || len(w.acts) != 0):
				t.Errorf("%s changed something: %v", verb, w.acts)
			case needed != toRead && allowed != (changed == 1):
				t.Errorf("%s by %s: changed %d, recorded %v", verb, user, changed, w.acts)
			case !allowed && (len(w.acts) != 1 || w.last().Reason != "no right to "+verb || w.last().Verb != verb):
				t.Errorf("%s by %s: recorded %v", verb, user, w.acts)
			}
		}
	}
	for verb, user := range map[string]string{signals.Approve: commander, signals.Reject: starter, signals.Resume: starter, signals.Abandon: commander,
		signals.Allow: approver, signals.AllowForTask: approver, signals.Deny: starter, signals.Edit: starter} {
		w := newWorld(t)
		f := w.task(task.Approving)
		a := w.handle(press(user, f.button(verb)))
		if !strings.HasPrefix(a.Text, "Sorry, you may not use `"+verb+"`") || a.Form != nil || len(f.got) != 0 || w.last().Reason != "no right to "+verb {
			t.Errorf("%s by %s: %+v, %v", verb, user, a, w.acts)
		}
	}
}

func TestPressWithoutAnAnswerComesAgain(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]error{
		"unavailable": serviceerror.NewUnavailable("x"), "deadline": context.DeadlineExceeded, "namespace": serviceerror.NewNamespaceNotFound("x"), "broken": errDown,
	} {
		w := newWorld(t)
		f := w.task(task.Approving)
		token := f.button(signals.Approve)
		w.server.down = down
		_, err := w.handler.Handle(context.Background(), press(boss, token))
		if fault.KindOf(err) != fault.Infra || !errors.Is(err, down) {
			t.Errorf("%s: %v", name, err)
		}
		w.server.down, f.refuse = nil, down
		if _, err = w.handler.Handle(context.Background(), press(boss, token)); fault.KindOf(err) != fault.Infra || w.last().Done ||
			!strings.HasPrefix(w.last().Reason, "no answer: ") {
			t.Errorf("%s: %v, recorded %+v", name, err, w.last())
		}
		f.refuse = nil
		if a := w.handle(press(boss, token)); a.Text != "Plan revision 2 approved." || len(f.got) != 1 {
			t.Errorf("%s: delivered again it gives %q", name, a.Text)
		}
	}
}

func TestNothingIsDoneOffTheRecord(t *testing.T) {
	t.Parallel()
	for name, ev := range map[string]channel.Event{
		"run": says(boss, "run fix it"), "cancel": says(boss, "cancel"), "approve": says(boss, "approve"), "remark": replies(boss, "please use tabs"),
		"press": press(boss, signals.Token(taskRun, signals.Approve+"-1")),
		"bind": {ID: "b", Kind: channel.Said, User: channel.User{ID: nobody}, Room: task.Room{Channel: channel.Slack, ID: "D1"}, Direct: true,
			Text: "start ABCD-EFGH"},
	} {
		w := newWorld(t)
		f := w.task(task.Approving)
		f.button(signals.Approve)
		w.directory().update = func(string, []any) (any, error) { t.Errorf("%s: the code was passed on", name); return nil, errDown }
		w.record = func(Act) error { return errors.New("disk full") }
		a := w.handle(ev)
		if !strings.Contains(a.Text, "could not be put on record") || len(f.got)+len(w.server.starts)+len(w.server.cancels)+len(w.server.updates) != 0 {
			t.Errorf("%s: %q, sent %v", name, a.Text, f.got)
		}
		w.record = func(a Act) error { // the line after the action fails: the action counts, and is answered
			if a.Reason != Asked {
				return errors.New("disk full")
			}
			return nil
		}
		if name == "approve" {
			if a := w.handle(ev); a.Text != "Plan revision 2 approved." || len(f.got) != 1 {
				t.Errorf("%s: %q", name, a.Text)
			}
		}
	}
}
