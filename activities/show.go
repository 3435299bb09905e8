package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Messages are what people see of tasks in their rooms.
type Messages struct {
	channels map[string]channel.Channel // by name
	forge    forgeOf                    // has the diffs
	redact   *redact.Redactor
	web      string // address of Temporal Web; may be empty

	status func(context.Context, signals.Notice) (signals.Status, error) // replaces the query, in tests
}

// ShowInput asks to write or edit a message in a room. Its text is made from the status of the sender at that moment.
type ShowInput struct {
	Room    task.Room        `json:"room"`
	Key     string           `json:"key"`              // identifies the message within its room
	At      *task.MessageRef `json:"at,omitempty"`     // the message to edit; nil for a new one
	Sought  bool             `json:"sought,omitempty"` // a new one may stand already, with an older text
	Notice  signals.Notice   `json:"notice"`           // without a subject: the card of the task
	Settled string           `json:"settled,omitempty"`
	Buttons []signals.Button `json:"buttons,omitempty"`
}

// Show writes or edits a message and returns its place in the room. With the end of a task goes the diff of its pull request.
func (ms *Messages) Show(ctx context.Context, in ShowInput) (task.MessageRef, error) {
	ch, ok := ms.channels[in.Room.Channel]
	if !ok {
		return task.MessageRef{}, fault.New(fault.Denied, "there is no channel %q here", in.Room.Channel).
			WithHint("set its token for every worker")
	}
	ask := statusOf
	if ms.status != nil {
		ask = ms.status
	}
	s, err := ask(ctx, in.Notice)
	if err != nil {
		return task.MessageRef{}, err
	}
	m := ms.message(ctx, in, s)
	if in.At != nil {
		return *in.At, ch.Edit(ctx, *in.At, m)
	}
	place, err := ch.Post(ctx, in.Room, m, in.Sought || activity.GetInfo(ctx).Attempt > 1)
	if err == nil && in.Sought {
		err = ch.Edit(ctx, place, m)
	}
	if err != nil {
		return place, err
	}
	return place, ms.showDiff(ctx, place, in, s)
}

func statusOf(ctx context.Context, n signals.Notice) (signals.Status, error) {
	return statusBy(ctx, activity.GetClient(ctx), n)
}

// statusQuerier is the part of client.Client that asks a workflow for its status.
type statusQuerier interface {
	QueryWorkflowWithOptions(context.Context, *client.QueryWorkflowWithOptionsRequest) (*client.QueryWorkflowWithOptionsResponse, error)
}

// statusBy asks the sender of a notice for its status. A sender whose history has expired is NotFound: it never answers again, and a room
// whose queue waited for it would stay silent.
func statusBy(ctx context.Context, server statusQuerier, n signals.Notice) (signals.Status, error) {
	var s signals.Status
	call, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	v, err := server.QueryWorkflowWithOptions(call, &client.QueryWorkflowWithOptionsRequest{
		WorkflowID: n.From, RunID: n.Run, QueryType: signals.QueryStatus})
	if err == nil {
		err = v.QueryResult.Get(&s)
	}
	var gone *serviceerror.NotFound
	switch {
	case errors.As(err, &gone):
		return s, fault.New(fault.NotFound, "the server no longer knows task %s: %w", n.From, err)
	case err != nil:
		return s, fault.New(fault.Infra, "ask task %s for its status: %w", n.From, err)
	}
	return s, nil
}

// message makes the message that people see. All of its text passes the redactor, because it comes from models and strangers.
func (ms *Messages) message(ctx context.Context, in ShowInput, s signals.Status) channel.Message {
	page := webURL(ctx, ms.web, in.Notice.From, in.Notice.Run)
	v := view{Status: s, notice: in.Notice, settled: in.Settled, web: page, hide: ms.redact.String}
	live := in.Settled == "" && v.live()
	m := channel.Message{Key: in.Key, Loud: in.At == nil && in.Notice.Subject != "" && live}
	switch in.Notice.Subject {
	case signals.SubjectPlan:
		m.Text, m.Foot = v.plan(), ms.redact.String(v.foot())
		if len(in.Buttons) > 0 && live && !s.WaitingUntil.IsZero() {
			m.Until, m.Then = s.WaitingUntil, "Approved automatically"
		}
	case signals.SubjectCommand:
		m.Text = v.command()
		if q := v.question(); q != nil && len(in.Buttons) > 0 && !q.Push() {
			m.Until, m.Then = q.Expires, "Denied automatically"
		}
	case signals.SubjectStop:
		m.Text = v.stop()
	case signals.SubjectNews:
		m.Text = v.news()
	case signals.SubjectEnd:
		m.Text = v.end()
	default:
		m.Text = v.card()
	}
	m.Text = ms.redact.String(m.Text)
	if live {
		for _, b := range in.Buttons {
			m.Buttons = append(m.Buttons, channel.Button{Label: label(b.Verb), Token: b.Token, Style: style(b.Verb)})
		}
	}
	return m
}

func label(verb string) string {
	if verb == signals.AllowForTask {
		return "Allow for this task"
	}
	return upper(verb)
}

func style(verb string) channel.Style {
	switch verb {
	case signals.Approve, signals.Allow, signals.Resume:
		return channel.Primary
	case signals.Reject, signals.Deny, signals.Abandon:
		return channel.Danger
	}
	return ""
}

// webURL links to a workflow in Temporal Web; it returns "" when its address is not configured.
func webURL(ctx context.Context, address, id, run string) string {
	return signals.WebURL(address, activity.GetInfo(ctx).Namespace, id, run)
}
