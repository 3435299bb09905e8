package inbound

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Comments on an issue whose task was not started.
const (
	lateComment    = "This came late, so nothing was done. If you still mean it, please say it again; label the issue again to start its task."
	changedComment = "The text has changed since it was labelled, or it can't be told whether it has. Label it again to start."
)

// onIssue starts the task of an issue that a person with write access has labelled or assigned.
func (d forgeRequests) onIssue(ctx context.Context, q forgeRequest, label string) (string, error) {
	if left, err := d.leave(ctx, q, label); err != nil {
		return "", err
	} else if left {
		return "left to the intake", nil
	}
	issue, by, bot, err := q.forge.Wanted(ctx, q.repository, q.Number, label)
	if err != nil {
		return "", fmt.Errorf("read issue #%d of %s: %w", q.Number, q.repository.Text, err)
	}
	if by == "" {
		return "left alone: the issue is not ours, or is closed", nil
	}
	may := false
	if !bot {
		if may, err = q.mayWrite(ctx, by); err != nil {
			return "", err
		}
	}
	who := q.by(by)
	r := request{verb: command.Run, task: signals.IssueTaskID(q.Host, q.Owner, q.Name, q.Number), delivery: q.ID}
	if !may {
		return d.noAccess(ctx, who, r), nil
	}
	if no := d.outdated(q, r, issue); no != nil {
		if started, err := d.hasStarted(ctx, r); err != nil {
			return "", err
		} else if !started {
			return d.notStarted(ctx, q, who, no)
		}
	}
	start, err := d.start(q, r, issue, by, false)
	result, err := d.actor.finish(ctx, who, start, err)
	return result.Text, err
}

// outdated refuses an event that no longer asks for the issue as it is, nil for one that does.
func (d forgeRequests) outdated(q forgeRequest, r request, issue task.Issue) *refusal {
	switch {
	case expired(q.At, d.now(), maxAgeOnForge):
		return r.refuse(cameLate, lateComment)
	case q.Sum != "" && q.Sum != forge.IssueSum(issue.Title, issue.Body): // the author of the issue may have edited it since
		return r.refuse("the text has changed since it was labelled", changedComment)
	}
	return nil
}

// hasStarted reports whether a request has started the last task of its issue: it was delivered again, or its worker died before it could say so.
func (d forgeRequests) hasStarted(ctx context.Context, r request) (bool, error) {
	last, err := d.server.describe(ctx, r.task)
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	return err == nil && last.request == r.delivery, err
}

// leave leaves an issue to the intakes that take such issues: they alone decide which of them become tasks, and when. It returns false when there is none.
func (d forgeRequests) leave(ctx context.Context, q forgeRequest, label string) (bool, error) {
	if d.intakes == nil {
		return false, nil
	}
	assignees := append([]string{}, q.Assignees...) // never nil, which stands for not known
	if q.Assigned {
		assignees = append(assignees, "me")
	}
	switch {
	case !q.Labelled && !q.Assigned: // from before events said so: whoever may take it does
		assignees = nil
	case !q.Labelled:
		label = ""
	}
	return d.intakes.Look(ctx, q.Host, q.Owner, q.Name, label, assignees)
}

// notStarted refuses to start an issue's task, and comments on the issue, once for each event.
func (d forgeRequests) notStarted(ctx context.Context, q forgeRequest, who channel.Event, no *refusal) (string, error) {
	d.actor.refuse(ctx, who, no)
	if err := q.forge.Comment(ctx, q.repository, q.Number, q.ID, no.text); err != nil {
		return "", fmt.Errorf("answer at issue #%d of %s: %w", q.Number, q.repository.Text, err)
	}
	return "not started: " + no.reason, nil
}
