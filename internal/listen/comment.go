package listen

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// comment does what a comment says. The answer is what is written back, where everybody may read it: nothing for what speaks for
// itself, and nothing of what is inside a task.
func (e *Ear) comment(ctx context.Context, ev forge.Event, f Place, r task.Repository, who channel.Event, d deed) (done, error) {
	d.task = signals.IssueTaskID(ev.Host, ev.Owner, ev.Name, ev.Number)
	if ev.Pull {
		d.task = signals.PullRequestID(ev.Host, ev.Owner, ev.Name, ev.Number)
	}
	text := readable(e.c.Redact(ev.Text))
	c, isCommand := cutVerb(text)
	if !isCommand && ev.Pull {
		return done{reason: "left to what looks after the pull request"}, nil // it reads the comment itself
	}
	if !isCommand {
		c = Command{Verb: signals.Tell, Text: text}
	}
	d.verb = c.Verb
	no := func(reason, text string) (done, error) {
		return done{answer: e.refuse(ctx, who, d, reason, text).Text, reason: reason}, nil
	}
	if isCommand {
		parsed, err := c.parsed()
		if err != nil {
			return no(err.Error(), e.said(err))
		}
		c = parsed
	}
	switch {
	case decides(c.Verb) && e.late(ev.At, lateOnForge):
		return no(tooLate, cameLate)
	case c.Verb == signals.Allow || c.Verb == signals.Deny:
		return no("commands are not decided on a forge", "Commands are not decided here. "+commandsElsewhere)
	case c.Verb == Logs:
		return no("no logs on a forge", "Logs are not shown here, where others may read them. They are shown in a chat, on the command line and in Temporal Web.")
	case c.Verb == Workspaces:
		return no("no workspaces on a forge", "Workspaces are for chats and the command line. Here the repository is this one.")
	case isCron(c.Verb):
		return no("no cron jobs on a forge", "Cron jobs are not kept from here. They are made, listed and deleted in a chat or on the command line.")
	case c.Verb == Run && !ev.Pull && (c.Text != "" || len(c.Options) > 0):
		return no("run with words", "`run` takes nothing here: the issue says what is to be done. Write `/longshift run` alone.")
	case c.Verb == Run:
		return e.runIssue(ctx, ev, f, r, who, d)
	case c.Verb == Status:
		answer, err := e.publicStatus(ctx, d.task)
		return done{answer: answer, reason: "shown"}, err
	case c.Verb == Help || c.Verb == List || c.Verb == Start:
		return done{answer: forgeHelp, reason: "helped"}, nil
	case isLoose(c):
		return done{answer: e.askBack(ctx, who, d).Text, reason: "not clear"}, nil
	}
	a, err := e.command(ctx, who, d, c, "")
	return done{answer: a.Text, reason: c.Verb}, err
}

const forgeHelp = "Behind `/longshift`:\n\n- `run`: starts the task of this issue; `status`: how it stands\n" +
	"- `approve`, `edit TEXT`, `reject`: decide about its plan\n" +
	"- `tell TEXT`, or plain words: a message for the next session; `resume`, `abandon`, `cancel`\n\n" +
	"Commands that wait, and logs, are for chats, the command line and Temporal Web."

// publicStatus says in short how a task stands.
func (e *Ear) publicStatus(ctx context.Context, id string) (string, error) {
	s, err := e.status(ctx, id, "")
	if err == nil {
		return e.publicText(s), nil
	}
	r, known := e.describe(ctx, id)
	switch {
	case fault.KindOf(known) == fault.NotFound:
		return "No task works on this.", nil
	case known != nil:
		return "", err
	case !final(err):
		return "No worker answers just now. The server knows this much: " + e.literal(phaseText(r.phase), 30) + ".", nil
	}
	return "**" + e.literal(phaseText(r.phase), 30) + "**.", nil
}

// runIssue starts the task of an issue because somebody said so, also one that has ended before.
func (e *Ear) runIssue(ctx context.Context, ev forge.Event, f Place, r task.Repository, who channel.Event, d deed) (done, error) {
	no := func(reason, text string) (done, error) {
		return done{answer: e.refuse(ctx, who, d, reason, text).Text, reason: reason}, nil
	}
	const atPull = "A task is started from an issue. Here, write what is to be done: `/longshift use a map`."
	if ev.Pull {
		return no("run at a pull request", atPull)
	}
	issue, open, err := f.Issue(ctx, r, ev.Number)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return no("no issue: "+err.Error(), "There is no issue of this number to work on. "+atPull)
	case err != nil:
		return done{}, fmt.Errorf("read issue #%d of %s: %w", ev.Number, r.Text, err)
	case issue.Number != ev.Number:
		return no("no issue", "There is no issue of this number to work on. "+atPull)
	case !open:
		return no("the issue is closed", "This issue is closed. Open it again to start its task.")
	}
	again := enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	if last, err := e.c.Client.DescribeWorkflowExecution(ctx, d.task, ""); err == nil && requestOf(last) == ev.ID {
		again = enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE // this very comment has started it
	}
	text, err := e.startIssue(ctx, who, d, r, issue, again)
	return done{answer: text, reason: text}, err
}
