package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestTemporalWeb looks at a task as a person does who has nothing but Temporal Web: its page while the plan waits and after the
// end, and the list.
func TestTemporalWeb(t *testing.T) {
	t.Parallel()
	browser := lab.StartBrowser(t)
	server := lab.StartServer(t, true)
	web := fmt.Sprintf("http://127.0.0.1:%d/namespaces/default/workflows", server.UIPort)
	const hostile = "Describe *Add* and __Mul__ for $5 or <b>$6</b>, see [here](http://example.com)"
	script := lab.With(lab.Script(), "plan-again", 1, func(turn *agenttest.Turn) {
		turn.Answer = bytes.ReplaceAll(turn.Answer, []byte("Describe Add and Mul in README.md"), []byte(hostile))
	})
	s := lab.NewStageOn(t, func() *lab.Server { return server }, script, requiredSettings)
	s.Ready()
	const id = "acme-calc-add-and-mul"
	if ran := s.Longshift(t, "run", lab.Ask, "--repo", lab.Name, "--id", id, "--detach"); ran.Code != 0 || ran.Out != id+"\n" {
		t.Fatalf("run: %+v", ran)
	}
	s.Begun = s.Client.GetWorkflow(t.Context(), id, "")
	st := s.Until("the plan waits", func(st signals.Status) bool { return st.Phase == task.Approving || waiting(st) })

	page := browser.Open(web+"/"+id+"/"+st.RunID+"/user-metadata", 1280, 1000)
	page.Shows("APPROVING", "Next human action: approve, edit or reject the plan", "Plan, revision 1: make the failing test pass and add Mul",
		"☐ FIX-001 Add gives the sum", "☐ API-002 Mul gives the product", "Cost: 0.02 of 20.00 USD", st.Branch, "Task: "+lab.Ask)
	page.Screenshot("temporal-web-approving")
	wide := browser.Open(listWith(browser, web), 1900, 600)
	row := wide.Shows(id)
	inOrder(t, row, signals.AttrPhase, signals.AttrNeedsHuman, signals.AttrCostUSD, signals.AttrRepository, id, "approving", "TRUE", "0.0212", lab.Name)
	wide.Screenshot("temporal-web-list")

	if _, err := s.Updated(signals.Approve, map[string]any{"revision": 1, "by": "ann"}); err != nil {
		t.Fatal(err)
	}
	end := ended(t, s)
	s.Carried(end, lab.Messages...)
	page.Go(web + "/" + id + "/" + st.RunID + "/user-metadata")
	page.Shows("ENDED: pull_request", "Pull request: #1", "Plan, revision 2: describe the package", "☑ FIX-001", "☑ API-002", "☑ DOC-003 "+hostile,
		"Checks: passed", fmt.Sprintf("Cost: %.2f of 20.00 USD", end.Usage.CostUSD))
	page.Screenshot("temporal-web-ended")
	links := page.Run(`[...document.querySelectorAll('iframe')].flatMap(f => f.contentDocument ? [...f.contentDocument.querySelectorAll('a')] : []).map(a => a.href).join(' ')`)
	if !strings.Contains(links, end.PullRequest.URL) {
		t.Errorf("the page links to %q, not to the pull request %s", links, end.PullRequest.URL)
	}
	wide.Go(web)
	inOrder(t, wide.Shows(id, "COMPLETED"), signals.AttrOutcome, signals.AttrPullRequest, id, "ended", "pull_request", "FALSE", end.PullRequest.URL)
}

// listWith gives the address of the list of tasks, after it has let the browser show our columns there, as a person does once
// by "Configure Columns".
func listWith(b *lab.Browser, web string) string {
	var columns []map[string]string
	for _, label := range []string{"Status", "Workflow ID", signals.AttrPhase, signals.AttrOutcome, signals.AttrNeedsHuman, signals.AttrCostUSD,
		signals.AttrRepository, signals.AttrPullRequest} {
		columns = append(columns, map[string]string{"label": label})
	}
	chosen, err := json.Marshal(map[string]any{"default": columns})
	if err != nil {
		panic(err)
	}
	page := b.Open(web, 800, 600)
	page.Shows("Workflow ID")
	page.Run(fmt.Sprintf("localStorage.setItem('namespace-workflow-table-columns', %q)", chosen))
	return web
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
