package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
)

func TestManualPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man", "man1")
	var out, errs bytes.Buffer
	run := func(args ...string) int {
		out.Reset()
		return newFactory(term.Streams{Out: &out, Err: &errs}, environ.Environ{}, testWiring()).main(t.Context(), args)
	}
	if code := run("man", dir); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, c := range commands(testRoot()) {
		page, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		if err != nil || c.HasParent() && !strings.Contains(string(page), "Exit codes:") {
			t.Errorf("%s: %v\n%.400s", c.CommandPath(), err, page)
		}
	}
	if code := run("man"); code != 0 || !strings.Contains(out.String(), `.TH "LONGSHIFT" "1"`) {
		t.Errorf("exit code %d: %.200s", code, out.String())
	}
	if code := run("man", filepath.Join(dir, "longshift.1", "below")); code != 2 || !strings.Contains(errs.String(), "give a folder that you can write to") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}
