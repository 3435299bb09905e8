package activities

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
)

// errGone is the cause of a context whose attempt the server does not know any more: it has timed out, or its workflow has ended.
var errGone = errors.New("the server does not know this attempt any more")

// The causes of contexts that have been without the server for longer than allowed.
var (
	errAlone  = fault.New(fault.Stopping, "the server was out of reach for longer than LONGSHIFT_ALONE; the work continues when it is back")
	errSilent = fault.New(fault.Stopping, "the server was out of reach for as long as the heartbeat may take; "+
		"the step is taken again when it is back")
)

type heartbeatKey struct{}

// heartbeat sends the heartbeats of one activity from a ticker, independent of the work: a model may think for minutes without output. It
// calls the server itself and reads each answer, because the SDK ends an activity when one heartbeat fails.
type heartbeat struct {
	of         *Interceptor
	info       activity.Info
	now        chan struct{}
	alone      atomic.Bool // the activity runs a session, which may go on without the server
	details    atomic.Pointer[func() any]
	answeredAt atomic.Pointer[time.Time] // when that was sent which the server has last answered
}

func newHeartbeat(of *Interceptor, info activity.Info) *heartbeat {
	h := &heartbeat{of: of, info: info, now: make(chan struct{}, 1)}
	h.answered(time.Now())
	return h
}

// answered notes that the server has answered what was sent at a time, which has its monotonic part: a change of the clock is no outage. The answer
// may have waited for a process that was stopped.
func (h *heartbeat) answered(sent time.Time) { h.answeredAt.Store(&sent) }

// silence returns for how long the server has not answered.
func (h *heartbeat) silence() time.Duration { return time.Since(*h.answeredAt.Load()) }

// heartbeatOf returns the heartbeat of the activity. Outside of an activity it returns one that is never sent.
func heartbeatOf(ctx context.Context) *heartbeat {
	if h, ok := ctx.Value(heartbeatKey{}).(*heartbeat); ok {
		return h
	}
	return newHeartbeat(&Interceptor{}, activity.Info{})
}

// setHeartbeatDetails sets the details of this activity's heartbeats from now on; nil for none.
func setHeartbeatDetails(ctx context.Context, details func() any) {
	h := heartbeatOf(ctx)
	if details == nil {
		h.details.Store(nil)
		return
	}
	h.details.Store(&details)
}

// heartbeatNow sends a heartbeat at once. Those that follow have the same details.
func heartbeatNow(ctx context.Context, said any) {
	setHeartbeatDetails(ctx, func() any { return said })
	heartbeatOf(ctx).hurry()
}

// shownAfter is how long an act runs before people see it. What ends sooner costs no heartbeat.
const shownAfter = time.Second

// showSoon sets the details of this activity's heartbeats, and sends one before the next is due: acts are shorter than sessions.
func showSoon(ctx context.Context, details func() any) {
	setHeartbeatDetails(ctx, details)
	time.AfterFunc(shownAfter, heartbeatOf(ctx).hurry)
}

// hurry has the next heartbeat sent now.
func (h *heartbeat) hurry() {
	select {
	case h.now <- struct{}{}:
	default: // one is due already
	}
}

// says returns the details of a heartbeat that is sent now; nil for none.
func (h *heartbeat) says() any {
	if details := h.details.Load(); details != nil {
		return (*details)()
	}
	return nil
}

// run sends heartbeats until stop. The context that it returns ends when the server says so, or has not answered for too long.
func (h *heartbeat) run(ctx context.Context) (_ context.Context, stop func()) {
	timeout := h.info.HeartbeatTimeout
	if timeout <= 0 {
		return ctx, func() {}
	}
	every, patience := pace(timeout)
	ctx, cancel := context.WithCancelCause(clock.WithLimit(ctx, h.late))
	sending, end := context.WithCancel(context.WithoutCancel(ctx)) // an activity that is cancelled and still cleans up must not time out
	go func() {
		next := time.NewTimer(every)
		defer next.Stop()
		for { // the first one is not sent at once: it would race with the end of a short activity
			select {
			case <-sending.Done():
				return
			case <-next.C:
			case <-h.now:
			}
			wait, last := patience, h.answeredAt.Load()
			if !h.alone.Load() { // it has to know in time
				wait = min(wait, max(h.left(), patience/16))
			}
			why := h.send(sending, wait)
			if why != nil {
				cancel(why)
			}
			if errors.Is(why, errGone) {
				return
			}
			pause := every - h.silence()     // which counts from the sending
			if h.answeredAt.Load() == last { // it got no answer
				pause = min(every, patience/2)
			}
			next.Reset(max(pause, patience/16))
		}
	}()
	return ctx, func() { end(); cancel(nil) }
}

