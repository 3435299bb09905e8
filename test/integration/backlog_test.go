package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// The rules of a backlog, on real parts: the server, a worker, git repositories with a folder of files, and `longshift watch`. Tasks stop at
// their plans, so that each test does what it does while they run.
func TestBacklog(t *testing.T) {
	t.Parallel()
	s := cronServer(t)
	scenario := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(scenario, []byte(backlogScenario), 0o600); err != nil {
		t.Fatal(err)
	}
	s.StartWorker(t, t.TempDir(), "LONGSHIFT_SCENARIO="+scenario, "LONGSHIFT_BACKLOG_QUIET="+backlogQuiet.String(), "LONGSHIFT_SLOTS=6")
	for name, test := range map[string]func(*backlog){
		"by name":             backlogByName,
		"edited":              backlogEdited,
		"at max iterations":   backlogMaxIterations,
		"a question":          backlogQuestion,
		"kept":                backlogKept,
		"somebody writes":     backlogWriting,
		"killed":              backlogKilled,
		"terminated":          backlogTerminated,
		"an intake is there":  backlogScheduled,
		"the folder comes up": backlogFolder,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newBacklog(t, s, scenario))
		})
	}
}

// Files are taken by their names, one at a time, also one that is put in front while another is worked on. Each goes when it is done.
func backlogByName(b *backlog) {
	b.write("020-b.md", "# B\n\nDo it.\n")
	b.write("030-c.md", "# C\n\nNOTHING to do.\n")
	b.watch()
	one := b.next("found", "020-b.md")
	if one.Title != "B" || !strings.HasPrefix(one.Task, "backlog:") || one.Running {
		b.t.Errorf("found %+v", one)
	}
	b.next("started", "020-b.md")
	b.until(one.Task, task.Approving)
	b.write("010-a.md", "# A\n\nNOTHING to do.\n")
	b.run("approve", one.Task)
	end := b.next("ended", "020-b.md")
	if end.Outcome != task.PullRequest || !end.Removed || end.PullRequest == "" || end.Task != one.Task || end.Sessions != 3 {
		b.t.Errorf("ended %+v", end)
	}
	b.gone("020-b.md")
	for _, name := range []string{"010-a.md", "030-c.md"} {
		b.next("found", name)
		if end := b.next("ended", name); end.Outcome != task.AlreadyDone || !end.Removed {
			b.t.Errorf("ended %+v", end)
		}
		b.gone(name)
	}
	if e := b.next("waiting", ""); len(e.Files) != 0 {
		b.t.Errorf("waiting with %q", e.Files)
	}
	if left := b.git("status", "--porcelain"); left != "" {
		b.t.Errorf("the work tree is not clean: %q", left)
	}
}

// A file that is edited while its task runs stays, and is new work after that.
func backlogEdited(b *backlog) {
	b.write("a.md", "# A\n\nDo it.\n")
	b.watch()
	one := b.next("found", "a.md")
	b.until(one.Task, task.Approving)
	b.write("a.md", "# A\n\nNOTHING more to do.\n")
	b.run("approve", one.Task)
	if end := b.next("ended", "a.md"); end.Outcome != task.PullRequest || end.Removed {
		b.t.Errorf("ended %+v", end)
	}
	if kept := b.next("kept", "a.md"); !kept.Edited {
		b.t.Errorf("kept %+v", kept)
	}
	if two := b.next("found", "a.md"); two.Task == one.Task {
		b.t.Errorf("the same task: %s", two.Task)
	}
	if end := b.next("ended", "a.md"); end.Outcome != task.AlreadyDone || !end.Removed {
		b.t.Errorf("ended %+v", end)
	}
	b.gone("a.md")
}

// The last iteration is an end as well.
func backlogMaxIterations(b *backlog) {
	b.write("a.md", "# A\n\nNEVERGOOD\n")
	b.watch()
	one := b.next("found", "a.md")
	b.until(one.Task, task.Approving)
	b.run("approve", one.Task)
	if end := b.next("ended", "a.md"); end.Outcome != task.MaxIterations || !end.Removed {
		b.t.Errorf("ended %+v", end)
	}
	b.gone("a.md")
}

