package inbound

import (
	"context"
	"errors"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

// actor carries out decisions, and answers refusals. An action is in the audit log before it is tried.
type actor struct {
	audit    *auditLog
	recent   *recent
	tasks    taskWriter
	starts   taskStarter
	jobs     jobWriter
	projects projectWriter
	codes    codeWriter
}

// finish carries out the decision about an event. err is the error of deciding: a refusal is recorded and answered, any other error is
// returned. An error, of kind Infra, means that the event has to be delivered again.
func (a actor) finish(ctx context.Context, ev channel.Event, d decision, err error) (channel.Answer, error) {
	result := d.answer
	if err == nil && d.action != nil {
		result, err = a.act(ctx, ev, d.action)
	}
	if no := (*refusal)(nil); errors.As(err, &no) {
		return a.refuse(ctx, ev, no), nil
	}
	return result, err
}

func (a actor) refuse(ctx context.Context, ev channel.Event, no *refusal) channel.Answer {
	result := a.audit.refused(ctx, ev, no)
	if no.lasting {
		a.recent.refuse(keyOf(ev, forTask), result.Text)
	}
	return result
}

func (a actor) act(ctx context.Context, ev channel.Event, x action) (channel.Answer, error) {
	switch x := x.(type) {
	case update:
		return a.update(ctx, ev, x)
	case unrepeatable:
		return a.once(ctx, ev, x)
	case binding:
		return a.codes.bind(ctx, ev, x)
	}
	return a.audit.perform(ctx, ev, x.requested(), func(ctx context.Context) (outcome, error) { return a.do(ctx, ev, x) })
}

// do makes the change of an action.
func (a actor) do(ctx context.Context, ev channel.Event, x action) (outcome, error) {
	switch x := x.(type) {
	case cancellation:
		return a.tasks.cancel(ctx, x)
	case start:
		return a.starts.start(ctx, x)
	case issueStart:
		return a.starts.startIssue(ctx, x)
	case forgeStart:
		return a.starts.startFromForge(ctx, x)
	case jobCreation:
		return a.jobs.create(ctx, x)
	case jobDeletion:
		return a.jobs.delete(ctx, x)
	case projectSwitch:
		return a.projects.set(ctx, ev, x)
	}
	return outcome{}, fault.New(fault.Internal, "an action of the unknown type %T", x)
}

// update sends a command to its task. Words that the task refuses stay refused, since they could become possible later; a button means the
// same at any time.
func (a actor) update(ctx context.Context, ev channel.Event, x update) (channel.Answer, error) {
	refused := false
	result, err := a.audit.perform(ctx, ev, x.request, func(ctx context.Context) (outcome, error) {
		out, err := a.tasks.update(ctx, x)
		refused = err != nil && final(err)
		return out, err
	})
	if refused && ev.Kind == channel.Said {
		a.recent.refuse(keyOf(ev, forTask), result.Text)
	}
	return result, err
}

// once carries out an action, unless the event was delivered before.
func (a actor) once(ctx context.Context, ev channel.Event, x unrepeatable) (channel.Answer, error) {
	purpose, repeated := x.once()
	k := keyOf(ev, purpose)
	if !a.recent.claim(k) {
		return channel.Answer{Text: repeated}, nil
	}
	done := false
	defer func() {
		if !done {
			a.recent.release(k)
		}
	}()
	return a.audit.perform(ctx, ev, x.requested(), func(ctx context.Context) (outcome, error) {
		out, err := a.do(ctx, ev, x)
		done = err == nil
		return out, err
	})
}
