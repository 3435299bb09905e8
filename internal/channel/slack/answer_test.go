package slack

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
)

// answered handles one event with an answer, and returns how often each method was called.
func answered(t *testing.T, f *fake, a channel.Answer, kind string, payload any) map[string]int {
	t.Helper()
	e := &recorder{answer: a}
	call := newCaller(t, f.open(nil).Handler(e.handle))
	if status, text := call.call(kind, payload); status != 200 || text != "" {
		t.Fatalf("status %d %q", status, text)
	}
	call.server.Close() // waits for work after the HTTP answer
	if len(e.all()) != 1 {
		t.Fatalf("received %+v", e.all())
	}
	return f.Calls()
}

func TestAnswerInThread(t *testing.T) {
	f := newFake(t)
	f.Put(slacktest.Post{Channel: general, TS: "1760000001.000001", User: botUser})
	calls := answered(t, f, channel.Answer{Text: "**Done**"}, callInteraction,
		pressCall(general, "1760000002.000002", "1760000001.000001", "a", "1.2.3", "1760000009.123456", ada))
	if calls["chat.postEphemeral"] != 1 || len(f.answers()) != 1 || f.answers()[0] != "Done" {
		t.Errorf("calls %v, answers %q", calls, f.answers())
	}
}

func TestAnswerInPrivateChat(t *testing.T) {
	f := newFake(t)
	calls := answered(t, f, channel.Answer{Text: "Two tasks run."}, callEvent,
		eventCall(messageEvent("message", "D0ADA", ada.ID, "status", "1760000009.000100", "")))
	if calls["chat.postMessage"] != 1 || calls["chat.postEphemeral"] != 0 || len(f.Messages("D0ADA")) != 1 {
		t.Errorf("calls %v", calls)
	}
}

// TestAnswerToCommand checks that the response URL is used, if it is Slack's.
func TestAnswerToCommand(t *testing.T) {
	f := newFake(t)
	calls := answered(t, f, channel.Answer{Text: "Two tasks run."}, callCommand,
		commandCall("C0ELSE", "status", "1.2.3", f.AnswerURL(ada.ID), ada))
	if len(calls) != 1 || calls["auth.test"] != 1 || len(f.answers()) != 1 || f.answers()[0] != "Two tasks run." {
		t.Errorf("calls %v, answers %q", calls, f.answers())
	}
	f = newFake(t)
	for i, address := range []string{"http://169.254.169.254/latest", "https://hooks.slack.com.evil.example/x", "https://hooks.slack.com@evil.example/",
		"ftp://hooks.slack.com/", ":"} {
		answered(t, f, channel.Answer{Text: "x"}, callCommand, commandCall(general, "status", "1.2.3", address, ada))
		if f.Calls()["chat.postEphemeral"] != i+1 {
			t.Errorf("%s was called", address)
		}
	}
	s := f.open(nil)
	for address, want := range map[string]bool{"https://hooks.slack.com/commands/T0/1/x": true, "https://hooks.slack-gov.com/commands/x": true,
		"http://hooks.slack.com/x": false, "https://slack.com.example/x": false} {
		if s.mayAnswer(address) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
}

// TestFormNotOpened checks that people are told how to enter the text if no form can be opened.
func TestFormNotOpened(t *testing.T) {
	f := newFake(t) // it knows no trigger
	calls := answered(t, f, channel.Answer{Form: &channel.Question{Title: "Edit", Label: "What?", Hint: "Reply to the plan.", Token: "edit.1"}},
		callInteraction, pressCall(general, "1760000002.000002", "", "a", "1.2.3", "1760000009.123456", ada))
	if calls["views.open"] != 1 || len(f.answers()) != 1 || f.answers()[0] != "Reply to the plan." {
		t.Errorf("calls %v, answers %q", calls, f.answers())
	}
}

// TestLongQuestion checks that texts too long for a form are truncated.
func TestLongQuestion(t *testing.T) {
	f := newFake(t)
	long := strings.Repeat("long ", 100)
	calls := answered(t, f, channel.Answer{Text: "Noted.", Form: &channel.Question{Title: long, Label: long, Token: "edit.1"}},
		callInteraction, pressCall(general, "1760000002.000002", "", "a", f.Trigger(ada.ID), "1760000009.123456", ada))
	if open, _ := f.View(ada.ID); calls["views.open"] != 1 || !open || len(f.answers()) != 1 {
		t.Errorf("calls %v, answers %q", calls, f.answers())
	}
}

// TestAnswerLost checks that an event counts even if its answer fails.
func TestAnswerLost(t *testing.T) {
	f := newFake(t)
	f.Refuse("chat.postEphemeral", "user_not_in_channel")
	calls := answered(t, f, channel.Answer{Text: "x"}, callInteraction, pressCall(general, "1760000002.000002", "", "a", "1.2.3", "1760000009.123456", ada))
	if calls["chat.postEphemeral"] != 1 {
		t.Errorf("calls %v", calls)
	}
}

// TestAnswerComesAfter checks that Slack gets its acknowledgement first, however long the answer takes.
func TestAnswerComesAfter(t *testing.T) {
	acknowledged := make(chan struct{})
	showed := make(chan bool, 1)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case <-acknowledged:
			showed <- true
		case <-time.After(10 * time.Second):
			showed <- false
		}
		slacktest.Answer(w, map[string]any{"ok": true, "message_ts": "1.000001"})
	}))
	defer api.Close()
	s, err := New(Config{BotToken: fixed(botToken), SigningSecret: fixed(signing), APIURL: api.URL})
	if err != nil {
		t.Fatal(err)
	}
	s.self = known
	call := newCaller(t, s.Handler((&recorder{answer: channel.Answer{Text: "x"}}).handle))
	if status, _ := call.call(callInteraction, pressed0); status != 200 {
		t.Errorf("status %d", status)
	}
	close(acknowledged)
	if !<-showed {
		t.Error("the acknowledgement waited for the answer")
	}
}
