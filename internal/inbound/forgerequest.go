package inbound

import (
	"context"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/task"
)

// Forge is the part of a forge that requests from it need.
type Forge interface {
	forge.Watcher
	forge.Talker
}

// Looker has the intakes of a repository's issues poll at once. label is that of the issue, "" when it has not the one that is asked for. assignees are
// the accounts that the issue is assigned to, that of the token also as "me"; nil when they are not known. found is false when no intake takes such an
// issue; one that is paused does not poll.
type Looker interface {
	Look(ctx context.Context, host, owner, name, label string, assignees []string) (found bool, err error)
}

// forgeRequests handles requests that people make on a forge: labels, assignments and comments. It asks the forge whether they may:
// people with write access may start and steer tasks, nobody else, and no bot.
type forgeRequests struct {
	intakes  Looker // nil for none
	server   server
	commands taskCommands
	actor    actor
	render   render.Markdown
	now      func() time.Time
}

// forgeRequest is an event of a forge with what is needed to decide about it.
type forgeRequest struct {
	forge.Event
	forge      Forge
	repository task.Repository
}

// HandleRequest carries out a request from a forge, and returns a line about the result. When it is called again it has the effect of one
// call. An error of kind Infra means that it has to be tried again.
func (h *Handler) HandleRequest(ctx context.Context, ev forge.Event, f Forge, label string) (string, error) {
	if ev.Bot || ev.Number < 1 {
		return "left alone: not by a person", nil
	}
	q := forgeRequest{ev, f, task.Repository{Text: ev.Owner + "/" + ev.Name, Owner: ev.Owner, Name: ev.Name}}
	switch ev.Kind {
	case forge.IssueWanted:
		return h.requests.onIssue(ctx, q, label)
	case forge.Commanded:
		return h.requests.onComment(ctx, q)
	}
	return "", fault.New(fault.Input, "event %s: %q is no request", ev.ID, ev.Kind)
}

// start decides about the task of an issue. Anybody may have written its title and body: they are data, and no part of the order.
func (d forgeRequests) start(q forgeRequest, r request, issue task.Issue, by string, restart bool) (decision, error) {
	if issue.Number < 1 {
		return decision{}, r.refuse("an issue without a number", "There is no issue to work on.")
	}
	in := task.Input{Repository: q.repository.Text, Task: issueOrder(issue.Number), Issue: redacted(issue, d.render.Redact),
		RequestedBy: &task.Person{Name: by, Via: task.GitHub}}
	return decision{action: forgeStart{start{request: r, repository: q.repository, input: in}, restart}}, nil
}

// noAccess refuses a person without write access, and writes nothing on the forge: who may not write there can't make Longshift do it.
func (d forgeRequests) noAccess(ctx context.Context, who channel.Event, r request) string {
	d.actor.refuse(ctx, who, r.refuseStranger("no write access", ""))
	return who.User.ID + " may not: no write access"
}

func (q forgeRequest) mayWrite(ctx context.Context, user string) (bool, error) {
	may, err := q.forge.MayWrite(ctx, q.repository, user)
	if err != nil {
		return false, fmt.Errorf("ask what %s may do in %s: %w", user, q.repository.Text, err)
	}
	return may, nil
}

// by is the request as an event of a channel, whose room is the issue or the pull request.
func (q forgeRequest) by(user string) channel.Event {
	return channel.Event{ID: q.ID, Kind: channel.Said, User: channel.User{ID: user, Name: user}, Direct: true, At: q.At,
		Room: task.Room{Channel: task.GitHub, ID: fmt.Sprintf("%s#%d", q.repository.Text, q.Number)}}
}
