package workflows

import (
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// talk is a task's line to its Conversation. Notices go out one after another, beside the work: nothing waits for them.
type talk struct {
	id     string // of the Conversation; empty when nobody follows the task in a chat
	run    string // the task's first run, of which the id is made: a run that was reset goes on with the same one
	n      int    // notices so far
	queue  []signals.Notice
	silent bool // the Conversation is gone
}

// mostRooms is how many rooms show one task.
const mostRooms = 20

// openTalk starts the Conversation of a task that is followed in rooms. It lives on when the task has ended, for what was not
// delivered yet.
func (t *pipeline) openTalk(ctx workflow.Context, rooms []task.Room) {
	all := rooms[:0:0]
	for _, r := range rooms {
		all = addRoom(all, r)
	}
	if r := t.input.Room; r != nil {
		all = addRoom(all, *r)
	}
	t.talk.run = workflow.GetInfo(ctx).OriginalRunID
	if rooms = all[:min(len(all), mostRooms)]; len(rooms) == 0 {
		return
	}
	t.talk.id = signals.ConversationID(t.talk.run)
	options := workflow.ChildWorkflowOptions{
		WorkflowID: t.talk.id, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
		ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON,
		StaticSummary:     "what people see of " + t.status.WorkflowID,
	}
	in := signals.ConversationInput{Task: t.status.WorkflowID, Run: t.talk.run, Rooms: rooms}
	rest, _ := workflow.NewDisconnectedContext(ctx) // what was said before a cancel is still told
	workflow.GoNamed(rest, "talk", func(ctx workflow.Context) {
		child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, options), signals.Conversation, in)
		if err := child.GetChildWorkflowExecution().Get(ctx, nil); err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
			workflow.GetLogger(ctx).Warn("No conversation", "error", err)
			t.talk.silent, t.talk.queue = true, nil
			return
		}
		t.talk.send(ctx)
	})
}

// joinTalk goes on with a Conversation that stands.
func (t *pipeline) joinTalk(ctx workflow.Context, id string, n int) {
	t.talk.id, t.talk.n = id, n
	rest, _ := workflow.NewDisconnectedContext(ctx)
	workflow.GoNamed(rest, "talk", t.talk.send)
}

// send tells the Conversation, in order, until it is gone.
func (k *talk) send(ctx workflow.Context) {
	for !k.silent {
		if err := workflow.Await(ctx, func() bool { return len(k.queue) > 0 }); err != nil {
			return
		}
		next := k.queue[0]
		err := workflow.SignalExternalWorkflow(ctx, k.id, "", signals.Note, next).Get(ctx, nil)
		k.queue = k.queue[1:]
		if err != nil {
			workflow.GetLogger(ctx).Warn("The conversation is gone", "error", err)
			k.silent, k.queue = true, nil
		}
	}
}

// told waits until everything has been handed to the Conversation.
func (k *talk) told(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return len(k.queue) == 0 })
}

// show tells everybody who follows the task in a chat about the newest line of its log.
func (t *pipeline) show(ctx workflow.Context, n signals.Notice) {
	if t.talk.id == "" || t.talk.silent || len(t.status.Log) == 0 {
		return
	}
	line := t.status.Log[len(t.status.Log)-1]
	if !n.Settled && !t.wanted(line.Kind) {
		if !n.Final {
			return
		}
		n.Subject = "" // no message of its own; but the one that stands says how it ended, and the Conversation has to end
	}
	t.talk.n++
	n.From, n.N = t.status.WorkflowID, t.talk.n
	if !t.continues { // what continues as new is asked by its id alone: its newest run knows
		n.Run = t.status.RunID
	}
	n.Kind, n.Text, n.At = line.Kind, clip(line.Text, 500), workflow.Now(ctx)
	t.talk.queue = append(t.talk.queue, n)
}

// wanted tells whether people want to be told of a line of the log.
func (t *pipeline) wanted(kind string) bool {
	if t.status.Outcome == task.Failed { // the end of such a task is an error's
		kind = "error"
	}
	return t.status.Notify == nil || t.status.Notify.Wants(kind)
}

func addRoom(rooms []task.Room, r task.Room) []task.Room {
	for i, known := range rooms {
		if known.Channel == r.Channel && known.ID == r.ID {
			rooms[i] = r // in the thread where somebody asked for it
			return rooms
		}
	}
	return append(rooms, r)
}
