package inbound

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// whoAreYou answers a person whom only the Directory could know, while it does not answer.
const whoAreYou = "I can't tell right now who you are; please try again in a minute."

// TestAFloodIsOneLineAMinute: everything that is done waits for the audit log, so nobody may fill it.
func TestAFloodIsOneLineAMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Rooms = map[string][]string{channel.Slack: {room}} })
	token := w.task(task.Approving).button(signals.Approve)
	elsewhere := says(boss, "list")
	elsewhere.Room.ID = "C2"
	for name, flood := range map[string]func(string) channel.Event{
		"words":             func(user string) channel.Event { return says(user, "hi") },
		"a button":          func(user string) channel.Event { return press(user, token) },
		"another room":      func(user string) channel.Event { ev := elsewhere; ev.User.ID = user; return ev },
		"no code":           func(user string) channel.Event { return chat(user, "start x") },
		"a code in a group": func(user string) channel.Event { return says(user, "start ABCD-EFGH") },
	} {
		user := "U" + strings.ReplaceAll(name, " ", "")
		w.acts = nil
		for minute := range 3 {
			for i := range 200 {
				ev := flood(user)
				ev.ID = fmt.Sprintf("e-%d-%d", minute, i)
				if a := w.handle(ev); ev.Kind == channel.Press && a.Text == "" {
					t.Fatalf("%s: a press without an answer", name)
				}
			}
			w.handle(says("U-other-"+user+fmt.Sprint(minute), "hi"))
			w.pass(reportEvery)
		}
		var lines []string
		for _, a := range w.acts {
			if a.User == user {
				lines = append(lines, a.Reason)
			}
		}
		if len(lines) != 3 || strings.Contains(lines[0], "more") || !strings.HasSuffix(lines[1], ", and 199 more") ||
			!strings.HasSuffix(lines[2], ", and 199 more") || len(w.acts) != 6 {
			t.Errorf("%s: %d lines, %q", name, len(w.acts), lines)
		}
	}
}

func TestCounterIsBounded(t *testing.T) {
	t.Parallel()
	var c Counter
	told := 0
	for i := range maxNames + 500 {
		if _, due := c.Next(fmt.Sprint("n", i), now); due {
			told++
		}
	}
	if len(c.reported) != maxNames+1 || told != maxNames+1 {
		t.Errorf("%d names are kept, %d told", len(c.reported), told)
	}
	if more, due := c.Next("another", now.Add(reportEvery)); !due || more != 0 || len(c.reported) != 1 {
		t.Errorf("a minute later %d names are kept", len(c.reported))
	}
}

// TestNothingIsLookedUpForStrangers: the server's list is slow, and shared by all.
func TestNothingIsLookedUpForStrangers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.task(task.Executing)
	for i, text := range []string{"status", "approve", "hello", "start ABCD-EFGH", "run fix it"} {
		for _, direct := range []bool{false, true} {
			ev := replies(nobody, text)
			ev.ID, ev.Direct = fmt.Sprint("e-", i, direct), direct
			w.handle(ev)
		}
	}
	if len(w.server.queries) != 0 {
		t.Errorf("looked up: %q", w.server.queries)
	}
}

// TestADirectoryThatIsSilentBlocksNobody: an error would have the same message delivered again, and on some platforms all later
// messages would wait.
func TestADirectoryThatIsSilentBlocksNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	w.directory(bound).query = func(string, []any) (any, error) { return nil, errDown }
	token := f.button(signals.Approve)
	words := replies(nobody, "start with words")
	words.Direct = true
	for name, ev := range map[string]channel.Event{"words": says(nobody, "hi"), "bound": says(bound, "list"), "a press": press(nobody, token),
		"a code":  chat("77", "start ABCD-EFGH"),
		"no code": chat("77", "start"), "a command in the thread": replies(bound, "approve"), "to us in the thread": words,
		"without the right": says(starter, "approve")} {
		if a := w.handle(ev); a.Text != whoAreYou || len(f.got) != 0 {
			t.Errorf("%s: %q, sent %v", name, a.Text, f.got)
		}
	}
	if first, second := w.handle(replies(bound, "use tabs")), w.handle(replies(bound, "or spaces")); first.Text != whoAreYou || second.Text != "" {
		t.Errorf("people who talk: %q, %q", first.Text, second.Text)
	}
	if a := w.handle(says(starter, "run fix it --base main")); len(w.server.starts) != 1 || !strings.Contains(a.Text, "has to let its plan pass") {
		t.Errorf("who is on a list is served: %q", a.Text)
	}
	w.handle(says(approver, "approve"))
	if len(f.got) != 1 {
		t.Errorf("who is on a list is served: %v", w.acts)
	}
	w.pass(bindingsAge)
	ctx, end := context.WithCancel(t.Context())
	end()
	if _, err := w.handler.Handle(ctx, says(nobody, "hi")); fault.KindOf(err) != fault.Infra {
		t.Errorf("when it is we who go away, it has to come again: %v", err)
	}
}

// TestCodesInThreads: a code must not become a message to the task, its history and the agent.
func TestCodesInThreads(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]bool{
		"start ABCD-EFGH-IJKL": true, "/start abcd-efgh-ijkl": true, "start abcdefghijkl": true, "start ABCD EFGH IJKL": true, "start ABCDEF GHIJKL": true,
		"start code ABCD-EFGH-IJKL": true, "Start: `ABCD-EFGH-IJKL`.": true, "start abcd efgh ijkl": true,
		"start with the tests": false, "start again": false, "start over, please": false, "start": false,
	} {
		for _, direct := range []bool{false, true} {
			w := newWorld(t)
			f := w.task(task.Executing)
			d := w.codes("ABCD-EFGH-IJKL")
			d.update = func(string, []any) (any, error) { t.Errorf("%q was given to the directory", text); return nil, errDown }
			ev := replies(boss, text)
			ev.Direct = direct
			a := w.handle(ev)
			if code && (len(f.got) != 0 || !strings.HasPrefix(a.Text, "Codes are taken in a private chat") || w.last().Reason != "a code in a thread") ||
				!code && len(f.got) != 1 {
				t.Errorf("%q: %q, sent %v", text, a.Text, f.got)
			}
			if code {
				private := chat("77", text)
				private.ReplyTo = "5"
				if a := w.handle(private); !strings.HasPrefix(a.Text, "Codes are taken in a private chat") {
					t.Errorf("%q of a stranger, as a reply: %q", text, a.Text)
				}
			}
			for _, act := range w.acts {
				if strings.Contains(strings.ToUpper(fmt.Sprint(act)), "EFGH") {
					t.Errorf("the record holds the code: %+v", act)
				}
			}
		}
	}
}
