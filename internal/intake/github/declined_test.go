package github_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
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

// TestRecord: an issue whose task has left nothing there is marked once. A person may take the label off, and that of other tasks too.
func TestRecord(t *testing.T) {
	b := newBench(t)
	record := func(n int) {
		t.Helper()
		b.must(b.source.Record(t.Context(), b.query, strconv.Itoa(n), intake.Note{TaskID: "run", Text: "It has had its task."}))
	}
	marked, claimed := b.wanted(), b.wanted()
	b.server.Inject(forgetest.Fault{Status: 403, Text: "Resource not accessible by personal access token"}.On("POST", "/comments"))
	if err := b.source.Record(t.Context(), b.query, strconv.Itoa(marked), intake.Note{TaskID: "run", Text: "x"}); err == nil {
		t.Error("a comment that is refused is no error")
	}
	b.must(b.claim(claimed, "t1"))
	for range 2 {
		record(marked)
	}
	if got := b.notes(marked); !slices.Contains(b.labels(marked), claimLabel) || len(got) != 1 || !strings.Contains(got[0], "state=ended") {
		t.Errorf("labels %q, notes %q", b.labels(marked), got)
	}
	for _, n := range []int{marked, claimed} {
		b.server.Unlabel(repoName, n, "carol", claimLabel)
		record(n)
		if got := b.labels(n); slices.Contains(got, claimLabel) || len(b.notes(n)) != 1 {
			t.Errorf("taken off #%d: labels %q, notes %q", n, got, b.notes(n))
		}
	}
	b.must(b.claim(marked, "t2"))
	waited, refused := b.wanted(), b.wanted() // what no task has claimed nobody has taken off
	for _, n := range []int{waited, refused} {
		b.must(b.source.Queue(t.Context(), b.query, strconv.Itoa(n), intake.Note{TaskID: "t1", Text: "Waits for two others."}))
	}
	b.server.Unlabel(repoName, refused, "alice", "longshift")
	mustBe(t, b.claim(refused, "t1"), fault.Conflict, "not asked for any more")
	for range 2 {
		b.report(refused, "t1", task.Declined)
	}
	for _, n := range []int{waited, refused} {
		if record(n); !slices.Contains(b.labels(n), claimLabel) || len(b.notes(n)) != 2 {
			t.Errorf("never claimed: labels %q, notes %q", b.labels(n), b.notes(n))
		}
	}
	begun := b.wanted()
	b.must(b.claim(begun, "t1"))
	for range 2 {
		b.report(begun, "t1", task.Declined)
	}
	b.server.Unlabel(repoName, begun, "carol", claimLabel)
	if record(begun); slices.Contains(b.labels(begun), claimLabel) || !strings.Contains(b.notes(begun)[0], "state=ended") {
		t.Errorf("declined after its claim: labels %q, notes %q", b.labels(begun), b.notes(begun))
	}
}
