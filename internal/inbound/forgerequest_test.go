package inbound

import (
	"context"
	"errors"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// fakeForge is a forge on which ada may write and eve may not.
type fakeForge struct {
	issue    task.Issue
	by       string // user who labelled the issue; "" when it has no label
	label    string // "longshift" when empty
	closed   bool
	bot      bool
	err      error
	none     error // error of Issue
	reacted  []int64
	comments []string
}

func (p *fakeForge) MayWrite(_ context.Context, _ task.Repository, user string) (bool, error) {
	return user == "ada", p.err
}

// Wanted returns an issue only for its label, as a forge does.
func (p *fakeForge) Wanted(_ context.Context, _ task.Repository, _ int, label string) (task.Issue, string, bool, error) {
	has := p.label
	if has == "" {
		has = "longshift"
	}
	if p.err != nil || p.closed || p.by == "" || label != has {
		return task.Issue{}, "", false, p.err
	}
	return p.issue, p.by, p.bot, nil
}
func (p *fakeForge) Issue(context.Context, task.Repository, int) (task.Issue, bool, error) {
	if p.err != nil || p.none != nil {
		return task.Issue{}, false, errors.Join(p.none, p.err)
	}
	return p.issue, !p.closed, nil
}
func (p *fakeForge) Since(context.Context, task.Repository, string, string) ([]forge.Event, string, error) {
	return nil, "", nil
}
func (p *fakeForge) React(_ context.Context, _ task.Repository, comment int64) (bool, error) {
	p.reacted = append(p.reacted, comment)
	return true, p.err
}
func (p *fakeForge) Comment(_ context.Context, _ task.Repository, _ int, key, text string) error {
	p.comments = append(p.comments, key+": "+text)
	return p.err
}

func commented(by, text string) forge.Event {
	return forge.Event{Kind: forge.Commanded, ID: "comment-5", Owner: "acme", Name: "web", Number: 42, Actor: by, Comment: 5, Text: text}
}

var issueTask = signals.IssueTaskID("", "acme", "web", 42)

func (w *world) handleRequest(t *testing.T, p *fakeForge, ev forge.Event) string {
	t.Helper()
	text, err := w.handler.HandleRequest(t.Context(), ev, p, "longshift")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestIssueStartsItsTask(t *testing.T) {
	t.Parallel()
	w, p := newWorld(t), &fakeForge{by: "ada", issue: task.Issue{Forge: "github", Number: 42, Title: "Login\nis hunter2secret", Body: "it fails"}}
	ev := forge.Event{Kind: forge.IssueWanted, ID: "issue-42-a", Owner: "acme", Name: "web", Number: 42, Actor: "eve"}
	if text := w.handleRequest(t, p, ev); !strings.Contains(text, "works on it") {
		t.Errorf("said %q", text)
	}
	o, in := w.server.starts[0], w.server.inputs[0].(task.Input)
	if o.ID != issueTask || o.WorkflowIDReusePolicy != enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE ||
		o.WorkflowIDConflictPolicy != enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING {
		t.Errorf("started as %+v", o)
	}
	if in.Repository != "acme/web" || in.Task != "Resolve issue #42." || in.Issue.Title != "Login\nis [hidden]" || in.Issue.Body != "it fails" ||
		in.RequestedBy.Name != "ada" || in.RequestedBy.Via != "github" {
		t.Errorf("input %+v", in)
	}
	if o.StaticSummary != `Resolve issue #42: Login is \[hidden]` || strings.Contains(o.StaticDetails, "Login") {
		t.Errorf("shown as %q, %q", o.StaticSummary, o.StaticDetails)
	}
	if a := w.last(); !a.Done || a.Channel != "github" || a.User != "ada" || a.Verb != command.Run || a.Task != issueTask {
		t.Errorf("recorded %+v", a)
	}
}

// The person who labelled counts as the forge reports now, not as the event says.
func TestIssueByOthers(t *testing.T) {
	t.Parallel()
	ev := forge.Event{Kind: forge.IssueWanted, ID: "issue-42-a", Owner: "acme", Name: "web", Number: 42, Actor: "ada"}
	for what, p := range map[string]*fakeForge{"a stranger": {by: "eve"}, "a bot": {by: "ada", bot: true}, "nobody any more": {}} {
		w := newWorld(t)
		w.handleRequest(t, p, ev)
		if len(w.server.starts) > 0 {
			t.Errorf("%s has started a task", what)
		}
		if p.by != "" && (w.last().Done || w.last().Reason != "no write access") {
			t.Errorf("%s: recorded %+v", what, w.last())
		}
	}
	w := newWorld(t)
	if _, err := w.handler.HandleRequest(t.Context(), ev, &fakeForge{err: fault.New(fault.Infra, "HTTP 503")}, "longshift"); fault.KindOf(err) != fault.Infra {
		t.Errorf("a forge that does not answer: %v", err)
	}
	ev.Bot = true
	w.handleRequest(t, &fakeForge{by: "ada"}, ev)
	if len(w.server.starts) > 0 {
		t.Error("a bot's event has started a task")
	}
}

func TestCommentsOnAnIssue(t *testing.T) {
	t.Parallel()
	var got []any
	for _, c := range []struct{ text, verb, answer string }{
		{"approve", signals.Approve, "Done"}, {"edit one commit only", signals.Edit, "Done"}, {"tell use a map", signals.Tell, "Done"},
		{"use a map here", signals.Tell, "Done"}, {"resume --add-cost 5", signals.Resume, "Done"}, {"help", "", "approve"}, {"frob it --budget", signals.Tell, "Done"},
	} {
		w, p := newWorld(t), &fakeForge{}
		got = nil
		w.server.add(issueTask, &fakeWorkflow{kind: signals.CodingTask, query: planned, update: func(name string, args []any) (any, error) {
			got = append(got, name, args[0])
			return signals.Ack{Text: "done"}, nil
		}})
		w.handleRequest(t, p, commented("ada", c.text))
		if len(p.reacted) != 1 || p.reacted[0] != 5 || len(p.comments) != 1 || !strings.Contains(p.comments[0], c.answer) ||
			!strings.HasPrefix(p.comments[0], "comment-5: ") {
			t.Errorf("%q: heard %v, answered %q", c.text, p.reacted, p.comments)
		}
		if c.verb != "" && (len(got) != 2 || got[0] != c.verb) {
			t.Errorf("%q became %v", c.text, got)
		}
	}
}

// A person without write access steers nothing, and gets no answer.
func TestCommentsOfStrangers(t *testing.T) {
	t.Parallel()
	w, p := newWorld(t), &fakeForge{}
	w.server.add(issueTask, &fakeWorkflow{kind: signals.CodingTask, update: func(string, []any) (any, error) { t.Error("a stranger steers"); return nil, nil }})
	for range 100 {
		w.handleRequest(t, p, commented("eve", "abandon"))
	}
	if len(w.acts) != 1 {
		t.Errorf("a stranger fills the record: %d lines", len(w.acts))
	}
	if len(p.reacted)+len(p.comments) > 0 || w.last().Done || w.last().Reason != "no write access" || w.last().User != "eve" {
		t.Errorf("heard %v, answered %v, recorded %+v", p.reacted, p.comments, w.last())
	}
}

// Plain comments at a pull request are read by the workflow that follows it; commands go there at once.
func TestCommentsAtAPullRequest(t *testing.T) {
	t.Parallel()
	w, p := newWorld(t), &fakeForge{}
	pull := signals.PullRequestID("", "acme", "web", 42)
	var got []string
	w.server.add(pull, &fakeWorkflow{kind: signals.PullRequestFlow, update: func(name string, _ []any) (any, error) {
		got = append(got, name)
		return signals.Ack{Text: "done"}, nil
	}})
	ev := commented("ada", "please use a map")
	ev.Pull = true
	w.handleRequest(t, p, ev)
	ev.Text = "resume"
	w.handleRequest(t, p, ev)
	ev.Text = "run it again"
	w.handleRequest(t, p, ev)
	if strings.Join(got, " ") != signals.Resume || len(w.server.starts) > 0 || len(p.reacted) != 3 || len(p.comments) != 2 {
		t.Errorf("became %v, %d starts, answered %q", got, len(w.server.starts), p.comments)
	}
}

// Words at a pull request that nobody follows, or not any more, are answered: no workflow would read them.
func TestCommentsThatNobodyWouldRead(t *testing.T) {
	t.Parallel()
	pull := signals.PullRequestID("", "acme", "web", 42)
	for name, follower := range map[string]*fakeWorkflow{"starts within minutes": nil,
		"any more": {kind: signals.PullRequestFlow, closed: enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED}} {
		w, p := newWorld(t), &fakeForge{}
		if follower != nil {
			w.server.add(pull, follower)
		}
		ev := commented("ada", "please use a map")
		ev.Pull = true
		w.handleRequest(t, p, ev)
		if len(p.comments) != 1 || !strings.HasPrefix(p.comments[0], "comment-5: Nobody works on this") || !strings.Contains(p.comments[0], name) || w.last().Done || w.last().Task != pull {
			t.Errorf("%s: answered %q, recorded %+v", name, p.comments, w.acts)
		}
		w.server.down = serviceerror.NewUnavailable("x")
		if _, err := w.handler.HandleRequest(t.Context(), ev, p, "longshift"); fault.KindOf(err) != fault.Infra || len(p.comments) != 1 {
			t.Errorf("%s, without a server: %v, answered %q", name, err, p.comments)
		}
	}
}

// The same comment starts an ended task once more, and only once however often it is delivered.
func TestRunAgain(t *testing.T) {
	t.Parallel()
	w, p := newWorld(t), &fakeForge{issue: task.Issue{Number: 42, Title: "Login"}}
	w.handleRequest(t, p, commented("ada", "run"))
	o := w.server.starts[0]
	if o.WorkflowIDReusePolicy != enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE || o.Memo[memoRequest] != "comment-5" {
		t.Errorf("started as %+v", o)
	}
	w.server.down = serviceerror.NewUnavailable("x")
	if _, err := w.handler.HandleRequest(t.Context(), commented("ada", "run"), p, "longshift"); fault.KindOf(err) != fault.Infra {
		t.Errorf("without a server: %v", err)
	}
	if len(p.reacted) != 1 {
		t.Error("a request that was not taken in is marked as heard")
	}
}
