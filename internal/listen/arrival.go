package listen

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// Place is a forge, as far as requests that come from it need it.
type Place interface {
	forge.Watcher
	forge.Talker
}

// viaGitHub is what the record and tasks call the way by which a request came.
const viaGitHub = "github"

// Bound gives the chats that people have bound with a code. When that can't be found out there are none.
func (e *Ear) Bound(ctx context.Context) []signals.Binding {
	all, err := e.bindings(ctx)
	if err != nil {
		e.c.Log.Warn("bound chats are not known", "error", err)
		return nil
	}
	return all
}

// Arrive carries out what somebody asked for on a forge, and says in a line what came of it. Whether they may is asked of the forge
// now: people with write access may start and steer tasks, nobody else, and no bot. Called again it has the effect of one call. An
// error of kind Infra means that it is to be tried again.
func (e *Ear) Arrive(ctx context.Context, ev forge.Event, f Place, label string) (string, error) {
	r := task.Repository{Text: ev.Owner + "/" + ev.Name, Owner: ev.Owner, Name: ev.Name}
	if ev.Bot || ev.Number < 1 {
		return "left alone: not by a person", nil
	}
	switch ev.Kind {
	case forge.IssueWanted:
		return e.wanted(ctx, ev, f, r, label)
	case forge.Commanded:
		return e.commanded(ctx, ev, f, r)
	}
	return "", fault.New(fault.Input, "event %s: %q is no request", ev.ID, ev.Kind)
}

