package activities

import (
	"context"
	"time"

	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// settler is a source that omits work from its list while somebody writes to it.
type settler interface {
	// Settles returns how long it takes until the list is complete, if nobody writes meanwhile; 0 when it is complete now.
	Settles(ctx context.Context, q intake.Query) (time.Duration, error)
}

// recaller is a source that remembers which tasks have claimed its work, and omits that work from its list.
type recaller interface {
	// Claims returns the claimed work: Item.ID is the task's workflow, the note that of its claim.
	Claims(ctx context.Context, q intake.Query) ([]intake.Claimed, error)
}

// keeper is a source that knows which work its tasks have left undone.
type keeper interface {
	Kept(ctx context.Context, q intake.Query) ([]intake.Kept, error)
}

// recorder is a source that shows for good which work has had its task. Others than intakes start tasks, which tell no source.
type recorder interface {
	// Record notes that the work has had its task, so that it is not listed again. It leaves alone what the source knew already: then a
	// person wants it listed.
	Record(ctx context.Context, q intake.Query, key string, n intake.Note) error
}

// remember tells the source of listed work that it has had its task, before the server forgets that task. The poll goes on without that:
// the next one tries again.
func (f *finder) remember(ctx context.Context, i intake.Item, key string, info *workflowpb.WorkflowExecutionInfo, why string) {
	r, ok := f.source.(recorder)
	if !ok || f.remembered >= mostTold || wasDeclined(info) {
		return
	}
	f.remembered++
	run := info.GetExecution().GetRunId()
	name := "`" + i.ID + "`"
	if page := webURL(ctx, f.web, i.ID, run); page != "" {
		name = "[" + name + "](" + page + ")"
	}
	n := intake.Note{TaskID: run, Text: "This issue has had its task: " + name + ". Write `/longshift run` to start it again.\n"}
	if err := r.Record(ctx, f.query, i.Key, n); err != nil {
		f.remembered = mostTold // the others would fail too
		activity.GetLogger(ctx).Warn("The source can't be told that work has had its task", "work", i.Key, "error", err)
		return
	}
	f.out.Refused[key] = signals.Refusal{At: f.in.Now, Why: why}
}

// wasDeclined tells whether a task of an intake was declined. Its source knows one that has begun by its claim. Any other was refused the
// work, for example because a person had taken it back: nobody has worked on that.
func wasDeclined(info *workflowpb.WorkflowExecutionInfo) bool {
	var outcome task.Outcome
	if p, ok := info.GetSearchAttributes().GetIndexedFields()[signals.AttrOutcome]; ok {
		_ = converter.GetDefaultDataConverter().FromPayload(p, &outcome) // one that can't be read counts as another
	}
	return outcome == task.Declined && info.GetParentExecution() != nil
}

// keeps reports the work that waits until a person changes it.
func (f *finder) keeps(ctx context.Context) error {
	k, ok := f.source.(keeper)
	if !ok {
		return nil
	}
	kept, err := k.Kept(ctx, f.query)
	for _, one := range kept {
		f.leave(one.Key, "its task ended as "+outcomeWords(one.Outcome)+
			"; edit it to have it worked on again, or remove it")
	}
	return err
}

// release reports the outcome of tasks that were ended from outside and could not report it. Without that their work would be omitted for
// ever.
func (f *finder) release(ctx context.Context) error {
	r, ok := f.source.(recaller)
	if !ok {
		return nil
	}
	claims, err := r.Claims(ctx, f.query)
	if err != nil {
		return err
	}
	for _, c := range claims {
		info, err := described(ctx, c.ID, "")
		if err != nil {
			return err
		}
		if isRunning(info) {
			continue
		}
		err = f.source.Report(ctx, f.query, c.Key, intake.Note{TaskID: c.TaskID, Outcome: task.Failed, Sum: c.Sum,
			Text: "It was ended from outside."})
		if kind := fault.KindOf(err); err != nil && kind != fault.NotFound && kind != fault.Conflict {
			return err
		}
	}
	return nil
}
