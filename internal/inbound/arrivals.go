package inbound

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Bounds of the requests of one person from forges: everybody may comment on a public repository.
const (
	maxArrivals = 30               // are carried out in a minute
	maxWaiting  = 60 * maxArrivals // wait for their minute: an hour's, more than GitHub lets one person write in an hour
)

// arrivals starts the workflows of requests from forges.
type arrivals struct {
	client  executor
	limit   *rateLimit
	delayed *Counter // warnings about requests beyond the limit
	redact  func(string) string
	log     *slog.Logger
	now     func() time.Time
}

// start starts the Arrival of a request. An event that is delivered again is the same Arrival, and does not count for the limit; only one
// that has failed, or was ended from outside, is started anew, so that its request is not lost. Requests beyond the limit wait on the server: an error would hold up
// the requests of others, and a webhook is not sent a second time.
func (a arrivals) start(ctx context.Context, ev forge.Event) error {
	now, person := a.now(), ev.Host+"\x00"+strings.ToLower(excerpt.Clip(ev.Actor, 200))
	at, ok := a.limit.reserve(person, now)
	if !ok {
		a.warn(ev, now)
		return fault.New(fault.Infra, "event %s: too many requests wait already", ev.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	ev.Text = render.Readable(a.redact(ev.Text))
	summary := fmt.Sprintf("%s %s/%s#%d by %s", strings.ReplaceAll(string(ev.Kind), "_", " "), ev.Owner, ev.Name, ev.Number, ev.Actor)
	_, err := a.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: signals.ArrivalID(ev.ID), TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout, StartDelay: at.Sub(now),
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		WorkflowIDConflictPolicy:                 enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL, // so that a repeat is told apart
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		StaticSummary:                            task.Literally(render.Line(summary, 180)),
	}, signals.Arrival, ev)
	if err == nil {
		if at.After(now) {
			a.warn(ev, now)
		}
		return nil
	}
	a.limit.giveBack(person, at)
	var repeated *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &repeated) {
		return nil
	}
	return noAnswer(err)
}

// warn logs once a minute that requests wait.
func (a arrivals) warn(ev forge.Event, now time.Time) {
	if more, due := a.delayed.Next("", now); due {
		a.log.Warn("requests from a forge wait: somebody makes too many", "actor", render.Line(ev.Actor, 80),
			"most in a minute", maxArrivals, "more before", more)
	}
}
