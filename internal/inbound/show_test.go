package inbound

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	s := &f.status
	s.Reason, s.NeedsHuman, s.NextAction = signals.ReasonApproval, true, "`approve`, `edit` or `reject` the plan"
	s.WaitingUntil, s.Worked, s.BudgetTime = now.Add(12*time.Minute), 3*time.Minute, time.Hour
	s.Task, s.Detail = "fix *login* for @ada\nand `more` "+secret, "a_b"
	s.PullRequest = &signals.PullRequest{Number: 12, URL: "https://github.com/acme/web/pull/12"}
	s.Questions = []signals.Question{{ID: "4f2a91c0", Command: "rm -rf [x](y)", Dir: "deploy", Rule: "terraform", Reason: "it `changes` things"}}
	want := `**Approving: approval**, 12m0s left

- Task: ` + "`" + taskID + "`" + ` fix \*login\* for ＠ada and ` + "\\`more\\`" + ` \[hidden\]
- Repository: acme/web
- Detail: a\_b
- Plan: revision 2, 1 of 2 done
- Cost: $1.25 of $5.00, 3m of 1h
- Pull request: [#12](https://github.com/acme/web/pull/12)
- Next: approve, edit or reject the plan
- More: [Temporal Web](https://temporal.example.com/namespaces/default/workflows/` + taskID + `/` + taskRun + `/user-metadata)

A command waits, in the folder deploy (rule ` + "`terraform`): it \\`changes\\` things\n\n```\nrm -rf [x](y)\n```\n\nIts id is `4f2a91c0`: write `allow` or `deny`, and the id.\n\nAllowed, a command may run once; `allow` with `--for-task` lets it run in this task every time, whatever its files contain then."
	if a := w.handle(says(starter, "status "+taskID)); a.Text != want {
		t.Errorf("got:\n%s\nwant:\n%s", a.Text, want)
	}
	s.PullRequest.URL = "javascript:alert(1)"
	s.Phase, s.Outcome = task.Ended, task.AllBlocked
	s.Plan.Deliverables[1].Status = task.Blocked
	a := w.handle(says(starter, "status "+taskID))
	if !strings.HasPrefix(a.Text, `**Ended: all blocked**`) || strings.Contains(a.Text, "javascript") || !strings.Contains(a.Text, "1 of 2 done, 1 blocked") {
		t.Errorf("ended:\n%s", a.Text)
	}
}

func TestLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Executing)
	for i := range 15 {
		f.status.Log = append(f.status.Log, signals.LogLine{N: i + 1, Entry: task.Entry{Time: now.Add(time.Duration(i) * time.Minute), Kind: "note",
			Text: fmt.Sprintf("line %d\n# %s %s", i+1, secret, strings.Repeat("y", 400))}})
	}
	a := w.handle(says(starter, "logs"))
	lines := strings.Split(a.Text, "\n")
	if lines[0] != "The end of the log of `"+taskID+"`:" || !strings.HasPrefix(lines[2], `- 12:05:00 note: line 6 # \[hidden\] yyy`) ||
		len(lines) != 14 || len(lines[2]) > 260 {
		t.Errorf("got:\n%s", a.Text)
	}
}

func TestShowsWhatTheServerKnows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Executing)
	f.silent = serviceerror.NewUnavailable("no worker")
	if a := w.handle(says(starter, "status "+taskID)); a.Text != "No worker answers just now. The server knows this much: task `"+taskID+"`, Executing, $1.25." {
		t.Errorf("without a worker: %q", a.Text)
	}
	f.workflow.closed = completed
	f.workflow.attrs[signals.AttrOutcome] = string(task.Rejected)
	f.silent = nil
	if a := w.handle(says(starter, "status 1a2b3c4d")); !strings.HasPrefix(a.Text, "**Executing**") {
		t.Errorf("one that has ended, by its end: %q", a.Text)
	}
	if a := w.handle(says(starter, "logs 77777777")); a.Text != "No task \"77777777\". List shows what runs." {
		t.Errorf("none: %q", a.Text)
	}
	if a := w.handle(says(starter, "list")); a.Text != "No task is running." {
		t.Errorf("nothing runs: %q", a.Text)
	}
	w.server.down = errDown
	for _, text := range []string{"status", "status " + taskID, "logs", "list", "approve " + taskID, "approve"} {
		if _, err := w.handler.Handle(t.Context(), says(boss, text)); fault.KindOf(err) != fault.Infra {
			t.Errorf("%s without a server: %v", text, err)
		}
	}
	if _, err := w.handler.Handle(t.Context(), replies(boss, "approve")); fault.KindOf(err) != fault.Infra {
		t.Errorf("a reply without a server: %v", err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 12 {
		w.server.add(fmt.Sprintf("web-%d", i), &fakeWorkflow{kind: signals.CodingTask, attrs: map[string]any{signals.AttrRepository: "acme/my_web",
			signals.AttrPhase: string(task.SettingUp), signals.AttrNeedsHuman: i == 0, signals.AttrCostUSD: 0.5}})
	}
	lines := strings.Split(w.handle(says(starter, "list")).Text, "\n")
	if len(lines) != 11 || lines[0] != "- `web-0` Setting up, acme/my\\_web, $0.50: **needs you**" ||
		lines[1] != "- `web-1` Setting up, acme/my\\_web, $0.50" || lines[10] != "- and more" {
		t.Errorf("got:\n%s", strings.Join(lines, "\n"))
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := newWorld(t).config
	for name, tt := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"client":     {func(c *Config) { c.Client = nil }, "inbound: the client is missing"},
		"record":     {func(c *Config) { c.Record = nil }, "inbound: the record is missing"},
		"redaction":  {func(c *Config) { c.Redact = nil }, "inbound: the redaction is missing"},
		"repository": {func(c *Config) { c.Repository = "a b" }, `inbound: repository "a b" is not a repository name`},
		"link":       {func(c *Config) { c.WebURL = "https://u:p@x" }, "inbound: the address of Temporal Web is no plain"},
		"scheme":     {func(c *Config) { c.WebURL = "temporal.example.com" }, "inbound: the address of Temporal Web is no plain"},
		"people":     {func(c *Config) { c.People = map[string]People{"Slack": {}} }, `inbound: people of "Slack": no such channel`},
		"rooms":      {func(c *Config) { c.Rooms = map[string][]string{"irc": nil} }, `inbound: rooms of "irc": no such channel`},
	} {
		c := good
		tt.change(&c)
		if _, err := New(c); fault.KindOf(err) != fault.Input || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good.WebURL, good.Repository, good.Now, good.Log = "", "", nil, nil
	h, err := New(good)
	if err != nil || (render.Markdown{Redact: good.Redact}).Web("x", "y") != "" || h.requests.now().IsZero() {
		t.Error(err)
	}
}