// shortTimeout is the timeout below which there are more heartbeats: a busy machine may not get to one for seconds.
const shortTimeout = 20 * time.Second

// pace says how often a heartbeat is sent, and how long it waits for its answer. Each one is paid for, so there are two in a timeout; one that gets
// no answer is soon sent again, so that a step knows of a silence before the server lets another attempt begin.
func pace(timeout time.Duration) (every, patience time.Duration) {
	if timeout < shortTimeout {
		return timeout / 4, max(timeout/4, time.Second)
	}
	return timeout / 2, timeout / 8
}

// send sends one heartbeat, and returns the reason why the activity has to end, if there is one.
func (h *heartbeat) send(ctx context.Context, patience time.Duration) error {
	call, stop := context.WithTimeout(ctx, patience)
	defer stop()
	var details []any
	if said := h.says(); said != nil {
		details = append(details, said)
	}
	sent := time.Now()
	err := h.server(call).RecordActivityHeartbeat(call, h.info.TaskToken, details...)
	switch {
	case ctx.Err() != nil:
		return nil
	case isGone(err):
		return fmt.Errorf("%w: %w", errGone, err)
	case err == nil, temporal.IsCanceledError(err), errors.Is(err, activity.ErrActivityPaused), errors.Is(err, activity.ErrActivityReset):
		h.answered(sent)
		h.of.silent.Delete(h.info.WorkflowExecution.RunID)
		if err != nil { // the SDK has to know it too, or it reports a cancelled activity as failed
			activity.RecordHeartbeat(ctx, details...)
		}
		return err
	}
	if _, known := h.of.silent.LoadOrStore(h.info.WorkflowExecution.RunID, true); !known {
		activity.GetLogger(ctx).Warn("The server does not answer heartbeats; sessions go on for a while", "error", err)
	}
	return h.patience()
}

// patience returns an error when the activity has to end because the server does not answer. An activity without a session has to end
// before another attempt can begin.
func (h *heartbeat) patience() error {
	switch alone := h.alone.Load(); {
	case alone && h.silence() > h.of.Alone:
		return errAlone
	case !alone && h.left() <= 0:
		return errSilent
	}
	return nil
}

// late is patience for who is about to act outside. That another attempt acts instead is no reason to leave the host.
func (h *heartbeat) late() error {
	if err := h.patience(); err != nil {
		return fault.New(fault.Infra, "%w", err)
	}
	return nil
}

// left is how long the server may still be silent.
func (h *heartbeat) left() time.Duration { return h.info.HeartbeatTimeout*3/4 - h.silence() }

// server returns a client, from within an activity or a session that has outlived one.
func (h *heartbeat) server(ctx context.Context) client.Client {
	if h.of.client != nil {
		return h.of.client(ctx)
	}
	return activity.GetClient(ctx)
}

// isGone tells whether the error means that the server does not know the attempt, and not that the server can't be reached.
func isGone(err error) bool {
	var unknown *serviceerror.NotFound
	var namespace *serviceerror.NamespaceNotFound
	var elsewhere *serviceerror.NamespaceNotActive
	return errors.As(err, &unknown) || errors.As(err, &namespace) || errors.As(err, &elsewhere)
}

// outOfTouch tells whether the last heartbeat of the activity's workflow from this process got no answer. When the server times an attempt
// out after that, neither the worker nor the work has failed.
func outOfTouch(ctx context.Context) bool {
	h := heartbeatOf(ctx)
	_, silent := h.of.silent.Load(h.info.WorkflowExecution.RunID)
	return silent
}
