package listen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// mostPulls bounds how many pull requests are woken by one move of their base.
const mostPulls = 500

// OnForge takes what happened on a forge: it wakes what looks after a pull request, or starts an Arrival, which asks the forge who
// may do what. What bots ask for is dropped; what they do at a pull request is a wake-up like any other, since checks are bots. An
// error of kind Infra means that the event is to be delivered again; kind Input that it can't be used.
func (e *Ear) OnForge(ctx context.Context, ev forge.Event) error {
	if !eventForm.MatchString(ev.ID) {
		return fault.New(fault.Input, "event of a forge: id %q is not made of letters, digits, dots, hyphens and underscores", clip(oneLine(ev.ID), 60))
	}
	switch ev.Kind {
	case forge.PullChanged:
		if ev.Number == 0 && ev.Branch != "" { // what is said about a commit names no pull request
			return e.wakeWhere(ctx, ev, ev.What, func(s signals.Status) bool { return s.Branch == "" || s.Branch == ev.Branch })
		}
		if ev.Number < 1 || ev.Owner == "" || ev.Name == "" {
			return fault.New(fault.Input, "event %s: it names no pull request", ev.ID)
		}
		return e.wake(ctx, signals.PullRequestID(ev.Host, ev.Owner, ev.Name, ev.Number), ev, ev.What)
	case forge.BaseMoved:
		if ev.Branch == "" || ev.Owner == "" || ev.Name == "" {
			return fault.New(fault.Input, "event %s: it names no branch of a repository", ev.ID)
		}
		return e.wakeWhere(ctx, ev, "base moved", func(s signals.Status) bool { return s.Base == "" || s.Base == ev.Branch })
	case forge.IssueWanted, forge.Commanded:
		if ev.Bot {
			return nil
		}
		return e.arrive(ctx, ev)
	}
	return fault.New(fault.Input, "event %s: unknown kind %q", ev.ID, clip(oneLine(string(ev.Kind)), 40))
}

// wake signals a workflow. One that does not run needs no waking.
func (e *Ear) wake(ctx context.Context, id string, ev forge.Event, what string) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	err := e.c.Client.SignalWorkflow(ctx, id, "", signals.Changed, signals.ChangedRequest{
		Message: signals.Message{ID: ev.ID, By: clip(oneLine(e.c.Redact(ev.Actor)), 80)}, What: clip(oneLine(e.c.Redact(what)), 200)})
	var gone *serviceerror.NotFound
	if err == nil || errors.As(err, &gone) {
		return nil
	}
	return noAnswer(err)
}

// wakeWhere wakes what looks after those pull requests of a repository that an event concerns. The ids say which repository a
// workflow is for, whatever the case in which its name was written.
func (e *Ear) wakeWhere(ctx context.Context, ev forge.Event, what string, concerns func(signals.Status) bool) error {
	if ev.Owner == "" || ev.Name == "" {
		return fault.New(fault.Input, "event %s: it names no repository", ev.ID)
	}
	prefix := strings.TrimSuffix(signals.PullRequestID(ev.Host, ev.Owner, ev.Name, 0), "0")
	query := "WorkflowType = '" + signals.PullRequestFlow + "'" + running + " AND WorkflowId STARTS_WITH " + quoted(prefix)
	var ids []string
	err := e.each(ctx, query, mostPulls, func(r row) bool {
		if strings.HasPrefix(r.id, prefix) {
			ids = append(ids, r.id)
		}
		return true
	})
	if err != nil {
		return err
	}
	if len(ids) == mostPulls {
		e.c.Log.Warn("more pull requests are open than are woken at once", "woken", mostPulls)
	}
	asking := true
	for _, id := range ids {
		if asking {
			status, err := e.status(ctx, id, "")
			if err == nil && !concerns(status) {
				continue
			}
			asking = err == nil || final(err) // without a worker every question takes its whole time: wake them all
		}
		if err := e.wake(ctx, id, ev, what); err != nil {
			return err
		}
	}
	return nil
}

// Bounds of the requests of one person, for everybody may comment on a public repository.
const (
	mostArrivals = 30                // are carried out in a minute
	mostWaiting  = 60 * mostArrivals // wait for their minute: an hour's, more than GitHub lets one person write in that time
)

// arrive starts the workflow of a request. The same event delivered again is the same workflow, and costs its person nothing. What is
// beyond the bound waits on the server: an error would hold up the requests of others, and a webhook is not sent a second time.
func (e *Ear) arrive(ctx context.Context, ev forge.Event) error {
	now, person := e.c.Now(), ev.Host+"\x00"+strings.ToLower(clip(ev.Actor, 200))
	at, ok := e.arrivals.slot(person, now)
	if !ok {
		e.crowd(ev, now)
		return fault.New(fault.Infra, "event %s: too many requests wait already", ev.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	ev.Text = readable(e.c.Redact(ev.Text))
	summary := fmt.Sprintf("%s %s/%s#%d by %s", strings.ReplaceAll(string(ev.Kind), "_", " "), ev.Owner, ev.Name, ev.Number, ev.Actor)
	_, err := e.c.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: signals.ArrivalID(ev.ID), TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout, StartDelay: at.Sub(now),
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy:                 enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL, // so that a repeat is told apart
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		StaticSummary:                            task.Literally(clip(oneLine(summary), 180)),
	}, signals.Arrival, ev)
	if err == nil {
		if at.After(now) {
			e.crowd(ev, now)
		}
		return nil
	}
	e.arrivals.giveBack(person, at)
	var repeat *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &repeat) {
		return nil
	}
	return noAnswer(err)
}

// crowd logs that somebody's requests wait, once a minute.
func (e *Ear) crowd(ev forge.Event, now time.Time) {
	if more, due := e.crowded.Next("", now); due {
		e.c.Log.Warn("requests from a forge wait: somebody makes too many", "actor", clip(oneLine(ev.Actor), 80), "most in a minute", mostArrivals, "more before", more)
	}
}
