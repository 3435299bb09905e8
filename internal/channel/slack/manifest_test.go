package slack

import (
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
)

// scopesOfEvents are the scopes that Slack's reference requires for the events in use, "" for none.
var scopesOfEvents = map[string]string{"app_mention": "app_mentions:read", "message.channels": "channels:history",
	"message.groups": "groups:history", "message.im": "im:history", "message.mpim": "mpim:history", homeOpened: ""}

// TestManifest uses all features of the channel in each kind of conversation. The fake refuses calls without a scope;
// this test checks that each scope of the manifest is needed by a call, an event or the command.
func TestManifest(t *testing.T) {
	f := newFake(t)
	m := manifest(t)
	e := &recorder{answer: channel.Answer{Text: "Noted.", Form: &channel.Question{Title: "Edit", Label: "What?", Token: "edit.1"}}}
	s := f.open(nil)
	call := newCaller(t, s.Handler(e.handle))
	for _, id := range []string{general, "P0PRIVATE", "G0GROUP", "D0ADA"} { // the fake derives the kind from the first letter
		msg := channel.Message{Key: "k", Text: "x", Buttons: []channel.Button{{Label: "A", Token: "a"}}}
		at := mustPost(t, s, room(id, ""), msg, true)
		mustPost(t, s, room(id, at.Message), msg, true)
		if err := s.Attach(t.Context(), room(id, at.Message), channel.File{Key: "f", Name: "x.diff", Text: "x"}, false); err != nil {
			t.Fatal(err)
		}
		if err := s.Edit(t.Context(), at, msg); err != nil {
			t.Fatal(err)
		}
		call.call(callEvent, eventCall(messageEvent("message", id, ada.ID, "more", "1760000009.000100", at.Message)))
		call.call(callInteraction, pressCall(id, at.Message, "", "a", "1.2.3", "1760000009.123456", ada))
		call.call(callCommand, commandCall(id, "status", "1.2.3", f.AnswerURL(ada.ID), ada))
	}
	call.call(callEvent, eventCall(slacktest.HomeEvent(ada.ID, "home", "1515449522000016")))
	call.server.Close()
	if n := len(e.all()); n != 13 {
		t.Errorf("received %d events, want 13", n)
	}
	for _, method := range slacktest.Methods() {
		if f.Calls()[method] == 0 {
			t.Errorf("%s was not called", method)
		}
	}
	needed := map[string]bool{}
	for _, scope := range f.Needed() {
		needed[scope] = true
	}
	for _, event := range m.Settings.Events.Bot {
		scope, ok := scopesOfEvents[event]
		if !ok {
			t.Errorf("the manifest asks for the event %s, which is not received", event)
		}
		if scope != "" {
			needed[scope] = true
		}
	}
	for event := range scopesOfEvents {
		if !slices.Contains(m.Settings.Events.Bot, event) {
			t.Errorf("the manifest lacks the event %s", event)
		}
	}
	if len(m.Features.Commands) > 0 {
		needed["commands"] = true
	}
	var want []string
	for scope := range needed {
		want = append(want, scope)
	}
	slices.Sort(want)
	if got := strings.Join(m.OAuth.Scopes.Bot, " "); got != strings.Join(want, " ") {
		t.Errorf("scopes\n%s, need\n%s", got, strings.Join(want, " "))
	}
	if !slices.Equal(m.OAuth.Scopes.Bot, slacktest.Scopes) {
		t.Errorf("the fake is installed with other scopes: %q", slacktest.Scopes)
	}
	if !m.Settings.SocketMode || !m.Settings.Interactivity.On || !m.Features.Home.On || len(m.Features.Commands) != 1 ||
		m.Features.Commands[0].Command != "/longshift" {
		t.Errorf("manifest %+v", m)
	}
}
