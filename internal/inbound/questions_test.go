package inbound

import (
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// TestACommandIsShownWhole: the rendered answer has one block of code, with the whole command in it.
func TestACommandIsShownWhole(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ command, shown string }{
		"short": {"rm -rf /", "rm -rf /"},
		"long": {"terraform plan " + strings.Repeat("-var=x=1 ", 450) + "-auto-approve",
			"terraform plan " + strings.Repeat("-var=x=1 ", 450) + "-auto-approve"},
		"many lines":      {"a\n\n# Approved\n- b", "a\n\n# Approved\n- b"},
		"a fence":         {"a\n```\n**harmless**\n```\nb", "a\n```\n**harmless**\n```\nb"},
		"a longer fence":  {"a\n``````\nb", "a\n``````\nb"},
		"other direction": {"a\u202eb\u200bc\rd\x1b[2J", `a\u{202e}b\u{200b}c\u{d}d\u{1b}[2J`},
		"tag characters":  {"a\U000E0041\ufe0fb", `a\u{e0041}\u{fe0f}b`},
		"a secret":        {"curl -H " + secret, "curl -H [hidden]"},
		"markup":          {"[x](http://evil) @channel <!here>", "[x](http://evil) @channel <!here>"},
	} {
		w := newWorld(t)
		f := w.task(task.Executing)
		f.status.Questions = []signals.Question{{ID: "4f2a91c0", Command: tt.command, Dir: "a_b", Rule: "ask-1", Reason: "it *changes* things",
			Files: []signals.File{{Path: "a_b.sh", Sum: "12ab"}, {Path: "*.sh"}}, Changed: []string{"a_b.sh"}}}
		text := w.handle(says(starter, "status")).Text
		var code []string
		for _, b := range channel.Read(text) {
			if b.Kind == channel.Code {
				code = append(code, b.Code)
			}
		}
		if len(code) != 1 || code[0] != tt.shown {
			t.Errorf("%s: shown as %q in\n%s", name, code, text)
		}
		plain := channel.Plain(channel.Read(text))
		for _, part := range []string{"in the folder a_b", "rule ask-1", "it *changes* things", "Its id is 4f2a91c0", "Changed since it was last asked: a_b.sh.",
			"bound to the content of a_b.sh (12ab).", "can't be bound to the content of *.sh."} {
			if !strings.Contains(plain, part) {
				t.Errorf("%s: %q is missing in\n%s", name, part, plain)
			}
		}
		if strings.Index(text, "4f2a91c0") < strings.Index(text, "```") {
			t.Errorf("%s: the id stands before the command, where it stays when the end is cut off", name)
		}
	}
}

// A push is no command of a session, and does not run in a folder.
func TestStatusShowsAPush(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Suspended)
	f.status.Questions = []signals.Question{{ID: "push-4f2a", Command: "ci .github/workflows/x.yml: new", Rule: "sensitive.ci", Reason: "a person has to look"}}
	plain := channel.Plain(channel.Read(w.handle(says(starter, "status")).Text))
	for _, part := range []string{"A push waits: a person has to look", "ci .github/workflows/x.yml: new", "Its id is push-4f2a"} {
		if !strings.Contains(plain, part) {
			t.Errorf("%q is missing in\n%s", part, plain)
		}
	}
	if strings.Contains(plain, "folder") || strings.Contains(plain, "root") {
		t.Errorf("shown as a command:\n%s", plain)
	}
}

// TestManyCommands: an answer that a channel had to cut would show half of a command.
func TestManyCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Executing)
	for i := range 20 {
		f.status.Questions = append(f.status.Questions, signals.Question{ID: fmt.Sprintf("4f2a91%02d", i), Command: strings.Repeat("x", 4000) + fmt.Sprint(i)})
	}
	text := w.handle(says(starter, "status")).Text
	if strings.Count(text, "Its id is") != 1 || !strings.Contains(text, "xx0\n```") || !strings.Contains(text, "19 more wait;") || len(text) > 8000 {
		t.Errorf("%d bytes, %d commands", len(text), strings.Count(text, "Its id is"))
	}
	for i := range f.status.Questions {
		f.status.Questions[i].Command = "ls"
	}
	if text = w.handle(says(starter, "status")).Text; strings.Count(text, "Its id is") != 20 || strings.Contains(text, "more wait") {
		t.Errorf("short ones:\n%s", text)
	}
}

// TestAllowNamesItsCommand: a person who allows a command names it; a denial may be for the only one that waits.
func TestAllowNamesItsCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"allow": "", "allow 4f2a9": "", "allow " + taskID: "", "allow 1a2b3c4d": "", "allow --comment once": "", "allow 1a2b3c4d 4f2a9": "",
		"allow 4f2a91": "4f2a91", "allow 4f2a91c0": "4f2a91c0", "allow 1a2b3c4d 4f2a91c0": "4f2a91c0",
	} {
		for _, place := range []func(string, string) channel.Event{says, replies} {
			if ev := place(boss, text); ev.ReplyTo != "" && strings.Contains(text, "1a2b3c4d") {
				continue // a thread has its task
			}
			w := newWorld(t)
			f := w.task(task.Executing)
			a := w.handle(place(boss, text))
			switch {
			case want == "" && (len(f.got) != 0 || !strings.HasPrefix(a.Text, "Which command?") || w.last().Done || w.last().Reason != "no id of a command"):
				t.Errorf("%q: %q, sent %v, recorded %+v", text, a.Text, f.got, w.last())
			case want != "" && (len(f.got) != 1 || f.got[0].(signals.AllowRequest).Question != want):
				t.Errorf("%q: %q, sent %v", text, a.Text, f.got)
			}
		}
	}
	w := newWorld(t)
	f := w.task(task.Executing)
	if w.handle(says(boss, "deny")); len(f.got) != 1 {
		t.Errorf("a bare no: %v", w.acts)
	}
}
