package integration

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// backlogQuiet is the worker's quiet time, and that of watch.
const backlogQuiet = 800 * time.Millisecond

// backlogScenario: words in a file say how its task goes.
const backlogScenario = `
sessions:
  - role: planner
    match: NOTHING
    steps:
      - answer: {verdict: already_done, summary: it is there, approach: "", files: [], risks: [], evidence: it is in the README, deliverables: []}
  - role: planner
    steps:
      - answer:
          verdict: work
          summary: write it down
          approach: one file
          files: [notes.md]
          risks: []
          evidence: ""
          deliverables:
            - {id: FIX-001, description: write notes.md, acceptance: [it is there]}
  - role: implementer
    match: the answer is green
    steps:
      - write: {path: notes.md, content: "green\n"}
      - say: "<DONE>\ndocs: write the colour down\n</DONE>"
  - role: implementer
    match: UNCLEAR
    steps:
      - say: "<SPEC_ISSUE>\nWhich colour is it to be?\n</SPEC_ISSUE>"
  - role: implementer
    steps:
      - write: {path: notes.md, content: "done\n"}
      - say: "<DONE>\ndocs: write it down\n</DONE>"
  - role: reviewer
    match: NEVERGOOD
    steps:
      - answer: {verdict: request_changes, text: not good enough}
  - role: reviewer
    steps:
      - answer: {verdict: approved, text: good}
`

// happened is an event of watch, as others read it.
type happened struct {
	Type, File, Title, Task, Detail, PullRequest string
	Time                                         time.Time
	Running, Blocks, Removed, Edited             bool
	Reason                                       signals.Reason
	Outcome                                      task.Outcome
	Sessions                                     int
	Files                                        []string
}

// backlog is a repository with a folder of files, and a watch of it.
type backlog struct {
	t              *testing.T
	s              *lab.Server
	repo, scenario string
	cmd            *exec.Cmd
	done           chan struct{}
	mu             sync.Mutex
	events         []happened
	at             int // of those that a test has not asked for yet
	errs           strings.Builder
}

func newBacklog(t *testing.T, s *lab.Server, scenario string) *backlog {
	t.Helper()
	return &backlog{t: t, s: s, scenario: scenario, repo: gittest.NewCheckout(t, map[string]string{
		"README.md": "# Notes\n", ".gitignore": "backlog/\nold/\n", ".longshift.yaml": "check: \"true\"\nsetup: \"true\"\niterations: 1\napproval:\n  mode: required\n"})}
}

func (b *backlog) git(args ...string) string { return gittest.Git(b.t, b.repo, args...) }

func (b *backlog) path(name string) string { return filepath.Join(b.repo, "backlog", name) }

func (b *backlog) write(name, text string) {
	b.t.Helper()
	gittest.Write(b.t, b.repo, map[string]string{"backlog/" + name: text})
}

func (b *backlog) gone(name string) {
	b.t.Helper()
	if _, err := os.Stat(b.path(name)); !errors.Is(err, os.ErrNotExist) {
		b.t.Errorf("%s is still there (%v)", name, err)
	}
}

func (b *backlog) there(names ...string) {
	b.t.Helper()
	for _, name := range names {
		if _, err := os.Stat(b.path(name)); err != nil {
			b.t.Error(err)
		}
	}
}

// settled waits until the worker may take every file.
func (b *backlog) settled() {
	b.t.Helper()
	lab.Eventually(b.t, 20*time.Second, "nobody has written for a while", func() bool {
		entries, err := os.ReadDir(filepath.Join(b.repo, "backlog"))
		for _, e := range entries {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) < backlogQuiet+100*time.Millisecond {
				return false
			}
		}
		return err == nil
	})
}