// wanted starts the task of an issue that somebody with write access has made ours.
func (e *Ear) wanted(ctx context.Context, ev forge.Event, f Place, r task.Repository, label string) (string, error) {
	issue, by, bot, err := f.Wanted(ctx, r, ev.Number, label)
	if err != nil {
		return "", fmt.Errorf("read issue #%d of %s: %w", ev.Number, r.Text, err)
	}
	if by == "" {
		return "left alone: the issue is not ours, or is closed", nil
	}
	who := e.asEvent(ev, r, by)
	d := deed{verb: Run, task: signals.IssueTaskID(ev.Host, ev.Owner, ev.Name, ev.Number), delivery: ev.ID}
	may := false
	if !bot {
		if may, err = f.MayWrite(ctx, r, by); err != nil {
			return "", fmt.Errorf("ask what %s may do in %s: %w", by, r.Text, err)
		}
	}
	if !may {
		e.refuse(ctx, who, d, "no write access", "")
		return by + " may not: no write access", nil
	}
	return e.startIssue(ctx, who, d, r, issue, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
}

// commanded carries out a comment that begins with /longshift.
func (e *Ear) commanded(ctx context.Context, ev forge.Event, f Place, r task.Repository) (string, error) {
	who := e.asEvent(ev, r, ev.Actor)
	d := deed{verb: "comment", delivery: ev.ID}
	may, err := f.MayWrite(ctx, r, ev.Actor)
	if err != nil {
		return "", fmt.Errorf("ask what %s may do in %s: %w", ev.Actor, r.Text, err)
	}
	if !may { // and nothing is written: who may not write here is to have no way to make us write
		e.refuse(ctx, who, d, "no write access", "")
		return ev.Actor + " may not: no write access", nil
	}
	text, err := e.comment(ctx, ev, f, r, who, d)
	if err != nil {
		return "", err
	}
	if _, err := f.React(ctx, r, ev.Comment); err != nil {
		return "", fmt.Errorf("mark comment %d as heard: %w", ev.Comment, err)
	}
	if text.answer != "" {
		if err := f.Comment(ctx, r, ev.Number, ev.ID, text.answer); err != nil {
			return "", fmt.Errorf("answer comment %d: %w", ev.Comment, err)
		}
	}
	return text.reason, nil
}

// comment does what a comment says. The answer is what is written back: nothing for what speaks for itself.
func (e *Ear) comment(ctx context.Context, ev forge.Event, f Place, r task.Repository, who channel.Event, d deed) (done, error) {
	d.task = signals.IssueTaskID(ev.Host, ev.Owner, ev.Name, ev.Number)
	if ev.Pull {
		d.task = signals.PullRequestID(ev.Host, ev.Owner, ev.Name, ev.Number)
	}
	c, isCommand := cutVerb(readable(ev.Text))
	if !isCommand && ev.Pull {
		return done{reason: "left to what looks after the pull request"}, nil // it reads the comment itself
	}
	if !isCommand {
		c = Command{Verb: signals.Tell, Text: readable(ev.Text), Options: map[string]string{}}
	} else if parsed, err := c.parsed(); err != nil {
		return done{answer: e.said(err), reason: err.Error()}, nil
	} else {
		c = parsed
	}
	d.verb = c.Verb
	switch c.Verb {
	case Run:
		return e.runIssue(ctx, ev, f, r, who, d)
	case Status, Logs:
		a, err := e.showTarget(ctx, c.Verb, target{id: d.task})
		return done{answer: a.Text, reason: "shown"}, err
	case Help, List, Start:
		return done{answer: e.help().Text, reason: "helped"}, nil
	}
	a, err := e.command(ctx, who, d, c)
	return done{answer: a.Text, reason: c.Verb}, err
}

// runIssue starts the task of an issue because somebody said so, also one that has ended before.
func (e *Ear) runIssue(ctx context.Context, ev forge.Event, f Place, r task.Repository, who channel.Event, d deed) (done, error) {
	if ev.Pull {
		return done{answer: "A task is started from an issue. Here, write what is to be done: `/longshift use a map`.", reason: "run at a pull request"}, nil
	}
	issue, _, _, err := f.Wanted(ctx, r, ev.Number, "")
	if err != nil {
		return done{}, fmt.Errorf("read issue #%d of %s: %w", ev.Number, r.Text, err)
	}
	again := enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	if last, err := e.c.Client.DescribeWorkflowExecution(ctx, d.task, ""); err == nil && requestOf(last) == ev.ID {
		again = enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE // this very comment has started it
	}
	text, err := e.startIssue(ctx, who, d, r, issue, again)
	return done{answer: text, reason: text}, err
}

// startIssue starts the one task of an issue. One that runs already is that one.
func (e *Ear) startIssue(ctx context.Context, who channel.Event, d deed, r task.Repository, issue task.Issue, again enumspb.WorkflowIdReusePolicy) (string, error) {
	in := task.Input{Repository: r.Text, Task: fmt.Sprintf("Resolve issue #%d.", issue.Number), Issue: &issue, RequestedBy: &task.Person{Name: who.User.Name, Via: viaGitHub}}
	if issue.Title != "" {
		in.Task = fmt.Sprintf("Resolve issue #%d: %s", issue.Number, oneLine(e.c.Redact(issue.Title)))
	}
	a, err := e.perform(ctx, who, d, func(ctx context.Context) (done, error) {
		ctx, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		o := startOptions(d.task, r, in)
		o.WorkflowIDReusePolicy, o.Memo, o.WorkflowExecutionErrorWhenAlreadyStarted = again, map[string]any{memoRequest: d.delivery}, true
		run, err := e.c.Client.ExecuteWorkflow(ctx, o, signals.CodingTask, in)
		var before *serviceerror.WorkflowExecutionAlreadyStarted
		if errors.As(err, &before) { // and has ended
			return done{answer: "This issue has had its task: " + e.mono(d.task) + ". Write `/longshift run` to start it again.", reason: "had its task"}, nil
		}
		if err != nil {
			return done{}, noAnswer(err)
		}
		text := "Task " + e.mono(d.task) + " works on it."
		if web := e.web(d.task, run.GetRunID()); web != "" {
			text += " " + web
		}
		return done{answer: text, reason: "started"}, nil
	})
	return a.Text, err
}

// asEvent is a request as the rest of this package knows it: from the repository as a room.
func (e *Ear) asEvent(ev forge.Event, r task.Repository, by string) channel.Event {
	return channel.Event{ID: ev.ID, Kind: channel.Said, User: channel.User{ID: by, Name: by}, Direct: true, At: ev.At,
		Room: task.Room{Channel: viaGitHub, ID: fmt.Sprintf("%s#%d", r.Text, ev.Number)}}
}

// memoRequest is the key of a task's memo that names the request which started it.
const memoRequest = "request"

// requestOf reads which request has started a workflow.
func requestOf(d *workflowservice.DescribeWorkflowExecutionResponse) (id string) {
	if p, ok := d.GetWorkflowExecutionInfo().GetMemo().GetFields()[memoRequest]; ok {
		_ = converter.GetDefaultDataConverter().FromPayload(p, &id) // what can't be read is no request of ours
	}
	return id
}
