package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/marker"
	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/task"
)

// demo plays the demo the way a task does: real git, the real prompts, the real check command.
type demo struct {
	*testing.T
	*stage
	dir      string
	settings project.Settings
	plan     task.Plan
	review   string
	sessions int
	cost     float64
}

func (d *demo) command(line string) (string, error) {
	cmd := exec.CommandContext(d.Context(), "bash", "-c", line)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (d *demo) must(line string) string {
	d.Helper()
	out, err := d.command(line)
	if err != nil {
		d.Fatalf("%s: %v\n%s", line, err, out)
	}
	return out
}

// ask runs a session in the role and returns what it reported.
func (d *demo) ask(role task.Role, do *task.Deliverable) (agent.Outcome, task.Report) {
	d.Helper()
	data := prompt.Data{Task: DemoTask, Work: prompt.Work{Deliverable: do}, Review: d.review, Change: prompt.Change{BaseCommit: "0123"}}
	if d.plan.Revision > 0 {
		data.Plan = &d.plan
	}
	if role != task.Planner {
		data.Review = ""
	}
	text, err := prompt.User(role, data)
	if err != nil {
		d.Fatal(err)
	}
	d.sessions++
	s := agent.Session{ID: "demo-" + d.Name() + "-" + string(rune('a'+d.sessions)), Role: role, Dir: d.dir, StateDir: filepath.Join(d.TempDir(), "s"),
		Prompt: text, ReadOnly: role.ReadOnly(), Scenario: "demo"}
	s.Permit = agenttest.Inside(s)
	d.events = nil
	out := d.run(d.T, s)
	if out.Kind != agent.Completed {
		d.Fatalf("%s: %+v", role, out)
	}
	d.cost += out.Usage.CostUSD
	p := marker.New(role)
	_, markers := p.Write(strings.Join(d.texts(), "\n"))
	return out, task.NewReport(role, markers, out.Text)
}

func (d *demo) replan() {
	d.Helper()
	out, _ := d.ask(task.Planner, nil)
	plan, err := task.DecodePlan(out.Answer)
	if err != nil {
		d.Fatal(err)
	}
	d.plan = task.Merge(d.plan, plan)
}

// work implements all that is pending and checks after each deliverable.
func (d *demo) work() {
	d.Helper()
	for {
		next, more := d.plan.Next()
		if !more {
			return
		}
		_, report := d.ask(task.Implementer, &next)
		_, _, pending := d.plan.Counts()
		want := task.ReportProgress
		if pending == 1 {
			want = task.ReportDone
		}
		if report.Kind != want {
			d.Fatalf("%s reported %+v, want %s", next.ID, report, want)
		}
		d.must("git add -A && git commit -q -m '" + report.Text + "'")
		if out, err := d.command(d.settings.Check); err != nil {
			d.Fatalf("the check fails after %s:\n%s", next.ID, out)
		}
		d.plan, _ = d.plan.WithStatus(next.ID, task.Passed, "")
	}
}

func (d *demo) judge() task.Review {
	d.Helper()
	out, _ := d.ask(task.Reviewer, nil)
	review, err := task.DecodeReview(out.Answer)
	if err != nil {
		d.Fatal(err)
	}
	return review
}

func TestDemoPlaysToItsEnd(t *testing.T) {
	t.Parallel()
	d := &demo{T: t, stage: newStage(1), dir: t.TempDir()}
	for name, content := range DemoRepository() {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	config, err := project.Parse([]byte(DemoRepository()[project.FileName]))
	if err != nil {
		t.Fatal(err)
	}
	d.settings = config.Settings()
	d.must("git init -q -b main && git add -A && git commit -q -m start")
	d.must(d.settings.Setup)
	if out, err := d.command(d.settings.Check); err == nil || !strings.Contains(out, "--- FAIL: TestMake") {
		t.Fatalf("the demo starts with tests that pass:\n%s", out)
	}
	d.replan()
	if len(d.plan.Deliverables) != 2 {
		t.Fatalf("the first plan: %+v", d.plan)
	}
	d.work()
	review := d.judge()
	if review.Approved {
		t.Fatal("the first review approves")
	}
	d.review = review.Text
	d.replan()
	if _, _, pending := d.plan.Counts(); d.plan.Revision != 2 || pending != 1 || len(d.plan.Deliverables) != 3 {
		t.Fatalf("the second plan: %+v", d.plan)
	}
	d.work()
	if review := d.judge(); !review.Approved {
		t.Fatalf("the second review: %+v", review)
	}
	if commits := strings.Count(d.must("git log --format=%s"), "\n"); commits != 4 || d.must("git status --porcelain") != "" {
		t.Errorf("%d commits, or something is left", commits)
	}
	total := 0.0
	for _, p := range d.pauses {
		total += p.Seconds()
	}
	if d.sessions != 7 || d.cost < 0.02 || d.cost > 0.15 || total < 7 || total > 20 {
		t.Errorf("%d sessions, %.4f dollars, %.1f s of pauses", d.sessions, d.cost, total)
	}
	if out := d.must("gofmt -l ."); out != "" {
		t.Errorf("not formatted: %s", out)
	}
}
