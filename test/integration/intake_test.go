package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/longshift/longshift/internal/channel/telegram/telegramtest"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// arriving is a stage on which issues of GitHub arrive by themselves.
type arriving struct {
	*lab.Stage
	label string
}

// swift is what the script agent does where the work itself does not matter.
const swift = `pace: 1
sessions:
  - role: planner
    steps:
      - usage: {input: 10, output: 10, costUsd: 0.5}
      - answer:
          verdict: work
          summary: Write the file
          approach: write it
          files: [done.txt]
          risks: []
          evidence: ""
          deliverables: [{id: FIX-001, description: write the file, acceptance: [it is there]}]
  - role: implementer
    steps:
      - pause: 300ms
      - write: {path: done.txt, content: "done\n"}
      - say: "<DONE>\nwrote the file\n</DONE>"
  - role: reviewer
    steps:
      - answer: {verdict: approved, text: it is there}
`

func newArriving(t *testing.T, settings string, env ...string) *arriving {
	t.Helper()
	scenario := filepath.Join(t.TempDir(), "swift.yaml")
	if err := os.WriteFile(scenario, []byte(swift), 0o600); err != nil {
		t.Fatal(err)
	}
	settings = strings.Replace(settings, lab.QuickCheck, "test -s calc.go", 1) // the scripted agent mends nothing, and need not
	s := lab.NewStage(t, lab.Brief(), settings, append([]string{"LONGSHIFT_SCENARIO=" + scenario, "LONGSHIFT_GATE_LEASE=2s", "LONGSHIFT_SLOTS=4"}, env...)...)
	s.GitHub.SetPermission(lab.Name, "ada", "write")
	s.GitHub.SetPermission(lab.Name, "eve", "read")
	return &arriving{s, "longshift"}
}

// issues adds issues that ada has labelled, and gives their numbers.
func (a *arriving) issues(n int) []int { return a.issuesBy(n, "ada") }

// issuesBy adds issues that people have labelled in turn.
func (a *arriving) issuesBy(n int, people ...string) (numbers []int) {
	for i := range n {
		number := a.GitHub.AddIssue(lab.Name, forgetest.Issue{Title: fmt.Sprintf("Problem %d", i+1), Body: "It is wrong.", Author: "eve"})
		a.GitHub.Label(lab.Name, number, people[i%len(people)], a.label)
		numbers = append(numbers, number)
	}
	return numbers
}

// intake adds an intake of the issues by the command line.
func (a *arriving) intake(args ...string) {
	a.T.Helper()
	var r lab.Ran
	lab.Eventually(a.T, 30*time.Second, "the intake is added", func() bool { // once the worker has registered our attributes
		r = a.Longshift(a.T, append([]string{"intake", "add", "calc", "--source", "github", "--repo", lab.Name, "--label", a.label, "--every", "30s"}, args...)...)
		if r.Code != 0 && !strings.Contains(r.Err, "doctor --fix") {
			a.T.Fatalf("intake add: exit code %d\n%s%s", r.Code, r.Out, r.Err)
		}
		return r.Code == 0
	})
}

// scripted are the flags under which an intake's tasks call no model.
var scripted = []string{"-c", "agent=script", "-c", "approval.mode=none"}

// look makes the intake look now.
func (a *arriving) look() {
	a.T.Helper()
	if r := a.Longshift(a.T, "intake", "run", "calc"); r.Code != 0 {
		a.T.Fatalf("intake run: %s%s", r.Out, r.Err)
	}
}

// ended waits for the ends of the tasks of issues.
func (a *arriving) ended(numbers []int, limit time.Duration) (all []signals.Status) {
	a.T.Helper()
	for _, n := range numbers {
		id := issueTask(n)
		lab.Eventually(a.T, limit, "issue "+id+" has its task", func() bool { _, ok := a.Status(id); return ok })
		all = append(all, a.End(a.T, a.Client.GetWorkflow(context.Background(), id, ""), limit))
	}
	return all
}

// notes gives our comments at an issue.
func (a *arriving) notes(number int) (texts []string) {
	for _, c := range a.GitHub.Comments(lab.Name, number) {
		if strings.Contains(c.Body, "Longshift") {
			texts = append(texts, c.Body)
		}
	}
	return texts
}

