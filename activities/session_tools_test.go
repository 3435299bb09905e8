package activities

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/disk/disktest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// TestReportSurvives loses no report that was acknowledged, and runs no session again that has reported its end.
func TestReportSurvives(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	in := b.session(task.Implementer, task.AgentClaude)
	// attempts of the session that are cut off once they have reported
	cutOff := func(toolsAndArguments ...string) *player {
		return &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
			must(t, callTools(ctx, s.Reports, toolsAndArguments...))
			return agent.Outcome{}, fault.New(fault.Infra, "the machine has lost its power")
		}}
	}
	b.Agents[task.AgentClaude] = cutOff("note_save", `{"text":"UTC"}`)
	if _, err := b.attempt().session(b.Sessions, in); err == nil {
		t.Fatal("the first attempt was not cut off")
	}
	last := cutOff("note_save", `{"text":"UTC"}`, "deliverable_set_status", `{"id":"FIX-001","status":"passed","text":"fix: sum"}`)
	b.Agents[task.AgentClaude] = last
	got, err := b.attempt().session(b.Sessions, in) // it has reported its end: what comes after does not matter
	must(t, err)
	if r := got.Report; got.Kind != agent.Completed || r.Kind != task.ReportProgress || r.Text != "fix: sum" || len(r.Notes) != 1 {
		t.Errorf("the result is %+v", got)
	}
}

// TestEndedBeforeResult gives the result of a session whose worker was killed between the last report and the result.
func TestEndedBeforeResult(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	in := b.session(task.Reviewer, task.AgentClaude)
	rec, err := openRecord(b.Data, in)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(rec.dir, "reports.jsonl"),
		[]byte(`{"tool":"review_submit","arguments":{"verdict":"approved","text":"fine"}}`+"\n"), 0o600))
	b.Agents[task.AgentClaude] = &player{play: func(context.Context, agent.Session, func(agent.Event)) (agent.Outcome, error) {
		t.Error("the session was run again")
		return agent.Outcome{Kind: agent.Completed}, nil
	}}
	got, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	if got.Kind != agent.Completed || got.Review == nil || got.Review.Text != "fine" {
		t.Errorf("the result is %+v", got)
	}
}

// TestToolsOfAnotherRole gives a session the tools of its own role, also when the agent that was prestarted for it has another: after
// the last deliverable that is the reviewer, and the check may send the work back.
func TestToolsOfAnotherRole(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, calls("deliverable_set_status", `{"id":"FIX-001","status":"passed","text":"fix: sum"}`))
	b.Agents[task.AgentClaude] = w
	in := b.session(task.Implementer, task.AgentClaude)
	ahead := in
	ahead.Role = task.Reviewer
	b.prestarter.start(t.Context(), &ahead)
	b.prestarted(in.ID)
	got, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	if n, _, _ := w.counts(); n != 1 || got.Report.Kind != task.ReportProgress {
		t.Errorf("warmed %d times, the result is %+v", n, got)
	}
}

// TestAlarmAfterAReport believes no report of a session that had to be stopped.
func TestAlarmAfterAReport(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	in := b.session(task.Implementer, task.AgentClaude)
	b.Agents[task.AgentClaude] = &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		must(t, callTools(ctx, s.Reports, "deliverable_set_status", `{"id":"FIX-001","status":"passed","text":"fix: sum"}`))
		return agent.Outcome{}, fault.New(fault.Internal, "a call was made that was refused")
	}}
	if got, err := b.attempt().session(b.Sessions, in); err == nil {
		t.Errorf("the alarm is lost: %+v", got)
	}
	again := says("<BLOCKED>no</BLOCKED>")
	b.Agents[task.AgentClaude] = again
	got, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	if len(again.sessions()) != 1 || got.Report.Kind != task.ReportBlocked {
		t.Errorf("run %d times, %+v", len(again.sessions()), got)
	}
}

