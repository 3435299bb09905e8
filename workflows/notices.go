package workflows

import (
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// notices go to the task's Conversation, one after another, beside the work: nothing waits for them.
type notices struct {
	facts
	conversation string // workflow id; empty when nobody follows the task in a chat
	run          string // the task's first run, which the id is made of: a run that was reset keeps it
	n            int    // notices so far
	queue        []signals.Notice
	silent       bool // the Conversation is gone
}

// mostRooms is how many rooms show one task.
const mostRooms = 20

// open starts the Conversation of a task that is followed in rooms. It outlives the task, for what was not delivered yet.
func (ns *notices) open(ctx workflow.Context, rooms []task.Room) {
	all, asked := rooms[:0:0], ns.def.input.Room
	if asked != nil { // first: it is shown there in any case, in the thread where somebody asked
		all = addRoom(all, *asked)
	}
	for _, r := range rooms {
		if asked == nil || r.Channel != asked.Channel || r.ID != asked.ID {
			all = addRoom(all, r)
		}
	}
	if left := len(all) - mostRooms; left > 0 {
		workflow.GetLogger(ctx).Warn("The task is not shown in all rooms", "rooms", mostRooms, "left out", left)
	}
	ns.run = workflow.GetInfo(ctx).OriginalRunID
	if rooms = all[:min(len(all), mostRooms)]; len(rooms) == 0 {
		return
	}
	ns.conversation = signals.ConversationID(ns.run)
	options := workflow.ChildWorkflowOptions{
		WorkflowID: ns.conversation, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
		ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON,
		StaticSummary:     "what people see of " + ns.status.WorkflowID,
	}
	in := signals.ConversationInput{Task: ns.status.WorkflowID, Run: ns.run, Rooms: rooms}
	rest, _ := workflow.NewDisconnectedContext(ctx) // notices from before a cancel are still delivered
	workflow.GoNamed(rest, "notices", func(ctx workflow.Context) {
		child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, options), signals.Conversation, in)
		if err := child.GetChildWorkflowExecution().Get(ctx, nil); err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
			workflow.GetLogger(ctx).Warn("No conversation", "error", err)
			ns.silent, ns.queue = true, nil
			return
		}
		ns.send(ctx)
	})
}

// join goes on with a Conversation that runs already, after n notices.
func (ns *notices) join(ctx workflow.Context, conversation string, n int) {
	ns.conversation, ns.n = conversation, n
	rest, _ := workflow.NewDisconnectedContext(ctx)
	workflow.GoNamed(rest, "notices", ns.send)
}

// send signals the Conversation, in order, until it is gone.
func (ns *notices) send(ctx workflow.Context) {
	for !ns.silent {
		if err := workflow.Await(ctx, func() bool { return len(ns.queue) > 0 }); err != nil {
			return
		}
		err := workflow.SignalExternalWorkflow(ctx, ns.conversation, "", signals.Notify, ns.queue[0]).Get(ctx, nil)
		ns.queue = ns.queue[1:]
		if err != nil {
			workflow.GetLogger(ctx).Warn("The conversation is gone", "error", err)
			ns.silent, ns.queue = true, nil
		}
	}
}

// idle tells whether everything has been handed to the Conversation.
func (ns *notices) idle() bool { return len(ns.queue) == 0 }

// shown tells whether there is a Conversation.
func (ns *notices) shown() bool { return ns.conversation != "" && !ns.silent }

// show notifies everybody who follows the task in a chat of the newest line of its log.
func (ns *notices) show(ctx workflow.Context, n signals.Notice) {
	if !ns.shown() || len(ns.status.Log) == 0 {
		return
	}
	line := ns.status.Log[len(ns.status.Log)-1]
	if !n.Settled && !ns.wanted(line.Kind) {
		if !n.Final {
			return
		}
		n.Subject = "" // no message of its own, but the card shows the end, and the Conversation has to end
	}
	ns.n++
	n.From, n.N = ns.status.WorkflowID, ns.n
	if !ns.def.continues { // a workflow that continues as new is queried by its id alone: its newest run answers
		n.Run = ns.status.RunID
	}
	n.Kind, n.Text, n.At = line.Kind, excerpt.Clip(line.Text, 500), workflow.Now(ctx)
	ns.queue = append(ns.queue, n)
}

// wanted tells whether people want to be notified of a kind of log line.
func (ns *notices) wanted(kind string) bool {
	if ns.status.Outcome == task.Failed { // the end of such a task is an error's
		kind = "error"
	}
	return ns.status.Notify == nil || ns.status.Notify.Wants(kind)
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
