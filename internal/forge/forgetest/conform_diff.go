package forgetest

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

func testDiff(t *testing.T, f Fixture) {
	differ, r := can[forge.Differ](t, f), request(t, f)
	p := ensure(t, f, r)
	whole, err := differ.Diff(t.Context(), f.Repository, p.Number, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"diff --git a/greeting.txt b/greeting.txt\n", "\n-hello\n", "\n+bonjour from " + r.Head + "\n"} {
		if !strings.Contains(whole, want) {
			t.Errorf("%q is missing in the diff:\n%s", want, whole)
		}
	}
	if part, err := differ.Diff(t.Context(), f.Repository, p.Number, 30); err != nil || part != whole[:30] {
		t.Errorf("the first bytes: %q, %v", part, err)
	}
}

func testDiffMissing(t *testing.T, f Fixture) {
	if text, err := can[forge.Differ](t, f).Diff(t.Context(), f.Repository, 7, 100); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %q, %v", text, err)
	}
}
