package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/sourcetree"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestTemporalWeb does what a person does who has nothing but Temporal Web: finds what waits for people in the list, reads the plan on
// the task's page, approves it there as the page says, and looks at what there is besides.
func TestTemporalWeb(t *testing.T) {
	t.Parallel()
	browser := lab.StartBrowser(t)
	server := lab.StartServer(t, true)
	base := fmt.Sprintf("http://127.0.0.1:%d", server.UIPort)
	const hostile = "Describe *Add* and __Mul__ for $5 or <b>$6</b>, see [here](http://example.com)"
	script := lab.With(lab.Script(), "plan-again", 1, func(turn *agenttest.Turn) {
		turn.Answer = bytes.ReplaceAll(turn.Answer, []byte("Describe Add and Mul in README.md"), []byte(hostile))
	})
	s := &arriving{lab.NewScriptedStageOn(t, func() *lab.Server { return server }, script, requiredSettings, "LONGSHIFT_GATE_LEASE=2s"), "longshift"}
	s.Ready()
	s.GitHub.SetPermission(lab.Name, "ada", "write")
	const id = "acme-calc-add-and-mul"
	if ran := s.Longshift(t, "run", lab.Ask, "--repo", lab.Name, "--id", id, "--detach"); ran.Code != 0 || ran.Out != id+"\n" {
		t.Fatalf("run: %+v", ran)
	}
	s.Begun = s.Client.GetWorkflow(t.Context(), id, "")
	st := s.Until("the plan waits", func(st signals.Status) bool { return st.Phase == task.Approving || waiting(st) })

	page := browser.Open(signals.WebURL(base, "default", id, st.RunID), 1280, 1000)
	page.Shows("APPROVING", "Next human action: approve, edit or reject the plan", `approve with {"revision": 1}`, "☐ FIX-001 Add gives the sum",
		"– go test passes", "☐ API-002 Mul gives the product", "Progress: 0 of 2 deliverables done", "of 20.00 USD", st.Branch, "Task: "+lab.Ask)
	page.Screenshot("temporal-web-approving")
	people := listWith(browser, signals.WebListURL(base, "default", signals.NeedsPeople))
	inOrder(t, people.Shows(id), signals.AttrPhase, signals.AttrNeedsHuman, signals.AttrCostUSD, signals.AttrRepository, id, "approving", "TRUE", lab.Name)
	people.Screenshot("temporal-web-people")

	approveInWeb(page)
	end := ended(t, s.Stage)
	s.Carried(end, lab.Messages...)
	page.Go(signals.WebURL(base, "default", id, st.RunID))
	page.Shows("ENDED: pull request", "Pull request: #1", "Plan, revision 2: describe the package", "☑ FIX-001", "☑ API-002", "☑ DOC-003 "+hostile,
		"Next human action: review the pull request", "Checks: passed", fmt.Sprintf("Cost: %.2f of 20.00 USD", end.Usage.CostUSD))
	page.Screenshot("temporal-web-ended")
	if links := framed(page); !strings.Contains(links, end.PullRequest.URL) {
		t.Errorf("the page links to %q, not to the pull request %s", links, end.PullRequest.URL)
	}
	follower := signals.PullRequestID("127.0.0.1", "acme", "calc", 1)
	page.Go(signals.WebURL(base, "default", follower, s.run(follower)))
	page.Shows("FOLLOWING", "Next human action: review the pull request, and merge or close it", "Pull request: #1", "tell with ")
	page.Screenshot("temporal-web-follower")
	people.Go(signals.WebListURL(base, "default", "WorkflowType = 'CodingTask' AND "+signals.AttrOutcome+" = 'pull_request'"))
	inOrder(t, people.Shows(id, "COMPLETED"), signals.AttrOutcome, signals.AttrPullRequest, id, "ended", "pull_request", "FALSE", end.PullRequest.URL)

	issue := issueTask(s.issues(1)[0])
	s.intake()
	other := browser.Open(base+"/namespaces/default/schedules/intake:calc", 1280, 1000)
	other.Shows("intake:calc", signals.IssueIntake)
	other.Screenshot("temporal-web-schedule")
	lab.Eventually(t, 30*time.Second, "the issue's task waits", func() bool { st, _ := s.Status(issue); return st.Phase == task.Queued })
	s.views(map[string]int{"waits for people": 0, "tasks that have not ended": 1, "waits for its turn": 1, "one repository": 3,
		"open pull requests": 1, "went wrong": 0})
	for _, look := range []struct {
		name, workflow string
		shows          []string
	}{
		{"queued", issue, []string{"QUEUED: open pull request", "Why: a pull request of ours is open: " + end.PullRequest.URL,
			"Next human action: nothing; it starts automatically", "resume without data"}},
		{"limiter", "limiter:127.0.0.1:acme:calc", []string{"0 AT WORK, 1 WAITING", "1: " + issue + " since", "for open pull request: ", "Open pull requests", end.PullRequest.URL}},
		{"intake", s.starter(issue), []string{"1 STARTED", "Intake: calc: github for " + lab.Name, issue}},
	} {
		other.Go(signals.WebURL(base, "default", look.workflow, s.run(look.workflow)))
		other.Shows(look.shows...)
		other.Screenshot("temporal-web-" + look.name)
	}
	if links, want := framed(other), signals.WebURL(base, "default", issue, ""); !strings.Contains(links, want) {
		t.Errorf("the page of the poll links to %q, not to %s", links, want)
	}
}

