package slack

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
)

// known is the bot's identity at the fake.
var known = identity{user: botUser, bot: botID, team: slacktest.Team, url: "https://example.slack.com/"}

// TestAnotherTeam checks that people of other workspaces are ignored.
func TestAnotherTeam(t *testing.T) {
	const evil = "T0EVIL"
	message := func(change func(call, event map[string]any)) any {
		call := eventCall(messageEvent("app_mention", general, ada.ID, "<@U0BOT> approve", "1760000009.000100", ""))
		change(call, call["event"].(map[string]any))
		return call
	}
	interaction := func(call map[string]any, change func(call, user map[string]any)) any {
		change(call, call["user"].(map[string]any))
		return call
	}
	press := func() map[string]any {
		return pressCall(general, "1760000001.000001", "", "approve.1", "1.2.3", "1760000009.123456", ada)
	}
	v := slacktest.Modal{ID: "V1", CallbackID: formID, PrivateMetadata: remember(channel.Event{Room: room(general, "")}, "edit.1"), BlockID: formInput,
		ActionID: formInput}
	command := func(team string) any {
		c := commandCall(general, "status", "1.2.3", "", ada)
		c.Set("team_id", team)
		return c
	}
	for name, c := range map[string]struct {
		kind    string
		payload any
		heard   bool
	}{
		"message":                   {callEvent, message(func(_, _ map[string]any) {}), true},
		"message that names all":    {callEvent, message(func(_, e map[string]any) { e["user_team"], e["source_team"] = slacktest.Team, slacktest.Team }), true},
		"message elsewhere":         {callEvent, message(func(c, _ map[string]any) { c["team_id"] = evil }), false},
		"message nowhere":           {callEvent, message(func(c, _ map[string]any) { delete(c, "team_id") }), false},
		"message of a guest":        {callEvent, message(func(_, e map[string]any) { e["team"] = evil }), false},
		"message of a shared user":  {callEvent, message(func(_, e map[string]any) { e["user_team"] = evil }), false},
		"message of another source": {callEvent, message(func(_, e map[string]any) { e["source_team"] = evil }), false},
		"message of a profile":      {callEvent, message(func(_, e map[string]any) { e["user_profile"] = map[string]any{"team": evil} }), false},
		"press":                     {callInteraction, press(), true},
		"press elsewhere":           {callInteraction, interaction(press(), func(c, _ map[string]any) { c["team"] = map[string]any{"id": evil} }), false},
		"press of a shared user":    {callInteraction, interaction(press(), func(_, u map[string]any) { u["team_id"] = evil }), false},
		"press in no team":          {callInteraction, interaction(press(), func(c, u map[string]any) { c["team"] = nil; delete(u, "team_id") }), false},
		"press by a user's team":    {callInteraction, interaction(press(), func(c, _ map[string]any) { c["team"] = nil }), true},
		"form":                      {callInteraction, formCall(v, "x", ada), true},
		"form elsewhere": {callInteraction, interaction(formCall(v, "x", ada),
			func(c, _ map[string]any) { c["team"] = map[string]any{"id": evil} }), false},
		"form of a shared user": {callInteraction, interaction(formCall(v, "x", ada), func(_, u map[string]any) { u["team_id"] = evil }), false},
		"command":               {callCommand, command(slacktest.Team), true},
		"command elsewhere":     {callCommand, command(evil), false},
		"command nowhere":       {callCommand, command(""), false},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			e := &recorder{}
			s := newFake(t).open(func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
			call := newCaller(t, s.Handler(e.handle))
			if status, text := call.call(c.kind, c.payload); status != 200 || text != "" {
				t.Errorf("status %d %q", status, text) // a redelivery would not help
			}
			if got := len(e.all()); (got == 1) != c.heard || got > 1 {
				t.Errorf("received %+v", e.all())
			}
			if lines := strings.Count(log.String(), "another workspace"); (lines == 1) == c.heard || lines > 1 || strings.Contains(log.String(), "approve") {
				t.Errorf("log %q", log.String())
			}
		})
	}
}

// TestWhereWeAre checks that nothing is handled while the workspace is unknown.
func TestWhereWeAre(t *testing.T) {
	f, e := newFake(t), &recorder{}
	f.Refuse("auth.test", "internal_error")
	s := f.open(nil)
	call := newCaller(t, s.Handler(e.handle))
	if status, _ := call.call(callEvent, statusEvent("1760000009.000100")); status != 500 || len(e.all()) != 0 {
		t.Errorf("status %d, received %+v", status, e.all())
	}
	if self, err := s.whoami(t.Context()); err != nil || self != known {
		t.Errorf("%+v, %v", self, err)
	}
	if status, _ := call.call(callInteraction, pressed0); status != 200 || len(e.all()) != 1 {
		t.Errorf("then: status %d, received %+v", status, e.all())
	}
	if (identity{user: botUser}).ours("") || (identity{}).ours("T0") {
		t.Error("no workspace is one")
	}
}
