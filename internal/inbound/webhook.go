package inbound

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
)

// OnForge handles an event of a forge: it wakes the workflow that follows a pull request, or starts an Arrival, which asks the forge
// who may do what. Requests of bots are dropped; what bots do at a pull request wakes its workflow, since checks are bots. An error of
// kind Infra means that the event has to be delivered again; kind Input that it can't be used.
func (h *Handler) OnForge(ctx context.Context, ev forge.Event) error {
	if !eventForm.MatchString(ev.ID) {
		return fault.New(fault.Input, "event of a forge: id %q is not made of letters, digits, dots, hyphens and underscores",
			render.Line(ev.ID, 60))
	}
	switch ev.Kind {
	case forge.PullChanged:
		if ev.Number == 0 && ev.Branch != "" { // an event about a commit names no pull request
			return h.followers.wakeAll(ctx, ev, ev.What, func(s signals.Status) bool { return s.Branch == "" || s.Branch == ev.Branch })
		}
		if ev.Number < 1 || ev.Owner == "" || ev.Name == "" {
			return fault.New(fault.Input, "event %s: it names no pull request", ev.ID)
		}
		return h.followers.wake(ctx, signals.PullRequestID(ev.Host, ev.Owner, ev.Name, ev.Number), ev, ev.What)
	case forge.BaseMoved:
		if ev.Branch == "" || ev.Owner == "" || ev.Name == "" {
			return fault.New(fault.Input, "event %s: it names no branch of a repository", ev.ID)
		}
		return h.followers.wakeAll(ctx, ev, "base moved", func(s signals.Status) bool { return s.Base == "" || s.Base == ev.Branch })
	case forge.IssueWanted, forge.Commanded:
		if ev.Bot {
			return nil
		}
		return h.arrivals.start(ctx, ev)
	}
	return fault.New(fault.Input, "event %s: unknown kind %q", ev.ID, render.Line(string(ev.Kind), 40))
}

type signaler interface {
	SignalWorkflow(ctx context.Context, workflowID, runID, signalName string, arg any) error
}

// followers wakes the workflows that follow pull requests.
type followers struct {
	client signaler
	server server
	redact func(string) string
	log    *slog.Logger
}

// wake signals a workflow. One that does not run needs no waking.
func (f followers) wake(ctx context.Context, id string, ev forge.Event, what string) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	err := f.client.SignalWorkflow(ctx, id, "", signals.Changed, signals.ChangedRequest{
		Message: signals.Message{ID: ev.ID, By: render.Line(f.redact(ev.Actor), 80)}, What: render.Line(f.redact(what), 200), Now: ev.Ended})
	var gone *serviceerror.NotFound
	if err == nil || errors.As(err, &gone) {
		return nil
	}
	return noAnswer(err)
}

// maxWoken bounds the pull requests that one event wakes.
const maxWoken = 500

// wakeAll wakes the workflows of a repository's pull requests that an event concerns. They are found by their ids, which name the
// repository in lower case.
func (f followers) wakeAll(ctx context.Context, ev forge.Event, what string, concerns func(signals.Status) bool) error {
	if ev.Owner == "" || ev.Name == "" {
		return fault.New(fault.Input, "event %s: it names no repository", ev.ID)
	}
	prefix := strings.TrimSuffix(signals.PullRequestID(ev.Host, ev.Owner, ev.Name, 0), "0")
	query := "WorkflowType = '" + signals.PullRequestFlow + "'" + running + " AND WorkflowId STARTS_WITH " + quoted(prefix)
	var ids []string
	err := f.server.each(ctx, query, maxWoken, func(r row) bool {
		if strings.HasPrefix(r.id, prefix) {
			ids = append(ids, r.id)
		}
		return true
	})
	if err != nil {
		return err
	}
	if len(ids) == maxWoken {
		f.log.Warn("more pull requests are open than are woken at once", "woken", maxWoken)
	}
	asking := true
	for _, id := range ids {
		if asking {
			status, err := f.server.status(ctx, id)
			if err == nil && !concerns(status) {
				continue
			}
			asking = err == nil || final(err) // without a worker each query takes its whole timeout: wake all
		}
		if err := f.wake(ctx, id, ev, what); err != nil {
			return err
		}
	}
	return nil
}
