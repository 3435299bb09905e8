package workflows

import (
	"encoding/json"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// conversation is what people see of one task. Each room has its own queue, so a channel that is down delays no other.
type conversation struct {
	in       signals.ConversationInput
	rooms    []*room
	last     signals.TaskAnswer // the workflow that takes what people say now
	n        int                // messages so far
	final    bool               // nothing follows
	deserted bool               // no notice has come for a long time
	keys     []string           // of the messages that people may answer
}

// room is one of the rooms.
type room struct {
	task.Room
	signals.RoomState
	queue []signals.Notice
	busy  bool
}

// idle is how long a Conversation waits for another notice. A task that was terminated can send no final one.
const idle = 400 * 24 * time.Hour

// Conversation shows a task in rooms: one card that is edited in place, and a message of its own whenever somebody has to act. It
// delivers in order, retries while a channel is down, and drops what has become too old.
func Conversation(ctx workflow.Context, in signals.ConversationInput) error {
	c := &conversation{in: in, last: signals.TaskAnswer{Workflow: in.Task, Run: in.Run}}
	for i, r := range in.Rooms {
		one := &room{Room: r}
		if in.State != nil && i < len(in.State.Rooms) {
			one.RoomState = in.State.Rooms[i]
		}
		c.rooms = append(c.rooms, one)
	}
	if in.State != nil {
		c.last, c.n = in.State.Last, in.State.N
	}
	in.State = nil
	if err := c.listen(ctx); err != nil {
		return err
	}
	for _, r := range c.rooms {
		workflow.GoNamed(ctx, "room "+r.Channel, func(ctx workflow.Context) { c.serve(ctx, r) })
	}
	workflow.GoNamed(ctx, "idle", c.watchIdle)
	c.picture(ctx)
	for {
		full := func() bool { return workflow.GetInfo(ctx).GetContinueAsNewSuggested() }
		if err := workflow.Await(ctx, func() bool { return c.quiet() && (c.final || c.deserted || full()) }); err != nil {
			return err
		}
		switch breathe(ctx); {
		case !c.quiet(): // something has come
		case c.final || c.deserted:
			return nil
		default:
			in.State = c.state()
			return workflow.NewContinueAsNewError(ctx, signals.Conversation, in)
		}
	}
}

// read takes a notice from the queue of signals.
func (c *conversation) read(ctx workflow.Context, payload json.RawMessage) {
	n, err := readPayload[signals.Notice](payload)
	if err != nil || n.From == "" {
		workflow.GetLogger(ctx).Warn("A notice can't be read", "error", err)
		return
	}
	c.take(n)
	c.picture(ctx)
}

// watchIdle ends the Conversation when no notice has come for too long.
func (c *conversation) watchIdle(ctx workflow.Context) {
	for n := -1; n != c.n; {
		n = c.n
		if err := workflow.NewTimerWithOptions(ctx, idle, workflow.TimerOptions{Summary: "nothing comes any more"}).Get(ctx, nil); err != nil {
			return
		}
	}
	c.deserted = true
}

// listen makes the Conversation ready for notices and for those who ask what a button stands for.
func (c *conversation) listen(ctx workflow.Context) error {
	err := workflow.SetQueryHandlerWithOptions(ctx, signals.QueryToken,
		func(q signals.TokenQuery) (signals.TokenAnswer, error) { return c.token(q), nil },
		workflow.QueryHandlerOptions{Description: notForPeople + "the decision behind a button: {token, room}"})
	if err != nil {
		return err
	}
	err = workflow.SetQueryHandlerWithOptions(ctx, signals.QueryAbout,
		func(q signals.AboutQuery) (signals.TokenAnswer, error) { return c.about(q), nil },
		workflow.QueryHandlerOptions{Description: notForPeople + "what a message is about: {room, message}"})
	if err != nil {
		return err
	}
	err = workflow.SetQueryHandlerWithOptions(ctx, signals.QueryTask, func() (signals.TaskAnswer, error) {
		a := c.last
		a.First = c.first(a.Run)
		return a, nil
	},
		workflow.QueryHandlerOptions{Description: "which workflow takes what people say"})
	if err != nil {
		return err
	}
	onSignal(ctx, signals.Notify, notForPeople+"a task says that something has happened", "notices", c.read)
	return nil
}

// take queues a notice in every room. Progress replaces progress that still waits.
func (c *conversation) take(n signals.Notice) {
	c.last = signals.TaskAnswer{Workflow: n.From, Run: n.Run}
	c.final = n.Final
	c.n++
	for _, r := range c.rooms {
		if last := len(r.queue) - 1; last >= 0 && n.Subject == "" && r.queue[last].Subject == "" && !n.Final {
			r.queue[last] = n
			continue
		}
		r.queue = append(r.queue, n)
	}
}

// quiet tells whether everything has been shown or dropped.
func (c *conversation) quiet() bool {
	for _, r := range c.rooms {
		if r.busy || len(r.queue) > 0 {
			return false
		}
	}
	return true
}

func (c *conversation) state() *signals.ConversationState {
	s := &signals.ConversationState{Last: c.last, N: c.n}
	for _, r := range c.rooms {
		one := signals.RoomState{Card: r.Card, CardKey: r.CardKey}
		for _, m := range r.Messages {
			m.Notice.Text = ""
			one.Messages = append(one.Messages, m)
		}
		s.Rooms = append(s.Rooms, one)
	}
	return s
}
