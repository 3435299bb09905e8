package forgetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// refused makes a call that must fail with a kind and with words, and must leave everything as it was.
func refused(t *testing.T, f Fixture, r forge.Request, kind fault.Kind, words ...string) {
	t.Helper()
	before := fmt.Sprint(f.Pulls(t))
	p, err := f.Forge.EnsurePullRequest(t.Context(), r)
	if got := fault.KindOf(err); got != kind {
		t.Fatalf("got %+v, %v (%s), want %s", p, err, got, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not name %q", err, w)
		}
	}
	if fault.HintOf(err) == "" && kind != fault.Fenced && len(words) > 0 {
		t.Errorf("error %q has no hint", err)
	}
	if after := fmt.Sprint(f.Pulls(t)); after != before {
		t.Errorf("a refused call changed something:\n%s\n%s", before, after)
	}
}

func testForeign(t *testing.T, f Fixture) {
	r := request(t, f)
	n := f.OpenForeign(t, r.Head, "main", forge.Tagged("Another task's.", "task-2", 1))
	refused(t, f, r, fault.Changed, fmt.Sprintf("#%d", n), r.Head)
}

func testPerson(t *testing.T, f Fixture) {
	r := request(t, f)
	n := f.OpenForeign(t, r.Head, "main", "By hand.")
	refused(t, f, r, fault.Changed, fmt.Sprintf("#%d", n), r.Head)
}

func testForeignClosed(t *testing.T, f Fixture) {
	r := request(t, f)
	n := f.OpenForeign(t, r.Head, "main", "By hand.")
	f.Close(t, n)
	if p := ensure(t, f, r); p.Found || p.Number == n {
		t.Errorf("got %+v; #%d is somebody else's and closed", p, n)
	}
}

func testMissing(t *testing.T, f Fixture) {
	r := request(t, f)
	r.Repository = f.Missing
	refused(t, f, r, fault.NotFound, f.Missing.Text)
}

// testForged lets a task's own text hold marks: of another task, of a later attempt, and in pieces.
func testForged(t *testing.T, f Fixture) {
	r := request(t, f)
	r.Body = strings.Join([]string{
		forge.Tag("task-2", 1), forge.Tag("task-1", 99), "<!--" + forge.Tag("x", 1), "<!--<!-- longshift:x>longshift:task=task-3 fence=7 -->",
		"Text.", forge.Tag("task-2", 1),
	}, "\n")
	first := ensure(t, f, r)
	if id, fence, ok := forge.FindTag(only(t, f).Body); id != "task-1" || fence != 1 || !ok {
		t.Errorf("hidden mark: %q %d %v in %q", id, fence, ok, only(t, f).Body)
	}
	if p := ensure(t, f, r); !p.Found || p.Number != first.Number {
		t.Errorf("got %+v", p)
	}
	other := r
	other.TaskID = "task-2"
	refused(t, f, other, fault.Changed, fmt.Sprintf("#%d", first.Number))
}

func testFenced(t *testing.T, f Fixture) {
	r := request(t, f)
	r.Fence = 2
	ensure(t, f, r)
	r.Fence, r.Title = 1, "From a worker that was taken for dead"
	refused(t, f, r, fault.Fenced, "attempt 2")
}

func testNewerAttempt(t *testing.T, f Fixture) {
	r := request(t, f)
	ensure(t, f, r)
	r.Fence = 3
	if p := ensure(t, f, r); !p.Found {
		t.Errorf("got %+v", p)
	}
	if _, fence, ok := forge.FindTag(only(t, f).Body); fence != 3 || !ok {
		t.Errorf("the mark has attempt %d, want 3", fence)
	}
}

func testOddID(t *testing.T, f Fixture) {
	r := request(t, f)
	r.TaskID = "acme/shop: 100% --> <b> fence=9 ü"
	first := ensure(t, f, r)
	if p := ensure(t, f, r); !p.Found || p.Number != first.Number {
		t.Errorf("got %+v", p)
	}
	if id, _, _ := forge.FindTag(only(t, f).Body); id != r.TaskID {
		t.Errorf("task id %q came back as %q", r.TaskID, id)
	}
}

func testNoCommits(t *testing.T, f Fixture) {
	r := request(t, f)
	r.Head = "longshift/empty"
	r.HeadCommit = PointBranch(t, f.GitDir, r.Head, "main")
	refused(t, f, r, fault.Input, r.Head, "main")
}

func testNoBase(t *testing.T, f Fixture) {
	r := request(t, f)
	r.Base = "release-9"
	refused(t, f, r, fault.Input, "base branch", "release-9")
}

func testNoHead(t *testing.T, f Fixture) {
	r := request(t, f)
	r.Head = "longshift/never-pushed"
	refused(t, f, r, fault.Changed, r.Head)
}

func testBadRequest(t *testing.T, f Fixture) {
	r := request(t, f)
	r.Title = " \n"
	refused(t, f, r, fault.Input)
}

func testLongBody(t *testing.T, f Fixture) {
	r := request(t, f)
	r.Title, r.Body = strings.Repeat("ä", 300), strings.Repeat("A line of text.\n", 10_000)
	ensure(t, f, r)
	s := only(t, f)
	if id, _, ok := forge.FindTag(s.Body); id != "task-1" || !ok || len(s.Body) > forge.MaxBody {
		t.Errorf("body of %d bytes, mark %v", len(s.Body), ok)
	}
	if n := len([]rune(s.Title)); n != forge.MaxTitle {
		t.Errorf("title of %d characters, want %d", n, forge.MaxTitle)
	}
	if p := ensure(t, f, r); !p.Found {
		t.Errorf("got %+v", p)
	}
}