func (a *arriving) count(query string) int {
	a.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := a.Client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: query})
	if err != nil {
		a.T.Fatal(err)
	}
	return int(r.Count)
}

func (a *arriving) gate() (g signals.LimiterState) {
	a.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	v, err := a.Client.QueryWorkflow(ctx, "limiter:127.0.0.1:acme:calc", "", signals.QueryLimiter)
	if err != nil || v.Get(&g) != nil {
		a.T.Logf("the gate does not answer: %v", err)
	}
	return g
}

// An issue that somebody with write access has labelled is found by the schedule, claimed, worked on by the real agent, and reported. The
// worker is killed between claim and start, and between start and report: one run, one claim, one report.
func TestScheduleToPullRequest(t *testing.T) {
	t.Parallel()
	a := newArriving(t, lab.QuickSettings)
	number := a.issues(1)[0]
	strangers := a.GitHub.AddIssue(lab.Name, forgetest.Issue{Title: "Steal the keys", Body: "now", Author: "eve"})
	a.GitHub.Label(lab.Name, strangers, "eve", a.label)
	id := issueTask(number)
	a.intake()
	lab.Eventually(t, 60*time.Second, "the task has started", func() bool { _, ok := a.Status(id); return ok })
	killed := make(chan string, 3)
	again := func(when string) func() {
		return func() { a.Worker.Kill(); a.Worker.Start(); killed <- when }
	}
	a.OnStep(t.Context(), id, lab.Step{Activity: "ReportToSource", N: 1}, again("claimed"))
	a.OnStep(t.Context(), id, lab.Step{Activity: "PrepareWorkspace", N: 1}, again("started"))
	a.OnStep(t.Context(), id, lab.Step{Activity: "OpenPullRequest", N: 1}, again("pull request"))
	claims := make(chan int, 1) // by the end of the first session: the report sets the label once more
	a.OnStep(t.Context(), id, lab.Step{Activity: "RunAgent", N: 1}, func() {
		claims <- a.GitHub.Count(http.MethodPost, fmt.Sprintf("/issues/%d/labels", number))
	})
	end := a.ended([]int{number}, 3*time.Minute)[0]
	if end.Outcome != task.PullRequest || end.RequestedBy != "ada" {
		t.Fatalf("ended %s, asked for by %s%s", end.Outcome, end.RequestedBy, lab.Log(end))
	}
	for range 3 {
		select {
		case <-killed:
		case <-time.After(10 * time.Second):
			t.Fatal("the worker was not killed three times")
		}
	}
	if n := a.count("WorkflowType = 'CodingTask'"); n != 1 {
		t.Errorf("%d runs", n)
	}
	notes := a.notes(number)
	if len(notes) != 1 || !strings.Contains(notes[0], end.PullRequest.URL) || !strings.Contains(notes[0], "pull request") || !strings.Contains(notes[0], id) {
		t.Errorf("the issue shows %d notes: %q", len(notes), notes)
	}
	if n := <-claims; n != 1 {
		t.Errorf("the issue was claimed %d times", n)
	}
	if pulls := a.GitHub.Pulls(lab.Name); len(pulls) != 1 || !strings.Contains(pulls[0].Body, fmt.Sprintf("Closes #%d", number)) {
		t.Errorf("pull requests %+v", pulls)
	}
	if len(a.notes(strangers)) != 0 {
		t.Error("we have written at the issue of a stranger")
	}
	// poll waits for the end of a later poll than so many.
	poll := func(later int) (s intakes.Status) {
		lab.Eventually(t, 60*time.Second, "a poll has ended", func() bool {
			r := a.Longshift(t, "intake", "show", "calc", "-o", "json")
			s = intakes.Status{}
			return r.Code == 0 && json.Unmarshal([]byte(r.Out), &s) == nil && s.Runs > later &&
				s.Last != nil && !s.Last.Running && s.Last.Pass != nil
		})
		return s
	}
	before := poll(0).Runs
	a.look()
	last := poll(before).Last.Pass
	if len(last.Started) != 0 {
		t.Errorf("another look has begun %q", last.Started)
	}
	if key := fmt.Sprint(strangers); !slices.ContainsFunc(last.Skipped, func(l signals.Skipped) bool { return l.Key == key }) {
		t.Errorf("it does not say why issue %s is left alone: %+v", key, last.Skipped)
	}
	if n := a.count("WorkflowType = 'CodingTask'"); n != 1 {
		t.Errorf("%d runs after another look", n)
	}
}

