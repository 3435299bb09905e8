package inbound

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// opens is that a user has opened Longshift's place on Slack.
func opens(user string) channel.Event {
	return channel.Event{ID: "h_" + user + "_1", Kind: channel.Opened, User: channel.User{ID: user},
		Room: task.Room{Channel: channel.Slack, ID: "D" + user}, Direct: true}
}

// page is the page that a user gets, a line for each entry: its text, and the message that it links.
func (w *world) page(user string) string {
	w.t.Helper()
	a := w.handle(opens(user))
	if a.Page == nil {
		return a.Text
	}
	var lines []string
	for _, p := range a.Page.Parts {
		lines = append(lines, "# "+p.Title)
		for _, e := range p.Entries {
			if at := e.At; at != nil {
				e.Text += " @" + at.Room.Channel + "/" + at.Room.ID + "/" + at.Message
			}
			lines = append(lines, e.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// asked adds a task that a user has asked for, and the keys of its messages.
func (w *world) asked(id, user string, f *fakeWorkflow, keys ...string) {
	f.kind = signals.CodingTask
	if user != "" {
		f.memo = map[string]any{memoRequester: "slack:" + user}
	}
	if f.attrs == nil {
		f.attrs = map[string]any{}
	}
	f.attrs[signals.AttrRepository] = "acme/web"
	w.server.add(id, f)
	if len(keys) > 0 {
		w.server.add(signals.ConversationID("run-of-"+id), &fakeWorkflow{kind: signals.Conversation, attrs: map[string]any{signals.AttrThread: keys}})
	}
}

func web(id string) string {
	return "[Temporal Web](https://temporal.example.com/namespaces/default/workflows/" + id + "/run-of-" + id + "/user-metadata)"
}

// Everybody on a list sees their own tasks; those who decide also see what waits for a decision.
func TestPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	waiting := func() map[string]any {
		return map[string]any{signals.AttrPhase: string(task.Approving), signals.AttrNeedsHuman: true, signals.AttrCostUSD: 1.5}
	}
	pull := map[string]any{signals.AttrOutcome: string(task.PullRequest), signals.AttrPullRequest: "https://github.com/acme/web/pull/7", signals.AttrCostUSD: 2.0}
	w.asked("waits", "", &fakeWorkflow{attrs: waiting()}, "telegram:7:8", "slack:D"+boss+":1.1", "slack:C1:1700000000.000100", "slack:C1:2.2")
	w.asked("waits-too", starter, &fakeWorkflow{attrs: waiting()}, "slack:D"+starter+":3.3")
	w.asked("runs", starter, &fakeWorkflow{attrs: map[string]any{signals.AttrPhase: string(task.Executing)}})
	w.asked("of-another", boss, &fakeWorkflow{attrs: map[string]any{signals.AttrPhase: string(task.Executing)}})
	w.asked("done", starter, &fakeWorkflow{closed: completed, ended: now.Add(-71 * time.Hour), attrs: pull}, "slack:C1:4.4")
	w.asked("done-long-ago", starter, &fakeWorkflow{closed: completed, ended: now.Add(-73 * time.Hour), attrs: pull})
	w.asked("done-for-another", boss, &fakeWorkflow{closed: completed, ended: now.Add(-time.Hour), attrs: pull})
	w.server.add("follower", &fakeWorkflow{kind: signals.PullRequestFlow, parent: "run-of-done", attrs: waiting()})

	want := "# Waits for you\n" +
		"`waits` Approving, acme/web, $1.50 · " + web("waits") + " @slack/C1/1700000000.000100\n" +
		"`waits-too` Approving, acme/web, $1.50 · " + web("waits-too") + "\n" + // their private chat is theirs
		"`follower` Approving, $1.50 · " + web("follower") + " @slack/C1/4.4\n" +
		"# Your tasks\nNo task that you have asked for is running. `run` starts one.\n" +
		"# Your tasks that have ended\nNone in the last three days."
	for _, user := range []string{approver, commander} {
		if got := w.page(user); got != want {
			t.Errorf("%s sees\n%s\nwant\n%s", user, got, want)
		}
	}
	tooOfOwn := "`waits-too` Approving, acme/web, $1.50 · " + web("waits-too") + " @slack/D" + starter + "/3.3\n"
	want = "# Waits for you\n" + tooOfOwn + "# Your tasks\n" + tooOfOwn + "`runs` Executing, acme/web, $0.00 · " + web("runs") + "\n" +
		"# Your tasks that have ended\n`done` Ended: pull request, acme/web, $2.00 · [Pull request](https://github.com/acme/web/pull/7) · " +
		web("done") + " @slack/C1/4.4"
	if got := w.page(starter); got != want {
		t.Errorf("who may only start sees\n%s\nwant\n%s", got, want)
	}
	w.directory(bound)
	w.pass(time.Minute)
	if got := w.page(bound); !strings.Contains(got, "`waits` Approving") {
		t.Errorf("who has bound the chat sees\n%s", got)
	}
}

// A task that somebody asks for in a chat is found again as theirs.
func TestPageOfAskedTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.handle(says(starter, "run fix the login"))
	if got := w.server.starts[0].Memo[memoRequester]; got != "slack:"+starter {
		t.Errorf("the memo names %v", got)
	}
}

func TestPageOfStrangers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.asked("waits", nobody, &fakeWorkflow{attrs: map[string]any{signals.AttrNeedsHuman: true}})
	if got := w.page(nobody); !strings.HasPrefix(got, "Sorry, you are not on the list of people who may use this. Your user id is `"+nobody+"`") ||
		strings.Contains(got, "waits") {
		t.Errorf("a stranger sees\n%s", got)
	}
	if a := w.last(); a.Verb != "opened" || a.Reason != "not on the list" || a.Done {
		t.Errorf("on record: %+v", a)
	}
	if len(w.server.queries) > 0 {
		t.Errorf("the server was asked for a stranger: %q", w.server.queries)
	}
}

// A page is made once in a few seconds for each person, and again when it could not be made.
func TestPageLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.down = errDown
	if _, err := w.handler.Handle(t.Context(), opens(boss)); fault.KindOf(err) != fault.Infra {
		t.Errorf("without a server: %v", err)
	}
	w.server.down = nil
	if w.page(boss) == "" {
		t.Error("the next delivery of the event has no answer")
	}
	asked := len(w.server.queries)
	if w.pass(pageEvery - time.Millisecond); w.page(boss) != "" || len(w.server.queries) != asked {
		t.Error("made again at once")
	}
	if w.page(starter) == "" {
		t.Error("another person has no page")
	}
	if w.pass(time.Millisecond); w.page(boss) == "" {
		t.Error("not made again")
	}
}

func TestLongPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range pageRows + 3 {
		w.asked(fmt.Sprint("web-", i), boss, &fakeWorkflow{attrs: map[string]any{signals.AttrNeedsHuman: true}})
	}
	lines := strings.Split(w.page(boss), "\n")
	if n := 2*(pageRows+2) + 2; len(lines) != n || lines[pageRows+1] != "And 3 more; `list` shows what runs." {
		t.Errorf("%d lines, want %d:\n%s", len(lines), n, strings.Join(lines, "\n"))
	}
}