// TestAlarmTakesAllReports: what the agent reported before the alarm counts as little as its last report.
func TestAlarmTakesAllReports(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	in := b.session(task.Reviewer, task.AgentClaude)
	in.Prompt.Spec = []string{"SPEC.md"}
	in.Prompt.Plan = &task.Plan{Deliverables: []task.Deliverable{{ID: "FIX-001", Description: "Add", Status: task.Passed}}}
	b.Agents[task.AgentClaude] = &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		must(t, callTools(ctx, s.Reports, "deliverable_verify", `{"id":"FIX-001","holds":true,"text":"ran it"}`))
		return agent.Outcome{}, fault.New(fault.Internal, "a call was made that was refused")
	}}
	if got, err := b.attempt().session(b.Sessions, in); err == nil {
		t.Errorf("the alarm is lost: %+v", got)
	}
	var refused error
	b.Agents[task.AgentClaude] = &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		refused = callTools(ctx, s.Reports, "review_submit", `{"verdict":"approved","text":"fine"}`)
		return agent.Outcome{Kind: agent.Completed}, nil
	}}
	got, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	if refused == nil || !strings.Contains(refused.Error(), "FIX-001 is not verified") || got.Review != nil {
		t.Errorf("an approval by what was verified before: %v, %+v", refused, got.Review)
	}
}

// TestFullDiskReopensTheSession lets a session go on that a full disk has blocked.
func TestFullDiskReopensTheSession(t *testing.T) {
	b := newSmallBench(t)
	if b == nil {
		return
	}
	b.prepare()
	in := b.session(task.Implementer, task.AgentClaude)
	empty := func() {}
	b.Agents[task.AgentClaude] = &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		must(t, callTools(ctx, s.Reports, "deliverable_set_status", `{"id":"FIX-001","status":"blocked","text":"no space left on device"}`))
		empty = b.fill()
		return agent.Outcome{Kind: agent.Completed}, nil
	}}
	if _, err := b.attempt().session(b.Sessions, in); err == nil {
		t.Error("a full disk is the session's own fault")
	}
	empty()
	again := says("<DONE>fix: sum</DONE>")
	b.Agents[task.AgentClaude] = again
	got, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	if len(again.sessions()) != 1 || got.Report.Kind != task.ReportDone {
		t.Errorf("run %d times, %+v", len(again.sessions()), got)
	}
}

// TestFullDiskReopensTheNativeSession does the same for Longshift's own agent, whose disk has room for the worker's own files.
func TestFullDiskReopensTheNativeSession(t *testing.T) {
	b := newSmallBench(t)
	if b == nil {
		return
	}
	b.prepare()
	r := b.begins(task.Implementer, []transcript.Call{
		calling("deliverable_set_status", `{"id":"FIX-001","status":"blocked","text":"no space left on device"}`)})
	r.open()
	r.turn(1)
	empty := disktest.Fill(t, filepath.Dir(b.Data), 8<<20)
	var res SessionResult
	end := EndInput{Act: r.act(), Kind: agent.Completed}
	starved(t, "end the session", r.attempt().run(r.host.Acts.EndSession, end, &res))
	empty()
	must(t, r.attempt().run(r.host.Acts.EndSession, end, &res))
	if res.Report.Kind != task.ReportNone {
		t.Errorf("the report is kept: %+v", res.Report)
	}
}

// TestBothVerdictsAreNoApproval takes a review for what its most careful part says.
func TestBothVerdictsAreNoApproval(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	b.Agents[task.AgentClaude] = &player{play: func(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
		emit(agent.Event{Kind: agent.Text, Text: "<REQUEST_CHANGES>calc.go:3 is wrong</REQUEST_CHANGES>\n"})
		must(t, callTools(ctx, s.Reports, "review_submit", `{"verdict":"approved","text":"fine"}`))
		return agent.Outcome{Kind: agent.Completed}, nil
	}}
	got, err := b.attempt().session(b.Sessions, b.session(task.Reviewer, task.AgentClaude))
	must(t, err)
	if r := got.Review; r == nil || r.Approved || r.Text != "calc.go:3 is wrong" {
		t.Errorf("the review is %+v", r)
	}
}