// worked gives when a task's sessions began and ended.
func worked(s signals.Status) (from, to time.Time) {
	from = s.Sessions[0].Started
	last := s.Sessions[len(s.Sessions)-1]
	return from, last.Started.Add(last.Duration)
}

// atOnce is how many of some tasks worked at the same time, at most.
func atOnce(all []signals.Status) (most int) {
	for _, s := range all {
		from, _ := worked(s)
		n := 0
		for _, o := range all {
			if f, to := worked(o); !f.After(from) && to.After(from) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Ten issues at once: with a limit of one, one after the other in their order; with a limit of three, three.
func TestTenIssuesAtOnce(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 3} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			a := newArriving(t, lab.QuickSettings)
			numbers := a.issues(10)
			a.intake(append([]string{"--sessions", fmt.Sprint(limit), "--pause-if-open-pr=false"}, scripted...)...)
			lab.Eventually(t, 60*time.Second, "the last one waits, and says for what", func() bool {
				s, ok := a.Status(issueTask(numbers[9]))
				return ok && s.Phase == task.Queued && s.Reason == "sessions"
			})
			lab.Eventually(t, 30*time.Second, "the list and the issue say so too", func() bool {
				return strings.Contains(a.Longshift(t, "list").Out, "queued (sessions)") && len(a.notes(numbers[9])) == 1 &&
					strings.Contains(a.notes(numbers[9])[0], "its turn")
			})
			all := a.ended(numbers, 4*time.Minute)
			var begun []time.Time
			for i, s := range all {
				if s.Outcome != task.PullRequest {
					t.Fatalf("issue %d ended %s: %s", numbers[i], s.Outcome, s.Detail)
				}
				from, _ := worked(s)
				begun = append(begun, from)
			}
			if most := atOnce(all); most != limit {
				t.Errorf("%d worked at the same time", most)
			}
			if limit == 1 && !slices.IsSortedFunc(begun, func(a, b time.Time) int { return a.Compare(b) }) {
				t.Errorf("they began at %v", begun)
			}
			if n := a.count("WorkflowType = 'CodingTask'"); n != 10 {
				t.Errorf("%d runs", n)
			}
		})
	}
}

// The second issue waits for the end of the first one's pull request.
func TestIssueWaitsForPullRequest(t *testing.T) {
	t.Parallel()
	a := newArriving(t, lab.QuickSettings+"pullRequest:\n  poll: 1s\n  batch: 1s\n")
	numbers := a.issues(2)
	a.intake(scripted...)
	first := a.ended(numbers[:1], 2*time.Minute)[0]
	second := issueTask(numbers[1])
	s := untilPull(a.Stage, second, "the second one waits for the pull request", func(s signals.Status) bool { return s.Reason == "open_pull_request" })
	if !strings.Contains(s.Detail, first.PullRequest.URL) || s.NeedsHuman {
		t.Errorf("it says %q", s.Detail)
	}
	a.GitHub.Merge(lab.Name, first.PullRequest.Number)
	if end := a.ended(numbers[1:], 2*time.Minute)[0]; end.Outcome != task.PullRequest {
		t.Errorf("it ended %s", end.Outcome)
	}
}

// A holder that is terminated can say nothing. The next one gets the place within the lease.
func TestHolderIsKilled(t *testing.T) {
	t.Parallel()
	a := newArriving(t, strings.Replace(lab.QuickSettings, "after: 1s", "after: 1h", 1))
	numbers := a.issues(2)
	a.intake("-c", "agent=script", "--pause-if-open-pr=false")
	first, second := issueTask(numbers[0]), issueTask(numbers[1])
	untilPull(a.Stage, first, "the first one waits for its approval", func(s signals.Status) bool { return s.Phase == task.Approving })
	untilPull(a.Stage, second, "the second one waits", func(s signals.Status) bool { return s.Phase == task.Queued })
	if err := a.Client.TerminateWorkflow(t.Context(), first, "", "killed by the test"); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	untilPull(a.Stage, second, "the second one works", func(s signals.Status) bool { return s.Phase == task.Approving })
	t.Logf("%s after the kill, with a lease of 2s", time.Since(killed).Round(100*time.Millisecond))
	if g := a.gate(); len(g.Holders) != 1 || g.Holders[0].Workflow != second || g.Spent != 0.5 {
		t.Errorf("the gate knows %+v", g)
	}
}