// A question about the specification keeps its file, and holds up those behind it until it is answered.
func backlogQuestion(b *backlog) {
	b.write("010-a.md", "# A\n\nUNCLEAR\n")
	b.write("020-b.md", "# B\n\nNOTHING to do.\n")
	b.watch()
	one := b.next("found", "010-a.md")
	b.until(one.Task, task.Approving)
	b.run("approve", one.Task)
	stop := b.next("blocked", "010-a.md")
	if stop.Reason != signals.ReasonSpecIssue || !stop.Blocks || !strings.Contains(stop.Detail, "Which colour") || stop.Task != one.Task {
		b.t.Errorf("blocked %+v", stop)
	}
	b.until(one.Task, task.Suspended)
	b.write("005-front.md", "# Front\n\nNOTHING to do.\n")
	b.settled()
	if p := b.look(); len(p.Started) > 0 || p.Again > 0 {
		b.t.Errorf("begun while the queue stands still: %+v", p)
	}
	b.there("005-front.md", "010-a.md", "020-b.md")
	b.run("resume", one.Task, "--note", "the answer is green")
	b.next("unblocked", "010-a.md")
	if end := b.next("ended", "010-a.md"); end.Outcome != task.PullRequest || !end.Removed {
		b.t.Errorf("ended %+v", end)
	}
	for _, name := range []string{"005-front.md", "020-b.md"} {
		b.next("found", name)
		b.next("ended", name)
	}
	if n := b.count("blocked"); n != 1 {
		b.t.Errorf("%d times blocked", n)
	}
}

// With any other end the file stays, and is not begun again until it is edited. A person can have its task tried again.
func backlogKept(b *backlog) {
	var rejected string
	b.write("010-a.md", "# A\n\nDo it.\n")
	b.write("020-b.md", "# B\n\nDo it.\n")
	b.watch()
	for _, c := range []struct {
		file    string
		act     string
		outcome task.Outcome
	}{{"010-a.md", "reject", task.Rejected}, {"020-b.md", "cancel", task.Cancelled}} {
		one := b.next("found", c.file)
		b.until(one.Task, task.Approving)
		if b.run(c.act, one.Task); c.outcome == task.Rejected {
			rejected = one.Task
		}
		if end := b.next("ended", c.file); end.Outcome != c.outcome || end.Removed {
			b.t.Errorf("ended %+v", end)
		}
		if kept := b.next("kept", c.file); kept.Edited || kept.Outcome != c.outcome {
			b.t.Errorf("kept %+v", kept)
		}
	}
	if e := b.next("waiting", ""); !slices.Equal(e.Files, []string{"010-a.md", "020-b.md"}) {
		b.t.Errorf("waiting with %q", e.Files)
	}
	if p := b.look(); len(p.Started) > 0 {
		b.t.Errorf("begun again: %q", p.Started)
	}
	b.run("retry", rejected, "--id", "kept-again", "--detach")
	b.until("kept-again", task.Approving)
	b.run("cancel", "kept-again")
	b.write("020-b.md", "# B\n\nNOTHING to do.\n")
	b.next("found", "020-b.md")
	b.next("ended", "020-b.md")
	if e := b.next("waiting", ""); !slices.Equal(e.Files, []string{"010-a.md"}) {
		b.t.Errorf("waiting with %q", e.Files)
	}
	b.there("010-a.md")
}

// While somebody writes, nothing is taken: also not a file that is complete.
func backlogWriting(b *backlog) {
	b.watch()
	b.next("waiting", "")
	b.write("a.md", "# A\n\nNOTHING to do.\n")
	var last time.Time
	tick := time.NewTicker(backlogQuiet / 4)
	defer tick.Stop()
	for range 10 {
		<-tick.C
		b.write("b.md", fmt.Sprintf("# B\n\nNOTHING to do. %d\n", time.Now().UnixNano()))
		last = time.Now()
	}
	if n := b.count("found"); n > 0 {
		b.t.Errorf("%d files were found meanwhile", n)
	}
	if at := b.next("found", "a.md").Time; at.Sub(last) < backlogQuiet {
		b.t.Errorf("found %s after the last writing", at.Sub(last))
	}
	b.next("ended", "a.md")
	b.next("found", "b.md")
	b.next("ended", "b.md")
	b.next("waiting", "")
	if looks := b.looks(); looks > 6 { // at the start, after the writing, after each task, and once too early at most
		b.t.Errorf("%d looks", looks)
	}
}

