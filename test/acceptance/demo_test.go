package acceptance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// demo runs the README's second command: a killed worker, and a task that goes on to a pull request whose check is green.
func demo(t *testing.T, p *person) {
	begun := time.Now()
	r := p.longshift(t, within, p.home, []string{"TMPDIR=" + p.folder("tmp")}, "demo", "--kill", "-o", "json")
	if r.code != 0 {
		t.Fatalf("longshift demo ended with %d:\n%s\n%s", r.code, r.err, r.out)
	}
	var end signals.Status
	if err := json.Unmarshal([]byte(r.out), &end); err != nil {
		t.Fatalf("read the last status: %v\n%s", err, r.out)
	}
	if end.Outcome != task.PullRequest || end.Check == nil || !end.Check.Passed() {
		t.Errorf("outcome %s, last check %+v\n%s", end.Outcome, end.Check, r.err)
	}
	for _, want := range []string{`kill -9 \d+: the worker is dead`, `session \d+ \(implementer .*\) was resumed: 1 time`, `none of them ran again`, `approved:`} {
		if !regexp.MustCompile(want).MatchString(r.err) {
			t.Errorf("it does not say %s:\n%s", want, r.err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(p.home, "tmp")); err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
	t.Logf("demo with a kill: %.1fs", time.Since(begun).Seconds())
}
