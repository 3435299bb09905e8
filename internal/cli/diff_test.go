package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
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

// TestGitFails: people read git's own words, and programs the one line of JSON that every error is. The exit code is the same.
func TestGitFails(t *testing.T) {
	t.Parallel()
	for _, format := range []string{term.FormatText, term.FormatJSON, term.FormatJSONL} {
		c := newConsole(t)
		f := c.factory()
		f.printer.Format = format
		err := newBranchFinder(f).attached(t.Context(), c.Dir, fault.Infra, "fetch", "--quiet", "nowhere")
		silent, said := term.Exit{}, c.Errs.String()
		if format != term.FormatText {
			silent.Code, said = fault.KindOf(err).ExitCode(), term.FailureOf(err).Message
			if c.Errs.String() != "" {
				t.Errorf("%s: git has said %q", format, c.Errs.String())
			}
		} else if !errors.As(err, &silent) {
			t.Errorf("ended with %v", err)
		}
		if silent.Code != fault.ExitServer || !strings.Contains(said, "fatal: not a git repository") {
			t.Errorf("%s: code %d, %q", format, silent.Code, said)
		}
	}
}
