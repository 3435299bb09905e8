package listen

import (
	"context"
	"regexp"
	"strconv"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// Issues reads issues of the forge.
type Issues interface {
	Issue(ctx context.Context, r task.Repository, number int) (i task.Issue, open bool, err error)
}

// Looker lets the intake of a repository's issues look at once, when it looks for a label. found is false when there is none; one that is
// paused does not look.
type Looker interface {
	Look(ctx context.Context, host, owner, name, label string) (found bool, err error)
}

// issueForm is an issue as people write it: "#12" or "acme/web#12", and nothing else.
var issueForm = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+)?\s*#([1-9][0-9]{0,9})$`)

// cutIssue tells whether a run names an issue and nothing else, and writes the order for it.
func cutIssue(c *Command) (number int) {
	m := issueForm.FindStringSubmatch(c.Text)
	if m == nil {
		return 0
	}
	number, err := strconv.Atoi(m[2])
	if err != nil || m[1] != "" && c.Options["repo"] != "" {
		return 0
	}
	if m[1] != "" {
		c.Options["repo"] = m[1]
	}
	c.Text = issueOrder(number)
	return number
}

// runOfIssue starts the one task of an issue from a chat, whoever else names it at the same time. What the issue says is data.
func (e *Ear) runOfIssue(ctx context.Context, ev channel.Event, d deed, r task.Repository, in task.Input, number int, more string) (channel.Answer, error) {
	if e.c.Issues == nil || r.Owner == "" || r.Path != "" {
		return e.failed(ctx, ev, d, fault.New(fault.Input, "no issues of %s can be read here", r.Text).WithHint("write what is to be done in words"))
	}
	issue, open, err := e.c.Issues.Issue(ctx, r, number)
	switch {
	case err != nil:
		return e.failed(ctx, ev, d, err)
	case !open:
		return e.failed(ctx, ev, d, fault.New(fault.Conflict, "issue #%d of %s is closed", number, r.Text).WithHint("open it again to start its task"))
	}
	in.Issue = e.asData(issue)
	host := r.Host
	if host == "" {
		host = e.c.Host
	}
	d.task = signals.IssueTaskID(host, r.Owner, r.Name, number)
	return e.perform(ctx, ev, d, func(ctx context.Context) (done, error) {
		ctx, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		id, before, err := e.beginIssue(ctx, d.task, ev.ID, r, in, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
		if err != nil {
			return done{}, err
		}
		if before {
			last, err := e.c.Client.DescribeWorkflowExecution(ctx, d.task, "")
			switch {
			case err != nil:
				return done{}, noAnswer(err)
			case requestOf(last) != ev.ID && last.GetWorkflowExecutionInfo().GetCloseTime() != nil:
				return done{answer: "This issue has had its task: " + e.mono(d.task) + ". Write `/longshift run` at the issue to start it again.", reason: "had its task"}, nil
			} // or it was this very message, or it works already: both are one task
			id = last.GetWorkflowExecutionInfo().GetExecution().GetRunId()
		}
		text := "Task " + e.mono(d.task) + " works on issue #" + strconv.Itoa(number) + " of " + e.literal(r.Text, 200) + "." + more
		if web := e.web(d.task, id); web != "" {
			text += " " + web
		}
		return done{answer: text, reason: "started"}, nil
	})
}
