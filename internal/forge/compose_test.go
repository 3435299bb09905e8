package forge

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/longshift/longshift/task"
)

func full() Summary {
	return Summary{
		Title:    "Greet in French",
		Task:     "Please greet in French, @alice wants it. Fixes #99",
		Overview: "The greeting is **French** now.",
		Deliverables: []task.Deliverable{
			{ID: "FEAT-001", Description: "Greeting in French", Status: task.Passed},
			{ID: "FEAT-002", Description: "Docs", Status: task.Blocked, Reason: "needs @bob"},
			{ID: "FEAT-003", Description: "Later"},
		},
		Checks: []Check{
			{Command: "go test ./...", Passed: true, Duration: 42 * time.Second},
			{Command: "make lint", Exit: 2, Failing: []string{"TestA", "TestB"}, Tail: "main.go:1: bad\nfixes #4\n"},
		},
		Before: &Check{Command: "make lint", Exit: 1, Failing: []string{"TestA"}},
		Review: &task.Review{Approved: true, Text: "Good.\n\n## Checks\nAll passed."},
		Notes:  []string{"The spec says nothing of Spanish."},
		Sensitive: []task.Finding{
			{Kind: "ci", Path: ".github/workflows/test.yml", What: "changed"}, {Kind: "hooks", Path: ".husky/pre-commit", What: "new"},
			{Kind: "executables", Path: ".husky/pre-commit", What: "may be run as a program now"}, {Kind: "locks", Path: "go.sum", What: "changed"},
			{Kind: "locks", Path: "tools/yarn.lock", What: "new"}, {Kind: "executables", Path: "tools/yarn.lock", What: "may be run as a program now"},
		},
		ToRead: []task.ChangedFile{
			{Path: ".github/workflows/test.yml", Added: 2}, {Path: ".husky/pre-commit", Added: 1}, {Path: "greet/api.go", Added: 9, Removed: 4, Why: "public API"},
			{Path: "go.mod", Added: 1, Why: "dependency"}, {Path: "greet/french.go", Added: 210, Removed: 2, Why: "size"}, {Path: "greet/greet.go", Added: 3, Removed: 1},
			{Path: "go.sum", Added: 2, Why: "lock file", Routine: true}, {Path: "greet/pb/greet.pb.go", Added: 80, Removed: 6, Why: "generated", Routine: true},
		},
		Files: 11, Added: 412, Removed: 13,
		Usage:    task.Usage{Input: 1200, Output: 30_400, CacheRead: 500_000, CostUSD: 0.4249, Calls: 9},
		Sessions: 5, Turns: 31, Duration: 65 * time.Minute,
		RequestedBy: &task.Person{Name: "alice", Via: "slack"},
		Issue:       &task.Issue{Number: 12, Title: "Greeting"},
		RunURL:      "http://localhost:8233/namespaces/default/workflows/task-1",
		Followed:    true,
	}
}

// small is the summary of a task that was done in one go.
func small() Summary {
	return Summary{
		Title: "The parser accepts dates with a time zone, and reads those without one as UTC, as the import format has always promised.",
		Task:  "Dates with a time zone are refused", Overview: "`parseDate` tries the layouts with a zone first.",
		Deliverables: []task.Deliverable{{ID: "FIX-001", Description: "Dates with a time zone are read", Status: task.Passed,
			Proof: "go test ./parse -run TestZone", Proved: &task.Proved{Commit: "0123456789abcdef", Ran: &task.Ran{N: 1, Of: task.RanTests}}}},
		Checks: []Check{{Command: "go test ./...", Passed: true, Duration: 12 * time.Second}},
		Before: &Check{Command: "go test ./...", Exit: 1, Failing: []string{"TestZone", "TestImport"}},
		Review: &task.Review{Approved: true, Text: "Both layouts are tested."},
		ToRead: []task.ChangedFile{{Path: "parse/date.go", Added: 14, Removed: 3}, {Path: "parse/date_test.go", Added: 31, Why: "test"}},
		Files:  2, Added: 45, Removed: 3,
		Usage: task.Usage{Input: 900, Output: 4_200, CacheRead: 61_000, CostUSD: 0.11}, Sessions: 3, Turns: 12, Duration: 4 * time.Minute,
		RequestedBy: &task.Person{Name: "bob", Via: "github"}, Issue: &task.Issue{Number: 7, Title: "Dates with a zone are refused"},
	}
}

var update = flag.Bool("update", false, "write the golden files")

