package forge

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/longshift/longshift/task"
)

// The conclusion is never better than what is known.
func TestConclusions(t *testing.T) {
	passed, failed := Check{Command: "go test", Passed: true}, Check{Command: "go test", Exit: 1, Failing: []string{"TestAdd"}}
	known, approved, rejected := failed, &task.Review{Approved: true, Text: "good"}, &task.Review{Text: "no test for <b>"}
	known.Known = true
	none, one, two := &task.Ran{Of: task.RanTests}, &task.Ran{N: 1, Of: task.RanTests}, &task.Ran{N: 2, Of: task.RanTests}
	worked := func(sum Summary) Standing { return Standing{State: Worked, Summary: sum} }
	for name, c := range map[string]struct {
		Standing
		want  Conclusion
		title string
		says  string
	}{
		"in progress": {Standing{State: Working, Detail: "Round 1: the check \"test\" failed"}, "", "Round 1: the check", "Round 1"},
		"good":        {worked(Summary{Checks: []Check{passed}, Review: approved}), Success, "reviewer approves", "`go test`"},
		"failing":     {worked(Summary{Checks: []Check{failed}, Review: approved}), Failure, "The check fails: go test", "`TestAdd`"},
		"one of two":  {worked(Summary{Checks: []Check{passed, failed}, Review: approved}), Failure, "fails", "`TestAdd`"},
		"no tests":    {worked(Summary{Checks: []Check{{Command: "go test", Passed: true, Ran: none}}, Review: approved}), Neutral, "ran no tests", "`go test`, no tests"},
		"fewer tests": {worked(Summary{Checks: []Check{{Command: "go test", Passed: true, Ran: one}}, RanBefore: two, Review: approved}), Neutral,
			"ran 1 test; before this change 2 tests", "`go test`, 1 test\n"},
		"as many": {worked(Summary{Checks: []Check{{Command: "go test", Passed: true, Ran: two}}, RanBefore: two, Review: approved}), Success, "approves", ", 2 tests"},
		"known":   {worked(Summary{Checks: []Check{known}, Review: approved}), Neutral, "as it did before", "failed as before"},
		"rejected": {worked(Summary{Checks: []Check{passed}, Review: rejected}), ActionRequired, "asks for changes",
			"no test for &lt;b>"},
		"failing both": {worked(Summary{Checks: []Check{failed}, Review: rejected}), Failure, "fails", "no test for"},
		"no command":   {worked(Summary{Unchecked: true, Review: approved}), Neutral, "Unchecked", "approved"},
		"not checked":  {worked(Summary{Review: approved}), Neutral, "has not run", "approved"},
		"not reviewed": {worked(Summary{Checks: []Check{passed}}), Neutral, "nobody has reviewed", "`go test`"},
		"stopped": {Standing{State: Stopped, Detail: "budget: 5 of 5 are used", Next: "`resume` with addCost"}, ActionRequired,
			"A person is asked: budget", "`resume` with addCost"},
		"void": {Standing{State: Void, Detail: "Round 1 changed nothing"}, Neutral, "Round 1 changed nothing", "Round 1"},
	} {
		got := c.CheckRun("abc", "key")
		if got.Conclusion != c.want || !strings.Contains(got.Title, c.title) || !strings.Contains(got.Summary, c.says) ||
			got.Commit != "abc" || got.Key != "key" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The text has the plan, then the end of the log with times and kinds, and stays in the limits of the API. Nothing in it acts.
func TestCheckRunText(t *testing.T) {
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	s := Standing{State: Worked,
		Summary: Summary{Overview: "Write Mul, fixes #3 @ada", Deliverables: []task.Deliverable{{ID: "FIX-1", Description: "Mul"}}},
		Log:     []task.Entry{{Time: at, Kind: "commit", Text: "0123 Mul\nwith a test"}, {Time: at, Kind: "note", Text: "```\n<b>@ada</b>"}}}
	text := s.CheckRun("abc", "key").Text
	for _, want := range []string{"### Plan\n\nWrite Mul, fixes `#3` `@ada`", "FIX-1",
		"### Log\n\n````text\n2026-03-01 10:00:00  commit       0123 Mul\n    with a test\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	long := strings.Repeat("wörd ", 400)
	for range 300 {
		s.Log = append(s.Log, task.Entry{Time: at, Kind: "note", Text: long})
		s.Summary.Deliverables = append(s.Summary.Deliverables, task.Deliverable{ID: "X", Description: long})
	}
	s.Log = append(s.Log, task.Entry{Time: at, Kind: "ended", Text: "the last line"})
	long = strings.Repeat(long, 100)
	s.Summary.Review, s.Detail, s.Summary.Overview = &task.Review{Text: long}, long, long
	c := s.CheckRun("abc", "key")
	if n := max(utf8.RuneCountInString(c.Text), utf8.RuneCountInString(c.Summary)); n > 65535 || len(c.Title) > 800 {
		t.Errorf("%d characters", n)
	}
	if !strings.Contains(c.Text, "the last line\n```") {
		t.Error("the end of the log is missing: " + c.Text[max(0, len(c.Text)-300):])
	}
}
