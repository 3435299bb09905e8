package slack

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
	"github.com/longshift/longshift/task"
)

// TestHome opens the home over Socket Mode: what the answer says is published for that person, and again when they open it again.
func TestHome(t *testing.T) {
	f := newFake(t)
	const pull = "https://github.com/acme/web/pull/7"
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	s := f.open(func(c *Config) { c.Now = func() time.Time { return now } })
	e := &recorder{answer: channel.Answer{Page: &channel.Page{Parts: []channel.Part{
		{Title: "Waits for you", Entries: []channel.Entry{
			{Text: "`web-1` **Approving** <!here> · [Pull request](" + pull + ")",
				At: &task.MessageRef{Room: room(general, "9.9"), Message: "1700000000.000100"}},
			{Text: "`web-2` Approving", At: &task.MessageRef{Room: task.Room{Channel: channel.Telegram, ID: "7"}, Message: "8"}}}},
		{Title: "Your tasks", Entries: []channel.Entry{{Text: "None."}}}}}}}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Listen(ctx, e.handle) }()
	defer func() { stop(); <-ended }()

	f.OpenHome(ada.ID)
	got, ok := f.HomeOf(ada.ID, 1)
	want := slacktest.Home{Published: 1, Links: []string{pull, pull, "https://example.slack.com/archives/C0GENERAL/p1700000000000100"},
		Text: "Waits for you\nweb-1 Approving <!here> · Pull request (" + pull + ") · Thread\nweb-2 Approving\nYour tasks\nNone.\n" +
			"As of 2026-05-04 03:02 UTC; open this tab again to see what is new"}
	if d := cmp.Diff(want, got); !ok || d != "" {
		t.Error(d)
	}
	e.set(channel.Answer{Text: "Sorry, you are not on the list. Your user id is `U0ADA`."})
	f.OpenHome(ada.ID)
	if got, ok := f.HomeOf(ada.ID, 2); !ok || got.Text != "Sorry, you are not on the list. Your user id is U0ADA." {
		t.Errorf("without a page: %+v", got)
	}
	if len(f.Messages("D0ADA")) > 0 || len(f.answers()) > 0 {
		t.Errorf("it is also said in %+v, %q", f.Messages("D0ADA"), f.answers())
	}
}

func TestOpened(t *testing.T) {
	want := &channel.Event{ID: "h_U0ADA_1515449522000016", Kind: channel.Opened, User: channel.User{ID: "U0ADA", Name: "U0ADA"},
		Room: room("D0ADA", ""), Direct: true}
	if d := cmp.Diff(want, hearCall(t, callEvent, eventCall(slacktest.HomeEvent("U0ADA", "home", "1515449522000016")))); d != "" {
		t.Error(d)
	}
	for name, change := range map[string]func(e map[string]any){
		"the tab of messages": func(e map[string]any) { e["tab"] = "messages" },
		"no user":             func(e map[string]any) { delete(e, "user") },
		"no channel":          func(e map[string]any) { delete(e, "channel") },
		"no time":             func(e map[string]any) { delete(e, "event_ts") },
	} {
		e := slacktest.HomeEvent("U0ADA", "home", "1515449522000016")
		change(e)
		if got := hearCall(t, callEvent, eventCall(e)); got != nil {
			t.Errorf("%s: received %+v", name, got)
		}
	}
}

// TestLongHome checks that a page of any length is cut to what Slack takes; the fake refuses more.
func TestLongHome(t *testing.T) {
	for _, entries := range []int{97, 98, 300} {
		f := newFake(t)
		part := channel.Part{Title: strings.Repeat("title ", 50)}
		for range entries {
			part.Entries = append(part.Entries, channel.Entry{Text: strings.Repeat("**long** & ", 80)})
		}
		answered(t, f, channel.Answer{Page: &channel.Page{Parts: []channel.Part{part}}}, callEvent,
			eventCall(slacktest.HomeEvent(ada.ID, "home", "1515449522000016")))
		got, ok := f.HomeOf(ada.ID, 1)
		if cut := slices.Contains(strings.Split(got.Text, "\n"), "… and more"); !ok || cut != (entries > 97) {
			t.Errorf("%d entries: published %v, cut %v", entries, ok, cut)
		}
	}
}

// TestHomeRefused checks that an app without a home tab is told what to do, and that Slack need not deliver the event again.
func TestHomeRefused(t *testing.T) {
	f := newFake(t)
	f.Refuse("views.publish", "not_enabled")
	var logged bytes.Buffer
	s := f.open(func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&logged, nil)) })
	call := newCaller(t, s.Handler((&recorder{answer: channel.Answer{Text: "x"}}).handle))
	status, _ := call.call(callEvent, eventCall(slacktest.HomeEvent(ada.ID, "home", "1515449522000016")))
	call.server.Close()
	if status != 200 || !strings.Contains(logged.String(), "not_enabled") || !strings.Contains(logged.String(), "features.app_home") {
		t.Errorf("status %d, logged %s", status, logged.String())
	}
}