// A tracker that answers with errors, nonsense or nothing stops nothing: the schedule goes on, says why, and what is labelled is worked
// on when the tracker is back, at its first try.
func TestTrackerIsDown(t *testing.T) {
	t.Parallel() // it waits most of the time
	a := newArriving(t, lab.QuickSettings)
	numbers := a.issues(1)
	status := func() (s intakes.Status) {
		var all []intakes.Status
		r := a.Longshift(t, "intake", "list", "-o", "json")
		if r.Code == 0 && json.Unmarshal([]byte(r.Out), &all) == nil && len(all) == 1 {
			s = all[0]
		}
		return s
	}
	for i, c := range []struct {
		fault forgetest.Fault
		says  string
	}{
		{forgetest.ServerError(500), "500"},
		{forgetest.Fault{Status: 200, HTML: true}, "invalid character"},
		{forgetest.SecondaryLimit(429, 15*time.Second), "again in"},
		{forgetest.Fault{Drop: true}, "502"}, // as the proxy in between says it
	} {
		c.fault.Path, c.fault.Times = "/issues", forgetest.Forever
		a.GitHub.Heal()
		a.GitHub.Inject(c.fault)
		if i == 0 {
			a.intake(scripted...)
		}
		lab.Eventually(t, 90*time.Second, "the reason is visible: "+c.says, func() bool {
			s := status()
			return s.Last != nil && strings.Contains(s.Last.Error, c.says)
		})
	}
	if n := a.count("WorkflowType = 'CodingTask'"); n != 0 {
		t.Errorf("%d runs while the tracker is down", n)
	}
	a.GitHub.Heal()
	end := a.ended(numbers, 3*time.Minute)[0]
	if end.Outcome != task.PullRequest || len(end.Sessions) != 3 || end.Fence != 1 {
		t.Errorf("ended %s after %d sessions, at attempt %d", end.Outcome, len(end.Sessions), end.Fence)
	}
	if s := status(); s.Paused || s.Next.IsZero() {
		t.Errorf("the schedule stands as %+v", s)
	}
}

// A hundred issues, each named by a webhook, the schedule and a chat within the same moment: a hundred tasks, one for each.
func TestOneIssueOneTask(t *testing.T) {
	t.Parallel()
	const issues = 100
	telegram := &onTelegram{telegramtest.New(t)}
	h := newHooked(t, lab.QuickSettings, append(telegram.env(), "LONGSHIFT_ROLE=control", "LONGSHIFT_GITHUB_POLL=0s")...)
	a := &arriving{h.Stage, "longshift"}
	people := []string{"ada", "bea", "cid", "dan"} // one's requests are taken up at 30 a minute
	for _, p := range people {
		a.GitHub.SetPermission(lab.Name, p, "write")
	}
	numbers := a.issuesBy(issues, people...)
	ids := map[string]bool{}
	for _, n := range numbers {
		ids[issueTask(n)] = true
	}
	a.intake("--sessions", "1000", "--pause-if-open-pr=false", "--queue", "100")
	lab.Eventually(t, 60*time.Second, "the intake has begun", func() bool { return a.count("WorkflowType = 'CodingTask'") > 0 })
	var wg sync.WaitGroup
	for i := range numbers { // the intake begins with the first, the chat with the last: they meet
		n, last := numbers[i], numbers[len(numbers)-1-i]
		telegram.Say(adaTelegram, adaTelegram, "ada", fmt.Sprintf("run %s#%d", lab.Name, last), 0)
		wg.Go(func() { h.labelled(n, people[i%len(people)], "", "") })
	}
	wg.Wait()
	telegram.Again() // the last one once more
	lab.Eventually(t, 3*time.Minute, "every issue has its task", func() bool {
		a.look()
		return a.count("WorkflowType = 'CodingTask'") >= issues
	})
	a.look()
	lab.Eventually(t, 5*time.Minute, "all looks have ended", func() bool {
		return a.count("WorkflowType IN ('IssueIntake', 'Arrival') AND ExecutionStatus = 'Running'") == 0
	})
	seen, byIntake := map[string]int{}, 0
	var token []byte
	for {
		r, err := a.Client.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "WorkflowType = 'CodingTask'", PageSize: 1000, NextPageToken: token})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range r.Executions {
			seen[e.Execution.WorkflowId]++
			if e.ParentExecution != nil {
				byIntake++
			}
		}
		if token = r.NextPageToken; len(token) == 0 {
			break
		}
	}
	for id, n := range seen {
		if n != 1 || !ids[id] {
			t.Errorf("%s has %d runs", id, n)
		}
	}
	t.Logf("%d tasks were started by the intake, %d by the chat", byIntake, len(seen)-byIntake)
	if byIntake == 0 || byIntake == len(seen) {
		t.Error("one of the ways has started nothing: this shows no race")
	}
	if len(seen) != issues {
		t.Errorf("%d tasks for %d issues", len(seen), issues)
	}
	for _, n := range numbers {
		if notes := a.notes(n); len(notes) > 1 {
			t.Errorf("issue %d shows %d notes", n, len(notes))
		}
	}
}

