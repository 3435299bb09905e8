package acceptance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
)

// step is one tool call of the model, and what it must come back with.
type step struct {
	tool  agenttest.Tool
	want  []string // are in the result
	fails bool     // it is meant to fail, as a test does before the work
	open  bool     // it may fail or not
}

func use(tool string, want []string, input map[string]any) step {
	return step{tool: agenttest.Tool{Name: tool, Input: input}, want: want}
}

// bash runs a command.
func bash(command string, want ...string) step {
	return use("Bash", want, map[string]any{"command": command, "description": "a step of the work"})
}

// red runs a command that fails.
func red(command string, want ...string) step {
	s := bash(command, want...)
	s.fails = true
	return s
}

// either runs a command that may fail or not.
func either(command string) step {
	s := bash(command)
	s.open = true
	return s
}

func read(path string, want ...string) step {
	return use("Read", want, map[string]any{"file_path": path})
}

func grep(pattern string, want ...string) step {
	return use("Grep", want, map[string]any{"pattern": pattern, "output_mode": "content"})
}

func glob(pattern string, want ...string) step {
	return use("Glob", want, map[string]any{"pattern": pattern})
}

// change brings a file of the repository to what is meant: with Edit where it is there, else with Write.
func (a archive) change(path string) step {
	old, there := a.base[path]
	now, meant := a.meant[path]
	if !meant {
		panic("no meant/" + path + " in " + a.name)
	}
	return bring(path, old, now, there)
}

// bring makes a file what it is to be.
func bring(path, old, now string, there bool) step {
	if !there {
		return use("Write", nil, map[string]any{"file_path": path, "content": now})
	}
	from, to := hunk(old, now)
	return use("Edit", nil, map[string]any{"file_path": path, "old_string": from, "new_string": to})
}

// hunk gives the lines that differ, with as many before and after them as it takes to name one place.
func hunk(old, now string) (from, to string) {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(now, "\n")
	start, end := 0, 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	text := func(lines []string) string { return strings.Join(lines[start:len(lines)-end], "") }
	for text(a) == "" || strings.Count(old, text(a)) > 1 {
		if start > 0 {
			start--
		} else {
			end--
		}
	}
	return text(a), text(b)
}

// trouble are words that no result of an ordinary session holds: each was once what an agent got to see in its sandbox.
var trouble = regexp.MustCompile(`(?i)permission denied|fatal:|exit code 128|read-only file system|operation not permitted|dubious ownership|could not resolve`)

// judge compares what the calls of a rule have come back with to what their steps say.
func judge(t testing.TB, rule string, steps []step, results []agenttest.Result) {
	t.Helper()
	results = slices.DeleteFunc(results, func(r agenttest.Result) bool { return r.Rule != rule })
	if len(results) < len(steps) {
		t.Errorf("%s: %d of %d tool calls came back", rule, len(results), len(steps))
	}
	for i, r := range results[:min(len(results), len(steps))] {
		s, complaint := steps[i], ""
		switch found := trouble.FindString(r.Text); {
		case found != "":
			complaint = fmt.Sprintf("says %q", found)
		case r.Failed != s.fails && !s.open:
			complaint = fmt.Sprintf("failed: %t, want %t", r.Failed, s.fails)
		}
		for _, want := range s.want {
			if !strings.Contains(r.Text, want) {
				complaint += fmt.Sprintf(" lacks %q", want)
			}
		}
		if complaint != "" {
			t.Errorf("%s, step %d: %s\n%s\n%s", rule, i+1, complaint, r.Input, r.Text)
		}
	}
}
