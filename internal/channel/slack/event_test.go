package slack

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
)

// hearCall returns the event of a delivery.
func hearCall(t *testing.T, kind string, payload any) *channel.Event {
	t.Helper()
	s := newFake(t).open(nil)
	raw, err := json.Marshal(flat(payload))
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.understand(t.Context(), kind, raw)
	if err != nil {
		t.Fatal(err)
	}
	if h == nil {
		return nil
	}
	return &h.event
}

func TestSaid(t *testing.T) {
	const ts, root = "1760000009.000100", "1760000001.000001"
	at := time.Unix(1760000009, 100_000).UTC()
	user := channel.User{ID: "U0ADA", Name: "U0ADA"}
	with := func(e map[string]any, more ...any) map[string]any {
		for i := 0; i < len(more); i += 2 {
			e[more[i].(string)] = more[i+1]
		}
		return e
	}
	for name, c := range map[string]struct {
		event map[string]any
		want  *channel.Event
	}{
		"mention": {messageEvent("app_mention", general, "U0ADA", "<@U0BOT> status of <https://github.com/a/b/issues/1>", ts, ""),
			&channel.Event{ID: "m_C0GENERAL_1760000009.000100", Kind: channel.Said, User: user, Room: room(general, ""), Direct: true,
				Text: "status of https://github.com/a/b/issues/1", Message: ts, At: at}},
		"the same as a message": {messageEvent("message", general, "U0ADA", "<@U0BOT> status of <https://github.com/a/b/issues/1>", ts, ""),
			&channel.Event{ID: "m_C0GENERAL_1760000009.000100", Kind: channel.Said, User: user, Room: room(general, ""), Direct: true,
				Text: "status of https://github.com/a/b/issues/1", Message: ts, At: at}},
		"mention in a thread": {messageEvent("app_mention", general, "U0ADA", "and <@U0BOT|longshift> too", ts, root),
			&channel.Event{ID: "m_C0GENERAL_1760000009.000100", Kind: channel.Said, User: user, Room: room(general, root), Direct: true,
				Text: "and @longshift too", ReplyTo: root, Message: ts, At: at}},
		"reply in a thread": {messageEvent("message", general, "U0ADA", "take the other way", ts, root),
			&channel.Event{ID: "m_C0GENERAL_1760000009.000100", Kind: channel.Said, User: user, Room: room(general, root),
				Text: "take the other way", ReplyTo: root, Message: ts, At: at}},
		"reply that all see": {with(messageEvent("message", general, "U0ADA", "look", ts, root), "subtype", "thread_broadcast"),
			&channel.Event{ID: "m_C0GENERAL_1760000009.000100", Kind: channel.Said, User: user, Room: room(general, root),
				Text: "look", ReplyTo: root, Message: ts, At: at}},
		"private chat": {messageEvent("message", "D0ADA", "U0ADA", "status", ts, ""),
			&channel.Event{ID: "m_D0ADA_1760000009.000100", Kind: channel.Said, User: user, Room: room("D0ADA", ""), Direct: true,
				Text: "status", Message: ts, At: at}},
		"private chat with a file": {with(with(messageEvent("message", "D0ADA", "U0ADA", "see this", ts, ""), "subtype", "file_share"),
			"files", []any{map[string]any{"id": "F0PICTURE", "mimetype": "image/png"}}),
			&channel.Event{ID: "m_D0ADA_1760000009.000100", Kind: channel.Said, User: user, Room: room("D0ADA", ""), Direct: true,
				Text: "see this", Message: ts, At: at, Files: true}},
		"named": {with(messageEvent("message", "D0ADA", "U0ADA", "hi", ts, ""), "user_profile", map[string]any{"display_name": "Ada L."}),
			&channel.Event{ID: "m_D0ADA_1760000009.000100", Kind: channel.Said, User: channel.User{ID: "U0ADA", Name: "Ada L."},
				Room: room("D0ADA", ""), Direct: true, Text: "hi", Message: ts, At: at}},
		"talk in a channel":      {messageEvent("message", general, "U0ADA", "lunch?", ts, ""), nil},
		"talk about a lookalike": {messageEvent("message", general, "U0ADA", "<@U0BOTTOM> lunch?", ts, ""), nil},
		"first of a thread":      {messageEvent("message", general, "U0ADA", "lunch?", ts, ts), nil},
		"edit":                   {with(messageEvent("message", "D0ADA", "", "", ts, ""), "subtype", "message_changed"), nil},
		"edited mention": {with(messageEvent("app_mention", general, "U0ADA", "<@U0BOT> approve", ts, ""), "edited",
			map[string]any{"user": "U0ADA", "ts": ts}), nil},
		"deletion":      {with(messageEvent("message", "D0ADA", "", "", ts, ""), "subtype", "message_deleted"), nil},
		"join":          {with(messageEvent("message", general, "U0ADA", "<@U0ADA> has joined", ts, root), "subtype", "channel_join"), nil},
		"program":       {with(messageEvent("app_mention", general, "U0X", "<@U0BOT> approve", ts, ""), "bot_id", "B0X"), nil},
		"old program":   {with(messageEvent("message", "D0ADA", "U0X", "approve", ts, ""), "subtype", "bot_message"), nil},
		"ourselves":     {messageEvent("message", "D0ADA", botUser, "approve", ts, ""), nil},
		"Slackbot":      {messageEvent("message", "D0ADA", "USLACKBOT", "approve", ts, ""), nil},
		"without time":  {messageEvent("message", "D0ADA", "U0ADA", "approve", "", ""), nil},
		"another event": {with(messageEvent("message", "D0ADA", "U0ADA", "approve", ts, ""), "type", "reaction_added"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, hearCall(t, callEvent, eventCall(c.event))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestPressed(t *testing.T) {
	const ts, root = "1760000005.000005", "1760000001.000001"
	want := channel.Event{ID: "p_C0GENERAL_1760000005.000005_U0ADA_1760000009.123456_approve.task-1", Kind: channel.Press, User: ada,
		Room: room(general, root), Direct: true, Token: "approve.task-1", Message: ts, At: time.Unix(1760000009, 123456000).UTC()}
	got := hearCall(t, callInteraction, pressCall(general, ts, root, "approve.task-1", "1.2.3", "1760000009.123456", ada))
	if d := cmp.Diff(&want, got); d != "" {
		t.Error(d)
	}
	// A message with replies has its own timestamp as its thread.
	got = hearCall(t, callInteraction, pressCall(general, ts, ts, "approve.task-1", "1.2.3", "1760000009.123456", ada))
	if got == nil || got.Room.Thread != "" {
		t.Errorf("received %+v", got)
	}
	for name, change := range map[string]func(c, action map[string]any){
		"another block":   func(_, a map[string]any) { a["block_id"] = "other" },
		"another element": func(_, a map[string]any) { a["type"] = "static_select" },
		"no token":        func(_, a map[string]any) { delete(a, "value") },
		"wild token":      func(_, a map[string]any) { a["value"] = "a b" },
		"no time":         func(_, a map[string]any) { delete(a, "action_ts") },
		"no actions":      func(c, _ map[string]any) { c["actions"] = []any{} },
		"no user":         func(c, _ map[string]any) { c["user"] = map[string]any{} },
		"no channel":      func(c, _ map[string]any) { delete(c, "channel") },
	} {
		c := pressCall(general, ts, "", "approve.1", "1.2.3", "1760000009.123456", ada)
		change(c, c["actions"].([]any)[0].(map[string]any))
		if got := hearCall(t, callInteraction, c); got != nil {
			t.Errorf("%s: received %+v", name, got)
		}
	}
}

func TestFilled(t *testing.T) {
	v := slacktest.Modal{ID: "V1", CallbackID: formID, PrivateMetadata: remember(channel.Event{Room: room(general, "1.000001"), Message: "2.000002"}, "edit.1")}
	v.BlockID, v.ActionID = formInput, formInput
	got := hearCall(t, callInteraction, formCall(v, " <@U1> & *more*\n", ada))
	want := &channel.Event{Kind: channel.Form, User: ada, Room: room(general, "1.000001"), Direct: true, Token: "edit.1", Text: "<@U1> & *more*"}
	if got == nil {
		t.Fatal("not received")
	}
	want.ID = got.ID
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for name, change := range map[string]func(v *slacktest.Modal){
		"another form":  func(v *slacktest.Modal) { v.CallbackID = "x" },
		"no memory":     func(v *slacktest.Modal) { v.PrivateMetadata = "" },
		"no room":       func(v *slacktest.Modal) { v.PrivateMetadata = `{"token":"a"}` },
		"wild token":    func(v *slacktest.Modal) { v.PrivateMetadata = `{"token":"a b","room":"C1"}` },
		"no identifier": func(v *slacktest.Modal) { v.ID = "" },
	} {
		v := v
		change(&v)
		if got := hearCall(t, callInteraction, formCall(v, "x", ada)); got != nil {
			t.Errorf("%s: received %+v", name, got)
		}
	}
}

func TestCommanded(t *testing.T) {
	got := hearCall(t, callCommand, commandCall(general, "run  <https://github.com/a/b/issues/1> &amp; tell <@U1|ada>", "13.7.abc", "", ada))
	want := &channel.Event{ID: "s_C0GENERAL_U0ADA_13.7.abc", Kind: channel.Said, User: ada, Room: room(general, ""), Direct: true,
		Text: "run  https://github.com/a/b/issues/1 & tell @ada"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := hearCall(t, callCommand, commandCall(general, "status", "", "", ada)); got != nil {
		t.Errorf("without a trigger: received %+v", got)
	}
}

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		"a &lt;b&gt; &amp;amp; c":                     "a <b> &amp; c",
		"<@U1> <@U1|ada> <#C1|general> <#C1|> <#C1>":  "@U1 @ada #general #C1 #C1",
		"<!here> <!channel|channel> <!subteam^S1>":    "@here channel @subteam",
		"<!subteam^S1|@team> <!date^1^{date}|Friday>": "@team Friday",
		"<https://a.example/x?a=1&amp;b=2>":           "https://a.example/x?a=1&b=2",
		"<http://a.example|a.example>":                "a.example",
		"<https://a.example/x|see here>":              "see here (https://a.example/x)",
		"<mailto:a@b.example|a@b.example>":            "a@b.example",
		"&lt;@U1&gt; &lt;!here&gt;":                   "<@U1> <!here>",
		"half <open":                                  "half <open",
		"<> <|> empty":                                " empty",
	} {
		if want == " empty" {
			want = "empty"
		}
		if got := decode(in); got != want {
			t.Errorf("decode(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWithoutMention(t *testing.T) {
	for in, want := range map[string]string{
		"<@U0BOT> status":             "status",
		"<@U0BOT|longshift>: status":  "status",
		" <@U0BOT>, <@U0BOT> status ": "status",
		"<@U0BOTTOM> status":          "<@U0BOTTOM> status",
		"ask <@U0BOT>":                "ask <@U0BOT>",
		"<@U0BOT":                     "<@U0BOT",
		"<@U0BOT>":                    "",
	} {
		if got := withoutMention(in, botUser); got != want {
			t.Errorf("withoutMention(%q) = %q, want %q", in, got, want)
		}
	}
}