// Without watch the task that runs goes on, and nothing new begins; the next watch finds what is there.
func backlogKilled(b *backlog) {
	b.write("010-a.md", "# A\n\nDo it.\n")
	b.write("020-b.md", "# B\n\nDo it.\n")
	b.watch()
	one := b.next("found", "010-a.md")
	b.until(one.Task, task.Approving)
	b.kill(syscall.SIGKILL)
	b.run("approve", one.Task)
	b.ended(one.Task)
	b.gone("010-a.md")
	if ids := b.tasks(); !slices.Equal(ids, []string{one.Task}) {
		b.t.Errorf("tasks without watch: %q", ids)
	}
	b.watch()
	two := b.next("found", "020-b.md")
	b.until(two.Task, task.Approving)
	b.write("030-c.md", "# C\n\nDo it.\n")
	b.settled()
	b.kill(syscall.SIGKILL)
	b.watch()
	if again := b.next("found", "020-b.md"); !again.Running || again.Task != two.Task || again.Title != "B" {
		b.t.Errorf("found again as %+v", again)
	}
	b.run("approve", two.Task)
	if end := b.next("ended", "020-b.md"); end.Outcome != task.PullRequest || !end.Removed {
		b.t.Errorf("ended %+v", end)
	}
	three := b.next("found", "030-c.md")
	b.until(three.Task, task.Approving)
	if code := b.kill(syscall.SIGINT); code != fault.ExitInterrupt {
		b.t.Errorf("exit code %d after Ctrl-C", code)
	}
	if st, ok := b.s.Status(three.Task); !ok || st.Phase != task.Approving {
		b.t.Errorf("after Ctrl-C the task is %s", st.Phase)
	}
}

// A task that was ended from outside could not say so to anybody: its place and its file are free all the same.
func backlogTerminated(b *backlog) {
	b.write("010-a.md", "# A\n\nUNCLEAR\n")
	b.write("020-b.md", "# B\n\nNOTHING to do.\n")
	b.watch()
	one := b.next("found", "010-a.md")
	b.until(one.Task, task.Approving)
	b.run("approve", one.Task)
	b.next("blocked", "010-a.md")
	if err := b.s.Client.TerminateWorkflow(b.t.Context(), one.Task, "", "by a person"); err != nil {
		b.t.Fatal(err)
	}
	if end := b.next("ended", "010-a.md"); end.Outcome != task.Failed || end.Removed {
		b.t.Errorf("ended %+v", end)
	}
	b.next("found", "020-b.md")
	b.next("ended", "020-b.md")
	b.write("010-a.md", "# A\n\nNOTHING to do.\n")
	b.next("found", "010-a.md")
	b.next("ended", "010-a.md")
	b.gone("010-a.md")
}

// Where an intake looks at the same folder, watch follows and begins nothing.
func backlogScheduled(b *backlog) {
	b.run("intake", "add", "nightly", "--source", "backlog", "--repo", b.repo, "--every", "744h", "-c", "agent=script", "-c", "scenario="+b.scenario)
	b.watch()
	if e := b.next("waiting", ""); !strings.Contains(e.Detail, "intake nightly watches this folder already") {
		b.t.Errorf("waiting: %s", e.Detail)
	}
	b.write("a.md", "# A\n\nDo it.\n")
	b.settled()
	b.run("intake", "run", "nightly")
	one := b.next("found", "a.md")
	b.until(one.Task, task.Approving)
	b.run("approve", one.Task)
	if end := b.next("ended", "a.md"); end.Outcome != task.PullRequest || !end.Removed {
		b.t.Errorf("ended %+v", end)
	}
	if n := b.looks(); n != 0 {
		b.t.Errorf("%d looks of its own", n)
	}
}

// The folder need not be there, and may be another one later; what can't be taken is told of once.
func backlogFolder(b *backlog) {
	b.watch()
	b.next("waiting", "")
	b.write("a.txt", "no order")
	b.write("b.md", "\xff\xfe is no text")
	if e := b.next("kept", "b.md"); !strings.Contains(e.Detail, "not text in UTF-8") {
		b.t.Errorf("kept: %s", e.Detail)
	}
	if err := os.Rename(filepath.Join(b.repo, "backlog"), filepath.Join(b.repo, "old")); err != nil {
		b.t.Fatal(err)
	}
	b.write("c.md", "# C\n\nNOTHING to do.\n")
	b.next("found", "c.md")
	b.next("ended", "c.md")
	b.gone("c.md")
	if err := os.WriteFile(filepath.Join(b.repo, "d.md~"), []byte("# D\n\nNOTHING to do.\n"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(b.repo, "d.md~"), filepath.Join(b.repo, "backlog", "d.md")); err != nil { // as editors save
		b.t.Fatal(err)
	}
	b.next("found", "d.md")
	b.next("ended", "d.md")
	if n := b.count("kept"); n != 1 {
		b.t.Errorf("%d times kept", n)
	}
}
