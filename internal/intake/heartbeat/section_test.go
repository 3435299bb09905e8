package heartbeat

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/task"
)

var begun = time.Date(2026, 11, 20, 18, 44, 0, 0, time.UTC)

// line is a line of the section as we write it.
func line(taskID, text string) string {
	return page{}.add(intake.Note{TaskID: taskID, Outcome: task.Failed, Text: text}, begun).lines[0]
}

func TestSplit(t *testing.T) {
	l := line("t1", "x")
	ok := opens + "\n" + l + "\n" + closes + "\n"
	for _, c := range []struct{ name, text, before, after string }{
		{"none", "a\n", "a\n", ""},
		{"at the end", "a\n\n" + ok, "a\n\n", ""},
		{"in the middle", "a\n\n" + ok + "b\n", "a\n\n", "b\n"},
		{"blank lines inside", "a\n" + strings.ReplaceAll(ok, "\n", "\n\n"), "a\n", "\n"},
		{"without the last line end", "a\n" + strings.TrimSuffix(ok, "\n"), "a\n", ""},
		{"CRLF", "a\r\n" + strings.ReplaceAll(ok, "\n", "\r\n"), "a\r\n", ""},
		{"never closed", "a\n" + opens + "\nb\n", "a\n" + opens + "\nb\n", ""},
		{"never closed, then ours", "a\n" + opens + "\nb\n" + ok, "a\n" + opens + "\nb\n", ""},
		{"never opened", "a\n" + closes + "\nb\n", "a\n" + closes + "\nb\n", ""},
		{"two of them", ok + "a\n" + ok, ok + "a\n", ""},
		{"a person's words inside", "a\n" + opens + "\n" + l + "\nmine\n" + closes + "\n", "a\n" + opens + "\n" + l + "\nmine\n" + closes + "\n", ""},
		{"marks in a line", "a " + opens + " b " + closes + "\n", "a " + opens + " b " + closes + "\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := split([]byte(c.text))
			if string(p.before) != c.before || string(p.after) != c.after {
				t.Errorf("before %q, after %q", p.before, p.after)
			}
			next := p.add(intake.Note{TaskID: "t9", Text: "y"}, begun)
			again := split(next.join())
			if again.sum() != p.sum() || len(again.lines) != len(p.lines)+1 {
				t.Errorf("lines %q, then %q", p.lines, again.lines)
			}
		})
	}
}

func TestNewestTen(t *testing.T) {
	p := split([]byte("a"))
	for i := range 25 {
		n := intake.Note{TaskID: fmt.Sprint(i), Outcome: task.Failed, Text: fmt.Sprintf("task %d.", i)}
		for range 2 {
			p = split(p.add(n, begun.Add(time.Duration(i)*time.Minute)).join())
		}
	}
	if len(p.lines) != 10 || !strings.Contains(p.lines[0], "task 15.") || !strings.Contains(p.lines[9], "task 24.") {
		t.Errorf("%q", p.lines)
	}
	if got := string(p.before); got != "a\n\n" {
		t.Errorf("before %q", got)
	}
}

func TestLineIsClean(t *testing.T) {
	for in, want := range map[string]string{
		"Opened #1.\nMore.":            "Opened #1.",
		closes + " and\nmore":          "/longshift:heartbeat and",
		"a <!<!---- b --<!-- c -->> d": "a -- b -- c > d",
		"\u202ea\u200b\x1b[31mb":       "a[31mb",
		" \n\n":                        "no word was left",
		"-\u200b->x<\u200b!-- y":       "x y",
		strings.Repeat("ä", 400):       strings.Repeat("ä", 148) + "…",
		"use `--all` -- always":        "use `--all` -- always",
	} {
		got := oneLine(in)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

// FuzzSection: whatever a person has written, and whatever a task says, the person's bytes stay, and the section holds the task's line.
func FuzzSection(f *testing.F) {
	l := line("t1", "x")
	for _, seed := range []string{"", "a", "a\n", "a\r\nb\r\n", opens, closes, opens + "\n" + closes, opens + "\n" + l + "\n" + closes + "\nb",
		"a\n" + opens + "\nmine\n" + closes, "```\n" + opens + "\n", "\r", "a\n\r\n" + opens + "\r\n" + closes + "\r" + closes, "\xff\x00" + opens + "\n" + closes} {
		f.Add([]byte(seed), "It failed.", "t2")
	}
	f.Add([]byte("x"), closes+"\n"+opens, "t1")
	f.Add([]byte("x"), "- ] -->\u2028<!--", "")
	f.Fuzz(func(t *testing.T, content []byte, text, taskID string) {
		p := split(content)
		if !p.has && !bytes.Equal(p.before, content) || p.has && !bytes.HasPrefix(content, p.before) || !bytes.HasSuffix(content, p.after) {
			t.Fatalf("%q is split into %q and %q", content, p.before, p.after)
		}
		n := intake.Note{TaskID: taskID, Outcome: task.Failed, Text: text}
		out := p.add(n, begun).join()
		if !bytes.HasPrefix(out, p.before) || !bytes.HasSuffix(out, p.after) {
			t.Fatalf("the person's %q and %q are not in %q", p.before, p.after, out)
		}
		again := split(out)
		if !again.has || again.sum() != p.sum() || !bytes.Equal(again.after, p.after) {
			t.Fatalf("%q is split anew into %q and %q", out, again.before, again.after)
		}
		if added := bytes.TrimRight(bytes.TrimPrefix(again.before, p.before), "\r\n"); !bytes.HasPrefix(again.before, p.before) || len(added) > 0 {
			t.Fatalf("%q was put into the person's text %q", added, p.before)
		}
		found := 0
		for _, l := range again.lines {
			if strings.HasSuffix(l, "<!-- "+lineID(taskID)+" -->") {
				found++
			}
		}
		if len(again.lines) > maxLines && len(again.lines) > len(p.lines) || found < 1 {
			t.Fatalf("lines %q", again.lines)
		}
		if once := again.add(n, begun.Add(time.Hour)).join(); !bytes.Equal(once, out) {
			t.Fatalf("written again: %q, at first %q", once, out)
		}
	})
}