// Ten thousand issues that others work on, and one that is new behind them: one look goes through all pages and stays small.
func TestTenThousandIssues(t *testing.T) {
	t.Parallel()
	a := newArriving(t, lab.QuickSettings, "LONGSHIFT_ROLE=control")
	a.GitHub.AddIssues(lab.Name, 10_000, forgetest.Issue{Title: "Old", Body: strings.Repeat("old ", 500), Author: "eve", Labels: []string{a.label, a.label + "-claimed"}})
	number := a.issues(1)[0]
	a.intake("--pause-if-open-pr=false")
	lab.Eventually(t, 2*time.Minute, "the new one is found", func() bool { _, ok := a.Status(issueTask(number)); return ok })
	if pages := a.GitHub.Count(http.MethodGet, "/issues"); pages < 101 {
		t.Errorf("%d pages were read", pages)
	}
	most := peak(t, a.Worker.Pid())
	t.Logf("the whole worker had at most %d MiB", most>>20)
	if most > 100<<20 {
		t.Errorf("the worker has grown to %d MiB", most>>20)
	}
	if n := a.count("WorkflowType = 'CodingTask'"); n != 1 {
		t.Errorf("%d runs", n)
	}
}

// One issue that can't be read stops no other, and one whose label counts now is taken without delay.
func TestIssuesThatAreLeftAlone(t *testing.T) {
	t.Parallel()
	a := newArriving(t, lab.QuickSettings, "LONGSHIFT_ROLE=control")
	first := a.GitHub.AddIssue(lab.Name, forgetest.Issue{Title: "By eve", Author: "eve"})
	a.GitHub.Label(lab.Name, first, "eve", a.label)
	numbers := a.issues(2)
	a.GitHub.Inject(forgetest.Fault{Path: fmt.Sprintf("/issues/%d", numbers[0]), Status: http.StatusForbidden, Times: forgetest.Forever})
	a.intake("--pause-if-open-pr=false")
	lab.Eventually(t, time.Minute, "the issue that can be read has its task", func() bool { _, ok := a.Status(issueTask(numbers[1])); return ok })
	show := func() string { return a.Longshift(t, "intake", "show", "calc").Out }
	lab.Eventually(t, time.Minute, "the look says why the others are left alone", func() bool {
		text := show()
		return strings.Contains(text, "no write access") && strings.Contains(text, "can't be read")
	})
	if n := a.count("WorkflowType = 'CodingTask'"); n != 1 {
		t.Errorf("%d runs", n)
	}
	a.look()
	lab.Eventually(t, time.Minute, "the next look says so again", func() bool {
		text := show()
		return strings.Contains(text, "0 started") && strings.Contains(text, "no write access")
	})
	a.GitHub.Unlabel(lab.Name, first, "ada", a.label)
	a.GitHub.Label(lab.Name, first, "ada", a.label)
	a.look()
	lab.Eventually(t, time.Minute, "the issue that ada has labelled has its task", func() bool { _, ok := a.Status(issueTask(first)); return ok })
}

// peak is the most memory that a process has had, in bytes.
func peak(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	var kib int
	if _, err := fmt.Sscanf(strings.TrimSpace(rest), "%d kB", &kib); err != nil {
		t.Fatalf("read the peak: %v", err)
	}
	return kib << 10
}
