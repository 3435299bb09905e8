package integration

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/intake/linear/lineartest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// place is a server, a worker and a repository on its disk, for work that comes from elsewhere than a forge.
type place struct {
	*lab.Server
	t      *testing.T
	worker *lab.Worker
	repo   string
}

func newPlace(t *testing.T, scenario string, files map[string]string, env ...string) *place {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(file, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &place{Server: lab.StartServer(t, false), t: t, repo: t.TempDir()}
	gittest.Git(t, p.repo, "init", "-q", "-b", "main")
	files[".longshift.yaml"] = "approval: {mode: none}\n"
	gittest.Write(t, p.repo, files)
	gittest.Git(t, p.repo, "add", "-A")
	gittest.Git(t, p.repo, "commit", "-q", "-m", "begin")
	p.worker = p.StartWorker(t, t.TempDir(), append([]string{"LONGSHIFT_SCENARIO=" + file, "LONGSHIFT_GATE_LEASE=2s", "LONGSHIFT_BACKLOG_QUIET=0s"}, env...)...)
	return p
}

// add adds an intake by the command line.
func (p *place) add(args ...string) {
	p.t.Helper()
	lab.Eventually(p.t, 30*time.Second, "the intake is added", func() bool {
		r := p.Longshift(p.t, append([]string{"intake", "add", "it", "--repo", p.repo, "--every", "30s", "-c", "agent=script"}, args...)...)
		if r.Code != 0 {
			p.t.Logf("intake add: exit code %d: %s", r.Code, r.Err)
		}
		return r.Code == 0
	})
}

// only waits for the one task that there is.
func (p *place) only() string {
	p.t.Helper()
	var id string
	lab.Eventually(p.t, 60*time.Second, "a task has started", func() bool {
		r := p.Longshift(p.t, "list", "-o", "jsonl")
		lines := strings.Split(strings.TrimSpace(r.Out), "\n")
		_, rest, ok := strings.Cut(lines[0], `"id":"`)
		id, _, _ = strings.Cut(rest, `"`)
		return r.Code == 0 && ok && len(lines) == 1
	})
	return id
}

func (p *place) end(id string) signals.Status {
	return p.End(p.t, p.Client.GetWorkflow(context.Background(), id, ""), 2*time.Minute)
}

// An issue of Linear is claimed, worked on and reported, once, with the worker killed between claim and start, and between start and report.
func TestLinearIssue(t *testing.T) {
	t.Parallel()
	linear := lineartest.New(t)
	linear.AddTeam("ENG")
	linear.AddUser("anna")
	key := linear.Add(lineartest.Issue{Title: "The file is missing", Body: "Please write it.", Labels: []string{"longshift"}, Creator: "anna", Priority: 2})
	p := newPlace(t, swift, map[string]string{"README.md": "x\n"}, "LONGSHIFT_LINEAR_TOKEN="+lineartest.Key, "LONGSHIFT_LINEAR_URL="+linear.URL)
	p.add("--source", "linear", "--label", "longshift")
	id := "issue:linear:" + strings.ToLower(key)
	lab.Eventually(t, 60*time.Second, "the issue has its task", func() bool { _, ok := p.Status(id); return ok })
	done := make(chan bool, 2)
	again := func() { p.worker.Kill(); p.worker.Start(); done <- true }
	p.OnStep(t.Context(), id, lab.Step{Activity: "ReportToSource", N: 1}, again)
	p.OnStep(t.Context(), id, lab.Step{Activity: "OpenPullRequest", N: 1}, again)
	end := p.end(id)
	if end.Outcome != task.PullRequest || end.RequestedBy != "anna" {
		t.Fatalf("ended %s for %q%s", end.Outcome, end.RequestedBy, lab.Log(end))
	}
	<-done
	<-done
	if state := linear.State(key); state != "In Progress" {
		t.Errorf("the issue is in %s", state)
	}
	comments := linear.Comments(key)
	if len(comments) != 1 || !strings.Contains(comments[0], end.PullRequest.URL) || !strings.Contains(comments[0], id) {
		t.Errorf("the issue shows %q", comments)
	}
	if r := p.Longshift(t, "list", "-o", "jsonl"); strings.Count(r.Out, "\n") != 1 {
		t.Errorf("tasks:\n%s", r.Out)
	}
	if r := p.Longshift(t, "retry", id, "--id", "again", "--detach"); r.Code != 0 {
		t.Fatalf("%+v", r)
	}
	if again := p.end("again"); again.Outcome != task.PullRequest || again.RequestedBy == "anna" {
		t.Errorf("tried again, it ended %s for %q: %s%s", again.Outcome, again.RequestedBy, again.Detail, lab.Log(again))
	}
	if now := linear.Comments(key); !slices.Equal(now, comments) || linear.State(key) != "In Progress" {
		t.Errorf("tried again, the issue is in %s and shows %q", linear.State(key), now)
	}
}

// beating ticks what HEARTBEAT.md lists.
const beating = `pace: 1
sessions:
  - role: planner
    match: Process heartbeat
    steps:
      - answer:
          verdict: work
          summary: Do what the heartbeat lists
          approach: do it, then tick it
          files: [HEARTBEAT.md, done.txt]
          risks: []
          evidence: ""
          deliverables: [{id: FIX-001, description: write the file, acceptance: [it is there]}]
  - role: implementer
    steps:
      - write: {path: done.txt, content: "done\n"}
      - edit: {path: HEARTBEAT.md, old: "- [ ] write done.txt", new: "- [x] write done.txt"}
      - say: "<DONE>\nwrote the file\n</DONE>"
  - role: reviewer
    steps:
      - answer: {verdict: approved, text: it is there}
`

// What HEARTBEAT.md lists is done, and the file tells so afterwards; what has nothing to do starts nothing.
func TestHeartbeatRoundTrip(t *testing.T) {
	t.Parallel()
	p := newPlace(t, beating, map[string]string{"HEARTBEAT.md": "# Things to do\n\n- [ ] write done.txt\n- [x] be born\n"})
	p.add("--source", "heartbeat")
	id := p.only()
	done := make(chan bool, 1)
	p.OnStep(t.Context(), id, lab.Step{Activity: "OpenPullRequest", N: 1}, func() { p.worker.Kill(); p.worker.Start(); done <- true })
	end := p.end(id)
	<-done
	if end.Outcome != task.PullRequest || !strings.HasPrefix(end.Task, "Process heartbeat") {
		t.Fatalf("%q ended %s%s", end.Task, end.Outcome, lab.Log(end))
	}
	read := func() string {
		data, err := os.ReadFile(filepath.Join(p.repo, "HEARTBEAT.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	text := read()
	for _, want := range []string{"# Things to do\n", "- [x] write done.txt\n", "- [x] be born\n", "longshift:heartbeat", "pull_request"} {
		if !strings.Contains(text, want) {
			t.Errorf("the file does not say %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "pull_request"); n != 1 {
		t.Errorf("it tells of the end %d times:\n%s", n, text)
	}
	if r := p.Longshift(t, "intake", "run", "it"); r.Code != 0 {
		t.Fatalf("intake run: %s", r.Err)
	}
	lab.Eventually(t, 60*time.Second, "another look has found nothing to do", func() bool {
		r := p.Longshift(t, "intake", "show", "it")
		return strings.Contains(r.Out, "0 started")
	})
	if r := p.Longshift(t, "list", "-o", "jsonl"); strings.Count(r.Out, "\n") != 1 || read() != text {
		t.Errorf("tasks:\n%s\nfile:\n%s", r.Out, read())
	}
}

// A backlog's task that is terminated can give nothing back, and nobody waits who would look: the next look does, and takes the next file.
func TestBacklogOutlivesItsTask(t *testing.T) {
	t.Parallel()
	p := newPlace(t, strings.Replace(swift, "steps:\n      - usage", "steps:\n      - pause: 1h\n      - usage", 1), map[string]string{"backlog/010.md": "# One\n", "backlog/020.md": "# Two\n"})
	p.add("--source", "backlog")
	first := p.only()
	lab.Eventually(t, time.Minute, "the task is at work", func() bool { s, ok := p.Status(first); return ok && s.Phase == task.Planning })
	if err := p.Client.TerminateWorkflow(t.Context(), first, "", "by the test"); err != nil {
		t.Fatal(err)
	}
	lab.Eventually(t, time.Minute, "the next file is taken", func() bool {
		if r := p.Longshift(t, "intake", "run", "it"); r.Code != 0 {
			t.Fatalf("intake run: %s", r.Err)
		}
		return strings.Contains(p.Longshift(t, "list").Out, ":020:")
	})
	lab.Eventually(t, time.Minute, "the look says that the first one stays", func() bool {
		return strings.Contains(p.Longshift(t, "intake", "show", "it").Out, "010.md: its task ended as failed; edit it")
	})
}
