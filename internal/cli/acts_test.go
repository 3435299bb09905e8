package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/fault"
)

// TestActsOfATask: a task is named as everywhere, and a part of an id that several have is refused.
func TestActsOfATask(t *testing.T) {
	data := t.TempDir()
	l, err := audit.Open(t.Context(), filepath.Join(data, audit.FileName), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, id := range []string{"acme-web-fix-x1y2z3", "acme-api-doc-a9b8c7", "acme-web-fix-x1y2z3"} {
		if err := l.AppendAct(t.Context(), audit.Act{Time: auditNow, Channel: "slack", User: "U1", Verb: "approve", Task: id, Verdict: audit.ActDone}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		given     string
		code, all int
		says      string
	}{
		{"x1y2z3", fault.ExitOK, 2, ""}, {"acme-api", fault.ExitOK, 1, ""}, {"acme-web-fix-x1y2z3", fault.ExitOK, 2, ""}, {"none", fault.ExitOK, 0, ""},
		{"acme", fault.ExitUsage, 0, `task \"acme\" is ambiguous`}, {"acme --limit 1", fault.ExitUsage, 0, `task \"acme\" is ambiguous`},
	} {
		c := newConsole(t, "LONGSHIFT_DATA="+data)
		code := c.run(append([]string{"acts", "-o", "jsonl"}, strings.Fields(tt.given)...)...)
		if n := strings.Count(c.Out.String(), "\n"); code != tt.code || n != tt.all || !strings.Contains(c.Errs.String(), tt.says) {
			t.Errorf("%s: code %d, %d acts, %s", tt.given, code, n, c.Errs.String())
		}
	}
}
