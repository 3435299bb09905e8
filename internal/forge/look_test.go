package forge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// Only a few lines of bounded length precede the files to look at, whatever a model writes. Names are neutralised.
func TestComposeLook(t *testing.T) {
	s := full()
	s.Findings = []string{"a.go: the lock is never released, @alice closes #5"}
	s.Sensitive = []task.Finding{
		{Kind: "ci", Path: ".github/workflows/x.yml", What: "new; runs on pull_request_target"},
		{Kind: "names", Path: "`@alice` <!-- --> \\u{202e}.go", What: "new, closes #4"},
		{Kind: "locks", What: "and 3 more"},
	}
	want := "### Look here first\n\n" +
		"- **found** a.go: the lock is never released, `@alice` closes `#5`\n" +
		"- **ci** `.github/workflows/x.yml`: new; runs on pull_request_target\n" +
		"- **names** `` `@alice` \\u{202e}.go ``: new, closes `#4`\n" +
		"- `.github/workflows/test.yml` (+2 −0)\n"
	if _, body := Compose(s); !strings.Contains(body, want) || !strings.Contains(body, "generated), and 3 more\n") {
		t.Errorf("body:\n%s\n--- want in it:\n%s", body, want)
	}
	much := strings.Repeat("### Look here first\n- nothing @a ", 999)
	s.Title, s.Task, s.Issue.Title, s.RequestedBy.Name = much, much, much, much
	for range 99 {
		s.Findings = append(s.Findings, much)
	}
	for i := range s.Deliverables {
		s.Deliverables[i] = task.Deliverable{ID: much, Description: much, Reason: much, Status: task.Blocked}
	}
	_, body := Compose(s)
	before, _, found := strings.Cut(body, "\n### Look here first\n")
	if lines := strings.Count(before, "\n"); !found || lines > 12 || len(before) > 8_000 {
		t.Errorf("%d lines, %d bytes precede the files:\n%s", lines, len(before), before)
	}
	for range 500 {
		s.Sensitive = append(s.Sensitive, task.Finding{Kind: "ci", Path: strings.Repeat("@a ", 50) + fmt.Sprint(len(s.Sensitive)), What: strings.Repeat("`", 999)})
	}
	_, body = Compose(s)
	rows := strings.Count(body, "\n- **ci** ")
	if len(body) >= MaxBody || rows > 60 || !strings.Contains(body, fmt.Sprintf("\n- and %d more\n", 501-rows)) {
		t.Errorf("%d bytes and %d rows for 503 findings", len(body), rows)
	}
}

// A pull request that is larger than it should be says so where everybody reads it. What programs write does not count.
func TestComposeSaysThatItIsLarge(t *testing.T) {
	for _, c := range []struct {
		routine, most int
		want          string
	}{
		{100, 800, "**Size**: 3 files, +900 −101; **901 lines to read, more than the 800** of `pullRequest.maxLines`"},
		{201, 800, "**Size**: 3 files, +900 −101"},
		{0, 0, "**Size**: 3 files, +900 −101"},
	} {
		if _, body := Compose(Summary{Files: 3, Added: 900, Removed: 101, Routine: c.routine, MaxLines: c.most}); body != c.want {
			t.Errorf("%d written by programs, %d allowed: got %q", c.routine, c.most, body)
		}
	}
}

// A change that needs no second look is listed too, and an old task that knows no files says nothing of them.
func TestComposeLookWithoutFindings(t *testing.T) {
	s := Summary{Files: 9, ToRead: []task.ChangedFile{{Path: "a.go", Added: 1}, {Path: "go.sum", Removed: 2, Why: "lock file", Routine: true}}}
	_, body := Compose(s)
	want := "**Size**: 9 files, +0 −0\n\n### Look here first\n\n- `a.go` (+1 −0)\n- and 7 more\n" +
		"- Last, because programs write them: `go.sum` (+0 −2, lock file)"
	if body != want {
		t.Errorf("got %q", body)
	}
	if _, body := Compose(Summary{Files: 9}); strings.Contains(body, "Look here") {
		t.Errorf("got %q", body)
	}
}