// views counts what the views of docs/temporal.md list, until each has that many.
func (a *arriving) views(want map[string]int) {
	a.T.Helper()
	text, err := os.ReadFile(filepath.Join(sourcetree.Root(), "docs", "temporal.md"))
	if err != nil {
		a.T.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| ([a-z ]+) \\| `([A-Z].* = .*)` \\|$").FindAllStringSubmatch(string(text), -1)
	if len(rows) != len(want) {
		a.T.Errorf("docs/temporal.md names %d views, want %d", len(rows), len(want))
	}
	for _, row := range rows {
		lab.Eventually(a.T, 30*time.Second, fmt.Sprintf("the view %q has %d rows", row[1], want[row[1]]), func() bool { return a.count(row[2]) == want[row[1]] })
	}
}

// starter gives the id of the workflow that has started another.
func (a *arriving) starter(id string) (parent string) {
	a.T.Helper()
	lab.Eventually(a.T, 30*time.Second, id+" has begun", func() bool {
		d, err := a.Client.DescribeWorkflowExecution(context.Background(), id, "")
		parent = d.GetWorkflowExecutionInfo().GetParentExecution().GetWorkflowId()
		return err == nil && parent != ""
	})
	return parent
}

// run gives the id of the newest run of a workflow.
func (a *arriving) run(id string) (run string) {
	a.T.Helper()
	lab.Eventually(a.T, 30*time.Second, id+" has begun", func() bool {
		d, err := a.Client.DescribeWorkflowExecution(context.Background(), id, "")
		run = d.GetWorkflowExecutionInfo().GetExecution().GetRunId()
		return err == nil
	})
	return run
}

// approveInWeb approves the plan in the way that the task's page names.
func approveInWeb(p *lab.Page) {
	p.Click("button", "More Actions")
	p.Click("[role=menuitem]", "Send an Update")
	p.Click("dialog[open] [data-testid=update-select-button]", "")
	p.Shows("not for people: a host asks whether a command may run")
	p.Click("dialog[open] [role=option]", "approve")
	p.Run(`document.querySelector('dialog[open] .cm-content').focus()`)
	p.Type(`{"revision": 1}`)
	p.Click("dialog[open] button:enabled", "Submit")
	p.Shows("Update successful")
}

// framed gives the addresses of the links in the frames of a page.
func framed(p *lab.Page) string {
	return p.Run(`[...document.querySelectorAll('iframe')].flatMap(f => f.contentDocument ? [...f.contentDocument.querySelectorAll('a')] : []).map(a => a.href).join(' ')`)
}

// listWith opens a list of workflows, after it has let the browser show our columns there, as a person does once by "Configure Columns".
func listWith(b *lab.Browser, web string) *lab.Page {
	var columns []map[string]string
	for _, label := range []string{"Status", "Workflow ID", signals.AttrPhase, signals.AttrOutcome, signals.AttrNeedsHuman, signals.AttrCostUSD,
		signals.AttrRepository, signals.AttrPullRequest} {
		columns = append(columns, map[string]string{"label": label})
	}
	chosen, err := json.Marshal(map[string]any{"default": columns})
	if err != nil {
		panic(err)
	}
	page := b.Open(web, 1700, 520)
	page.Shows("Workflow ID")
	page.Run(fmt.Sprintf("localStorage.setItem('namespace-workflow-table-columns', %q)", chosen))
	page.Go(web)
	return page
}

// inOrder checks that words stand in a text one after the other.
func inOrder(t *testing.T, text string, words ...string) {
	t.Helper()
	rest := text
	for _, w := range words {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Errorf("%q does not follow in the list:\n%s", w, text)
			return
		}
		rest = after
	}
}
