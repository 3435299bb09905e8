package tasks

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
)

// DefineDebug adds the flag --debug.
func DefineDebug(flags *pflag.FlagSet, debug *bool, when string) {
	flags.BoolVar(debug, "debug", false, when+"print every event of the task's Temporal history on stderr, with all that it holds")
}

// Events prints the events that a task's history has so far. Each answer of the server has its time; printing, as into a pager, takes any.
func (v *Viewer) Events(ctx context.Context, c HistoryClient, f Found) error {
	call, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(server.AnswerWithin, func() { cancel(context.DeadlineExceeded) })
	defer late.Stop()
	err := eachEvent(call, c, f, false, func(line string) {
		late.Stop()
		v.printer.Say("%s", line)
		late.Reset(server.AnswerWithin)
	})
	if err != nil && context.Cause(call) == context.DeadlineExceeded {
		err = context.DeadlineExceeded
	}
	return v.server.Explain(err, f.ID)
}

// tail prints the events of a task's history as they come. The returned function ends it: at once, or when the task has ended and all of
// its events are printed.
func (v *Viewer) tail(ctx context.Context, c HistoryClient, f Found, line func(string)) (end func(ended bool)) {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := eachEvent(ctx, c, f, true, line); err != nil && ctx.Err() == nil {
			line("debug: the history can't be read: " + err.Error())
		}
	}()
	return func(ended bool) {
		if ended {
			select {
			case <-done:
			case <-v.clock.After(server.AnswerWithin):
			}
		}
		stop()
		<-done
	}
}

func eachEvent(ctx context.Context, c HistoryClient, f Found, follow bool, line func(string)) error {
	events := c.GetWorkflowHistory(ctx, f.ID, f.Run, follow, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			return err
		}
		line(eventText(e))
	}
	return nil
}

// eventText is an event in one line: time, number, type, and everything else as JSON.
func eventText(e *historypb.HistoryEvent) string {
	readable := map[string]any{commonpb.EnablePayloadShorthandMetadataKey: true} // JSON payloads as they are, not in base64
	all, err := temporalproto.CustomJSONMarshalOptions{Metadata: readable}.Marshal(e)
	if err != nil {
		all = []byte(err.Error())
	}
	at := e.GetEventTime().AsTime().Local().Format(time.TimeOnly)
	return fmt.Sprintf("debug: %s  event %d  %s  %s", at, e.GetEventId(), e.GetEventType(), term.OneLine(string(all)))
}
