package cli

import (
	"strings"
	"testing"
)

// TestDiffAsJSONTakesNoFlags: flags of git diff change nothing in the list of files, so they are refused.
func TestDiffAsJSONTakesNoFlags(t *testing.T) {
	for _, format := range []string{"json", "jsonl"} {
		_, errs := newConsole(t).said(2, "diff", "x1y2z3", "-o", format, "--", "src/")
		if !strings.Contains(errs, "-o "+format+" with flags of git diff") || !strings.Contains(errs, "leave out what follows --") {
			t.Errorf("%s: %q", format, errs)
		}
	}
}
