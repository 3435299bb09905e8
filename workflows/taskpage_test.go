package workflows

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestDetails(t *testing.T) {
	p := &journal{facts: facts{status: &signals.Status{
		Phase: task.Suspended, Reason: signals.ReasonBudget, Detail: "$0.05 of $0.05 are used", NextAction: nextAction(signals.ReasonBudget),
		Task: "make\n# <b>it</b> *work* for $5, `now`, [so](x) | \\[or so](y)", Branch: "longshift/x", Host: "h1", Worked: 61*time.Minute + 1200*time.Millisecond,
		BudgetTime: 2 * time.Hour,
		Iteration:  1, Iterations: 10, Sessions: make([]signals.Session, 2), Check: &signals.Check{ExitCode: 1},
		Plan: &task.Plan{Revision: 3, Summary: "do it", Deliverables: []task.Deliverable{
			{ID: "A-001", Description: "one", Acceptance: []string{"it *is*\nthere"}, Status: task.Passed}, {ID: "B-002", Description: "two", Status: task.Blocked, Reason: "no_way"}, {ID: "C-003", Description: "three", Status: task.Pending, Proof: "make `x`"},
		}},
	}}}
	p.status.Log = []signals.LogLine{{Entry: task.Entry{Time: time.Date(2026, 11, 23, 12, 30, 0, 0, time.UTC), Kind: "pull_request", Text: "a_b"}}}
	p.status.Usage.CostUSD, p.status.BudgetUSD = 0.0531, 20
	want := "**SUSPENDED**: budget\n\n" +
		"- **Why:** \\$0.05 of \\$0.05 are used\n" +
		"- **Next human action:** `resume` with addCost, or `abandon`\n" +
		"- **Here:** More Actions, Send an Update, Name and Data: \\\n  \u2003`resume` with `{\"addCost\": 5}` \\\n  \u2003`abandon` with `{\"reason\": \"why\"}`\n" +
		"\n**Plan, revision 3:** do it\n\n- ☑ A-001 one \\\n  \u2003– it \\*is\\* there\n- ☒ B-002 two (blocked: no\\_way)\n- ☐ C-003 three \\\n  \u2003proof: `` make `x` ``\n" +
		"\n**Progress:** 1 of 3 deliverables done, 1 blocked\n\n" +
		"- **Checks:** failed\n- **Cost:** 0.05 of 20.00 USD\n- **Working time:** 1h1m1s of 2h\n- **Sessions:** 2, round 1 of 10\n" +
		"- **Branch:** `longshift/x` on host `h1`\n" +
		"- **Task:** make # \\<b>it\\</b> \\*work\\* for \\$5, \\`now\\`, \\[so](x) \\| \\\\\\[or so](y)\n" +
		"- **Newest:** \\\n  \u200312:30:00 pull request: a\\_b"
	if got := p.details(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Those who decide about a plan read on the task's page how large it is, and how it could be split.
func TestDetailsOfALargePlan(t *testing.T) {
	p := &journal{facts: facts{status: &signals.Status{Phase: task.Approving, Plan: &task.Plan{Revision: 1, Summary: "do it", Lines: 900, MaxLines: 800,
		Split: []string{"the *parser*", "its users"}, Deliverables: []task.Deliverable{{ID: "A-001", Description: "one"}}}}}}
	want := "\n**Plan, revision 1:** do it\n\n\n**Size:** about 900 lines, more than the 800 of pullRequest.maxLines; it could be split into these tasks:\n\n" +
		"- the \\*parser\\*\n- its users\n\n**Deliverables:**\n\n- ☐ A-001 one\n"
	if got := p.details(); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant in it\n%s", got, want)
	}
}

// Those who approve in Temporal Web see which files the plan opens, and are not offered to allow a command that they can't read to its end.
func TestDetailsShowWhatIsDecided(t *testing.T) {
	p := &journal{facts: facts{status: &signals.Status{Phase: task.Approving, Plan: &task.Plan{Revision: 1, Files: make([]string, 14)}}}}
	for i := range p.status.Plan.Files {
		p.status.Plan.Files[i] = fmt.Sprintf("migrations/%d.sql", i)
	}
	if got := p.details(); !strings.Contains(got, "`migrations/0.sql`") || !strings.Contains(got, "and 2 more, which `longshift show` lists") {
		t.Errorf("the files are not named:\n%s", got)
	}
	for command, offered := range map[string]bool{"make deploy": true, "echo " + strings.Repeat("x", 300) + "; make deploy": false, "true\nmake deploy": false} {
		p := &journal{facts: facts{status: &signals.Status{Phase: task.Suspended, Reason: signals.ReasonCommand, Questions: []signals.Question{{ID: "4f2a91c0",
			Command: command, Files: []signals.File{{Path: "Makefile", Sum: "abc"}}}}}}}
		got := p.details()
		if strings.Contains(got, "`allow` with") != offered || !strings.Contains(got, "`deny` with") || !strings.Contains(got, "Makefile (abc)") {
			t.Errorf("%q: allow is offered, want %v:\n%s", command, offered, got)
		}
	}
}

// TestDetailsAreShort keeps the page in the size that Temporal Web can show, whatever a model and people write.
func TestDetailsAreShort(t *testing.T) {
	long := strings.Repeat("$é", 5000)
	p := &journal{facts: facts{status: &signals.Status{Phase: task.Ended, Outcome: task.AllBlocked, Detail: long, Task: long, NextAction: "none", Branch: "b",
		Plan: &task.Plan{Summary: long}}}}
	for i := range 100 {
		p.status.Plan.Deliverables = append(p.status.Plan.Deliverables,
			task.Deliverable{ID: fmt.Sprintf("X-%03d", i), Description: long, Status: task.Blocked, Reason: long})
	}
	if n := len(p.details()); n > 4000 {
		t.Errorf("%d bytes", n)
	}
}

// Criteria of deliverables that are done give way first, then the others; the plan itself stays.
func TestCriteriaGiveWay(t *testing.T) {
	for many, want := range map[int]string{5: "done open", 20: "open", 60: ""} {
		p := &journal{facts: facts{status: &signals.Status{Phase: task.Executing, Plan: &task.Plan{}}}}
		for i := range 2 {
			d := task.Deliverable{ID: fmt.Sprintf("X-%03d", i), Description: "one", Status: []task.Status{task.Passed, task.Pending}[i]}
			for range many {
				d.Acceptance = append(d.Acceptance, []string{"done", "open"}[i]+strings.Repeat(" x", 50))
			}
			p.status.Plan.Deliverables = append(p.status.Plan.Deliverables, d)
		}
		text, got := p.details(), ""
		for _, w := range []string{"done", "open"} {
			if strings.Contains(text, "– "+w) {
				got += " " + w
			}
		}
		if strings.TrimSpace(got) != want || !strings.Contains(text, "X-000 one") || !strings.Contains(text, "X-001 one") || len(text) > mostDetails {
			t.Errorf("%d criteria each: the page of %d bytes holds those that are %q, want %q", many, len(text), got, want)
		}
	}
}

// TestPushIsShownInFull: nobody may allow what the page has cut.
func TestPushIsShownInFull(t *testing.T) {
	files := strings.TrimSpace(strings.Repeat("ci .github/workflows/`a`--b.yml: \"new\"\n", mostPushed/40))
	p := &journal{facts: facts{status: &signals.Status{Phase: task.Suspended, Reason: signals.ReasonPush, Detail: files, Task: "x",
		NextAction: nextAction(signals.ReasonPush), Questions: []signals.Question{{ID: "push-1", Command: files, Reason: "look"}}}}}
	text := p.details()
	if n := strings.Count(text, "`` ci .github/workflows/`a`--b.yml: \"new\" ``"); n != mostPushed/40 || !strings.Contains(text, "`allow` with `{\"question\": \"push-1\"}`") {
		t.Errorf("%d of %d files in\n%s", n, mostPushed/40, text)
	}
}

// The updates that a page names are those of the next human action, their input is what the update takes, and it can be pasted.
func TestWays(t *testing.T) {
	quoted := regexp.MustCompile("`([a-z]+)`")
	question := []signals.Question{{ID: "4f2a91c0"}}
	push := []signals.Question{{ID: signals.PushID + "4f2a91c0"}}
	cases := []signals.Status{
		{Phase: task.Approving, Reason: signals.ReasonApproval, Plan: &task.Plan{Revision: 3}, NextAction: "`approve`, `edit` or `reject` the plan"},
		{Phase: task.Suspended, Reason: signals.ReasonCommand, NextAction: nextAction(signals.ReasonCommand), Questions: question},
		{Phase: task.Suspended, Reason: signals.ReasonPush, NextAction: nextAction(signals.ReasonPush), Questions: push},
		{Phase: task.Executing, NextAction: nextAction(signals.ReasonCommand), Questions: question},
		{Phase: task.Waiting, Reason: signals.ReasonQuota, NextAction: "nothing; `resume` continues at once"},
		{Phase: task.Queued, NextAction: "`resume` starts it before tasks that arrived automatically"},
		{Phase: task.Planning, NextAction: "`tell`"},
		{Phase: task.Ended},
	}
	for _, why := range signals.Reasons() {
		if slices.Contains([]signals.Reason{signals.ReasonApproval, signals.ReasonCommand, signals.ReasonPush}, why) {
			continue // they are above, with what is decided about
		}
		cases = append(cases, signals.Status{Phase: task.Suspended, Reason: why, NextAction: nextAction(why)})
	}
	for _, s := range cases {
		var want, got []string
		for _, m := range quoted.FindAllStringSubmatch(s.NextAction, -1) {
			want = append(want, m[1])
		}
		for _, w := range waysOf(&s) {
			got = append(got, w.update)
			if err := readable(w); err != nil {
				t.Errorf("%s, %s: %s: %v", s.Phase, s.Reason, w, err)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s, %s: the page names %q, the next human action %q", s.Phase, s.Reason, got, want)
		}
	}
}

// TestReasonsHaveAnswers: what a person can do about a reason is said of it alone, or of it among those of which the log tells the rest.
func TestReasonsHaveAnswers(t *testing.T) {
	const told, nothing = `{"note": "what the next session is to know"}`, ""
	lookAtTheLog := []signals.Reason{signals.ReasonErrors, signals.ReasonInfra, signals.ReasonLoop, signals.ReasonApproval}
	inputs := map[signals.Reason]string{
		signals.ReasonBudget: `{"addCost": 5}`, signals.ReasonTime: `{"addTime": "30m"}`,
		signals.ReasonSpecIssue: `{"note": "the answer"}`, signals.ReasonQuestion: `{"note": "the answer"}`,
		signals.ReasonQuota: nothing, signals.ReasonAccess: nothing, signals.ReasonSecret: nothing, signals.ReasonChanged: nothing,
		signals.ReasonUnfit: nothing,
		signals.ReasonInfra: nothing, signals.ReasonErrors: told, signals.ReasonLoop: told, signals.ReasonSteps: told,
		signals.ReasonBlocker: told, signals.ReasonRounds: told, signals.ReasonReview: told,
		signals.ReasonApproval: told, signals.ReasonCommand: told, signals.ReasonPush: told, // which no resume lifts
	}
	for _, why := range signals.Reasons() {
		if plain := nextAction(why) == nextAction("a new one"); plain != slices.Contains(lookAtTheLog, why) {
			t.Errorf("%s: the next human action is %q: say in nextAction what a person can do about it, or list it here", why, nextAction(why))
		}
		if want, ok := inputs[why]; !ok || resumeInput(why) != want {
			t.Errorf("%s: a resume says %q, want %q: decide it in resumeInput, and here", why, resumeInput(why), want)
		}
	}
}

// readable tells whether an update takes its input.
func readable(w way) (err error) {
	input := json.RawMessage(w.input)
	switch w.update {
	case signals.Approve:
		_, err = readPayload[signals.ApproveRequest](input)
	case signals.Edit:
		_, err = readPayload[signals.EditRequest](input)
	case signals.Reject:
		_, err = readPayload[signals.RejectRequest](input)
	case signals.Resume:
		_, err = readPayload[signals.ResumeRequest](input)
	case signals.Allow:
		_, err = readPayload[signals.AllowRequest](input)
	case signals.Deny:
		_, err = readPayload[signals.DenyRequest](input)
	case signals.Abandon:
		_, err = readPayload[signals.AbandonRequest](input)
	case signals.Tell:
		_, err = readPayload[signals.TellRequest](input)
	default:
		err = fmt.Errorf("no such update")
	}
	return err
}

func TestLimiterPage(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 30, 0, 0, time.UTC)
	g := &limiter{home: "default"}
	if got := g.page().String(); got != "**IDLE**: nobody works, and nobody waits\n" {
		t.Errorf("idle: %q", got)
	}
	g.Holders, g.Others, g.Day, g.Spent = []signals.Holder{{Workflow: "a](b)", Since: at}}, 1, "2026-11-23", 1.5
	g.Waiters = []signals.Waiter{{AcquireRequest: signals.AcquireRequest{Workflow: "c"}, Since: at,
		Answer: signals.AcquireAnswer{Wait: signals.WaitPull, Detail: "#7 is _open_"}}}
	g.Pulls = []signals.OpenPull{{Number: 7, URL: "https://github.com/acme/web/pull/7"}}
	want := "**2 AT WORK, 1 WAITING**\n\n" +
		"- **Next human action:** none; `resume` on the page of a waiting task starts it before tasks that arrived automatically\n" +
		"- **Spent on 2026-11-23:** 1.50 USD, UTC day\n" +
		"\n**At work**\n\n- [a\\](b)](namespaces/default/workflows/a%5D%28b%29) since 2026-11-23 12:30 UTC\n- without an admission: 1\n" +
		"\n**Waiting**, in their order\n\n" +
		"- 1: [c](namespaces/default/workflows/c) since 2026-11-23 12:30 UTC, for open pull request: #7 is \\_open\\_\n" +
		"\n**Open pull requests**\n\n- [https://github.com/acme/web/pull/7](https://github.com/acme/web/pull/7)"
	if got := g.page().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