// watch starts `longshift watch`, with its events on a pipe.
func (b *backlog) watch() {
	b.t.Helper()
	cmd := exec.Command(lab.Program(b.t, "longshift"), "watch", "--repo", b.repo, "--quiet-time", backlogQuiet.String(), "-o", "jsonl",
		"-c", "agent=script", "-c", "scenario="+b.scenario)
	home := b.t.TempDir()
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USER=ann", "TZ=UTC", "LANG=C.UTF-8", "TEMPORAL_ADDRESS=" + b.s.Address}
	errs := lockedWriter{&b.mu, &b.errs}
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended := make(chan struct{})
	b.cmd, b.done = cmd, ended
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e happened
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				b.t.Errorf("%s: %v", lines.Text(), err)
			}
			if e.Type == "log" {
				continue
			}
			b.mu.Lock()
			b.events = append(b.events, e)
			b.mu.Unlock()
		}
		_ = cmd.Wait()
	}()
	b.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if b.t.Failed() {
			b.t.Logf("watch told %+v\n%s", b.told(), b.errs.String())
		}
	})
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *strings.Builder
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// kill ends watch, and gives its exit code.
func (b *backlog) kill(with syscall.Signal) int {
	b.t.Helper()
	if err := b.cmd.Process.Signal(with); err != nil {
		b.t.Fatal(err)
	}
	<-b.done
	return b.cmd.ProcessState.ExitCode()
}

func (b *backlog) told() []happened {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]happened(nil), b.events...)
}

// next waits for the event that must come next of those of a type, and gives it.
func (b *backlog) next(kind, file string) (e happened) {
	b.t.Helper()
	lab.Eventually(b.t, 60*time.Second, kind+" "+file, func() bool {
		all := b.told()
		for ; b.at < len(all); b.at++ {
			if all[b.at].Type == kind {
				e = all[b.at]
				b.at++
				return true
			}
		}
		return false
	})
	if e.File != file {
		b.t.Fatalf("%s is told of %q, not of %q: %+v", kind, e.File, file, e)
	}
	return e
}

func (b *backlog) count(kind string) (n int) {
	for _, e := range b.told() {
		if e.Type == kind {
			n++
		}
	}
	return n
}

// run runs a command that must do.
func (b *backlog) run(args ...string) {
	b.t.Helper()
	if r := b.s.Longshift(b.t, args...); r.Code != 0 {
		b.t.Fatalf("%q: exit code %d\n%s%s", args, r.Code, r.Out, r.Err)
	}
}

func (b *backlog) until(id string, phase task.Phase) {
	b.t.Helper()
	lab.Eventually(b.t, 60*time.Second, id+" is "+string(phase), func() bool {
		st, ok := b.s.Status(id)
		return ok && st.Phase == phase
	})
}

func (b *backlog) ended(id string) signals.Status {
	b.t.Helper()
	return b.s.End(b.t, b.s.Client.GetWorkflow(b.t.Context(), id, ""), time.Minute)
}

// name is that of watch, as an intake.
func (b *backlog) name() string {
	b.t.Helper()
	f, err := workfile.Open(task.Repository{Text: b.repo, Path: b.repo}, "backlog")
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	return "watch-" + f.Slug("")
}

// look looks as watch does, and gives what has come of it.
func (b *backlog) look() (p signals.PollResult) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 40*time.Second)
	defer cancel()
	in := signals.IntakeInput{Name: b.name(), Source: "backlog", Repository: b.repo, Guard: task.Guard{Sessions: 1}}
	run, err := b.s.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: signals.Queue}, signals.IssueIntake, in)
	if err == nil {
		err = run.Get(ctx, &p)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// list gives the ids of the workflows that a query finds.
func (b *backlog) list(query string) (ids []string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 20*time.Second)
	defer cancel()
	r, err := b.s.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: 1000})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range r.Executions {
		ids = append(ids, e.Execution.WorkflowId)
	}
	return ids
}

// looks counts the looks of watch.
func (b *backlog) looks() int {
	return len(b.list("WorkflowType = 'IssueIntake' AND WorkflowId = 'intake-" + b.name() + "'"))
}

// tasks gives the ids of this repository's tasks.
func (b *backlog) tasks() []string {
	return b.list("WorkflowType = 'CodingTask' AND LongshiftRepository = '" + b.repo + "'")
}
