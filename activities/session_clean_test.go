package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// leaks fails when a text that goes into history holds a secret, or a path of this machine.
func (b *bench) leaks(what string, v any) {
	b.t.Helper()
	var text string
	if err, ok := v.(error); !ok {
		data, jsonErr := json.Marshal(v)
		must(b.t, jsonErr)
		text = string(data)
	} else {
		text = err.Error()
	}
	for _, bad := range []string{secret, b.Data} {
		if strings.Contains(text, bad) {
			b.t.Errorf("%s holds %q:\n%s", what, bad, text)
		}
	}
}

// No field of a result carries a secret or a path of the host into history, whatever the agent says.
func TestResultsAreClean(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	dirty := "see " + filepath.Join(b.work(), "calc.go") + " and " + secret
	quoted, err := json.Marshal(dirty)
	must(t, err)
	plan := strings.ReplaceAll(`{"verdict":"work","summary":@,"approach":@,"files":[@],"risks":[@],"evidence":@,"lines":9,"split":[@],`+
		`"deliverables":[{"id":"FIX-1","description":@,"acceptance":[@]}]}`, "@", string(quoted))
	for _, c := range []struct {
		name string
		role task.Role
		by   string
		p    *player
		find func(SessionResult) string // returns the field that has to hold the text
	}{
		{"plan", task.Planner, task.AgentClaude, calls("plan_submit", plan), func(r SessionResult) string { return r.Plan.Deliverables[0].Acceptance[0] }},
		{"plan in text", task.Planner, "script", says("# Summary\n\n" + dirty + "\n\n# Risks\n\n- " + dirty + "\n\n<PLAN_COMPLETE></PLAN_COMPLETE>"),
			func(r SessionResult) string { return r.Plan.Summary }},
		{"review", task.Reviewer, task.AgentClaude, calls("review_submit", `{"verdict":"approved","text":`+string(quoted)+`}`),
			func(r SessionResult) string { return r.Review.Text }},
		{"report and notes", task.Implementer, "script", says("<NOTE>" + dirty + "</NOTE><DONE>" + dirty + "</DONE>"),
			func(r SessionResult) string { return r.Report.Text + r.Report.Notes[0] }},
		{"finding", task.Implementer, task.AgentClaude, calls("finding_report", `{"text":`+string(quoted)+`}`),
			func(r SessionResult) string { return r.Report.Findings[0] }},
		{"error", task.Implementer, "script", ends(agent.Errored, dirty), func(r SessionResult) string { return r.Error }},
	} {
		b.Agents[c.by] = c.p
		in := b.session(c.role, c.by)
		res, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		b.leaks(c.name, res)
		if got := c.find(res); !strings.Contains(got, "$LONGSHIFT_DATA/tasks/") || !strings.Contains(got, "[hidden]") {
			t.Errorf("%s: the text did not come through: %q", c.name, got)
		}
		kept, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		b.leaks("the kept "+c.name, kept)
	}
}

// A long text is cut after its secrets are hidden: half of a secret would not be recognised.
func TestSecretAtTheCut(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	long := secret + strings.Repeat("x", 1000-len(secret)/2) // the last 1000 bytes begin in the middle of it
	b.Agents["script"] = ends(agent.Errored, long)
	res, err := b.attempt().session(b.Sessions, b.session(task.Implementer, "script"))
	must(t, err)
	if half := secret[len(secret)/2:]; strings.Contains(res.Error, half) || !strings.HasSuffix(res.Error, "xxx") {
		t.Errorf("half a secret is in %.60q", res.Error)
	}
}

// Errors carry no secrets either: those that repeat the agent's text, and infrastructure errors.
func TestErrorsAreClean(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	b.Agents["script"] = says("# Plan\n\nVerdict: " + secret + "\n\n<PLAN_COMPLETE></PLAN_COMPLETE>")
	res, err := b.attempt().session(b.Sessions, b.session(task.Planner, "script"))
	must(t, err)
	b.leaks("the error of the plan", res)
	b.Agents[task.AgentClaude] = answers(`{"verdict":"` + secret + `","summary":"s"}`)
	res, err = b.attempt().session(b.Sessions, b.session(task.Planner, task.AgentClaude))
	must(t, err)
	if b.leaks("the error of the answer", res); !strings.Contains(res.Error, "[hidden]") {
		t.Errorf("got %s", res.Error)
	}
	b.Agents["script"] = &player{play: func(_ context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		return agent.Outcome{}, fmt.Errorf("start %s with %s at https://me:hunter2@example.com", s.StateDir, secret)
	}}
	_, err = b.attempt().session(b.Sessions, b.session(task.Implementer, "script"))
	if err == nil {
		t.Fatal("no error")
	}
	b.leaks("the error", err)
	if got := err.Error(); !strings.Contains(got, "$LONGSHIFT_DATA/tasks/") || strings.Contains(got, "hunter2") {
		t.Errorf("got %s", got)
	}
}
