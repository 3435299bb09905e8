package inbound

import (
	"context"
	"errors"
	"fmt"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
)

// onComment carries out a comment that begins with /longshift, and answers it where everybody may read the answer: it says nothing of the
// inside of a task.
func (d forgeRequests) onComment(ctx context.Context, q forgeRequest) (string, error) {
	who := q.by(q.Actor)
	may, err := q.mayWrite(ctx, q.Actor)
	if err != nil {
		return "", err
	}
	if !may {
		return d.noAccess(ctx, who, request{verb: "comment", delivery: q.ID}), nil
	}
	c, err := d.decide(ctx, q, who)
	var no *refusal
	if errors.As(err, &no) && c.result == "" {
		c.result = no.Error()
	}
	reply, err := d.actor.finish(ctx, who, c.decision, err)
	if err != nil {
		return "", err
	}
	if _, err := q.forge.React(ctx, q.repository, q.Comment); err != nil {
		return "", fmt.Errorf("mark comment %d as heard: %w", q.Comment, err)
	}
	if reply.Text != "" {
		if err := q.forge.Comment(ctx, q.repository, q.Number, q.ID, reply.Text); err != nil {
			return "", fmt.Errorf("answer comment %d: %w", q.Comment, err)
		}
	}
	if c.result == "" {
		return reply.Text, nil
	}
	return c.result, nil
}

// commentDecision is the decision about a comment. result is the line about it; empty for the text of its refusal or its answer.
type commentDecision struct {
	decision
	result string
}

func (d forgeRequests) decide(ctx context.Context, q forgeRequest, who channel.Event) (c commentDecision, err error) {
	r := request{verb: signals.Tell, task: signals.IssueTaskID(q.Host, q.Owner, q.Name, q.Number), delivery: q.ID}
	if q.Pull {
		r.task = signals.PullRequestID(q.Host, q.Owner, q.Name, q.Number)
	}
	text := render.Readable(d.render.Redact(q.Text))
	cmd, isCommand := command.Cut(text)
	switch {
	case !isCommand && q.Pull: // the workflow that follows the pull request reads the comment itself
		if err := d.followed(ctx, r); err != nil {
			return c, err
		}
		return commentDecision{result: "left to the follower of the pull request"}, nil
	case !isCommand:
		cmd = command.Command{Verb: signals.Tell, Text: text}
	default:
		r.verb = cmd.Verb
		if cmd, err = cmd.WithOptions(); err != nil {
			return c, r.invalid(err)
		}
	}
	if err := d.allowed(q, r, cmd); err != nil {
		return c, err
	}
	switch cmd.Verb {
	case command.Run:
		c.decision, err = d.run(ctx, q, r)
		return c, err
	case command.Status:
		text, err := d.status(ctx, r.task)
		return commentDecision{answer(text), "shown"}, err
	case command.Help, command.List, command.Start:
		return commentDecision{answer(forgeHelp), "helped"}, nil
	}
	c.result = cmd.Verb
	c.decision, err = d.commands.decide(ctx, who, r, cmd, "")
	return c, err
}

// followed refuses words at a pull request that no workflow follows: nobody would read them.
func (d forgeRequests) followed(ctx context.Context, r request) error {
	follower, err := d.server.describe(ctx, r.task)
	since := " any more. "
	switch {
	case fault.KindOf(err) == fault.NotFound:
		since = ". If it has just opened it, it starts within minutes, and reads this then. "
	case err != nil || follower.running:
		return err
	}
	return r.refuse("nobody follows the pull request", "Nobody works on this: Longshift does not follow this pull request"+since+
		"For other work, say in an issue what to do, and write `/longshift run` there.")
}

// allowed refuses commands that have expired, those that are not for forges, and those that name another task.
func (d forgeRequests) allowed(q forgeRequest, r request, c command.Command) error {
	switch {
	case changes(c.Verb) && expired(q.At, d.now(), maxAgeOnForge):
		return r.refuse(cameLate, lateComment)
	case c.Verb == signals.Allow || c.Verb == signals.Deny:
		return r.refuse("commands are not decided on a forge", "Commands are not decided here. "+render.CommandsElsewhere)
	case c.Verb == command.Logs:
		return r.refuse("no logs on a forge", "Logs are not shown here, where others may read them. "+
			"They are shown in a chat, on the command line and in Temporal Web.")
	case c.Verb == command.Projects:
		return r.refuse("no workspaces on a forge", "Workspaces are for chats and the command line. Here the repository is this one.")
	case command.IsCron(c.Verb):
		return r.refuse("no cron jobs on a forge", "Cron jobs are not kept from here. "+
			"They are made, listed and deleted in a chat or on the command line.")
	case c.Verb == command.Run && !q.Pull && (c.Text != "" || len(c.Options) > 0):
		return r.refuse("run with words", "`run` takes nothing here: the issue says what to do. Write `/longshift run` alone.")
	case c.Task != "" && !isNamed(r.task, c.Task):
		return r.refuse("another task is named", "Here the task is the one of this issue or pull request; leave --task out. "+
			"Other tasks are reached in a chat, on the command line and in Temporal Web.")
	case c.IsAmbiguous():
		return ambiguous(r)
	}
	return nil
}

const forgeHelp = "Behind `/longshift`:\n\n- `run`: starts the task of this issue; `status`: shows its status\n" +
	"- `approve`, `edit TEXT`, `reject`: decide about its plan\n" +
	"- `tell TEXT`, or plain words: a message for the agent; `resume`, `abandon`, `cancel`\n\n" +
	"Commands that wait, and logs, are for chats, the command line and Temporal Web."

// status is the public state of a task. Without an answer of the task it is what the server knows.
func (d forgeRequests) status(ctx context.Context, id string) (string, error) {
	s, err := d.server.status(ctx, id)
	if err == nil {
		return d.render.PublicStatus(s), nil
	}
	r, unknown := d.server.describe(ctx, id)
	switch {
	case fault.KindOf(unknown) == fault.NotFound:
		return "No task works on this.", nil
	case unknown != nil:
		return "", err
	case !final(err):
		return "No worker answers just now. The server knows this much: " + d.render.Literal(render.Phase(r.phase), 30) + ".", nil
	}
	return "**" + d.render.Literal(render.Phase(r.phase), 30) + "**.", nil
}

// run decides about the task of an issue, also one that has ended before.
func (d forgeRequests) run(ctx context.Context, q forgeRequest, r request) (decision, error) {
	const atPull = "A task is started from an issue. Here, write what to do: `/longshift use a map`."
	const noIssue = "There is no issue of this number to work on. " + atPull
	if q.Pull {
		return decision{}, r.refuse("run at a pull request", atPull)
	}
	issue, open, err := q.forge.Issue(ctx, q.repository, q.Number)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return decision{}, r.refuse("no issue: "+err.Error(), noIssue)
	case err != nil:
		return decision{}, fmt.Errorf("read issue #%d of %s: %w", q.Number, q.repository.Text, err)
	case issue.Number != q.Number:
		return decision{}, r.refuse("no issue", noIssue)
	case !open:
		return decision{}, r.refuse("the issue is closed", "This issue is closed. Open it again to start its task.")
	}
	started, err := d.hasStarted(ctx, r)
	if err != nil {
		return decision{}, err
	}
	if q.Sum != "" && !started && q.Sum != forge.IssueSum(issue.Title, issue.Body) { // its author may have edited it since
		return decision{}, r.refuse("the text has changed since the comment", "The text has changed since you wrote this. Write it again to start.")
	}
	return d.start(q, r, issue, q.Actor, !started)
}
