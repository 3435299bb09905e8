package github_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/task"
)

// TestDeclined: a task that was refused the issue leaves no label behind, and one that had it leaves its own.
func TestDeclined(t *testing.T) {
	b := newBench(t)
	n := b.wanted()
	b.must(b.source.Queue(t.Context(), b.query, strconv.Itoa(n), intake.Note{TaskID: "t1", Text: "Waits for two others."}))
	b.server.Unlabel(repoName, n, "alice", "longshift")
	mustBe(t, b.claim(n, "t1"), fault.Conflict, "not asked for any more")
	b.report(n, "t1", task.Declined)
	if got := b.labels(n); len(got) != 0 {
		t.Errorf("refused: labels %q", got)
	}
	if got := b.notes(n); len(got) != 1 || !strings.Contains(got[0], "t1 has ended.") {
		t.Errorf("notes %q", got)
	}
	n = b.wanted()
	b.must(b.claim(n, "t2"))
	b.report(n, "t2", task.Declined)
	if got := b.labels(n); !slices.Equal(got, []string{"longshift", claimLabel}) {
		t.Errorf("declined: labels %q", got)
	}
}
