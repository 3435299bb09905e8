package inbound

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Issues reads issues of the forge.
type Issues interface {
	Issue(ctx context.Context, r task.Repository, number int) (i task.Issue, open bool, err error)
}

// runs decides about commands that start a task.
type runs struct {
	inputs inputs
	issues Issues // nil where they can't be read
	host   string // of the forge, for repositories written as owner/name
	redact func(string) string
}

func (d runs) decide(ctx context.Context, ev channel.Event, r request, c command.Command) (decision, error) {
	approver, err := d.inputs.approver(ctx, ev, r, c)
	if err != nil {
		return decision{}, err
	}
	repository, number := c.Issue()
	if number > 0 {
		if repository != "" {
			c.Options["repo"] = repository
		}
		if !approver { // others may have written the issue, and nobody has checked it
			c.Options["approval"] = task.ApprovalRequired
		}
		c.Text = issueOrder(number)
	}
	x := start{request: r, requester: personKey(ev)}
	var guarded bool
	if x.input, guarded, err = d.inputs.make(ctx, ev, c, approver); err != nil {
		return decision{}, r.failed(err)
	}
	if x.repository, err = task.ParseRepository(x.input.Repository); err != nil {
		return decision{}, r.failed(err)
	}
	switch {
	case guarded:
		x.note = " Somebody who may approve has to let its plan pass, because you have chosen the branch or the repository."
	case number > 0 && !approver:
		x.note = " Somebody who may approve has to let its plan pass, because others may have written the issue."
	}
	if number > 0 {
		return d.issue(ctx, x, number)
	}
	x.task = runID(x.repository, x.input.Task, ev)
	return decision{action: x}, nil
}

// issue decides about a run command that names an issue. The issue has one task, however many commands, labels and intakes name it.
func (d runs) issue(ctx context.Context, x start, number int) (decision, error) {
	if d.issues == nil || x.repository.Owner == "" || x.repository.Path != "" {
		return decision{}, x.failed(fault.New(fault.Input, "no issues of %s can be read here", x.repository.Text).
			WithHint("write in words what to do"))
	}
	issue, open, err := d.issues.Issue(ctx, x.repository, number)
	switch {
	case err != nil:
		return decision{}, x.failed(err)
	case !open:
		return decision{}, x.failed(fault.New(fault.Conflict, "issue #%d of %s is closed", number, x.repository.Text).
			WithHint("open it again to start its task"))
	}
	x.input.Issue = redacted(issue, d.redact)
	host := x.repository.Host
	if host == "" {
		host = d.host
	}
	x.task = signals.IssueTaskID(host, x.repository.Owner, x.repository.Name, number)
	return decision{action: issueStart{x, number}}, nil
}

// runID is the id of an event's task, the same for every delivery of the event.
func runID(r task.Repository, text string, ev channel.Event) string {
	sum := sha256.Sum256([]byte(ev.Room.Channel + "\x00" + ev.ID))
	var parts []string
	for _, part := range []string{r.Slug(), task.Slug(text, 32), hex.EncodeToString(sum[:4])} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "-")
}
