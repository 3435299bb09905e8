package acceptance

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/signals"
)

// takesOver reads the pull request, looks at what the task has changed and merges it, by the commands that the status names and by our own.
func takesOver(t testing.TB, d *dev, repo string, end signals.Status) {
	t.Helper()
	said := d.longshift(t, time.Minute, repo, d.address, "status", end.WorkflowID).out
	for _, label := range []string{"Read", "Look", "Take"} {
		command := regexp.MustCompile(`(?m)^  ` + label + ` +git (.+)$`).FindStringSubmatch(said)
		if command == nil {
			t.Fatalf("the status names no command to %s:\n%s", strings.ToLower(label), said)
		}
		if out := d.git(t, repo, strings.Fields(command[1])...); !strings.Contains(out, "README.md") {
			t.Errorf("git %s printed %q", command[1], out)
		}
	}
	d.git(t, repo, "reset", "--hard", "--quiet", "ORIG_HEAD")

	var diff struct {
		Base, Head string
		Files      []struct {
			Path           string
			Added, Deleted int
		}
	}
	r := d.longshift(t, time.Minute, repo, d.address, "diff", end.WorkflowID, "-o", "json")
	if err := json.Unmarshal([]byte(r.out), &diff); err != nil {
		t.Fatalf("longshift diff: %v\n%+v", err, r)
	}
	added, deleted := 0, 0
	for _, f := range diff.Files {
		added, deleted = added+f.Added, deleted+f.Deleted
	}
	if len(diff.Files) != end.Files || added != end.Added || deleted != end.Deleted || diff.Head != end.Head || diff.Base != end.BaseCommit {
		t.Errorf("diff %+v does not fit the status: %d files, +%d -%d, %s to %s", diff, end.Files, end.Added, end.Deleted, end.BaseCommit, end.Head)
	}
	if r := d.longshift(t, time.Minute, repo, d.address, "diff", end.WorkflowID, "--", "--stat"); r.code != 0 || !strings.Contains(r.out, "README.md ") {
		t.Errorf("longshift diff -- --stat: %+v", r)
	}
	if r := d.longshift(t, time.Minute, repo, d.address, "open", end.WorkflowID); r.code != 0 || !strings.Contains(r.out, "/workflows/"+end.WorkflowID) {
		t.Errorf("longshift open: %+v", r)
	}
	if r := d.longshift(t, time.Minute, repo, d.address, "checkout", end.WorkflowID); r.code != 0 || !strings.Contains(r.out, "on branch "+end.Branch) {
		t.Errorf("longshift checkout: %+v", r)
	}
	if head := d.git(t, repo, "rev-parse", "HEAD"); head != end.Head {
		t.Errorf("checked out is %s, the task ended at %s", head, end.Head)
	}
}
