package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

const (
	attachedAhead = 24 * time.Hour      // how long an attachment waits for its task
	attachedMost  = 90 * 24 * time.Hour // how long it waits for the end of tasks, which may have been terminated
)

// Attachment keeps the content of an image, which is its input, until the tasks that use it have ended. It does nothing with it: hosts read
// it from the history.
func Attachment(ctx workflow.Context, content []byte) error {
	a := &attachment{size: len(content), users: map[string]string{}, offered: workflow.Now(ctx)}
	a.used = a.offered
	uses := workflow.GetSignalChannel(ctx, signals.UseAttachment)
	for {
		for uses.Len() > 0 {
			var u signals.AttachmentUse
			if uses.ReceiveAsync(&u) {
				a.note(workflow.Now(ctx), u)
			}
		}
		a.picture(ctx)
		left := a.until().Sub(workflow.Now(ctx))
		if left <= 0 {
			return nil
		}
		if err := timer(ctx, left, "nobody uses it", func() bool { return uses.Len() > 0 }); err != nil {
			return err
		}
	}
}

type attachment struct {
	size    int
	users   map[string]string // tasks by their run
	offered time.Time         // when somebody last brought it for a task
	used    time.Time         // when a task last said something
}

func (a *attachment) note(now time.Time, u signals.AttachmentUse) {
	switch {
	case u.Run == "":
		a.offered = now
	case u.Ended:
		delete(a.users, u.Run)
	default:
		a.users[u.Run], a.used = u.Task, now
	}
}

// until is when it is needed no more.
func (a *attachment) until() time.Time {
	end := a.offered.Add(attachedAhead)
	if most := a.used.Add(attachedMost); len(a.users) > 0 && most.After(end) {
		end = most
	}
	return end
}

func (a *attachment) picture(ctx workflow.Context) {
	var p page
	p.title("kept", "")
	p.fact("Next human action", "none; it ends after its tasks, and at the latest on %s", a.until().UTC().Format(time.DateOnly))
	p.fact("Image", "%s", task.Size(a.size))
	for _, run := range workflow.DeterministicKeys(a.users) {
		p.fact("Used by", "%s", linked(workflow.GetInfo(ctx).Namespace, excerpt.Line(a.users[run], 200), run))
	}
	p.put(ctx)
}

// useImages tells the attachments of the task's images that it uses them, or that it has ended.
func (t *pipeline) useImages(ctx workflow.Context, ended bool) {
	use := signals.AttachmentUse{Task: t.status.WorkflowID, Run: t.status.RunID, Ended: ended}
	var sent []workflow.Future
	for _, image := range t.def.input.Images {
		sent = append(sent, workflow.SignalExternalWorkflow(ctx, signals.AttachmentID(image.Sum), "", signals.UseAttachment, use))
	}
	if !ended {
		return
	}
	for _, f := range sent {
		_ = f.Get(ctx, nil) // one that is gone needs no word; none is sent after the end of the task
	}
}
