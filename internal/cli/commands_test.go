package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/fault"
)

var auditNow = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// hostile is a command that would clear the screen, go back on its line and write from right to left.
const hostile = "echo \x1b[2J\rok \u202egnp\u009b0m \xff\nrm -rf x && true"

// auditData makes a data folder with a record of commands of two tasks.
func auditData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	l, err := audit.Open(t.Context(), filepath.Join(dir, audit.FileName), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	add := func(r audit.Record) int64 {
		id, err := l.Append(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	web := audit.Record{Time: auditNow.Add(-3 * time.Hour), Kind: audit.KindDecision, Task: "acme-web-fix-x1y2z3", Session: "s1",
		Role: "implementer", Tool: "Bash"}
	web.Command, web.Decision, web.Rule = "go test ./...", audit.Allow, "go.test"
	add(web)
	run := web
	run.Kind, run.Decision, run.Rule = audit.KindRun, "", ""
	if err := l.Finish(t.Context(), add(run), 1, 1234*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	web.Time, web.Command, web.Decision, web.Rule, web.Reason = auditNow.Add(-time.Hour), hostile, audit.Deny, "control-character", "holds an escape"
	add(web)
	api := audit.Record{Time: auditNow.Add(-time.Minute), Kind: audit.KindDecision, Task: "acme-api-doc-a9b8c7", Session: "s9", Role: "reviewer", Tool: "Read",
		Decision: audit.Allow, ApprovedBy: "ann"}
	add(api)
	api.Command = strings.Repeat("x", audit.MaxCommand+1)
	add(api)
	return dir
}

// listCommands runs `longshift commands` on a data folder.
func listCommands(t *testing.T, data string, args ...string) (c *console, code int) {
	t.Helper()
	c = newConsole(t, "LONGSHIFT_DATA="+data)
	f := c.factory()
	f.wiring.Commands = audit.Read
	f.clock.Now = func() time.Time { return auditNow }
	return c, f.main(t.Context(), append([]string{"commands"}, args...))
}

func TestCommandsTable(t *testing.T) {
	data := auditData(t)
	c, code := listCommands(t, data, "x1y2z3")
	want := `TIME (UTC)           SESSION  ROLE         WHAT   EXIT  TOOK  RULE               COMMAND
2026-11-20 09:00:00  s1       implementer  allow  -     -     go.test            go test ./...
2026-11-20 09:00:00  s1       implementer  run    1     1s                       go test ./...
2026-11-20 11:00:00  s1       implementer  deny   -     -     control-character  echo \x1b[2J\rok \u202egnp\u009b0m \xff\nrm -rf x && true
`
	if got := c.Out.String(); code != fault.ExitOK || got != want || c.Errs.String() != "" {
		t.Errorf("code %d, stderr %q\n%s\nwant\n%s", code, c.Errs.String(), got, want)
	}
	c, code = listCommands(t, data, "--limit", "2")
	got := c.Out.String()
	if code != fault.ExitOK || strings.Count(got, "\n") != 3 ||
		!strings.Contains(got, "acme-api-doc-a9b8c7  s9       reviewer  allow by ann  -     -           Read\n") ||
		!strings.Contains(got, "xxx … (cut at 16 KiB)\n") {
		t.Errorf("code %d\n%s", code, got)
	}
	if errs := c.Errs.String(); !strings.Contains(errs, "older records are left out") {
		t.Errorf("stderr %q", errs)
	}
}

func TestCommandsFilters(t *testing.T) {
	data := auditData(t)
	for args, want := range map[string]int{
		"": 5, "acme-web": 3, "acme-api-doc-a9b8c7": 2, "--session s9": 2, "--role implementer": 3, "--decision deny": 1, "--rule go.test": 1,
		"--contains rm": 1, "--contains RM": 0, "--since 2h": 3, "--since 1d": 5, "--since 2026-11-20T11:59:00Z": 2, "--limit 1": 1, "x1y2z3 --decision allow": 1,
	} {
		c, code := listCommands(t, data, append(strings.Fields(args), "-o", "jsonl")...)
		if got := strings.Count(c.Out.String(), "\n"); code != fault.ExitOK || got != want {
			t.Errorf("%q: %d records, code %d, want %d: %s", args, got, code, want, c.Errs.String())
		}
	}
}

func TestCommandsAsJSON(t *testing.T) {
	data := auditData(t)
	c, code := listCommands(t, data, "x1y2z3", "-o", "json")
	raw := c.Out.String()
	var got []audit.Record
	if err := json.Unmarshal([]byte(raw), &got); err != nil || code != fault.ExitOK || len(got) != 3 {
		t.Fatalf("code %d, %v\n%s", code, err, raw)
	}
	if want := strings.ReplaceAll(hostile, "\xff", "\ufffd"); got[2].Command != want || got[2].Reason != "holds an escape" ||
		got[1].ExitCode == nil || *got[1].ExitCode != 1 || got[1].Duration != 1234*time.Millisecond {
		t.Errorf("records %+v", got)
	}
	if strings.ContainsAny(raw, "\x1b\r\u202e\u009b\u007f") || !strings.Contains(raw, `\u202e`) || !strings.Contains(raw, "&& true") {
		t.Errorf("raw output %q", raw)
	}
	c, _ = listCommands(t, data, "--role", "auditor", "-o", "json")
	if got := c.Out.String(); got != "[]\n" {
		t.Errorf("none: %q", got)
	}
}

func TestCommandsNothingToShow(t *testing.T) {
	data := auditData(t)
	c, code := listCommands(t, data, "--role", "auditor")
	if code != fault.ExitOK || c.Out.String() != "" || !strings.Contains(c.Errs.String(), "kept on the host that ran the task") {
		t.Errorf("code %d, out %q, stderr %q", code, c.Out.String(), c.Errs.String())
	}
	empty := t.TempDir()
	c, code = listCommands(t, empty, "x1y2z3")
	if errs := c.Errs.String(); code != fault.ExitNotFound || strings.Count(errs, "\n") != 1 ||
		!strings.Contains(errs, "no commands are recorded in "+empty) || !strings.Contains(errs, "kept on the host that ran the task") {
		t.Errorf("code %d, stderr %q", code, errs)
	}
	if left, _ := os.ReadDir(empty); len(left) != 0 {
		t.Errorf("looking made %v", left)
	}
}

func TestCommandsRefuse(t *testing.T) {
	data := auditData(t)
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, audit.FileName), []byte(strings.Repeat("junk", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data, args string
		code       int
		says       []string
	}{
		{data, "--decision maybe", fault.ExitUsage, []string{`--decision "maybe": unknown`, "allow, ask or deny"}},
		{data, "--role nobody", fault.ExitUsage, []string{`--role "nobody": unknown`, "planner, implementer"}},
		{data, "--limit 0", fault.ExitUsage, []string{"--limit 0: out of range", "give 1 to"}},
		{data, "--limit x", fault.ExitUsage, []string{"--limit", `"x"`, "not a whole number; give digits"}},
		{data, "--since yesterday", fault.ExitUsage, []string{`--since "yesterday": neither an age nor a time`, "2h or 7d"}},
		{data, "--since 99999999999d", fault.ExitUsage, []string{`--since "99999999999d"`, "2h or 7d"}},
		{data, "--since=-2h", fault.ExitUsage, []string{`--since "-2h": no age above zero`, "2h or 7d"}},
		{data, "--since 2027-01-01T00:00:00Z", fault.ExitUsage, []string{"lies in the future", "2026-11-20T12:00:00Z"}},
		{data, "acme", fault.ExitUsage, []string{`task "acme" is ambiguous`, "acme-web-fix-x1y2z3", "acme-api-doc-a9b8c7", "give more of its id"}},
		{data, "acme --limit 1", fault.ExitUsage, []string{`task "acme" is ambiguous`}},
		{data, "acme --since 30m", fault.ExitUsage, []string{`task "acme" is ambiguous`}},
		{data, "a b", fault.ExitUsage, []string{`unexpected argument "b"`}},
		{damaged, "", fault.ExitServer, []string{filepath.Join(damaged, audit.FileName), "damaged", "restart the worker"}},
	} {
		got, code := listCommands(t, c.data, strings.Fields(c.args)...)
		for _, want := range c.says {
			if code != c.code || !strings.Contains(got.Errs.String(), want) || got.Out.String() != "" {
				t.Errorf("%s: code %d, stderr %q, want %q", c.args, code, got.Errs.String(), want)
			}
		}
	}
}
