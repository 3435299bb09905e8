package main

import (
	"context"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// room is where people follow a task.
var room = task.Room{Channel: "slack", ID: "C0CALC"}

// chats are the branches in which people follow a task in a chat.
func chats() []branch {
	return []branch{{
		name: "task-in-chat", outcome: task.PullRequest, plan: []string{"FIX-001", "API-002", "DOC-003"}, rooms: []task.Room{room},
		config: `{"setup":"go mod download","check":"go test ./...","approval":{"mode":"required"}}`, drive: approveWhatIsShown,
	}, {
		name: "conversation", keep: signals.ConversationID, plan: []string{"FIX-001", "API-002", "DOC-003"}, rooms: []task.Room{room},
		config: `{"setup":"go mod download","check":"go test ./...","approval":{"mode":"required"}}`, drive: approveWhatIsShown,
	}, {
		name: "conversation-channel-down", keep: signals.ConversationID, rooms: []task.Room{room}, config: required,
		show: outOfOrder, drive: approveWhatIsShown,
	}, {
		name: "conversation-late", flow: signals.Conversation, args: func(*play) ([]any, error) {
			return []any{signals.ConversationInput{Task: "calc-1", Run: "run-1", Rooms: []task.Room{room}}}, nil
		}, drive: toldLate,
	}, {
		name: "conversation-settled-at-end", flow: signals.Conversation, args: func(*play) ([]any, error) {
			return []any{signals.ConversationInput{Task: "calc-1", Run: "run-1", Rooms: []task.Room{room}}}, nil
		}, drive: toldOnlyByTheCard,
	}, {
		name: "conversation-continued", keep: signals.ConversationID, rooms: []task.Room{room}, config: required, full: 30,
		drive: approveWhatIsShown,
	}, {
		name: "conversation-continuation", keep: signals.ConversationID, newest: true, rooms: []task.Room{room}, config: required, full: 30,
		drive: approveWhatIsShown,
	}}
}

// approveWhatIsShown approves the plan when people can see it.
func approveWhatIsShown(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.until(ctx, approving) },
		func() error { return p.happens(ctx, "shown plan", 1) },
		func() error {
			return p.update(ctx, signals.Approve, signals.ApproveRequest{Message: by("approve-1"), Revision: 1, Comment: "use the standard library"})
		})
}

// toldLate tells of a task's end when its card is long too old to be edited for mere progress.
func toldLate(ctx context.Context, p *play) error {
	return inTurn(func() error { return p.notify(ctx, signals.Notice{N: 1, Kind: "following"}, 0) },
		func() error { return p.happens(ctx, "shown card", 1) },
		func() error {
			return p.notify(ctx, signals.Notice{N: 2, Kind: "ended", Subject: signals.SubjectEnd, Final: true}, time.Hour)
		})
}

// toldOnlyByTheCard tells of the end of a suspended task that has no message of its own.
func toldOnlyByTheCard(ctx context.Context, p *play) error {
	return inTurn(func() error {
		return p.notify(ctx, signals.Notice{N: 1, Kind: "suspended", Subject: signals.SubjectStop}, 0)
	},
		func() error { return p.happens(ctx, "shown stop", 1) },
		func() error { return p.notify(ctx, signals.Notice{N: 2, Kind: "ended", Final: true}, 0) })
}

// notify tells a Conversation of what happened to its task some time ago.
func (p *play) notify(ctx context.Context, n signals.Notice, age time.Duration) error {
	n.From, n.Run, n.At = "calc-1", "run-1", time.Now().Add(-age)
	return p.signal(ctx, signals.Notify, n)
}

// outOfOrder is a channel that is down for a while. Later somebody deletes the task's message.
func outOfOrder(p *play, in activities.ShowInput) error {
	if p.count("Show") <= 2 {
		return fault.New(fault.Infra, "the channel does not answer")
	}
	if in.At != nil && in.Notice.Subject == "" && p.count("edit") == 1 {
		return fault.New(fault.NotFound, "there is no such message")
	}
	return nil
}