// TestCompose compares whole texts. They are what reviewers see, so a change of them is a decision.
func TestCompose(t *testing.T) {
	for name, c := range map[string]struct {
		summary Summary
		title   string
	}{
		"full":  {full(), "Greet in French"},
		"small": {small(), "The parser accepts dates with a time zone, and reads those without one…"},
	} {
		title, body := Compose(c.summary)
		if title != c.title {
			t.Errorf("%s: title %q", name, title)
		}
		file := filepath.Join("testdata", name+".md")
		if *update {
			if err := os.WriteFile(file, []byte(body+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if body+"\n" != string(want) {
			t.Errorf("%s:\n%s\n--- want:\n%s", name, body, want)
		}
	}
}

// TestTitleIsHarmless: a title is not Markdown, and squashing makes it the first line of a commit.
func TestTitleIsHarmless(t *testing.T) {
	title, _ := Compose(Summary{Title: "Closes #7 \u202e@everyone\x1b [skip ci] Co-authored-by: A <a@b>"})
	if want := "Closes `#7` `@everyone` [ skip ci] Co-authored- by: A <a@b>"; title != want {
		t.Errorf("got %q, want %q", title, want)
	}
}

func TestComposeLeavesOut(t *testing.T) {
	title, body := Compose(Summary{Title: "Only this"})
	if title != "Only this" || body != "" {
		t.Errorf("got %q, %q", title, body)
	}
}

// Checks without a warning, and no checks at all.
func TestComposeChecks(t *testing.T) {
	for _, c := range []struct {
		summary Summary
		want    string
	}{
		{Summary{Unchecked: true}, "> **Unchecked**: the repository's settings name no check command, so nothing but the review has looked at this change."},
		{Summary{Checks: []Check{{Command: "make", Passed: true, Flaky: true, Failing: []string{"TestA"}}}}, "### Proof\n\n- **passed when run again**: `make`; it is flaky (`TestA`)"},
		{Summary{Checks: []Check{{Command: "make", Known: true, Failing: []string{"TestA"}}}}, "### Proof\n\n- **failed as before**: `make` (`TestA`)"},
		{Summary{Checks: []Check{{Command: "make", Passed: true, Ran: ran(2)}}, RanBefore: ran(2)}, "### Proof\n\n- **passed**: `make`, 2 tests"},
		{Summary{Checks: []Check{{Command: "make", Passed: true, Ran: ran(0)}}}, "> **The check ran no tests**: `make` proves less than it seems to.\n\n### Proof\n\n- **passed**: `make`, no tests"},
		{Summary{Checks: []Check{{Command: "make", Passed: true, Ran: ran(1)}}, RanBefore: ran(2)}, "> **The check ran 1 test**: `make` proves less than it seems to. Before this change it ran 2 tests.\n\n### Proof\n\n- **passed**: `make`, 1 test"},
	} {
		if _, body := Compose(c.summary); body != c.want {
			t.Errorf("got %q, want %q", body, c.want)
		}
	}
}

func ran(n int) *task.Ran { return &task.Ran{N: n, Of: task.RanTests} }

// What was red before is named with what has become of it, where that is known.
func TestComposeRedBefore(t *testing.T) {
	before, all := &Check{Command: "make", Failing: []string{"TestA", "TestB", "TestD"}}, "`make` (`TestA`, `TestB`, `TestD`)"
	for _, c := range []struct {
		now   Check
		found string
		want  string
	}{
		{Check{Passed: true}, "", all + "; no longer fails"},
		{Check{Passed: true, Ran: ran(2)}, "", all}, // the others did not run
		{Check{Failing: []string{"TestB"}}, "", all + "; `TestA`, `TestD` no longer fail"},
		{Check{Failing: []string{"TestB", "TestA"}}, "", all + "; `TestD` no longer fails"},
		{Check{}, "", all}, // it does not say which fail
		{Check{Failing: []string{"TestB", "TestC"}}, "", all}, // TestC may have ended it before TestA
		{Check{Passed: true}, "ci", all + "; no longer fails"},
		{Check{Passed: true}, "tests", all}, // they may be removed
		{Check{Passed: true, Flaky: true, Failing: []string{"TestA"}}, "", all + "; `TestB`, `TestD` no longer fail"},
		{Check{Passed: true, Flaky: true, Failing: []string{"TestC"}}, "", all + "; no longer fails"},
	} {
		s := Summary{Checks: []Check{c.now}, Before: before, RanBefore: ran(3)}
		if c.found != "" {
			s.Sensitive = []task.Finding{{Kind: c.found, What: "changed"}}
		}
		_, body := Compose(s)
		if _, row, _ := strings.Cut(body, "- **failed before this change**: "); row != c.want {
			t.Errorf("%+v, %q: got %q, want %q", c.now, c.found, row, c.want)
		}
	}
}

// A review that asks for changes is no detail to be unfolded.
func TestComposeReview(t *testing.T) {
	_, body := Compose(Summary{Task: "Do it", Review: &task.Review{Text: "No tests."}})
	want := "**Why**: Do it\n\n### Review\n\nThe reviewer **asks for changes**.\n\nNo tests.\n\n<details><summary>The task</summary>\n\n### Task\n\nDo it\n\n</details>"
	if body != want {
		t.Errorf("got %q", body)
	}
}

// Text of a model can't end what is folded.
func TestComposeFoldsSafely(t *testing.T) {
	_, body := Compose(Summary{Task: "a\n\n</details>\n\n# Approved <b>x</b>", Deliverables: []task.Deliverable{{ID: "A-1</details>", Description: "</details>"}}})
	if n := strings.Count(body, "</details>"); n-strings.Count(body, "`</details>`")-strings.Count(body, "`A-1</details>`") != 1 || !strings.HasSuffix(body, "\n\n</details>") {
		t.Errorf("%d ends in:\n%s", n, body)
	}
}

func TestComposeIssue(t *testing.T) {
	for _, c := range []struct {
		issue task.Issue
		want  string
	}{
		{task.Issue{Number: 7}, "Closes #7"},
		{task.Issue{Forge: "github", Number: 7, URL: "https://github.com/a/b/issues/7"}, "Closes #7"},
		{task.Issue{Forge: "linear", Number: 7, Key: "LON-7 #7", Title: "Dates #7", URL: "https://linear.app/x/LON-7"},
			"**Why**: Dates `#7`  \nIssue: [LON-7 `#7`](<https://linear.app/x/LON-7>)"},
		{task.Issue{Title: "T", URL: "javascript:alert(1)"}, "**Why**: T"},
		{task.Issue{Title: "T", URL: "https://user:pw@example.com/"}, "**Why**: T"},
		{task.Issue{URL: "https://example.com/>)<b>"}, "Issue: [where it is kept](<https://example.com/%3E%29%3Cb%3E>)"},
	} {
		_, body := Compose(Summary{Title: "x", Issue: &c.issue})
		if strings.ReplaceAll(body, ")", "%29") != strings.ReplaceAll(c.want, ")", "%29") {
			t.Errorf("%+v: got %q, want %q", c.issue, body, c.want)
		}
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"  Fix\tthe  tests \nmore", "Fix the tests"},
		{"## Fix it", "Fix it"},
		{"Fixes #12 for @bob", "Fixes `#12` for `@bob`"},
		{"Write to a@b.com `now`", "Write to a@b.com 'now'"},
		{"", "Changes by Longshift"},
		{"<!-- longshift:task=x fence=1 -->", "Changes by Longshift"},
		{strings.Repeat("word ", 20), strings.TrimSpace(strings.Repeat("word ", 14)) + "…"},
	} {
		if got, _ := Compose(Summary{Title: c.in}); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
	if got, _ := Compose(Summary{Overview: "First.\nSecond.", Task: "no"}); got != "First." {
		t.Errorf("from the overview: %q", got)
	}
	if got, _ := Compose(Summary{Task: "Do it"}); got != "Do it" {
		t.Errorf("from the task: %q", got)
	}
	// Each code span makes the line longer; it must keep to its width without cutting a span in two.
	got, _ := Compose(Summary{Title: strings.Repeat("@a #1 ", 40)})
	if n := utf8.RuneCountInString(got); n > 72 || strings.Count(got, "`")%2 != 0 {
		t.Errorf("%d characters: %q", n, got)
	}
}

// TestComposeFits fills every field with far too much of the text that grows most when it is neutralised.
func TestComposeFits(t *testing.T) {
	s := full()
	for _, stuff := range []string{"<", "@a ", "[", "`", "&#64;", "```\n", "ä", "word ", "\\", "<!--"} {
		much := strings.Repeat(stuff, 30_000/len(stuff))
		s.Task, s.Overview, s.Title, s.Review.Text, s.Issue.Title, s.RequestedBy.Name = much, much, much, much, much, much
		s.Deliverables, s.Checks, s.Notes = nil, nil, nil
		for range 62 {
			s.Deliverables = append(s.Deliverables, task.Deliverable{ID: much, Description: much, Reason: much, Status: task.Status(much)})
			s.Checks = append(s.Checks, Check{Command: much, Tail: much})
			s.Notes = append(s.Notes, much)
		}
		title, body := Compose(s)
		if len(body) >= MaxBody || utf8.RuneCountInString(title) > MaxTitle {
			t.Errorf("%q: title %d, body %d", stuff, utf8.RuneCountInString(title), len(body))
		}
		if !strings.Contains(body, "Closes #12") || strings.HasSuffix(body, "(cut)") {
			t.Errorf("%q: the end is missing", stuff)
		}
		if tagged := Tagged(body, "t", 1); !strings.HasPrefix(tagged, strings.TrimSpace(body)) {
			t.Errorf("%q: the mark did not fit", stuff)
		}
	}
}

func TestSpell(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Millisecond: "1 s", 42 * time.Second: "42 s", 7*time.Minute + 20*time.Second: "7 min", 3*time.Hour + 5*time.Minute: "3 h 5 min",
	} {
		if got := spell(d); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}
