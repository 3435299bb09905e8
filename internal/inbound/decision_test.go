package inbound

import (
	"errors"
	"reflect"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// TestDecidingChangesNothing: a decision is data. Until the actor carries it out, nothing is sent and nothing is recorded.
func TestDecidingChangesNothing(t *testing.T) {
	t.Parallel()
	w, _ := cronWorld(t)
	f := w.task(task.Approving)
	h := w.handler
	for text, want := range map[string]action{
		"approve": update{}, "tell use tabs": update{}, "cancel": cancellation{}, "run fix it": start{}, "cron create @daily fix it": jobCreation{},
		"cron delete 1": jobDeletion{}, "workspaces switch --none": projectSwitch{}, "list": nil, "status": nil, "help": nil, "cron list": nil,
	} {
		d, err := h.messages.decide(t.Context(), parseMessage(says(boss, text), h.redact))
		if err != nil || reflect.TypeOf(d.action) != reflect.TypeOf(want) || (want == nil) != (d.answer.Text != "") {
			t.Errorf("%q: %T, answer %q, error %v", text, d.action, d.answer.Text, err)
		}
	}
	for verb, want := range map[string]action{signals.Approve: update{}, signals.AllowForTask: update{}, signals.Edit: nil} {
		d, err := h.buttons.decide(t.Context(), press(boss, f.button(verb)))
		if err != nil || reflect.TypeOf(d.action) != reflect.TypeOf(want) || (want == nil) != (d.answer.Form != nil) {
			t.Errorf("button %s: %T, answer %+v, error %v", verb, d.action, d.answer, err)
		}
	}
	for text, reason := range map[string]string{"approve --frob": "--frob: unknown option of approve", "reject 99999999": `no task "99999999"`} {
		var no *refusal
		if _, err := h.messages.decide(t.Context(), parseMessage(says(boss, text), h.redact)); !errors.As(err, &no) || no.Error() != reason {
			t.Errorf("%q: %v", text, err)
		}
	}
	if s := w.server; len(w.acts)+len(f.got)+len(s.updates)+len(s.starts)+len(s.signals)+len(s.cancels) != 0 {
		t.Errorf("recorded %v, updates %v, starts %v", w.acts, s.updates, s.starts)
	}
}

func TestParseMessage(t *testing.T) {
	t.Parallel()
	redact := newWorld(t).config.Redact
	for text, want := range map[string]message{
		"tell use " + secret + "\u200b": {isCommand: true, command: command.Command{Verb: signals.Tell, Text: "use [hidden]"}, request: request{verb: signals.Tell}},
		"use tabs":                      {request: request{verb: string(channel.Said)}},
		"start ABCD-EFGH":               {isCommand: true, command: command.Command{Verb: command.Start, Text: "ABCD-EFGH"}, request: request{verb: command.Start}},
	} {
		m := parseMessage(says(boss, text), redact)
		if m.isCommand != want.isCommand || m.command.Verb != want.command.Verb || m.command.Text != want.command.Text || m.threaded ||
			m.request.verb != want.request.verb || m.request.delivery != "ev-1" {
			t.Errorf("%q: %+v", text, m)
		}
	}
	if m := parseMessage(replies(boss, "approve"), redact); !m.threaded {
		t.Error("a reply belongs to a thread")
	}
}
